//! A pattern of one line, and the remark on lines that it fits.

use agent_common::patterns;

use crate::remark::{Kind, Remark};
use crate::source::Source;

/// A pattern of one line.
pub(super) struct LineRule {
    pub(super) id: &'static str,
    kind: Kind,
    severity: &'static str,
    /// Found in code without the insides of strings, unless `in_text`.
    pub(super) pattern: &'static str,
    /// Not where this matches the line as well.
    pub(super) unless: &'static str,
    in_text: bool,
    /// `{1}` stands for the first group.
    message: &'static str,
    remedy: &'static str,
}

/// A rule on code; severity `info` is for those who ask for style.
pub(super) const fn rule(
    id: &'static str,
    (kind, severity): (Kind, &'static str),
    (pattern, unless): (&'static str, &'static str),
    message: &'static str,
    remedy: &'static str,
) -> LineRule {
    LineRule { id, kind, severity, pattern, unless, in_text: false, message, remedy }
}

impl LineRule {
    pub(super) const fn in_text(self) -> Self {
        Self { in_text: true, ..self }
    }

    /// Adds a remark for each line that it fits.
    pub(super) fn look(&self, source: &Source, found: &mut Vec<Remark>) {
        for (at, line) in source.lines.iter().enumerate() {
            let text = if self.in_text { &line.text } else { &line.code };
            let groups = patterns::groups(self.pattern, text);
            if groups.is_empty() || (!self.unless.is_empty() && patterns::is_match(self.unless, text)) {
                continue;
            }
            let mut message = self.message.to_owned();
            for (number, group) in groups.iter().enumerate().skip(1) {
                message = message.replace(&format!("{{{number}}}"), group.trim());
            }
            found.push(Remark::new(source, at, (self.kind, self.severity), self.id, message, self.remedy));
        }
    }
}
