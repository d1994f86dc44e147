//! Reads typed values from the merged layers, and detects unknown keys.
//!
//! The code that reads a section is the only list of the section's keys: a leaf that no
//! code reads is unknown, and is refused with the nearest known key. All problems are
//! collected, not only the first one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::key::{Key, nearest};
use super::layers::{Layers, Leaf};
use super::problem::{Origin, Problem, Severity};
use super::raw::Raw;
use super::setting::Setting;

#[derive(Debug)]
pub(super) struct Reader {
    leaves: BTreeMap<Key, Leaf>,
    known: BTreeMap<Key, KnownKey>,
    /// Tables that are valid even if they are empty.
    sections: BTreeSet<Key>,
    problems: Vec<Problem>,
}

/// A key that the code of a section reads.
#[derive(Debug, Default)]
pub(super) struct KnownKey {
    pub(super) secret: bool,
    /// The value that applies because the key is unset, and the reason.
    pub(super) derived: Option<(Raw, &'static str)>,
}

impl Reader {
    pub(super) fn new(layers: Layers) -> Self {
        let Layers { leaves, problems } = layers;
        Self { leaves, known: BTreeMap::new(), sections: BTreeSet::new(), problems }
    }

    /// Reads a setting that must be set. Returns `None` if it is missing or invalid.
    pub(super) fn required<T: Setting>(&mut self, key: impl Into<Key>) -> Option<T> {
        let key = key.into();
        let value = self.optional(key.clone())?;
        if value.is_none() {
            self.error(&key, format!("is not set; add it to the file, or set {}", key.variable()));
        }
        value
    }

    /// Reads an optional setting: returns `Some(None)` if it is absent, and `None` after
    /// a problem.
    pub(super) fn optional<T: Setting>(&mut self, key: impl Into<Key>) -> Option<Option<T>> {
        let key = key.into();
        self.known.insert(key.clone(), KnownKey { secret: T::SECRET, derived: None });
        let Some(leaf) = self.leaves.get(&key) else {
            return Some(None);
        };
        match T::read(&leaf.raw) {
            Ok(value) => Some(Some(value)),
            Err(message) => {
                self.error(&key, message);
                None
            }
        }
    }

    /// Reads a required setting whose value must be in `range`; the message describes the
    /// range as `shown`.
    pub(super) fn within<T>(&mut self, key: &str, range: RangeInclusive<T>, shown: &str) -> Option<T>
    where
        T: Setting + PartialOrd,
    {
        let value = self.required::<T>(key)?;
        if range.contains(&value) {
            return Some(value);
        }
        self.error(&Key::from(key), format!("must be {shown}"));
        None
    }

    /// Whether any layer sets the key.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.leaves.contains_key(&Key::from(key))
    }

    /// Records the value that applies to an unset key.
    pub(super) fn derived(&mut self, key: impl Into<Key>, value: Raw, why: &'static str) {
        if let Some(known) = self.known.get_mut(&key.into()) {
            known.derived = Some((value, why));
        }
    }

    /// Marks a table that is valid even if it is empty.
    pub(super) fn section(&mut self, key: impl Into<Key>) {
        self.sections.insert(key.into());
    }

    /// Returns the names of the tables below `prefix`, except the keys in `fixed`.
    /// Reports a problem for each invalid name.
    pub(super) fn tables(&mut self, prefix: &str, fixed: &[&str]) -> Vec<String> {
        let prefix = Key::from(prefix);
        let is_table = |key: &Key, leaf: &Leaf| {
            let rest = key.below(&prefix)?;
            let name = rest.first()?;
            let deep = rest.len() > 1 || matches!(&leaf.raw, Raw::Table(_));
            (deep && !fixed.contains(&name.as_str())).then(|| name.clone())
        };
        let names: BTreeSet<String> = self.leaves.iter().filter_map(|(key, leaf)| is_table(key, leaf)).collect();
        for name in &names {
            self.section(prefix.then(name));
            if !is_name(name) {
                self.error(&prefix.then(name), NAME_WANTED.to_owned());
            }
        }
        names.into_iter().collect()
    }

    /// Reads a table in which the operator chooses the keys and all values have one type.
    /// An environment variable may hold such a table as one inline table: `{
    /// "research:citation" = "scholar" }`.
    pub(super) fn map<T: Setting>(&mut self, prefix: Key) -> Option<BTreeMap<String, T>> {
        self.section(prefix.clone());
        self.unfold(&prefix);
        let keys: Vec<Key> =
            self.leaves.keys().filter(|key| key.below(&prefix).is_some_and(|rest| rest.len() == 1)).cloned().collect();
        let mut values = BTreeMap::new();
        let mut sound = true;
        for key in keys {
            match self.required(key.clone()) {
                Some(value) => drop(values.insert(key.last().to_owned(), value)),
                None => sound = false,
            }
        }
        sound.then_some(values)
    }

    pub(super) fn error(&mut self, key: &Key, message: String) {
        self.report(Severity::Error, key, message);
    }

    pub(super) fn warn(&mut self, key: &str, message: &str) {
        self.report(Severity::Warning, &Key::from(key), message.to_owned());
    }

    /// Finishes reading, and reports a problem for each unknown key.
    pub(super) fn finish(mut self) -> (BTreeMap<Key, Leaf>, BTreeMap<Key, KnownKey>, Vec<Problem>) {
        let unknown: Vec<Key> =
            self.leaves.iter().filter(|(key, leaf)| !self.expects(key, leaf)).map(|(key, _)| key.clone()).collect();
        for key in unknown {
            let message = self.about_unknown(&key);
            self.error(&key, message);
        }
        (self.leaves, self.known, self.problems)
    }

    fn report(&mut self, severity: Severity, key: &Key, message: String) {
        // The place of a section is that of its first key. Built-in defaults are skipped,
        // because they are not in the operator's file.
        let mut here = self.leaves.iter().filter(|(leaf_key, _)| *leaf_key == key || leaf_key.below(key).is_some());
        let origin = here.find(|(_, leaf)| leaf.origin != Origin::Default).map(|(_, leaf)| leaf.origin.clone());
        self.problems.push(Problem { severity, origin, key: key.to_string(), message });
    }

    fn expects(&self, key: &Key, leaf: &Leaf) -> bool {
        let empty = matches!(&leaf.raw, Raw::Table(table) if table.is_empty());
        let holds_known = || self.known.keys().chain(&self.sections).any(|k| k == key || k.below(key).is_some());
        self.known.contains_key(key) || (empty && holds_known())
    }

    fn about_unknown(&self, key: &Key) -> String {
        let parent = key.parent();
        if self.known.contains_key(&parent) {
            return format!(
                "there is no such key: {parent} is a value, not a table, so it cannot have keys of its own"
            );
        }
        if self.sections.contains(key) || self.known.keys().any(|k| k.below(key).is_some()) {
            return "is a table, not a value".to_owned();
        }
        match nearest(key, self.known.keys().chain(&self.sections)) {
            Some(near) => format!("there is no such key; did you mean {near}?"),
            None => "there is no such key; `tollbridge config show` lists all".to_owned(),
        }
    }

    /// Splits an inline table from an environment variable into leaves, as if the file
    /// contained the table.
    fn unfold(&mut self, key: &Key) {
        let Some(leaf) = self.leaves.get(key) else {
            return;
        };
        let Raw::Words(text) = &leaf.raw else {
            return;
        };
        if let Some(Raw::Table(members)) = Raw::parse(text) {
            let origin = leaf.origin.clone();
            self.leaves.remove(key);
            for (name, raw) in members {
                self.leaves.insert(key.then(&name), Leaf { raw, origin: origin.clone() });
            }
        }
    }
}

pub(super) const NAME_WANTED: &str = "is not a name; names have 1 to 64 characters out of a-z, 0-9, _ and -";

/// Whether the text is a valid name for a plugin, provider or agent.
pub(super) fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}
