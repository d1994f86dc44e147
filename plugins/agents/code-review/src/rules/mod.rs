//! Rules of this agent beside those of the bridges: patterns of one line, and looks at blocks.

mod awaited;
mod branches;
mod c;
mod compiled;
mod docker;
mod go_rust;
mod html;
mod java_strings;
mod javascript;
mod line_rule;
mod loops;
mod memory;
mod names;
mod ownership;
mod php;
mod python;
mod python_style;
mod randomness;
mod ruby;
mod shell;
mod sql;
mod taint;
mod unused;

use crate::language::Language;
use crate::remark::Remark;
use crate::source::Source;
use line_rule::LineRule;

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
        Php => vec![php::RULES],
        Ruby => vec![ruby::RULES],
        Shell => vec![shell::RULES],
        Dockerfile => vec![docker::RULES],
        Html => vec![html::RULES],
        Sql => vec![sql::RULES],
        _ => Vec::new(),
    }
}

/// All remarks of the own rules on a file.
pub fn look(source: &Source) -> Vec<Remark> {
    let mut found = Vec::new();
    for rule in tables(source.language).into_iter().flatten() {
        rule.look(source, &mut found);
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
        sql::look,
        taint::look,
        java_strings::look,
        shell::look,
        docker::look,
    ] {
        check(source, &mut found);
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|remark| seen.insert((remark.line, remark.rule.clone())));
    found
}

#[cfg(test)]
mod tests;
