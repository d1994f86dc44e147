//! GitHub workflows, Kubernetes and compose files, Terraform.

use crate::rule::{CRITICAL, HIGH, LIKELY, LOW, MAYBE, MEDIUM, Rule, SURE};

pub(super) const WORKFLOW: &[Rule] = &[
    Rule::new(
        "workflow.injection",
        (HIGH, SURE, "CWE-94"),
        &["${{"],
        r"(?m)(?:^\s*(?:-\s+)?run:[^\n]*|^\s{6,}[^\n:#]*[^\n]*)(\$\{\{\s*(?:github\.event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:email|name))|commits\S*|pages\S*page_name|workflow_run\.head_branch)|github\.head_ref)\s*\}\})",
        "Text that strangers write becomes part of a script",
        "Put it into env: and use \"$NAME\" in the script.",
    )
    .unless(r"^\s*[A-Z_][A-Z0-9_]*:\s*[\x22']?\$\{\{|^\s*(?:-\s+)?(?:if|name|with|ref|env|title|body|group|key|value|concurrency):"),
    Rule::new(
        "workflow.pull-request-target",
        (HIGH, LIKELY, "CWE-829"),
        &["head.sha", "head.ref", "head_ref"],
        r"\bref:\s*\$\{\{\s*(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref)\s*\}\}",
        "With pull_request_target, code of strangers runs with this repository's secrets",
        "Use pull_request, or do not check out the head.",
    ),
    Rule::new(
        "workflow.unpinned-action",
        (LOW, LIKELY, "CWE-1357"),
        &["uses:"],
        r#"\buses:\s*["']?(?:[\w.-]+/[\w./-]+@(?:main|master|latest|HEAD|v?\d+(?:\.\d+)*)["']?)(?:\s|$)"#,
        "Whoever moves this tag or branch runs code here",
        "Pin to the full commit: owner/action@<40 hex digits> # v1.2.3",
    )
    .over(0)
    .unless(r"uses:\s*[\x22']?(?:actions|github)/"),
    Rule::new(
        "workflow.write-all",
        (MEDIUM, SURE, "CWE-250"),
        &["write-all"],
        r"\bpermissions:\s*write-all\b",
        "Every job may write everything",
        "Name the permissions that each job needs.",
    ),
    Rule::new(
        "workflow.unsecure-commands",
        (MEDIUM, SURE, "CWE-77"),
        &["ACTIONS_ALLOW_UNSECURE_COMMANDS"],
        r#"\bACTIONS_ALLOW_UNSECURE_COMMANDS:\s*["']?true"#,
        "Output of a step can set environment and path",
        "Use $GITHUB_ENV and $GITHUB_PATH.",
    ),
    Rule::new(
        "workflow.all-secrets",
        (MEDIUM, LIKELY, "CWE-200"),
        &["secrets"],
        r"\btoJSON\s*\(\s*secrets\s*\)",
        "All secrets are handed over",
        "Name the secrets that the step needs.",
    ),
];

pub(super) const KUBERNETES: &[Rule] = &[
    Rule::new(
        "kubernetes.privileged",
        (HIGH, LIKELY, "CWE-250"),
        &["privileged", "allowPrivilegeEscalation"],
        r"(?m)^\s*(?:-\s+)?(privileged:\s*true|allowPrivilegeEscalation:\s*true)\b",
        "The container can take over the machine",
        "Leave it false and add the single capabilities that are needed.",
    ),
    Rule::new(
        "kubernetes.host",
        (MEDIUM, LIKELY, "CWE-653"),
        &["hostNetwork", "hostPID", "hostIPC"],
        r"(?m)^\s*(host(?:Network|PID|IPC):\s*true)\b",
        "The container shares the machine's network or processes",
        "Leave it false.",
    ),
    Rule::new(
        "kubernetes.root",
        (MEDIUM, LIKELY, "CWE-250"),
        &["runAsUser", "runAsNonRoot"],
        r"(?m)^\s*(runAsUser:\s*0|runAsNonRoot:\s*false)\b",
        "The program runs as root",
        "Set runAsNonRoot: true.",
    ),
    Rule::new(
        "kubernetes.docker-socket",
        (HIGH, LIKELY, "CWE-250"),
        &["docker.sock"],
        r"/var/run/docker\.sock\b",
        "Who reaches the Docker socket owns the machine",
        "Leave the socket out.",
    ),
    Rule::new(
        "kubernetes.wildcard",
        (MEDIUM, LIKELY, "CWE-732"),
        &["verbs", "resources"],
        r#"\b(?:verbs|resources):\s*\[\s*["']\*["']\s*\]"#,
        "The role may do everything",
        "Name resources and verbs.",
    ),
];

pub(super) const TERRAFORM: &[Rule] = &[
    Rule::new(
        "terraform.open-ingress",
        (HIGH, LIKELY, "CWE-284"),
        &["ingress"],
        r#"\bingress\s*(?:=\s*\[?\s*)?\{[^}]*\b(?:ipv6_)?cidr_blocks\s*=\s*\[[^\]]*"(?:0\.0\.0\.0/0|::/0)""#,
        "The whole internet may connect",
        "Name the networks that need it.",
    )
    .over(14),
    Rule::new(
        "terraform.open-rule",
        (HIGH, LIKELY, "CWE-284"),
        &["ingress", "source_ranges", "source_address_prefix"],
        r#"\btype\s*=\s*"ingress"[^}]*\bcidr_blocks\s*=\s*\[[^\]]*"0\.0\.0\.0/0"|\bsource_ranges\s*=\s*\[[^\]]*"0\.0\.0\.0/0"|\bsource_address_prefix\s*=\s*"(?:\*|0\.0\.0\.0/0|Internet)""#,
        "The whole internet may connect",
        "Name the networks that need it.",
    )
    .over(14),
    Rule::new(
        "terraform.public-bucket",
        (HIGH, SURE, "CWE-732"),
        &["acl", "allUsers", "block_public", "ignore_public", "restrict_public"],
        r#"\bacl\s*=\s*"(?:public-read(?:-write)?|authenticated-read)"|"all(?:Authenticated)?Users"|\b(?:block_public_acls|block_public_policy|ignore_public_acls|restrict_public_buckets)\s*=\s*false\b"#,
        "Everybody may read the store",
        "Make it private and block public access.",
    )
    .in_strings(),
    Rule::new(
        "terraform.public-database",
        (HIGH, SURE, "CWE-284"),
        &["publicly_accessible", "public_network_access_enabled"],
        r"\bpublicly_accessible\s*=\s*true\b",
        "The database has a public address",
        "Keep it in a private network.",
    ),
    Rule::new(
        "terraform.unencrypted",
        (MEDIUM, SURE, "CWE-311"),
        &["encrypt"],
        r"\b(?:storage_encrypted|encrypted|at_rest_encryption_enabled|transit_encryption_enabled|encryption_at_rest_enabled|enable_https_traffic_only)\s*=\s*false\b",
        "Data are kept or sent unencrypted",
        "Switch encryption on.",
    ),
    Rule::new(
        "terraform.wildcard",
        (HIGH, LIKELY, "CWE-732"),
        &["ction", "\"*\""],
        r#"(?:"Action"|\bAction)\s*[:=]\s*\[?\s*"\*(?::\*)?"|\bactions\s*=\s*\[\s*"\*(?::\*)?"\s*\]"#,
        "The policy allows every action",
        "Name the actions and resources.",
    )
    .in_strings(),
    Rule::new(
        "terraform.metadata",
        (MEDIUM, SURE, "CWE-918"),
        &["http_tokens"],
        r#"\bhttp_tokens\s*=\s*"optional""#,
        "A forged request from the machine can read its credentials",
        "Set http_tokens = \"required\".",
    ),
    Rule::new(
        "terraform.tls-old",
        (MEDIUM, SURE, "CWE-326"),
        &["tls", "TLS"],
        r#"\b(?:min(?:imum)?_tls_version|minimum_protocol_version|ssl_policy)\s*=\s*"(?:TLS1_0|TLS1_1|TLSv1|TLSv1_2016|1\.0|1\.1|ELBSecurityPolicy-2016-08|ELBSecurityPolicy-TLS-1-[01]-)"#,
        "An outdated protocol version is allowed",
        "Ask for TLS 1.2 or newer.",
    ),
    Rule::new(
        "terraform.key-rotation",
        (LOW, SURE, "CWE-324"),
        &["enable_key_rotation"],
        r"\benable_key_rotation\s*=\s*false\b",
        "The key is never changed",
        "Set enable_key_rotation = true.",
    ),
    Rule::new(
        "terraform.source",
        (LOW, MAYBE, "CWE-1357"),
        &["source"],
        r#"\bsource\s*=\s*"(?:git::|git@|github\.com/)[^"\n?]*""#,
        "The module can change from one run to the next",
        "Add ?ref=<tag or commit>.",
    ),
    Rule::new(
        "terraform.default-password",
        (CRITICAL, LIKELY, "CWE-1391"),
        &["admin_password", "master_password"],
        r#"(?i)\b(?:admin|master)_password\s*=\s*"(?:password|admin|changeme|root|123456)[^"\n]{0,3}""#,
        "A password that everybody tries first",
        "Use random_password, or a secret store.",
    ),
];
