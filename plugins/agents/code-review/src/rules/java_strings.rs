//! Java: two strings held against each other by reference.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::remark::Kind::Defect;
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{all, groups};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if source.language != Language::Java {
        return;
    }
    let whole = source.joined(0, source.lines.len());
    let strings: BTreeSet<String> = all(r"\bString\s+(\w+)\s*[=;,):]", &whole).into_iter().collect();
    for at in 0..source.lines.len() {
        let sides = groups(r"\b(\w+)\s*[!=]=\s*(\w+)\b", source.code(at));
        let [_, left, right] = sides.as_slice() else { continue };
        if strings.contains(left) && strings.contains(right) {
            let message =
                format!("strings compared by reference with ==: `{left}` and `{right}` may be equal and differ");
            found.push(Remark::new(source, at, (Defect, "high"), "java.string-equality", message, "Use equals."));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_are_strings() {
        let count = |code: &str| {
            let mut found = Vec::new();
            look(&Source::read("A.java", code, Language::Java), &mut found);
            found.len()
        };
        assert_eq!(count("String a = f();\nString b = g();\nif (a == b) {\n}\n"), 1);
        assert_eq!(count("boolean f(String a, String b) {\n  return a != b;\n}\n"), 1);
        assert_eq!(count("String a = f();\nif (a == null) {\n}\nint b = 1;\nif (b == c) {\n}\n"), 0);
    }
}
