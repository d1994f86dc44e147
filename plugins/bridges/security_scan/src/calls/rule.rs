//! Rules on calls, as data: which function, and what must hold of its arguments.

use crate::calls::value;
use crate::calls::walk::{Argument, Site};
use crate::rule::{Confidence, Severity, Weakness};
use crate::source::Source;

/// Bytes of an argument that are looked at.
const LONGEST: usize = 500;

/// An argument by its key, its position (from 0), or either.
#[derive(Debug, Clone, Copy)]
pub struct Arg(pub &'static str, pub Option<usize>);

/// What must hold of an argument. Nothing is known of arguments that come from a list or map (`*a`, `...a`).
#[derive(Debug, Clone, Copy)]
pub enum Test {
    Missing(Arg),
    /// It is one of these words or texts, in whatever case.
    Is(Arg, &'static [&'static str]),
    /// It is given, and none of these words.
    IsNot(Arg, &'static [&'static str]),
    /// Its text contains one of these.
    Has(Arg, &'static [&'static str]),
    /// It is not given, or its text contains none of these.
    HasNot(Arg, &'static [&'static str]),
    /// It is made of something else than constants.
    Varies(Arg),
    /// It is given and made of constants alone.
    Constant(Arg),
    /// It is given and more than one plain text: a name, a text with values put in, texts joined.
    Built(Arg),
    /// It is a number below this.
    Below(Arg, u64),
    /// It is a number that has one of these bits.
    Bits(Arg, u64),
    /// Some argument's text contains one of these.
    AnyHas(&'static [&'static str]),
    /// All arguments are written out: none comes from a list or map.
    Written,
    /// The function's full name begins with none of these.
    Outside(&'static [&'static str]),
    /// One of the two holds.
    Either(&'static Test, &'static Test),
}

/// A rule on calls of some functions.
#[derive(Debug, Clone, Copy)]
pub struct CallRule {
    /// Several rules may share an id, if they say the same of different calls.
    pub weakness: Weakness,
    /// Full names; `*.name` is a method of whatever it is called on, `*` any call, `import name` an import of it or of
    /// a part of it.
    pub names: &'static [&'static str],
    pub when: &'static [Test],
    /// No finding unless all of these stand somewhere in the file.
    pub file_needs: &'static [&'static str],
}

impl CallRule {
    #[must_use]
    pub const fn new(
        id: &'static str,
        grade: (Severity, Confidence, &'static str),
        names: &'static [&'static str],
        when: &'static [Test],
        message: &'static str,
        remedy: &'static str,
    ) -> Self {
        let (severity, confidence, cwe) = grade;
        let weakness = Weakness { id, severity, confidence, cwe, message, remedy };
        Self { weakness, names, when, file_needs: &[] }
    }

    /// With literals that the file must have.
    #[must_use]
    pub const fn file_needs(self, file_needs: &'static [&'static str]) -> Self {
        Self { file_needs, ..self }
    }

    /// Whether a call is one that the rule means.
    #[must_use]
    pub fn holds(&self, source: &Source, site: &Site<'_>) -> bool {
        self.when.iter().all(|test| test.holds(source, site))
    }
}

impl Test {
    fn holds(&self, source: &Source, site: &Site<'_>) -> bool {
        let text = |arg: &Arg| site.find(source, *arg).map(|argument| site.text(source, argument));
        let has = |text: &str, parts: &[&str]| parts.iter().any(|part| text.contains(part));
        let is = |text: &str, words: &[&str]| {
            let text = text.trim_start_matches(['b', 'u', 'r']).trim_matches(['"', '\'', '`']);
            words.iter().any(|word| word.eq_ignore_ascii_case(text))
        };
        let range = |argument: &Argument| argument.from..argument.to;
        let number = |arg: &Arg| text(arg).and_then(value::number);
        let is_constant = |argument: &Argument| value::is_constant(source, site.pieces, range(argument), site.names);
        match self {
            Self::Missing(arg) => site.find(source, *arg).is_none() && !site.has_more(source),
            Self::Is(arg, words) => text(arg).is_some_and(|text| is(text, words)),
            Self::IsNot(arg, words) => text(arg).is_some_and(|text| !is(text, words)),
            Self::Has(arg, parts) => text(arg).is_some_and(|text| has(text, parts)),
            Self::HasNot(arg, parts) => !text(arg).is_some_and(|text| has(text, parts)),
            Self::Varies(arg) => site.find(source, *arg).is_some_and(|argument| !is_constant(argument)),
            Self::Constant(arg) => site.find(source, *arg).is_some_and(is_constant),
            Self::Built(arg) => site
                .find(source, *arg)
                .is_some_and(|argument| !value::is_plain_text(source, site.pieces, range(argument))),
            Self::Below(arg, bound) => number(arg).is_some_and(|number| number < *bound),
            Self::Bits(arg, bits) => number(arg).is_some_and(|number| number & bits != 0),
            Self::AnyHas(parts) => site.arguments.iter().any(|argument| has(site.text(source, argument), parts)),
            Self::Written => !site.has_more(source),
            Self::Outside(starts) => !starts.iter().any(|start| site.name.starts_with(start)),
            Self::Either(one, other) => one.holds(source, site) || other.holds(source, site),
        }
    }
}

impl Site<'_> {
    fn find(&self, source: &Source, Arg(key, place): Arg) -> Option<&Argument> {
        let is_key = |argument: &&Argument| {
            argument.key.is_some_and(|given| given.text(source).trim_matches(['"', '\'']) == key)
        };
        let mut in_order = self.arguments.iter().filter(|argument| argument.key.is_none() && !argument.nested);
        let by_key = self.arguments.iter().find(is_key).filter(|_| !key.is_empty());
        by_key.or_else(|| in_order.nth(place?).filter(|argument| !self.text(source, argument).starts_with(['*', '.'])))
    }

    /// Whether there are arguments that are not written out.
    fn has_more(&self, source: &Source) -> bool {
        self.arguments.iter().any(|argument| self.text(source, argument).starts_with(['*', '.']))
    }

    fn text<'s>(&self, source: &'s Source, argument: &Argument) -> &'s str {
        let range = value::range(self.pieces, argument.from..argument.to);
        let end = range.end.min(range.start + LONGEST);
        let end = (range.start..=end).rev().find(|end| source.code.is_char_boundary(*end)).unwrap_or(range.start);
        source.code.get(range.start..end).unwrap_or_default()
    }
}
