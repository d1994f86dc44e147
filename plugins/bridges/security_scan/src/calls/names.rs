//! What names stand for: imports, aliases, what a constructor gave, constants.
//!
//! Names are followed in the order of the text and not by scope: the last assignment before a use counts. A name that
//! was given something else stands for nothing known, so what is called through it is not taken for a module's.

use std::collections::HashMap;

use crate::language::Language;

/// Longer full names are not followed, so that a chain of assignments cannot grow without end.
const LONGEST: usize = 200;

/// What a name was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// Something with this full name; `()` in it stands for what a call gave.
    Name(String),
    /// A text or number written down.
    Constant,
    Other,
}

/// The names of a file so far.
#[derive(Debug)]
pub struct Names {
    bound: HashMap<String, Bound>,
    language: Language,
}

impl Names {
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self { bound: HashMap::new(), language }
    }

    /// From here on `name` stands for this.
    pub fn bind(&mut self, name: &str, bound: Bound) {
        let bound = match bound {
            Bound::Name(full) if full.len() > LONGEST => Bound::Other,
            bound => bound,
        };
        self.bound.insert(name.to_owned(), bound);
    }

    /// The full name of a chain such as `sp.run`, as the module's documentation writes it; what is written, if its
    /// first name was not bound; nothing if that stands for something unknown.
    #[must_use]
    pub fn resolve(&self, chain: &str) -> String {
        let end = chain.find(['.', '(']).unwrap_or(chain.len());
        let (first, rest) = chain.split_at_checked(end).unwrap_or((chain, ""));
        match self.bound.get(first) {
            None => self.canonical(chain),
            Some(Bound::Name(full)) => self.canonical(&format!("{full}{rest}")),
            Some(Bound::Constant | Bound::Other) => format!("?{rest}"),
        }
    }

    /// Whether a name is known to be a constant, or a part of the program's own place.
    #[must_use]
    pub fn is_constant(&self, name: &str) -> bool {
        const OWN: &[&str] = &["__dirname", "__filename", "__file__", "__name__"];
        const WORDS: &[&str] = &["True", "False", "None", "true", "false", "null", "undefined"];
        let starts_as_number = name.starts_with(|sign: char| sign.is_ascii_digit());
        starts_as_number
            || OWN.contains(&name)
            || WORDS.contains(&name)
            || self.bound.get(name) == Some(&Bound::Constant)
    }

    /// One name for what several packages or versions offer under several.
    fn canonical(&self, name: &str) -> String {
        const PYTHON: &[(&str, &str)] = &[
            ("six.moves.", ""),
            ("Cryptodome.", "Crypto."),
            ("cPickle.", "pickle."),
            ("_pickle.", "pickle."),
            ("urllib2.", "urllib.request."),
            ("urllib.urlopen", "urllib.request.urlopen"),
            ("urllib.urlretrieve", "urllib.request.urlretrieve"),
        ];
        const JAVASCRIPT: &[(&str, &str)] = &[
            ("fs-extra.", "fs."),
            ("graceful-fs.", "fs."),
            ("fs.promises.", "fs."),
            ("window.", ""),
            ("globalThis.", ""),
        ];
        let table = if self.language == Language::Python { PYTHON } else { JAVASCRIPT };
        let mut name = name.to_owned();
        for (from, to) in table {
            if let Some(rest) = name.strip_prefix(from) {
                name = format!("{to}{rest}");
            }
        }
        name
    }
}

/// A module's name as its documentation writes it: `node:fs/promises` is `fs.promises`.
#[must_use]
pub fn module(name: &str) -> String {
    let name = name.strip_prefix("node:").unwrap_or(name);
    if name == "fs/promises" { "fs.promises".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_what_they_were_last_given() {
        let mut names = Names::new(Language::Python);
        assert_eq!(names.resolve("subprocess.run"), "subprocess.run");
        names.bind("sp", Bound::Name("subprocess".into()));
        names.bind("DES", Bound::Name("Cryptodome.Cipher.DES".into()));
        assert_eq!(names.resolve("sp.run"), "subprocess.run");
        assert_eq!(names.resolve("DES.new"), "Crypto.Cipher.DES.new");
        names.bind("sp", Bound::Other);
        assert_eq!(names.resolve("sp.run"), "?.run");
        names.bind("A", Bound::Constant);
        assert!(names.is_constant("A") && names.is_constant("0o7") && !names.is_constant("sp"));
    }

    #[test]
    fn a_name_does_not_grow_without_end() {
        let mut names = Names::new(Language::Python);
        for _ in 0..1_000 {
            let longer = names.resolve("a.b()");
            names.bind("a", Bound::Name(longer));
        }
        assert!(names.resolve("a").len() <= LONGEST);
    }
}
