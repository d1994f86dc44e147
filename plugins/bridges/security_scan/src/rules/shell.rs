//! Shell scripts, also as they stand in Dockerfiles, workflows and YAML.

use crate::rule::{HIGH, LIKELY, LOW, MAYBE, MEDIUM, Rule, SURE};

pub(super) const SHELL: &[Rule] = &[
    Rule::new(
        "shell.pipe-to-shell",
        (HIGH, LIKELY, "CWE-494"),
        &["curl", "wget"],
        r#"\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:/bin/|/usr/bin/)?(?:(?:ba|z|da|k)?sh|python3?|perl|node)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?["']?(?:\$\(|<\()\s*(?:curl|wget)\b|\beval\s+["']?\$\(\s*(?:curl|wget)\b"#,
        "Whatever the other side sends is run unseen",
        "Download, compare with a known SHA-256, then run.",
    ),
    Rule::new(
        "shell.eval",
        (MEDIUM, LIKELY, "CWE-78"),
        &["eval"],
        r#"(?:^|[;&|\s])(eval\s+["']?[^"'\n]*\$\{?[A-Za-z_0-9@*])"#,
        "eval runs what a variable holds",
        "Use arrays for arguments, and ${!name} for indirection.",
    )
    .unless(r"\beval\s+[\x22']?\$\((?:ssh-agent|brew|opam|pyenv|rbenv|direnv|minikube|docker-machine|dircolors)"),
    Rule::new(
        "shell.chmod",
        (MEDIUM, SURE, "CWE-732"),
        &["chmod"],
        r"\bchmod\s+(?:-[A-Za-z]+\s+)*(?:0?777|0?666|a\+rwx|a\+w|o\+w|ugo\+rwx)\b",
        "Everybody may write the file",
        "Give the fewest rights that do, such as 750.",
    ),
    Rule::new(
        "shell.tls-off",
        (HIGH, LIKELY, "CWE-295"),
        &["curl", "wget", "git", "GIT_SSL", "npm", "pip", "strict-ssl", "sslVerify"],
        r"\bcurl\b[^\n|;]*\s(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?:\s|$)|\bwget\b[^\n|;]*--no-check-certificate\b|\bsslVerify[=\s]+[\x22']?false\b|\bGIT_SSL_NO_VERIFY=(?:1|true)\b|\bstrict-ssl[=\s]+false\b|--trusted-host\b",
        "Certificates are not checked, so anyone on the way can change what arrives",
        "Leave verification on; for a private authority pass its certificate (--cacert).",
    ),
    Rule::new(
        "shell.ssh-host-key",
        (MEDIUM, SURE, "CWE-322"),
        &["StrictHostKeyChecking"],
        r"\bStrictHostKeyChecking[=\s]+[\x22']?no\b",
        "Any host key is accepted, so anyone can stand in for the server",
        "Put the key into known_hosts, or use accept-new.",
    )
    .in_strings(),
    Rule::new(
        "shell.rm-variable",
        (LOW, LIKELY, "CWE-73"),
        &["rm "],
        r#"\brm\s+-[a-zA-Z]*r[a-zA-Z]*\s+(?:-\S+\s+)*["']?\$\{?[A-Za-z_]\w*\}?["']?/(?:\*|\s|$|["'])"#,
        "An empty variable makes this delete from the root",
        "Write \"${NAME:?}/\", which stops when NAME is empty.",
    ),
    Rule::new(
        "shell.tmp",
        (LOW, LIKELY, "CWE-377"),
        &["/tmp/"],
        r"(?:>>?\s*|\b(?:-o|-O|tee)\s+)/tmp/[\w.-]+(?:\s|$|;)",
        "Others can guess the name and put a link there first",
        "Use mktemp.",
    ),
    Rule::new(
        "shell.sudoers",
        (MEDIUM, LIKELY, "CWE-250"),
        &["NOPASSWD"],
        r"\bNOPASSWD:\s*ALL\b",
        "Any command may be run as root without a password",
        "Name the commands.",
    )
    .in_strings(),
];

pub(super) const DOCKERFILE: &[Rule] = &[
    Rule::new(
        "docker.unpinned",
        (LOW, SURE, "CWE-1357"),
        &["FROM ", "from "],
        r"(?im)^\s*(FROM\s+(?:--platform=\S+\s+)?[a-z0-9][\w./-]*(?::latest)?(?:\s+AS\s+\w+)?\s*)$",
        "The image can change from one build to the next",
        "Name a version and a digest: image:1.2@sha256:…",
    )
    .over(0)
    .unless(r"(?i)FROM\s+(?:--platform=\S+\s+)?(?:scratch|build\w*|base|deps|stage\w*|final|runtime|test\w*|dev\w*|prod\w*)\b"),
    Rule::new(
        "docker.add-url",
        (MEDIUM, SURE, "CWE-494"),
        &["ADD ", "add "],
        r"(?im)^\s*(ADD\s+https?://)",
        "What is fetched is not checked",
        "Use ADD --checksum=sha256:…, or curl and sha256sum -c.",
    )
    .over(0),
    Rule::new(
        "docker.secret",
        (HIGH, LIKELY, "CWE-538"),
        &["ENV ", "ARG "],
        r"(?m)^\s*((?:ENV|ARG)\s+\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY)\w*[=\s]\s*[^\s$].*)$",
        "The value stays in the image's history",
        "Use RUN --mount=type=secret, or give it at run time.",
    )
    .over(0),
    Rule::new(
        "docker.root",
        (LOW, LIKELY, "CWE-250"),
        &["USER "],
        r"(?m)^\s*(USER\s+(?:root|0)(?::\w+)?\s*)$",
        "The program runs as root",
        "End with a USER of its own.",
    )
    .over(0),
    Rule::new(
        "docker.ssh",
        (LOW, MAYBE, "CWE-1327"),
        &["EXPOSE "],
        r"(?m)^\s*(EXPOSE\s+(?:[\d/a-z]+\s+)*22\b)",
        "A container with an SSH server",
        "Use docker exec.",
    )
    .over(0),
];
