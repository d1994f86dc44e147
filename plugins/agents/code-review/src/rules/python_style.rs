//! Python: PEP 8 and habits; `info` is shown to those who ask for style.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Performance, Style};

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "pep8.E401",
        (Style, "low"),
        (r"^\s*import \w+(?:\.\w+)*\s*,\s*\w+", ""),
        "several imports on one line (E401)",
        "Write one import a line.",
    ),
    rule(
        "pep8.E701",
        (Style, "info"),
        (r"^\s*(?:if|for|while|elif|else|try|with)\b[^\[{(]*:\s+\w", r"lambda|\[|\{"),
        "several statements on one line (E701)",
        "Put the body on a line of its own.",
    ),
    rule(
        "pep8.E702",
        (Style, "low"),
        (r";\s*\w", ""),
        "several statements on one line, parted by a semicolon (E702)",
        "Write one statement a line.",
    ),
    rule("pep8.E703", (Style, "low"), (r";\s*$", ""), "a semicolon ends the line (E703)", "Leave out the semicolon."),
    rule(
        "pep8.E225",
        (Style, "info"),
        (
            r"[\w)\]](?:==|!=|<=|>=|\+=|-=)[\w(\[]|^\s*\w+=[\w(\[\x22']|^\s*\w+ =[\w(\[\x22']|^\s*\w+= [\w(\[\x22']",
            r"^\s*def |^\s*(?:class|@)|^\s*\w+=[^,]*,\s*$|^\s{8,}\w+=\w+\)?$",
        ),
        "missing spaces around an operator (E225)",
        "Put a space on both sides.",
    ),
    rule(
        "pep8.E231",
        (Style, "info"),
        (r",[\w\x22'(\[{]", ""),
        "missing space behind a comma (E231)",
        "Put a space behind the comma.",
    ),
    rule(
        "pep8.E211",
        (Style, "info"),
        (r"\b(?:print|len|range|str|int|def \w+|open)\s+\(", r"\bin \(|\band \("),
        "a space before the parenthesis (E211)",
        "Leave out the space.",
    ),
    rule(
        "pep8.E201",
        (Style, "info"),
        (r"[(\[{] +\w|\w +[)\]}]", r"^\s*[)\]}]|for|if|in|,"),
        "a space inside brackets (E201, E202)",
        "Leave out the space.",
    ),
    rule(
        "pep8.N802",
        (Style, "low"),
        (r"^\s*def ([a-z]+[A-Z]\w*|[A-Z]\w*)\(", r"setUp|tearDown|def test"),
        "the function name `{1}` is not in snake_case (N802 naming)",
        "Name it in lower case with underscores.",
    ),
    rule(
        "pep8.N801",
        (Style, "low"),
        (r"^\s*class ([a-z]\w*|[A-Z]\w*_\w*)\s*[(:]", ""),
        "the class name `{1}` is not in CapWords (N801 naming)",
        "Name it in CapWords.",
    ),
    rule(
        "pep8.N806",
        (Style, "info"),
        (r"^\s+([a-z]+[A-Z]\w*)\s*=[^=]", ""),
        "the variable `{1}` is not in snake_case (naming)",
        "Name it in lower case with underscores.",
    ),
    rule(
        "python.range-len",
        (Style, "info"),
        (r"\bfor\s+\w+\s+in\s+range\(len\((\w+)\)\)", ""),
        "looping over range(len({1})): enumerate gives index and item",
        "Use `for index, item in enumerate(…)`.",
    ),
    rule(
        "python.len-empty",
        (Style, "info"),
        (r"\blen\(\w+\)\s*(?:==|>|!=)\s*0", ""),
        "length compared with 0: an empty sequence is false by itself",
        "Write `if not x`.",
    ),
    rule(
        "python.if-return-bool",
        (Style, "info"),
        (r"\breturn True if\b.*\belse False\b", ""),
        "the condition itself is the result",
        "Return the condition.",
    ),
    rule(
        "python.print",
        (Style, "info"),
        (r"^\s*print\(.*debug", ""),
        "a debugging print is left over",
        "Remove it, or use logging.",
    )
    .in_text(),
    rule(
        "pep8.E501",
        (Style, "info"),
        (r"^.{80,}$", ""),
        "line too long: more than 79 characters (E501)",
        "Break the line.",
    )
    .in_text(),
    rule(
        "pep8.W191",
        (Style, "low"),
        (r"^\t+\w|^ +\t", ""),
        "indentation with tabs (W191)",
        "Indent with four spaces.",
    )
    .in_text(),
    rule(
        "python.percent-format",
        (Style, "info"),
        (r"%s.*[\x22']\s*%\s*[\w(]", r"(?i)select|execute|logg"),
        "old formatting with %: an f-string is easier to read",
        "Use an f-string.",
    )
    .in_text(),
    rule(
        "python.list-in-any",
        (Performance, "info"),
        (r"\b(?:sum|any|all|max|min)\(\[", ""),
        "a list is built only to be consumed",
        "Use a generator expression.",
    ),
];
