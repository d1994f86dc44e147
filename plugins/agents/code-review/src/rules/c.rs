//! C and C++.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Performance, Security, Style};

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "c.gets",
        (Security, "critical"),
        (r"\bgets\s*\(", ""),
        "gets knows no bound: buffer overflow",
        "Use fgets with the size of the buffer.",
    ),
    rule(
        "c.unbounded-copy",
        (Security, "high"),
        (r"\b(strcpy|strcat|sprintf|vsprintf)\s*\(", r"strcpy\s*\(\s*\w+\s*,\s*[\x22]"),
        "{1} does not check the size: buffer overflow",
        "Use snprintf, or a copy with the size of the target.",
    ),
    rule(
        "c.format-string",
        (Security, "high"),
        (r"\b(?:printf|syslog)\s*\(\s*[a-z_]\w*\s*\)|\bfprintf\s*\(\s*\w+\s*,\s*[a-z_]\w*\s*\)", ""),
        "format string: the text from outside is taken as the format",
        "Use printf(\"%s\", text).",
    ),
    rule(
        "c.scanf-string",
        (Security, "high"),
        (r#"scanf\s*\([^)]*"[^"]*%s"#, ""),
        "%s without a width: buffer overflow",
        "Give the width: %31s for a buffer of 32.",
    )
    .in_text(),
    rule(
        "c.scanf-address",
        (Defect, "high"),
        (r#"\bscanf\s*\(\s*"%[dfiu]"\s*,\s*[a-z_]\w*\s*\)"#, ""),
        "scanf needs the address: & is missing (undefined behaviour)",
        "Pass &variable.",
    )
    .in_text(),
    rule(
        "c.assign-in-condition",
        (Defect, "high"),
        (r"\b(?:if|while)\s*\(\s*\w+(?:->\w+|\.\w+|\[\w+\])?\s*=\s*(?:\w+|-?\d+)\s*\)", ""),
        "assignment in a condition: = assigns, it does not compare",
        "Use == to compare.",
    ),
    rule(
        "c.malloc-strlen",
        (Security, "high"),
        (r"\bmalloc\s*\(\s*strlen\s*\([^)]*\)\s*\)", ""),
        "one byte too few: the terminating null needs strlen + 1 (buffer overflow)",
        "Allocate strlen(s) + 1.",
    ),
    rule(
        "c.sizeof-pointer",
        (Defect, "high"),
        (r"\bmalloc\s*\(\s*sizeof\s*\(\s*\w+\s*\*\s*\)\s*\)", ""),
        "sizeof of the pointer, not of what it points to: too few bytes",
        "Use sizeof *pointer.",
    ),
    rule(
        "c.feof",
        (Defect, "medium"),
        (r"\bwhile\s*\(\s*!\s*feof\s*\(", ""),
        "while (!feof) handles the last line twice: feof is true only after a read failed",
        "Test the result of the read.",
    ),
    rule(
        "c.unsigned-loop",
        (Defect, "high"),
        (r"\bfor\s*\(\s*(?:size_t|unsigned(?: int| long)?|uint\w*)\s+\w+\s*=[^;]*;\s*\w+\s*>=\s*0\s*;", ""),
        "an unsigned number is never below 0: the loop never ends (underflow, wraps around)",
        "Use a signed index, or count down with i-- > 0.",
    ),
    rule(
        "c.string-equality",
        (Defect, "high"),
        (r#"[!=]=\s*"|"\s*[!=]="#, r"std::|string"),
        "strings compared by address with ==",
        "Use strcmp.",
    ),
    rule(
        "c.macro",
        (Defect, "medium"),
        (r"^\s*#define\s+\w+\((\w+)\)\s+\(?\s*\w+\s*[*/+-]\s*\w+\s*\)?\s*$", ""),
        "the macro's parameter `{1}` has no parentheses: operators around it change the result (precedence)",
        "Put each parameter and the whole into parentheses.",
    ),
    rule(
        "c.integer-division",
        (Defect, "medium"),
        (r"\b(?:double|float)\s+\w+\s*=\s*(?:\d+\s*/\s*\d+|\w+\s*/\s*\d+|\d+\s*/\s*\w+)\s*;", r"\d\.\d"),
        "integer division: the fraction is cut off",
        "Make one side a floating-point number.",
    ),
    rule(
        "c.stray-semicolon",
        (Defect, "high"),
        (r"\b(?:if|for)\s*\(.*\)\s*;\s*$", ""),
        "a semicolon ends the statement, so its body is empty and the block below always runs",
        "Remove the semicolon.",
    ),
    rule(
        "c.float-equality",
        (Defect, "medium"),
        (r"[!=]=\s*\d*\.\d+f?|\d\.\d+f?\s*[!=]=", ""),
        "floats compared for equality",
        "Compare with a tolerance.",
    ),
    rule(
        "c.strncpy",
        (Defect, "medium"),
        (r"\bstrncpy\s*\(\s*(\w+)\s*,\s*\w+\s*,\s*sizeof\s*\(?\s*\w+\s*\)?\s*\)", ""),
        "strncpy does not terminate `{1}` where the source is too long",
        "Set the last byte to 0.",
    ),
    rule(
        "c.system",
        (Security, "high"),
        (r"\b(?:system|popen)\s*\(\s*[a-z_]\w*\s*[,)]", ""),
        "command injection: a shell command is built from values",
        "Use execve with a list of arguments.",
    ),
    rule(
        "c.strlen-loop",
        (Performance, "low"),
        (r"\bfor\s*\([^;]*;[^;]*<\s*(?:\(int\)\s*)?strlen\s*\(", ""),
        "strlen runs in every turn of the loop (quadratic)",
        "Compute the length before the loop.",
    ),
    rule("c.main-void", (Style, "info"), (r"^\s*void\s+main\s*\(", ""), "main returns int", "Write int main(void)."),
];

pub(crate) const CPP: &[LineRule] = &[
    rule(
        "cpp.off-by-one",
        (Defect, "high"),
        (r"<=\s*([\w.]+)\.(?:size|length)\(\)", r"(?:size|length)\(\)\s*-"),
        "off by one: <= reaches the index {1}.size(), which is out of bounds",
        "Use < instead of <=.",
    ),
    rule(
        "cpp.size-underflow",
        (Defect, "high"),
        (r"<=?\s*(\w+)\.size\(\)\s*-\s*1", ""),
        "size() is unsigned: for an empty container size() - 1 underflows to a huge number",
        "Write i + 1 < size().",
    ),
    rule(
        "cpp.catch-by-value",
        (Defect, "low"),
        (r"\bcatch\s*\(\s*(?:const\s+)?std::\w+\s+\w+\s*\)", ""),
        "the exception is caught by value and sliced",
        "Catch by const reference.",
    ),
    rule(
        "cpp.using-std",
        (Style, "low"),
        (r"^\s*using namespace std\s*;", ""),
        "using namespace std brings all names in",
        "Name what is used, or write std::.",
    ),
    rule(
        "cpp.vector-by-value",
        (Performance, "low"),
        (r"\w+\s*\(\s*std::(?:vector|string|map)(?:<[^>]*>)?\s+\w+\s*[,)]", ""),
        "a container is copied with every call",
        "Pass it by const reference.",
    ),
    rule(
        "cpp.loop-copy",
        (Performance, "info"),
        (r"\bfor\s*\(\s*auto\s+\w+\s*:", ""),
        "each element is copied",
        "Use const auto&.",
    ),
];
