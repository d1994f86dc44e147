//! SQL, shell, PHP, Ruby, Dockerfile and HTML.

use super::{LineRule, rule};
use crate::language::Language;
use crate::remark::Kind::{Defect, Performance, Security, Style};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::is_match;

pub(crate) const SQL: &[LineRule] = &[
    rule(
        "sql.null-equality",
        (Defect, "high"),
        (r"(?i)(?:=|<>|!=)\s*null\b", r"(?i)\bset\b.*=\s*null|:=|default"),
        "comparison with NULL by = is never true: use IS NULL or IS NOT NULL",
        "Write IS NULL or IS NOT NULL.",
    ),
    rule(
        "sql.not-in-subquery",
        (Defect, "medium"),
        (r"(?i)\bnot\s+in\s*\(\s*(?:select\b|$)", ""),
        "NOT IN a subquery gives no rows as soon as the subquery has a NULL",
        "Use NOT EXISTS.",
    ),
    rule(
        "sql.select-star",
        (Style, "low"),
        (r"(?i)\bselect\s+(?:\w+\.)?\*", r"(?i)exists|count"),
        "SELECT * fetches all columns, and changes with the table",
        "Name the columns.",
    ),
    rule(
        "sql.leading-wildcard",
        (Performance, "medium"),
        (r"(?i)\blike\s+'%", ""),
        "LIKE with a leading wildcard (%) cannot use an index: full scan",
        "Use a full-text or trigram index.",
    )
    .in_text(),
    rule(
        "sql.function-on-column",
        (Performance, "medium"),
        (
            r"(?i)\b(?:where|and|on)\s+(?:year|month|date|lower|upper|to_char|cast|date_trunc|extract|substr\w*)\s*\(",
            "",
        ),
        "a function around the column keeps the index from being used",
        "Compare the column itself with a range.",
    ),
    rule(
        "sql.order-by-random",
        (Performance, "medium"),
        (r"(?i)order\s+by\s+(?:rand|random|newid)\s*\(", ""),
        "ORDER BY random sorts the whole table",
        "Choose random keys instead.",
    ),
    rule(
        "sql.comma-join",
        (Defect, "medium"),
        (r"(?i)\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*\w+", r"(?i)\bwhere\b"),
        "implicit cross join: tables parted by a comma without JOIN … ON give every combination (Cartesian product)",
        "Use JOIN with ON.",
    ),
    rule(
        "sql.grant-all",
        (Security, "medium"),
        (r"(?i)\bgrant\s+all\b", ""),
        "GRANT ALL gives more rights than needed",
        "Grant what is needed.",
    ),
    rule(
        "sql.plaintext-password",
        (Security, "high"),
        (r"(?i)\b(?:password|passwd|pwd)\s+(?:varchar|text|char)", "(?i)hash"),
        "the column keeps passwords in plaintext",
        "Store a hash (bcrypt, argon2).",
    ),
    rule(
        "sql.having-where",
        (Style, "info"),
        (r"(?i)\bselect\s+distinct\b.*\bgroup\s+by\b", ""),
        "DISTINCT beside GROUP BY does nothing",
        "Leave out DISTINCT.",
    ),
    rule(
        "sql.float-money",
        (Defect, "medium"),
        (r"(?i)\b(\w*(?:price|amount|total|balance|cost)\w*)\s+(?:float|real|double)", ""),
        "money as a floating-point number (`{1}`): cents get lost by rounding",
        "Use NUMERIC(12, 2).",
    ),
    rule(
        "sql.concat",
        (Security, "high"),
        (r"(?i)\bexec(?:ute)?\b.*(?:\|\||\+)", ""),
        "SQL injection: dynamic SQL is built from values as text",
        "Use parameters (USING, sp_executesql).",
    ),
];

pub(crate) const SHELL: &[LineRule] = &[
    rule(
        "shell.rm-variable",
        (Defect, "high"),
        (r#"\brm\s+(?:-\w+\s+)*["']?\$\{?(\w+)\}?["']?/"#, r"\$\{\w+:\?"),
        "if `{1}` is empty or unset, rm deletes from the root (/)",
        "Write ${VAR:?} and quote it.",
    )
    .in_text(),
    rule(
        "shell.unquoted",
        (Defect, "medium"),
        (r#"\b(?:rm|cp|mv|cd|cat|chmod|chown|mkdir|ls|tar|grep|rmdir|touch|ln|source|test)\b(?:[^"'|;&#]|"[^"]*"|'[^']*')*\s\$\{?(\w+)"#, ""),
        "`{1}` is unquoted: spaces and * split the name (word splitting, globbing); use quotes",
        "Put double quotes around it.",
    )
    .in_text(),
    rule(
        "shell.unquoted-test",
        (Defect, "medium"),
        (r"(?:^|[^\[])\[\s+(?:-\w\s+)?\$\{?(\w+)", r"\[\["),
        "`{1}` is unquoted in [ ]: an empty value breaks the test; use quotes",
        "Put double quotes around it.",
    )
    .in_text(),
    rule(
        "shell.for-ls",
        (Defect, "medium"),
        (r"\bfor\s+\w+\s+in\s+(?:\$\(\s*(?:ls|cat|find)|`\s*(?:ls|cat|find))", ""),
        "looping over the output of ls, cat or find splits names at spaces (word splitting)",
        "Loop over a glob, or use while read -r.",
    )
    .in_text(),
    rule(
        "shell.cd-unchecked",
        (Defect, "medium"),
        (r"^\s*cd\s+[^|&;]+\s*$", ""),
        "cd is not checked: if it fails, the next commands run in the wrong folder",
        "Write cd … || exit 1, or set -e.",
    )
    .in_text(),
    rule(
        "shell.assignment-spaces",
        (Defect, "high"),
        (r"^\s*([A-Za-z_]\w*)\s+=\s+\S|^\s*([A-Za-z_]\w*)\s+=\S", ""),
        "spaces around = : the shell runs `{1}` as a command instead of assigning",
        "Write name=value without spaces.",
    ),
    rule(
        "shell.curl-pipe",
        (Security, "high"),
        (r"\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b", ""),
        "what is downloaded is run at once by the shell, unseen",
        "Download, check the checksum, then run.",
    )
    .in_text(),
    rule(
        "shell.chmod-777",
        (Security, "high"),
        (r"\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\b", ""),
        "chmod 777: everybody may write",
        "Give only the rights that are needed.",
    ),
    rule(
        "shell.eval",
        (Security, "high"),
        (r"\beval\s+", ""),
        "eval runs whatever text it is given (command injection)",
        "Use an array of arguments.",
    )
    .in_text(),
    rule(
        "shell.tmp",
        (Security, "medium"),
        (r">\s*/tmp/[\w.]+(?:\$\$)?|=\s*[\x22']?/tmp/[\w.]+\.\w+", "mktemp"),
        "a predictable file in /tmp: others can put a link there first",
        "Use mktemp.",
    )
    .in_text(),
    rule(
        "shell.backticks",
        (Style, "low"),
        (r"`[^`]+`", ""),
        "backticks do not nest: use $( )",
        "Use $(…).",
    )
    .in_text(),
    rule(
        "shell.useless-cat",
        (Style, "info"),
        (r"\bcat\s+\S+\s*\|\s*(?:grep|awk|sed|wc|head|tail|sort)\b", ""),
        "useless use of cat",
        "Give the file to the command itself.",
    )
    .in_text(),
    rule(
        "shell.string-number",
        (Defect, "medium"),
        (r"\[\[?\s+[\x22']?\$\w+[\x22']?\s+(?:>|<)\s+\d+", ""),
        "< and > compare as text or redirect: numbers need -lt and -gt",
        "Use -lt, -gt, or (( )).",
    )
    .in_text(),
];

pub(crate) const PHP: &[LineRule] = &[
    rule(
        "php.loose",
        (Defect, "low"),
        (r"[^=!<>]==[^=]|!=[^=]", ""),
        "loose comparison converts types: == or != instead of === or !==",
        "Use === and !==.",
    ),
    rule(
        "php.assign-in-condition",
        (Defect, "high"),
        (r"\bif\s*\(\s*\$[\w>\[\]'-]+\s*=\s*[^=>]", r"==|fetch|\("),
        "assignment in a condition: = assigns, it does not compare",
        "Use === to compare.",
    ),
    rule(
        "php.assign-in-condition",
        (Defect, "high"),
        (r"\bif\s*\(\s*\$[\w>\[\]'-]+\s*=\s*(?:true|false|null|-?\d+|[\x22'$]\w*)[^=(]*\)\s*\{?\s*$", r"=="),
        "assignment in a condition: = assigns, it does not compare",
        "Use === to compare.",
    ),
    rule(
        "php.sql",
        (Security, "high"),
        (r#"(?i)["']\s*(?:select|insert|update|delete)\b.*(?:\$\w+|\{\$|["']\s*\.\s*\$)"#, ""),
        "SQL injection: the query is built from values as text",
        "Use prepared statements with parameters.",
    )
    .in_text(),
    rule(
        "php.xss",
        (Security, "high"),
        (
            r"\b(?:echo|print)\b.*\$_(?:GET|POST|REQUEST|COOKIE)|<\?=\s*\$_(?:GET|POST|REQUEST)",
            r"htmlspecialchars|htmlentities|intval|\(int\)",
        ),
        "cross-site scripting (XSS): input is printed without escaping",
        "Use htmlspecialchars.",
    )
    .in_text(),
    rule(
        "php.weak-hash",
        (Security, "high"),
        (r"(?i)\b(md5|sha1)\s*\(\s*\$\w*(?:pass|pwd)", ""),
        "{1} is a weak hash for passwords, broken by guessing",
        "Use password_hash and password_verify.",
    ),
    rule(
        "php.include",
        (Security, "critical"),
        (r"\b(?:include|require)(?:_once)?\b.*\$_(?:GET|POST|REQUEST)", ""),
        "file inclusion: the path comes from the request",
        "Choose from a list of known files.",
    )
    .in_text(),
    rule(
        "php.mysql",
        (Defect, "medium"),
        (r"\b(mysql_\w+)\s*\(", ""),
        "{1} was removed in PHP 7",
        "Use PDO or mysqli.",
    ),
    rule(
        "php.off-by-one",
        (Defect, "high"),
        (r"<=\s*(?:count|sizeof|strlen)\s*\(", r"\)\s*-"),
        "off by one: <= reaches an index that is out of range (undefined offset)",
        "Use < instead of <=.",
    ),
    rule("php.silence", (Style, "low"), (r"(?:^|[=(\s])@\$?\w+", ""), "@ hides errors", "Check for the error."),
    rule(
        "php.empty-catch",
        (Defect, "medium"),
        (r"\bcatch\s*\([^)]*\)\s*\{\s*\}", ""),
        "empty catch: the exception is swallowed",
        "Handle it, or let it through.",
    ),
];

pub(crate) const RUBY: &[LineRule] = &[
    rule(
        "ruby.rescue-all",
        (Defect, "medium"),
        (r"^\s*rescue\s*(?:Exception\b.*)?(?:=>\s*\w+)?\s*$|\brescue\s+nil\b", ""),
        "rescue without a class (or of Exception) swallows errors that nobody expected",
        "Name the error that you expect.",
    ),
    rule(
        "ruby.sql",
        (Security, "high"),
        (r#"\.(?:where|find_by_sql|execute|order)\(?\s*["'][^"']*#\{"#, ""),
        "SQL injection: the query is built from values as text",
        "Pass the values as parameters: where(\"a = ?\", value).",
    )
    .in_text(),
    rule(
        "ruby.assign-in-condition",
        (Defect, "high"),
        (r"^\s*(?:if|unless|while)\s+@?[\w.]+\s*=\s*[^=~>]", ""),
        "assignment in a condition: = assigns, it does not compare",
        "Use == to compare.",
    ),
    rule(
        "ruby.command",
        (Security, "high"),
        (r"(?:`[^`]*#\{|\bsystem\(?\s*[\x22'][^\x22']*#\{)", ""),
        "command injection: a shell command is built from values",
        "Use system with separate arguments.",
    )
    .in_text(),
    rule(
        "ruby.eval",
        (Security, "high"),
        (r"\b(?:eval|instance_eval|send)\s*\(?\s*params", ""),
        "eval runs whatever text it is given",
        "Choose from a list of allowed names.",
    ),
    rule(
        "ruby.permit-all",
        (Security, "high"),
        (r"\.permit!|(?:new|create|update)\(\s*params\[", ""),
        "mass assignment: the caller may set any attribute",
        "Permit the attributes by name.",
    ),
];

pub(crate) const DOCKER: &[LineRule] = &[
    rule(
        "docker.latest",
        (Defect, "medium"),
        (r"^\s*FROM\s+(?:[\w./-]+:latest|[\w./-]+)(?:\s+[Aa][Ss]\s+\w+)?\s*$", r"(?i)scratch"),
        "the image has no fixed version (latest tag): builds change without notice",
        "Pin a version.",
    ),
    rule("docker.add", (Style, "low"), (r"^\s*ADD\s+[^h]", r"\.tar|https?:"), "ADD does more than COPY", "Use COPY."),
    rule(
        "docker.secret",
        (Security, "high"),
        (r"(?i)^\s*(?:ENV|ARG)\s+\w*(?:password|secret|token|key)\w*[= ]\S+", ""),
        "a secret in the image: everybody who has the image can read it (hard-coded password)",
        "Pass it at run time.",
    ),
    rule(
        "docker.apt-update",
        (Style, "low"),
        (r"^\s*RUN\s+apt-get\s+update\s*$", ""),
        "apt-get update in a layer of its own is cached and gets old",
        "Join update and install with &&.",
    ),
];

pub(crate) const HTML: &[LineRule] = &[
    rule(
        "html.alt",
        (Defect, "medium"),
        (r"(?i)<img\b[^>]*>", r"(?i)\balt="),
        "the image has no alt text (accessibility)",
        "Give it an alt attribute.",
    )
    .in_text(),
    rule(
        "html.noopener",
        (Security, "low"),
        (r#"(?i)target=["']?_blank"#, r"(?i)noopener|noreferrer"),
        "target=_blank without rel=noopener",
        "Add rel=\"noopener\".",
    )
    .in_text(),
    rule(
        "html.http",
        (Security, "medium"),
        (r#"(?i)<(?:script|link|form|iframe)\b[^>]*(?:src|href|action)=["']http://"#, ""),
        "content over plain http (mixed content)",
        "Use https.",
    )
    .in_text(),
];

/// What needs a look at more than one line of SQL, shell or a Dockerfile.
pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    match source.language {
        Language::Sql => statements(source, found),
        Language::Shell => shell(source, found),
        Language::Dockerfile => docker(source, found),
        _ => {}
    }
}

fn statements(source: &Source, found: &mut Vec<Remark>) {
    let mut start = 0;
    for at in 0..source.lines.len() {
        if !source.code(at).contains(';') && at + 1 < source.lines.len() {
            continue;
        }
        let statement = source.joined(start, at + 1);
        let first = (start..=at).find(|line| !source.code(*line).trim().is_empty()).unwrap_or(start);
        start = at + 1;
        let lower = statement.trim().to_lowercase();
        let head = lower.split_whitespace().next().unwrap_or_default().to_owned();
        let changes = head == "delete" || (head == "update" && lower.contains(" set"));
        if changes && !lower.contains("where") {
            let message = format!("{} without WHERE changes every row of the table", head.to_uppercase());
            found.push(Remark::new(source, first, (Defect, "high"), "sql.no-where", message, "Add a WHERE."));
        }
        let mixed = is_match(r"(?is)\bwhere\b.*\band\b.*\bor\b|\bwhere\b.*\bor\b.*\band\b", &statement);
        let bare = !is_match(r"(?is)\([^()]*\bor\b[^()]*\)|\([^()]*\band\b[^()]*\)", &statement);
        if mixed && bare && !is_match(r"(?i)\bbetween\b", &statement) {
            let line = (first..=at).find(|line| is_match(r"(?i)\bor\b", source.code(*line))).unwrap_or(first);
            let message =
                "AND binds before OR: without parentheses the conditions are not grouped as they read (precedence)";
            found.push(Remark::new(
                source,
                line,
                (Defect, "medium"),
                "sql.and-or",
                message,
                "Put parentheses around the OR.",
            ));
        }
        outer_join(source, first, at, &statement, found);
        let aggregates = is_match(r"(?is)^\s*select\s+\w+(?:\.\w+)?\s*,.*\b(?:count|sum|avg|min|max)\s*\(", &statement);
        if aggregates && !lower.contains("group by") && !lower.contains("over") {
            let message = "a column beside an aggregate without GROUP BY: an error, or an arbitrary value";
            found.push(Remark::new(source, first, (Defect, "high"), "sql.group-by", message, "Add GROUP BY."));
        }
    }
}

/// A condition on the right side of a LEFT JOIN in WHERE makes it an inner join.
fn outer_join(source: &Source, first: usize, last: usize, statement: &str, found: &mut Vec<Remark>) {
    let joined = agent_common::patterns::groups(
        r"(?is)\bleft\s+(?:outer\s+)?join\s+(\w+)(?:\s+(?:as\s+)?(\w+))?\s+on\b",
        statement,
    );
    let name = joined.get(2).filter(|name| !name.is_empty()).or_else(|| joined.get(1));
    let Some(name) = name else { return };
    let line = (first..=last).find(|line| {
        let code = source.code(*line);
        let condition = is_match(&format!(r"(?i)\b(?:where|and)\b.*\b{name}\.\w+\s*(?:=|<|>|like|in\b)"), code);
        condition && !is_match(r"(?i)\bon\b|is\s+null", code)
    });
    if let Some(line) = line {
        let message = format!(
            "the condition on `{name}` in WHERE drops the rows without a match: the LEFT JOIN becomes an inner join"
        );
        found.push(Remark::new(source, line, (Defect, "high"), "sql.left-join", message, "Move it to ON."));
    }
}

fn shell(source: &Source, found: &mut Vec<Remark>) {
    let whole = source.joined_text(0, source.lines.len());
    let strict = is_match(r"(?m)^\s*set\s+-\w*e|\bset -o errexit", &whole);
    if strict {
        found.retain(|remark| remark.rule != "shell.cd-unchecked");
    }
    let script = source.lines.first().is_some_and(|line| line.raw.starts_with("#!"));
    if script && !strict && source.lines.len() > 4 {
        let message = "no set -e: the script goes on after a command has failed";
        found.push(Remark::new(source, 0, (Style, "info"), "shell.set-e", message, "Add set -euo pipefail."));
    }
    if source.lines.first().is_some_and(|line| line.raw.starts_with("#!/bin/sh")) {
        let bash = (1..source.lines.len())
            .find(|at| is_match(r"\[\[|\bfunction \w+|<\(|\w+\+=\(|=\(|\bdeclare\b", source.code(*at)));
        if let Some(at) = bash {
            let message = "bash syntax in a script for sh (bashism)";
            found.push(Remark::new(
                source,
                at,
                (Defect, "medium"),
                "shell.bashism",
                message,
                "Use #!/bin/bash, or POSIX syntax.",
            ));
        }
    }
}

fn docker(source: &Source, found: &mut Vec<Remark>) {
    let whole = source.joined(0, source.lines.len());
    if whole.contains("FROM") && !is_match(r"(?m)^\s*USER\s", &whole) && is_match(r"(?m)^\s*(CMD|ENTRYPOINT)\b", &whole)
    {
        let at = source.lines.iter().position(|line| is_match(r"^\s*(CMD|ENTRYPOINT)\b", &line.code)).unwrap_or(0);
        let message = "the container runs as root: there is no USER";
        found.push(Remark::new(source, at, (Security, "medium"), "docker.root", message, "Add a USER."));
    }
}
