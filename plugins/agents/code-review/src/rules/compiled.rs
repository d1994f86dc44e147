//! Java, C# and Kotlin.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Performance, Security, Style};

/// What holds for Java and C#.
pub(crate) const BOTH: &[LineRule] = &[
    rule(
        "empty-catch",
        (Defect, "medium"),
        (r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}", ""),
        "empty catch: the exception is swallowed",
        "Handle it, log it, or let it through.",
    ),
    rule(
        "float-money",
        (Defect, "low"),
        (r"\b(?:double|float)\s+(\w*(?:price|amount|total|balance|money|salary|cost)\w*)\s*[=;,)]", ""),
        "money as a floating-point number (`{1}`): cents get lost by rounding",
        "Use BigDecimal, decimal, or cents as integers.",
    ),
    rule(
        "integer-division",
        (Defect, "medium"),
        (
            r"\b(?:double|float)\s+\w+\s*=\s*(?:\d+\s*/\s*\d+|\(?\w+\s*/\s*\d+\)?|\d+\s*/\s*\w+)\s*[;*]",
            r"\d\.\d|\dd|\df",
        ),
        "integer division: the fraction is cut off before it becomes a floating-point number",
        "Make one side a double before dividing.",
    ),
    rule(
        "assign-in-condition",
        (Defect, "high"),
        (r"\bif\s*\(\s*[\w.]+\s*=\s*[^=]", r"=="),
        "assignment in a condition: = assigns, it does not compare",
        "Use == to compare.",
    ),
    rule(
        "float-equality",
        (Defect, "medium"),
        (r"[!=]=\s*\d*\.\d+[fdm]?|\d\.\d+[fd]?\s*[!=]=", ""),
        "floats compared for equality",
        "Compare with a tolerance.",
    ),
    rule(
        "stray-semicolon",
        (Defect, "high"),
        (r"\b(?:if|for)\s*\(.*\)\s*;\s*$", ""),
        "a semicolon ends the statement, so the block below always runs on its own (empty body)",
        "Remove the semicolon.",
    ),
];

pub(crate) const JAVA: &[LineRule] = &[
    rule(
        "java.string-equality",
        (Defect, "high"),
        (r#"[!=]=\s*"|"\s*[!=]="#, ""),
        "strings compared by reference with ==: use equals",
        "Use equals, or Objects.equals where it may be null.",
    ),
    rule(
        "java.last-index",
        (Defect, "high"),
        (r"\b(\w+)\[\s*\w+\.length\s*\]|\b(\w+)\.get\(\s*\w+\.size\(\)\s*\)", r"\bnew\b"),
        "off by one: the index is past the end, which is out of bounds (the last is the size - 1)",
        "Take 1 off.",
    ),
    rule(
        "java.off-by-one",
        (Defect, "high"),
        (r"<=\s*([\w.]+)\.(?:length|size\(\)|length\(\))", r"(?:length|size\(\)|length\(\))\s*-"),
        "off by one: <= reaches an index that is out of bounds (ArrayIndexOutOfBounds)",
        "Use < instead of <=.",
    ),
    rule(
        "java.unused-result",
        (Defect, "medium"),
        (r"^\s*\w+\.(replace|replaceAll|trim|toUpperCase|toLowerCase|concat|substring|strip|add\(BigDecimal|plusDays)\([^;]*\);\s*$", ""),
        "the result of `.{1}()` is not used: strings are immutable, it returns a new one",
        "Assign the result.",
    ),
    rule(
        "java.resource",
        (Defect, "medium"),
        (r"=\s*new (FileReader|FileInputStream|FileOutputStream|FileWriter|BufferedReader|BufferedWriter|Scanner|PrintWriter|ObjectInputStream)\(|=\s*\w+\.(getConnection|prepareStatement|createStatement|executeQuery)\(", r"\btry\s*\(|System\.in"),
        "resource leak: what is opened here is not closed if an exception occurs (close, try-with-resources)",
        "Use try-with-resources.",
    ),
    rule(
        "java.generic-catch",
        (Defect, "low"),
        (r"\bcatch\s*\(\s*(Exception|Throwable)\s+\w+\s*\)", ""),
        "broad catch of {1}: errors that nobody expected are hidden",
        "Catch what you expect.",
    ),
    rule(
        "java.print-stack-trace",
        (Style, "low"),
        (r"\.printStackTrace\(\)", ""),
        "printStackTrace writes to the console and goes on as if nothing had happened",
        "Log it, or let it through.",
    ),
    rule(
        "java.sql",
        (Security, "high"),
        (r#"(?i)"\s*(?:select|insert into|update|delete from)\b[^"]*"\s*\+|String\.format\(\s*"\s*(?:select|update|delete|insert)"#, ""),
        "SQL injection: the query is built from values as text",
        "Use a PreparedStatement with parameters.",
    )
    .in_text(),
    rule(
        "java.random",
        (Security, "medium"),
        (r"(?i)(?:token|secret|password|session|otp|key|nonce)\w*.*(?:new Random\(|Math\.random\()", ""),
        "java.util.Random is predictable, not cryptographic",
        "Use SecureRandom.",
    ),
    rule(
        "java.date-format",
        (Defect, "medium"),
        (r"\bstatic\s+(?:final\s+)?SimpleDateFormat\b", ""),
        "SimpleDateFormat is not thread-safe and must not be shared",
        "Use DateTimeFormatter.",
    ),
    rule(
        "java.optional-get",
        (Defect, "low"),
        (r"\bfind\w*\([^)]*\)\.get\(\)", ""),
        "Optional.get without a check throws where nothing is found",
        "Use orElseThrow or ifPresent.",
    ),
    rule(
        "java.equals-null",
        (Defect, "high"),
        (r"\.equals\(\s*null\s*\)", ""),
        "equals(null) is never true; on null it throws",
        "Use == null.",
    ),
];

pub(crate) const CSHARP: &[LineRule] = &[
    rule(
        "cs.async-void",
        (Defect, "medium"),
        (r"\basync\s+void\s+\w+", r"EventArgs|On[A-Z]|_Click"),
        "async void: nobody can await it, and its exceptions end the process",
        "Return Task.",
    ),
    rule(
        "cs.blocking",
        (Defect, "medium"),
        (r"\.(Result|Wait\(\)|GetAwaiter\(\)\.GetResult\(\))\s*[;).]", ""),
        "blocking on async code ({1}): this can deadlock",
        "Use await.",
    ),
    rule(
        "cs.throw-ex",
        (Defect, "low"),
        (r"\bthrow ex;|\bthrow e;", ""),
        "`throw ex` loses the stack trace",
        "Use `throw;`.",
    ),
    rule(
        "cs.disposable",
        (Defect, "medium"),
        (r"=\s*new (StreamReader|StreamWriter|FileStream|SqlConnection|SqlCommand|MemoryStream|HttpClient|BinaryReader)\(", r"\busing\b|static|readonly"),
        "resource leak: {1} is not disposed (using)",
        "Use `using`.",
    ),
    rule(
        "cs.off-by-one",
        (Defect, "high"),
        (r"<=\s*([\w.]+)\.(?:Length|Count)\b", r"(?:Length|Count)\s*-"),
        "off by one: <= reaches an index that is out of range",
        "Use < instead of <=.",
    ),
    rule(
        "cs.sql",
        (Security, "high"),
        (r#"(?i)\$"\s*(?:select|insert into|update|delete from)\b[^"]*\{|"\s*(?:select|insert into|update|delete from)\b[^"]*"\s*\+"#, ""),
        "SQL injection: the query is built from values as text",
        "Use parameters.",
    )
    .in_text(),
    rule(
        "cs.unused-result",
        (Defect, "medium"),
        (r"^\s*\w+\.(Replace|Trim|ToUpper|ToLower|Substring|Where|Select|OrderBy|Concat|AddDays)\([^;]*\);\s*$", ""),
        "the result of `.{1}()` is not used: it returns a new value",
        "Assign the result.",
    ),
    rule(
        "cs.first",
        (Defect, "low"),
        (r"\.FirstOrDefault\([^)]*(?:\([^)]*\))?[^)]*\)\.\w", ""),
        "FirstOrDefault may give null, and the member is read at once (NullReferenceException)",
        "Check for null, or use ?. .",
    ),
    rule(
        "cs.count-any",
        (Performance, "info"),
        (r"\.Count\(\)\s*>\s*0", ""),
        "Count() goes over everything only to see whether there is something",
        "Use Any().",
    ),
];

pub(crate) const KOTLIN: &[LineRule] = &[
    rule(
        "kotlin.not-null",
        (Defect, "medium"),
        (r"!!", ""),
        "!! throws a NullPointerException where the value is null",
        "Use ?. or ?: with a default.",
    ),
    rule(
        "kotlin.off-by-one",
        (Defect, "high"),
        (r"\bin\s+0\s*\.\.\s*(\w+)\.(?:size|length)\b", r"(?:size|length)\s*-"),
        "off by one: `..` includes {1}.size, which is out of bounds",
        "Use until, or indices.",
    ),
    rule("kotlin.var", (Style, "info"), (r"\bvar\s+\w+\s*=", ""), "var where the value may never change", "Use val."),
];
