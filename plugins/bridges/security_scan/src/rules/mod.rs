//! The tables of rules, one file for each language or group of languages.
//!
//! They find what is written down plainly. What depends on where a value comes from is graded by how likely it is to
//! come from outside, and says so in its confidence.

mod c;
mod cloud;
mod go;
mod java;
mod javascript;
mod javascript_calls;
mod php;
mod python;
mod python_calls;
mod python_data;
mod ruby;
mod rust;
mod shared;
mod shell;

use tollbridge_sdk::Ready;

use crate::calls::{CallRule, CallTable};
use crate::language::Language;
use crate::literals::Literals;
use crate::rule::Rule;

/// The literals of all rules here.
pub static LITERALS: Ready<Literals> = Ready::new(|| Literals::new(all().flat_map(|rule| rule.near)));
/// When the tables were last changed.
pub const DATE: &str = "2026-11-22";
/// Their version.
pub const VERSION: &str = "2.2.0";

/// The tables that apply to a language.
#[must_use]
pub fn tables(language: Language) -> &'static [&'static [Rule]] {
    match language {
        Language::Python => &[python::RULES, shared::CODE],
        Language::Javascript | Language::Typescript => &[javascript::RULES, javascript::SERVER, shared::CODE],
        Language::Go => &[go::RULES, shared::CODE],
        Language::Java | Language::Kotlin => &[java::RULES, shared::CODE],
        Language::Ruby => &[ruby::RULES, shared::CODE],
        Language::Php => &[php::RULES, shared::CODE],
        Language::Rust => &[rust::RULES, shared::CODE],
        Language::C | Language::Cpp => &[c::RULES],
        Language::Shell => &[shell::SHELL],
        Language::Dockerfile => &[shell::SHELL, shell::DOCKERFILE],
        Language::Workflow => &[shell::SHELL, cloud::WORKFLOW],
        Language::Yaml => &[shell::SHELL, cloud::KUBERNETES],
        Language::Terraform => &[cloud::TERRAFORM],
        _ => &[],
    }
}

const PYTHON_CALLS: &[&[CallRule]] =
    &[python_calls::COMMANDS, python_calls::SERVICES, python_data::READING, python_data::SECRECY];
const JAVASCRIPT_CALLS: &[&[CallRule]] = &[javascript_calls::RULES];
static OF_PYTHON: Ready<CallTable> = Ready::new(|| CallTable::new(PYTHON_CALLS));
static OF_JAVASCRIPT: Ready<CallTable> = Ready::new(|| CallTable::new(JAVASCRIPT_CALLS));

/// The rules on calls that apply to a language, if there are any.
#[must_use]
pub fn calls(language: Language) -> Option<&'static CallTable> {
    match language {
        Language::Python => Some(&OF_PYTHON),
        Language::Javascript | Language::Typescript => Some(&OF_JAVASCRIPT),
        _ => None,
    }
}

/// Makes what is the same in each call.
pub fn prepare() {
    LITERALS.prepare();
    OF_PYTHON.prepare();
    OF_JAVASCRIPT.prepare();
}

/// All rules on calls.
pub fn all_calls() -> impl Iterator<Item = &'static CallRule> {
    PYTHON_CALLS.iter().chain(JAVASCRIPT_CALLS).copied().flatten()
}

/// All tables, each once.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let tables: [&'static [Rule]; 16] = [
        python::RULES,
        javascript::RULES,
        javascript::SERVER,
        go::RULES,
        java::RULES,
        ruby::RULES,
        php::RULES,
        rust::RULES,
        c::RULES,
        shell::SHELL,
        shell::DOCKERFILE,
        cloud::WORKFLOW,
        cloud::KUBERNETES,
        cloud::TERRAFORM,
        shared::CODE,
        &[],
    ];
    tables.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_is_unique() {
        let mut ids: Vec<&str> = Vec::new();
        for rule in all() {
            assert!(rule.compiled().is_some(), "{} does not compile", rule.weakness.id);
            assert!(
                !rule.near.is_empty() && rule.near.iter().all(|near| !near.is_empty()),
                "{} has no literal",
                rule.weakness.id
            );
            assert!(rule.weakness.id.contains('.') && rule.weakness.cwe.starts_with("CWE-"), "{}", rule.weakness.id);
            ids.push(rule.weakness.id);
        }
        let mut of_calls: Vec<&str> = all_calls().map(|rule| rule.weakness.id).collect();
        for rule in all_calls() {
            assert!(
                rule.weakness.id.contains('.') && rule.weakness.cwe.starts_with("CWE-") && !rule.names.is_empty(),
                "{}",
                rule.weakness.id
            );
        }
        of_calls.sort_unstable();
        of_calls.dedup();
        ids.extend(of_calls);
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "a rule's id is used twice");
    }
}
