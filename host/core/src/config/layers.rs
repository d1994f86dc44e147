//! The layers of the configuration: defaults, file, environment, flags. Each layer
//! overrides the previous one, and each leaf records the layer it comes from.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{Key, VARIABLE_PREFIX};
use super::problem::{Origin, Problem, Severity};
use super::raw::Raw;

/// A value, and the place where it was set.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) raw: Raw,
    pub(super) origin: Origin,
}

/// All leaves of the merged layers; a later layer overrides an earlier one. Inline tables
/// are split into leaves like any other table; a list is one leaf.
#[derive(Debug, Default)]
pub(super) struct Layers {
    pub(super) leaves: BTreeMap<Key, Leaf>,
    pub(super) problems: Vec<Problem>,
}

impl Layers {
    /// Adds a TOML document as the top layer; `file` is its name, or `None` for the
    /// built-in defaults.
    pub(super) fn document(&mut self, file: Option<&str>, text: &str) {
        let source = Document { name: file.map(Arc::from), text };
        match DeTable::parse(text) {
            Ok(table) => self.table(&source, &Key::default(), table.get_ref()),
            Err(error) => self.problems.push(Problem {
                severity: Severity::Error,
                origin: Some(source.origin(error.span().map_or(0, |span| span.start))),
                key: String::new(),
                message: format!("this is not TOML: {}", error.message().replace('\n', ", ")),
            }),
        }
    }

    /// Adds the environment variables with the setting prefix as the top layer. Each
    /// segment of a variable's name is matched to an existing segment, ignoring case and
    /// the difference between `-` and `_`, so that variables can override sections of the
    /// file. A segment without a match becomes lower case.
    pub(super) fn environment(&mut self, variables: &[(String, String)]) {
        let mut ours: Vec<_> = variables.iter().filter(|(name, _)| name.starts_with(VARIABLE_PREFIX)).collect();
        ours.sort();
        for (name, value) in ours {
            let path = name.strip_prefix(VARIABLE_PREFIX).unwrap_or_default();
            if path.split("__").any(str::is_empty) {
                self.problems.push(Problem {
                    severity: Severity::Error,
                    origin: Some(Origin::Environment(name.clone())),
                    key: String::new(),
                    message: format!("is not the name of a setting; write {VARIABLE_PREFIX}SECTION__KEY"),
                });
                continue;
            }
            let key = path.split("__").fold(Key::default(), |key, segment| self.existing(&key, segment));
            let leaf = Leaf { raw: Raw::Words(value.clone()), origin: Origin::Environment(name.clone()) };
            self.leaves.insert(key, leaf);
        }
    }

    /// Adds one command-line flag as the top layer.
    pub(super) fn flag(&mut self, flag: &'static str, key: &'static str, value: &str) {
        let leaf = Leaf { raw: Raw::Words(value.to_owned()), origin: Origin::Flag(flag) };
        self.leaves.insert(Key::from(key), leaf);
    }

    fn existing(&self, parent: &Key, segment: &str) -> Key {
        let plain = |text: &str| text.to_lowercase().replace('-', "_");
        let expected_key = plain(segment);
        let mut children = self.leaves.keys().filter_map(|key| key.below(parent)?.first());
        match children.find(|existing| plain(existing) == expected_key) {
            Some(existing) => parent.then(existing),
            None => parent.then(&segment.to_lowercase()),
        }
    }

    fn table(&mut self, source: &Document<'_>, at: &Key, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = at.then(name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if !inner.is_empty() => self.table(source, &key, inner),
                other => {
                    let leaf = Leaf { raw: Raw::of(other), origin: source.origin(start_of(name)) };
                    self.leaves.insert(key, leaf);
                }
            }
        }
    }
}

/// Converts byte offsets in a text to line numbers.
struct Document<'a> {
    name: Option<Arc<str>>,
    text: &'a str,
}

impl Document<'_> {
    fn origin(&self, byte: usize) -> Origin {
        match &self.name {
            None => Origin::Default,
            Some(name) => {
                let before = self.text.as_bytes().get(..byte).unwrap_or(self.text.as_bytes());
                let line = before.iter().filter(|b| **b == b'\n').count() + 1;
                Origin::File { name: name.clone(), line }
            }
        }
    }
}

fn start_of<T>(spanned: &Spanned<T>) -> usize {
    spanned.span().start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(layers: &Layers) -> Vec<String> {
        layers.leaves.iter().map(|(key, leaf)| format!("{key} = {} # {}", leaf.raw, leaf.origin)).collect()
    }

    #[test]
    fn later_layers_win_and_remember_their_place() {
        let mut layers = Layers::default();
        layers.document(None, "[a]\nx = 1\ny = 2\nz = 3\nw = 4");
        layers.document(Some("f.toml"), "# comment\n[a]\ny = 20\nz = 30\n[b.\"C-d\"]\nk = { v = true }");
        layers.environment(&[
            ("TOLLBRIDGE__A__Z".into(), "300".into()),
            ("TOLLBRIDGE__B__C_D__NEW".into(), "n".into()),
            ("TOLLBRIDGE_TOOLCHAIN".into(), "not ours".into()),
        ]);
        layers.flag("--w", "a.w", "4000");
        assert!(layers.problems.is_empty());
        assert_eq!(
            shown(&layers),
            [
                "a.w = \"4000\" # --w",
                "a.x = 1 # default",
                "a.y = 20 # f.toml:3",
                "a.z = \"300\" # TOLLBRIDGE__A__Z",
                "b.C-d.k.v = true # f.toml:6",
                "b.C-d.new = \"n\" # TOLLBRIDGE__B__C_D__NEW",
            ]
        );
    }

    #[test]
    fn says_where_a_document_breaks() {
        let mut layers = Layers::default();
        layers.document(Some("f.toml"), "[a]\nx = \n");
        let problem = layers.problems.first().unwrap().to_string();
        assert!(problem.starts_with("f.toml:2: this is not TOML: "), "{problem}");
    }

    #[test]
    fn refuses_variables_without_a_name() {
        let mut layers = Layers::default();
        layers.environment(&[("TOLLBRIDGE__A____B".into(), "x".into()), ("TOLLBRIDGE__".into(), "x".into())]);
        assert_eq!((layers.problems.len(), layers.leaves.len()), (2, 0));
    }
}
