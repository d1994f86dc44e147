//! SQL: lines, and statements as a whole.

use super::line_rule::{LineRule, rule};
use crate::language::Language;
use crate::remark::Kind::{Defect, Performance, Security, Style};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::is_match;

pub(crate) const RULES: &[LineRule] = &[
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
        (r"(?i)\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*\w+", r"(?i)\bwhere\b.*\w+\.\w+\s*=\s*\w+\.\w+|\bwhere\b\s*$"),
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

/// What needs a look at a whole statement.
pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if source.language != Language::Sql {
        return;
    }
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
