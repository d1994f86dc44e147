//! Rules of this agent beside those of the bridges: patterns of one line, and looks at blocks.

mod awaited;
mod branches;
mod c;
mod compiled;
mod go_rust;
mod javascript;
mod loops;
mod memory;
mod names;
mod ownership;
mod python;
mod python_style;
mod randomness;
mod scripts;
mod unused;

use crate::language::Language;
use crate::remark::{Kind, Remark};
use crate::source::Source;
use agent_common::patterns;

/// A pattern of one line.
pub(crate) struct LineRule {
    id: &'static str,
    kind: Kind,
    severity: &'static str,
    /// Found in code without the insides of strings, unless `in_text`.
    pattern: &'static str,
    /// Not where this matches the line as well.
    unless: &'static str,
    in_text: bool,
    /// `{1}` stands for the first group.
    message: &'static str,
    remedy: &'static str,
}

/// A rule on code; severity `info` is for those who ask for style.
pub(crate) const fn rule(
    id: &'static str,
    (kind, severity): (Kind, &'static str),
    (pattern, unless): (&'static str, &'static str),
    message: &'static str,
    remedy: &'static str,
) -> LineRule {
    LineRule { id, kind, severity, pattern, unless, in_text: false, message, remedy }
}

impl LineRule {
    pub(crate) const fn in_text(self) -> Self {
        Self { in_text: true, ..self }
    }
}

fn tables(language: Language) -> Vec<&'static [LineRule]> {
    use Language::{
        C, Cpp, Csharp, Dockerfile, Go, Html, Java, Javascript, Kotlin, Php, Python, Ruby, Rust, Shell, Sql, Typescript,
    };
    match language {
        Python => vec![python::RULES, python_style::RULES],
        Javascript | Typescript => vec![javascript::RULES],
        Java => vec![compiled::JAVA, compiled::BOTH],
        Csharp => vec![compiled::CSHARP, compiled::BOTH],
        Kotlin => vec![compiled::KOTLIN],
        C => vec![c::RULES],
        Cpp => vec![c::RULES, c::CPP],
        Go => vec![go_rust::GO],
        Rust => vec![go_rust::RUST],
        Php => vec![scripts::PHP],
        Ruby => vec![scripts::RUBY],
        Shell => vec![scripts::SHELL],
        Dockerfile => vec![scripts::DOCKER],
        Html => vec![scripts::HTML],
        Sql => vec![scripts::SQL],
        _ => Vec::new(),
    }
}

/// All remarks of the own rules on a file.
pub fn look(source: &Source) -> Vec<Remark> {
    let mut found = Vec::new();
    for rule in tables(source.language).into_iter().flatten() {
        lines(source, rule, &mut found);
    }
    for check in [
        awaited::look,
        branches::look,
        loops::look,
        memory::look,
        names::look,
        ownership::look,
        randomness::look,
        unused::look,
        scripts::look,
    ] {
        check(source, &mut found);
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|remark| seen.insert((remark.line, remark.rule.clone())));
    found
}

fn lines(source: &Source, rule: &LineRule, found: &mut Vec<Remark>) {
    for (at, line) in source.lines.iter().enumerate() {
        let text = if rule.in_text { &line.text } else { &line.code };
        let groups = patterns::groups(rule.pattern, text);
        if groups.is_empty() || (!rule.unless.is_empty() && patterns::is_match(rule.unless, text)) {
            continue;
        }
        let mut message = rule.message.to_owned();
        for (number, group) in groups.iter().enumerate().skip(1) {
            message = message.replace(&format!("{{{number}}}"), group.trim());
        }
        found.push(Remark::new(source, at, (rule.kind, rule.severity), rule.id, message, rule.remedy));
    }
}

#[cfg(test)]
mod tests;
