//! What can be said of a value without running the program: is it made of constants alone, is it one plain text, what
//! number is it.

use std::ops::Range;

use crate::calls::names::Names;
use crate::calls::token::{Piece, Token, is_plain};
use crate::language::Language;
use crate::source::Source;

/// Pieces of a value that are looked at; a longer one is not taken for a constant.
const LONGEST: usize = 200;
/// Functions that make a constant path or text of constants.
const PURE: &[&str] = &[
    "path.join",
    "path.resolve",
    "path.normalize",
    "path.dirname",
    "path.basename",
    "require.resolve",
    "os.path.join",
    "os.path.dirname",
    "os.path.abspath",
    "url.fileURLToPath",
    "fileURLToPath",
    "URL",
    "Path",
    "pathlib.Path",
];

/// The bytes of some pieces, without what is around them.
#[must_use]
pub fn range(pieces: &[Piece], of: Range<usize>) -> Range<usize> {
    let part = pieces.get(of).unwrap_or_default();
    let mut part = part.iter().filter(|piece| piece.token != Token::Line);
    match (part.next(), part.next_back()) {
        (Some(first), Some(last)) => first.at()..last.end(),
        (Some(only), None) => only.at()..only.end(),
        _ => 0..0,
    }
}

/// Whether a value is made of texts, numbers and names that are known to be constant.
#[must_use]
pub fn is_constant(source: &Source, pieces: &[Piece], of: Range<usize>, names: &Names) -> bool {
    let part = pieces.get(of).unwrap_or_default();
    if part.is_empty() || part.len() > LONGEST {
        return false;
    }
    let mut chain = String::new();
    for (place, piece) in part.iter().enumerate() {
        let next = part.get(place + 1).map(|next| next.token);
        let before = place.checked_sub(1).and_then(|before| part.get(before)).map(|before| before.token);
        let is_member = before == Some(Token::Mark(b'.'));
        match piece.token {
            Token::Text if !is_plain(piece.text(source)) => return false,
            Token::Word => {
                if is_member {
                    chain.push('.');
                } else {
                    chain.clear();
                }
                chain.push_str(piece.text(source));
                let ends = next != Some(Token::Mark(b'.'));
                let of_text = is_member && chain.starts_with('.') && chain != ".format";
                if ends && !of_text && !is_known(&chain, names) {
                    return false;
                }
            }
            Token::Mark(b'.') => {}
            Token::Mark(b';') => return false,
            Token::Mark(b'{') if source.language != Language::Python => return false,
            // A text that something is put into is not what is written, though that may be a constant, too.
            Token::Mark(b'%') if before == Some(Token::Text) => return false,
            _ => chain.clear(),
        }
    }
    true
}

/// A chain of names that stands for something constant.
fn is_known(chain: &str, names: &Names) -> bool {
    const OWN_PLACE: &[&str] = &["import.meta.filename", "import.meta.dirname", "import.meta.url"];
    names.is_constant(chain)
        || chain == "new"
        || OWN_PLACE.contains(&chain)
        || PURE.contains(&names.resolve(chain).as_str())
}

/// Whether a value is one plain text (or several written side by side).
#[must_use]
pub fn is_plain_text(source: &Source, pieces: &[Piece], of: Range<usize>) -> bool {
    let part = pieces.get(of).unwrap_or_default();
    let texts = part.iter().filter(|piece| piece.token == Token::Text && is_plain(piece.text(source))).count();
    let lines = part.iter().filter(|piece| piece.token == Token::Line).count();
    texts > 0 && texts + lines == part.len()
}

/// The number that is written: decimal, `0x`, `0o`, `0b`, or bits of `stat` joined by `|`.
#[must_use]
pub fn number(text: &str) -> Option<u64> {
    let mut all = 0;
    for part in text.split('|') {
        let part = part.trim().replace('_', "").to_ascii_lowercase();
        let digits = |radix: u32, text: &str| u64::from_str_radix(text, radix).ok();
        let value = match part.get(..2) {
            Some("0x") => digits(16, part.get(2..)?),
            Some("0o") => digits(8, part.get(2..)?),
            Some("0b") => digits(2, part.get(2..)?),
            _ if part.len() > 1 && part.starts_with('0') => digits(8, &part),
            _ => part.parse().ok().or_else(|| mode_bits(&part)),
        };
        all |= value?;
    }
    Some(all)
}

/// `stat.S_IRWXU` and the like, with `_` taken out.
fn mode_bits(name: &str) -> Option<u64> {
    let bits = name.strip_prefix("stat.").unwrap_or(name).strip_prefix("si")?;
    let who = |letter| match letter {
        'u' => Some(6),
        'g' => Some(3),
        'o' => Some(0),
        _ => None,
    };
    if let Some(letter) = bits.strip_prefix("rwx") {
        return Some(7 << who(letter.chars().next()?)?);
    }
    match bits {
        "suid" => return Some(0o4000),
        "sgid" => return Some(0o2000),
        "svtx" => return Some(0o1000),
        _ => {}
    }
    let mut letters = bits.chars();
    let right = match letters.next()? {
        'r' => 4,
        'w' => 2,
        'x' => 1,
        _ => return None,
    };
    let whose = match letters.as_str() {
        "usr" => 'u',
        "grp" => 'g',
        "oth" => 'o',
        _ => return None,
    };
    Some(right << who(whose)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::names::Bound;
    use crate::calls::token::pieces;
    use crate::language::Language;

    #[test]
    fn numbers_as_they_are_written() {
        for (text, value) in [
            ("0o777", Some(0o777)),
            ("0777", Some(0o777)),
            ("0x1ff", Some(511)),
            ("511", Some(511)),
            ("1_024", Some(1024)),
            ("stat.S_IRWXU", Some(0o700)),
            ("stat.S_IRUSR | stat.S_IWOTH", Some(0o402)),
            ("mode", None),
            ("mode | 1", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(number(text), value, "{text}");
        }
    }

    #[test]
    fn constants() {
        let check = |language, text: &str| {
            let source = Source::new(String::new(), text.to_owned(), Some(language));
            let mut names = Names::new(language);
            names.bind("FOO", Bound::Constant);
            let pieces = pieces(&source);
            is_constant(&source, &pieces, 0..pieces.len(), &names)
        };
        for text in ["'a'", "'a' + FOO", "path.join(__dirname, 'a')", "import.meta.url", "`a`", "'a'.trim()", "7"] {
            assert!(check(Language::Javascript, text), "{text}");
        }
        for text in ["a", "'a' + b", "`a${b}`", "path.join(__dirname, b)", "import.meta[b]", "FOO.concat(b)", "f()"] {
            assert!(!check(Language::Javascript, text), "{text}");
        }
        assert!(check(Language::Python, "'a'\n'b'") && check(Language::Python, "[1, 'a', None]"));
        assert!(!check(Language::Python, "f'{a}'") && !check(Language::Python, "[a]"));
        assert!(!check(Language::Python, "'%s' % 'a'") && !check(Language::Python, "'{}'.format('a')"));
        assert!(check(Language::Python, "{'a': 'b'}") && !check(Language::Javascript, "{a: 'b'}"));
    }
}
