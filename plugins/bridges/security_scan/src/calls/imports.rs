//! Reads import statements: which names they bind, and to what.

use crate::calls::names::{Bound, Names, module};
use crate::calls::token::{Piece, Token};
use crate::language::Language;
use crate::source::Source;

/// Pieces of one import statement that are looked at.
const LONGEST: usize = 400;

/// What an import statement names, with its full name (`Crypto.Cipher.DES`).
pub type Imported = Vec<String>;

/// Reads the import statement that begins with the first of `pieces`, binds its names, and gives what it imports and
/// how many pieces it has; none if it is no such statement.
#[must_use]
pub fn read(source: &Source, pieces: &[Piece], names: &mut Names) -> Option<(Imported, usize)> {
    let (mut words, length) = Words::of(source, pieces);
    let imported = match (source.language, words.next()?) {
        (Language::Python, "import") => Some(python_import(&mut words, names)),
        (Language::Python, "from") => python_from(&mut words, names),
        (Language::Javascript | Language::Typescript, "import") => javascript(&mut words, names),
        _ => None,
    };
    Some((imported?, length))
}

/// The words, texts and marks of one statement.
struct Words<'a> {
    rest: std::vec::IntoIter<&'a str>,
    /// What was read last but not used.
    back: Option<&'a str>,
}

impl<'a> Words<'a> {
    /// With the number of pieces that the statement has.
    fn of(source: &'a Source, pieces: &[Piece]) -> (Self, usize) {
        let mut depth = 0usize;
        let mut words = Vec::new();
        let mut length = 0;
        for piece in pieces.iter().take(LONGEST) {
            length += 1;
            match piece.token {
                Token::Mark(b';') => break,
                Token::Line if depth == 0 => break,
                Token::Line => continue,
                Token::Mark(b'(' | b'{') => depth += 1,
                Token::Mark(b')' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            words.push(piece.text(source));
        }
        (Self { rest: words.into_iter(), back: None }, length)
    }

    fn next(&mut self) -> Option<&'a str> {
        self.back.take().or_else(|| self.rest.next())
    }

    /// The next word if it is this one.
    fn take(&mut self, wanted: &str) -> bool {
        let next = self.next();
        if next != Some(wanted) {
            self.back = next;
        }
        next == Some(wanted)
    }

    /// `a.b.c`, with the dots that a relative name begins with.
    fn dotted(&mut self) -> String {
        let mut name = String::new();
        while self.take(".") {
            name.push('.');
        }
        if !name.is_empty() && self.take("import") {
            self.back = Some("import");
            return name;
        }
        name.push_str(self.next().unwrap_or_default());
        while self.take(".") {
            name.push('.');
            name.push_str(self.next().unwrap_or_default());
        }
        name
    }
}

fn python_import(words: &mut Words<'_>, names: &mut Names) -> Imported {
    let mut imported = Vec::new();
    loop {
        let name = words.dotted();
        let first = name.split('.').next().unwrap_or_default().to_owned();
        match words.take("as").then(|| words.next()).flatten() {
            Some(alias) => names.bind(alias, Bound::Name(name.clone())),
            None => names.bind(&first, Bound::Name(first.clone())),
        }
        imported.push(name);
        if !words.take(",") {
            return imported;
        }
    }
}

fn python_from(words: &mut Words<'_>, names: &mut Names) -> Option<Imported> {
    let from = words.dotted();
    if !words.take("import") {
        return None;
    }
    words.take("(");
    let mut imported = Vec::new();
    while let Some(name) = words.next().filter(|name| !matches!(*name, ")" | "*")) {
        let alias = words.take("as").then(|| words.next()).flatten().unwrap_or(name);
        let full = if from.ends_with('.') { format!("{from}{name}") } else { format!("{from}.{name}") };
        names.bind(alias, Bound::Name(full.clone()));
        imported.push(full);
        words.take(",");
    }
    if imported.is_empty() {
        imported.push(from);
    }
    Some(imported)
}

/// `import d, {a as b} from 'm'`, `import * as n from 'm'`; the module stands at the end.
fn javascript(words: &mut Words<'_>, names: &mut Names) -> Option<Imported> {
    let mut local: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    while let Some(word) = words.next() {
        match word {
            "(" | "." if local.is_empty() => return None,
            "{" => inside = true,
            "}" => inside = false,
            "," | "type" => {}
            "from" if !inside => {}
            "*" => {
                words.take("as");
                local.push((words.next()?, String::new()));
            }
            text if text.starts_with(['"', '\'']) => {
                let name = module(text.trim_matches(['"', '\'']));
                for (alias, member) in local {
                    names.bind(alias, Bound::Name(format!("{name}{member}")));
                }
                return Some(vec![name]);
            }
            name => {
                let alias = words.take("as").then(|| words.next()).flatten().unwrap_or(name);
                let is_member = inside && name != "default";
                local.push((alias, if is_member { format!(".{name}") } else { String::new() }));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::token::pieces;

    fn check(language: Language, text: &str, imported: &[&str], stand: &[(&str, &str)]) {
        let source = Source::new(String::new(), text.to_owned(), Some(language));
        let mut names = Names::new(language);
        let got = read(&source, &pieces(&source), &mut names).unwrap_or_default().0;
        assert_eq!(got, imported, "{text}");
        for (name, full) in stand {
            assert_eq!(names.resolve(name), *full, "{text}");
        }
    }

    #[test]
    fn python() {
        let python = Language::Python;
        check(python, "import a.b as c, d\n", &["a.b", "d"], &[("c.x", "a.b.x"), ("d", "d")]);
        check(python, "from a.b import (c as d,\n e)\n", &["a.b.c", "a.b.e"], &[("d", "a.b.c"), ("e.f", "a.b.e.f")]);
        check(python, "from . import c\n", &[".c"], &[("c", ".c")]);
        check(python, "from a import *\n", &["a"], &[]);
        check(python, "from here\n", &[], &[]);
        check(python, "import", &[""], &[]);
    }

    #[test]
    fn javascript() {
        let javascript = Language::Javascript;
        check(
            javascript,
            "import d, {a as b, c} from 'node:fs'\n",
            &["fs"],
            &[("d", "fs"), ("b", "fs.a"), ("c", "fs.c")],
        );
        check(javascript, "import * as n from \"fs/promises\";", &["fs.promises"], &[("n.readFile", "fs.readFile")]);
        check(javascript, "import 'x'\n", &["x"], &[]);
        check(javascript, "import('x')\n", &[], &[]);
        check(javascript, "import.meta.url\n", &[], &[]);
    }
}
