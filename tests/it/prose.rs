//! Plain English as a ratchet: counts the patterns of `tests/prose.toml` in
//! comments, string literals, pages and documents. A count may only fall.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};
use rustc_lexer::{DocStyle, FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use serde::{Deserialize, Serialize};
use tollbridge_tests::source::files_below;
use tollbridge_tests::workspace;

/// Areas of the repository, each with its folders and files.
const AREAS: [(&str, &[&str]); 5] = [
    ("docs", &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "clients", "plugin-registry"]),
    ("host", &["host"]),
    ("plugins", &["plugins"]),
    ("sdk", &["sdk", "wit"]),
    ("tests", &["tests"]),
];
/// Folders of generated files and of recordings.
const SKIPPED: [&str; 5] = ["rust", "formats", "quality", "venv", "dist"];
const FILE: &str = "tests/prose.toml";
const COUNTS: &str = "tests/prose-counts.toml";

#[derive(Deserialize)]
struct Patterns {
    pattern: Vec<Pattern>,
}

#[derive(Deserialize)]
struct Pattern {
    name: String,
    find: String,
    r#in: Place,
    #[serde(default)]
    except: Vec<String>,
    write: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Place {
    Head,
    Text,
    Code,
}

/// Counts by area and pattern: `first` is the count when the rule was introduced, `now`
/// the last committed one.
#[derive(Default, Deserialize, Serialize, PartialEq, Eq, Debug)]
#[serde(default)]
struct Counts {
    first: BTreeMap<String, BTreeMap<String, usize>>,
    now: BTreeMap<String, BTreeMap<String, usize>>,
}

/// A part of a file that is checked as one text.
struct Piece {
    place: Place,
    line: usize,
    text: String,
}

struct Matcher {
    pattern: Pattern,
    find: Regex,
    except: Vec<Regex>,
}

impl Matcher {
    fn new(pattern: Pattern) -> Self {
        let regex = |text: &String| RegexBuilder::new(text).case_insensitive(true).build().unwrap();
        let except = pattern.except.iter().map(regex).collect();
        Self { find: regex(&pattern.find), except, pattern }
    }

    fn count(&self, piece: &Piece) -> usize {
        let reads = match self.pattern.r#in {
            Place::Text => piece.place != Place::Code,
            place => piece.place == place,
        };
        if !reads || !self.find.is_match(&piece.text) {
            return 0;
        }
        let blanked = self.except.iter().fold(piece.text.clone(), |text, except| except.replace_all(&text, "·").into());
        self.find.find_iter(&blanked).count()
    }
}

fn read_toml<T: for<'de> Deserialize<'de>>(file: &str) -> T {
    let text = std::fs::read_to_string(workspace().join(file)).unwrap_or_default();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the files of an area that are written and read by people.
fn files(roots: &[&str]) -> Vec<PathBuf> {
    let all = roots.iter().flat_map(|root| files_below(root, &["rs", "md", "html"]));
    let is_skipped = |path: &Path| path.iter().any(|part| SKIPPED.iter().any(|skipped| part == *skipped));
    all.filter(|path| !is_skipped(path.strip_prefix(workspace()).unwrap_or(path))).collect()
}

fn pieces(path: &Path) -> Vec<Piece> {
    let text = std::fs::read_to_string(path).unwrap();
    match path.extension().is_some_and(|extension| extension == "rs") {
        true => rust_pieces(&text),
        false => document_pieces(&text),
    }
}

/// Returns the paragraphs of a document, without code blocks.
fn document_pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut paragraph = String::new();
    let mut fenced = false;
    for (line, content) in text.lines().chain([""]).enumerate() {
        let fence = content.trim_start().starts_with("```");
        fenced ^= fence;
        if !fenced && !fence && !content.trim().is_empty() {
            paragraph.push_str(content.trim());
            paragraph.push(' ');
        } else if !paragraph.is_empty() {
            pieces.push(Piece { place: Place::Text, line, text: std::mem::take(&mut paragraph) });
        }
    }
    pieces
}

/// Returns the comment blocks and string literals of a source file, and the code between
/// them.
fn rust_pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut code = String::new();
    // Kind and last line of the comment that the next line may continue.
    let mut open: Option<(Option<DocStyle>, usize)> = None;
    let (mut at, mut line) = (0, 1);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let source = &text[at..at + token.len as usize];
        match token.kind {
            TokenKind::LineComment { doc_style } => {
                let content = source.trim_start_matches(['/', '!']).trim();
                let joins = open.is_some_and(|(kind, last)| kind == doc_style && last + 1 == line);
                match pieces.last_mut().filter(|_| joins) {
                    Some(piece) => piece.text.extend([" ", content]),
                    None => {
                        let place = if doc_style.is_some() { Place::Head } else { Place::Text };
                        pieces.push(Piece { place, line, text: content.to_owned() });
                    }
                }
                open = Some((doc_style, line));
            }
            TokenKind::BlockComment { .. } => pieces.push(Piece { place: Place::Text, line, text: source.to_owned() }),
            TokenKind::Literal { kind, .. } if is_string(kind) => {
                pieces.push(Piece { place: Place::Text, line, text: source.replace("\\\n", " ") });
                code.push_str("\"\"");
            }
            _ => code.push_str(source),
        }
        if !matches!(token.kind, TokenKind::Whitespace | TokenKind::LineComment { .. }) {
            open = None;
        }
        line += source.matches('\n').count();
        at += token.len as usize;
    }
    for piece in &mut pieces {
        piece.text = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    pieces.push(Piece { place: Place::Code, line: 0, text: code });
    pieces
}

const fn is_string(kind: LiteralKind) -> bool {
    matches!(
        kind,
        LiteralKind::Str { .. }
            | LiteralKind::ByteStr { .. }
            | LiteralKind::RawStr { .. }
            | LiteralKind::RawByteStr { .. }
            | LiteralKind::CStr { .. }
            | LiteralKind::RawCStr { .. }
    )
}

#[test]
fn idiosyncratic_patterns_only_become_fewer() {
    let patterns: Patterns = read_toml(FILE);
    let matchers: Vec<Matcher> = patterns.pattern.into_iter().map(Matcher::new).collect();
    let mut counts: Counts = read_toml(COUNTS);
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (area, roots) in AREAS {
        for path in files(roots) {
            for piece in pieces(&path) {
                for matcher in &matchers {
                    let count = matcher.count(&piece);
                    if count > 0 {
                        let name = matcher.pattern.name.clone();
                        *found.entry(area.to_owned()).or_default().entry(name.clone()).or_default() += count;
                        let place = format!("{}:{}", path.strip_prefix(workspace()).unwrap().display(), piece.line);
                        places.entry((area.to_owned(), name)).or_default().push(place);
                    }
                }
            }
        }
    }
    if counts.first.is_empty() {
        counts.first = found.clone();
    }
    if std::env::var_os("RENEW_PROSE").is_some() {
        counts.now = found;
        let text = format!("# Written by tests/it/prose.rs.\n\n{}", toml::to_string(&counts).unwrap());
        std::fs::write(workspace().join(COUNTS), text).unwrap();
        return;
    }
    let mut wrong = Vec::new();
    for matcher in &matchers {
        let name = &matcher.pattern.name;
        for (area, _) in AREAS {
            let of = |counts: &BTreeMap<String, BTreeMap<String, usize>>| {
                counts.get(area).and_then(|counts| counts.get(name)).copied().unwrap_or_default()
            };
            let (now, before) = (of(&found), of(&counts.now));
            if now > before {
                let at = places[&(area.to_owned(), name.clone())].join(" ");
                wrong.push(format!(
                    "{area}: {name} {now} times, {before} before; write {}: {at}",
                    matcher.pattern.write
                ));
            } else if now < before {
                wrong.push(format!("{area}: {name} {now} times, {before} before: run with RENEW_PROSE=1"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
