//! Comments that take a finding back: `tollbridge:ignore RULE`, with more rules after commas.
//!
//! On the line of the finding or alone on the line above. A rule is an id (`python.eval`) or a group (`secret.*`).

use crate::input::matches;
use crate::source::Source;

const MARK: &str = "tollbridge:ignore";

/// The rules that each line with a mark names: line (from 0), whether it holds nothing else, rules.
pub struct Suppressions(Vec<(usize, bool, Vec<String>)>);

impl Suppressions {
    /// Reads the marks of a file.
    #[must_use]
    pub fn read(source: &Source) -> Self {
        let mark = |(at, _): (usize, &str)| {
            let line = source.line_of(at);
            let range = source.line_range(line);
            let before = source.text.get(range.start..at).unwrap_or_default();
            let alone = before.bytes().all(|byte| byte.is_ascii_whitespace() || b"#/*<!-;".contains(&byte));
            let rest = source.text.get(at + MARK.len()..range.end).unwrap_or_default();
            let is_id = |c: char| c.is_ascii_alphanumeric() || "._-*".contains(c);
            let rules =
                rest.split(',').map(|rule| rule.trim().split(|c| !is_id(c)).next().unwrap_or_default().to_owned());
            (line, alone, rules.take(20).filter(|rule| !rule.is_empty()).collect())
        };
        Self(source.text.match_indices(MARK).map(mark).collect())
    }

    /// Whether a finding of this rule on this line (from 0) is taken back.
    #[must_use]
    pub fn cover(&self, rule: &str, line: usize) -> bool {
        let from = self.0.partition_point(|(marked, _, _)| *marked + 1 < line);
        let near = self.0.iter().skip(from).take_while(|(marked, _, _)| *marked <= line);
        let names = |rules: &[String]| rules.iter().any(|wanted| matches(wanted, rule));
        near.into_iter().any(|(marked, alone, rules)| (*marked == line || *alone) && names(rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_line_or_line_above() {
        let text = "eval(x) # tollbridge:ignore python.eval, secret.*\n# tollbridge:ignore python.sql\na\nb # tollbridge:ignore\n";
        let marks = Suppressions::read(&Source::new("a.py".into(), text.into(), None));
        let got = |rule, line| marks.cover(rule, line);
        assert!(got("python.eval", 0) && got("secret.jwt", 0) && got("python.sql", 1) && got("python.sql", 2));
        assert!(!got("python.sql", 0) && !got("python.eval", 1) && !got("python.eval", 3) && !got("python.sql", 3));
    }
}
