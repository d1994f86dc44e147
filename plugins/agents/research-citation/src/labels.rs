//! Parts of a task that a person names: `Claim 1:`, `Source (Ito 2020):`, `Press release`.

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What is to be checked.
    Claim,
    /// What it is checked against.
    Source,
    /// `Text`: the one of both that the other parts leave.
    Either,
    /// References to write or to check.
    References,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// None before the first name.
    pub role: Option<Role>,
    /// The name as written.
    pub name: String,
    /// The text below or behind it.
    pub text: String,
}

const CLAIMS: &[&str] = &[
    "claims to check",
    "claim to check",
    "claim",
    "statement",
    "sentence",
    "assertion",
    "thesis",
    "hypothesis",
    "quotation",
    "quote",
    "mine",
    "paraphrase",
    "draft",
    "essay",
    "slide",
    "fact to check",
    "facts to check",
    "to check",
    "to verify",
    "behauptung",
    "aussage",
    "these",
    "afirmación",
    "afirmaciones",
    "afirmacion",
    "affirmation",
    "affermazione",
    "affermazioni",
    "afirmação",
    "afirmações",
    "bewering",
    "stelling",
    "citation in my paper",
    "i wrote",
    "we wrote",
    "we say",
    "we claim",
    "i claim",
    "summary",
];
const SOURCES: &[&str] = &[
    "source text",
    "source",
    "quelle",
    "fuente",
    "fonte",
    "fonti",
    "bron",
    "excerpt",
    "extract",
    "passage",
    "original text",
    "original",
    "article",
    "abstract",
    "study",
    "report",
    "press release",
    "data sheet",
    "datasheet",
    "page",
    "evidence",
    "transcript",
    "manual",
    "minutes",
    "method section",
    "methods",
    "results",
    "auszug",
    "artikel",
    "bericht",
    "studie",
    "extrait",
    "pressemitteilung",
    "register",
    "encyclopedia",
    "handbook",
    "leaflet",
    "website",
    "document",
    "paper",
    "publication",
    "reference text",
];
const EITHER: &[&str] = &["text", "texte", "texto", "testo", "tekst"];
const REFERENCES: &[&str] =
    &["references", "bibliography", "literature", "reference list", "works cited", "literatur", "literaturverzeichnis"];
const DETERMINERS: &[&str] = &["my ", "our ", "the ", "this ", "your ", "mein ", "meine ", "die ", "la ", "le "];

struct Open {
    start: usize,
    content: usize,
    role: Role,
    name: String,
}

/// The parts of a text in order; the first may have no name.
pub fn sections(text: &str) -> Vec<Section> {
    let opens = opens(text);
    let mut sections = Vec::new();
    let first = opens.first().map_or(text.len(), |open| open.start);
    let before = text.get(..first).unwrap_or_default();
    if !before.trim().is_empty() {
        sections.push(Section { role: None, name: String::new(), text: before.trim().to_owned() });
    }
    for (at, open) in opens.iter().enumerate() {
        let end = opens.get(at + 1).map_or(text.len(), |next| next.start);
        let body = text.get(open.content..end).unwrap_or_default().trim().to_owned();
        sections.push(Section { role: Some(open.role), name: open.name.clone(), text: body });
    }
    let has = |role: Role| sections.iter().any(|section| section.role == Some(role));
    let other = if has(Role::Claim) && !has(Role::Source) { Role::Source } else { Role::Claim };
    for section in &mut sections {
        if section.role == Some(Role::Either) {
            section.role = Some(other);
        }
    }
    sections
}

fn opens(text: &str) -> Vec<Open> {
    let mut opens: Vec<Open> = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut places = vec![0];
        for mark in [". ", "? ", "! ", "\" ", "” ", ") ", "; ", "» "] {
            places.extend(line.match_indices(mark).map(|(at, _)| at + mark.len()));
        }
        places.sort_unstable();
        for place in places {
            let Some(rest) = line.get(place..) else { continue };
            let indent = if place == 0 { lead(rest) } else { rest.len() - rest.trim_start().len() };
            let Some(rest) = rest.get(indent..) else { continue };
            let start = line_start + place + indent;
            let found = label(rest, place == 0).or_else(|| bracket(text, rest).filter(|_| place == 0));
            if let Some((role, name, len)) = found.filter(|_| opens.last().is_none_or(|last| last.content <= start)) {
                let start = if place == 0 { line_start } else { start };
                opens.push(Open { start, content: line_start + place + indent + len, role, name });
            }
        }
        line_start += line.len();
    }
    opens
}

/// Signs of lists, headings and emphasis before a name.
fn lead(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t', '#', '*', '-', '>', '•', '_', '=']).len()
}

/// `[1] Census: …` where the text cites `[1]` elsewhere.
fn bracket(text: &str, rest: &str) -> Option<(Role, String, usize)> {
    let inner = rest.strip_prefix('[')?;
    let (id, _) = inner.split_once(']').filter(|(id, _)| id.len() <= 3 && id.bytes().all(|b| b.is_ascii_digit()))?;
    let mark = format!("[{id}]");
    let cited = text.match_indices(&mark).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        !before.is_empty() && !before.ends_with('\n')
    });
    cited.then(|| (Role::Source, mark.trim_matches(['[', ']']).to_owned(), mark.len()))
}

fn label(rest: &str, first: bool) -> Option<(Role, String, usize)> {
    let line = rest.split('\n').next()?;
    file(line).or_else(|| named(line, first))
}

/// `draft.txt:` above the text of a file.
fn file(line: &str) -> Option<(Role, String, usize)> {
    let name = line.trim().strip_suffix(':')?;
    let (stem, ending) = name.rsplit_once('.')?;
    if name.contains(' ') || !["txt", "csv", "md", "pdf", "json", "tsv", "docx", "doc", "html"].contains(&ending) {
        return None;
    }
    let stem = stem.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| stem.contains(word));
    let role = if has(&["claim", "draft", "statement", "essay", "slide", "mine", "check"]) {
        Role::Claim
    } else if has(&["refs", "reference", "bibliograph"]) {
        Role::References
    } else {
        Role::Source
    };
    Some((role, name.to_owned(), line.len()))
}

fn named(line: &str, first: bool) -> Option<(Role, String, usize)> {
    let lower = line.to_ascii_lowercase();
    let (own, skip) = DETERMINERS
        .iter()
        .find_map(|word| lower.starts_with(word).then_some((word.starts_with(['m', 'o']), word.len())))
        .unwrap_or((false, 0));
    let body = lower.get(skip..)?;
    let lists =
        [(Role::Claim, CLAIMS), (Role::Source, SOURCES), (Role::References, REFERENCES), (Role::Either, EITHER)];
    let mut best: Option<(Role, usize)> = None;
    for (role, words) in lists {
        for word in words {
            let Some(after) = body.strip_prefix(word) else { continue };
            let plural = ["s", "n", "en", "es"]
                .iter()
                .find(|end| after.strip_prefix(**end).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
            let len = word.len() + plural.map_or(0, |end| end.len());
            let whole = !body
                .get(len..)
                .unwrap_or_default()
                .starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
            if whole && best.is_none_or(|(_, most)| len > most) {
                best = Some((role, len));
            }
        }
    }
    let (role, len) = best?;
    let role = if own && role == Role::Either { Role::Claim } else { role };
    let tail = lower.get(skip + len..)?;
    let (cut, sign) = separator(tail).or_else(|| heading(tail, first))?;
    let name = line.get(..skip + len + cut)?.trim().trim_matches('*').to_owned();
    Some((role, name, skip + len + cut + sign))
}

/// The colon or arrow that ends a name, and its length; what stands before it is short and no sentence.
fn separator(tail: &str) -> Option<(usize, usize)> {
    let signs = [":", "=>", "->", "→", " = ", "="];
    let mut depth = 0i32;
    let mut words = 0;
    for (at, c) in tail.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' => words += 1,
            '.' | '?' | '!' | '"' | '“' | '«' if depth == 0 => return None,
            _ => {}
        }
        if words > 8 && depth == 0 {
            return None;
        }
        if depth == 0
            && let Some(sign) = signs.iter().find(|sign| tail.get(at..).is_some_and(|rest| rest.starts_with(**sign)))
        {
            let after = tail.get(at + sign.len()..)?;
            let free =
                after.is_empty() || after.starts_with([' ', '\t', '"', '“', '«', '„', '*', '\u{a0}']) || *sign != ":";
            if free {
                return Some((at, sign.len()));
            }
        }
    }
    None
}

/// The name alone on its line, with a number or a bracket perhaps.
fn heading(tail: &str, first: bool) -> Option<(usize, usize)> {
    let bare = tail.trim();
    let short = bare.is_empty()
        || (bare.starts_with('(') && bare.ends_with(')') && bare.len() < 60)
        || (bare.split_whitespace().count() == 1 && bare.len() <= 2);
    (first && short).then_some((tail.len(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_their_names() {
        let cases = [
            ("Claim: A b.\nSource (Ito, 2020, p. 3): C d.", "C:A b.|S:C d."),
            ("claim => \"x\"\nQuelle => \"y\"", "C:\"x\"|S:\"y\""),
            ("Statements\n1. One.\n2. Two.\n\nPress release\nThree. Four.", "C:1. One.\n2. Two.|S:Three. Four."),
            ("Claim: a b c. Source: \"d e f.\" Right?", "C:a b c.|S:\"d e f.\" Right?"),
            ("Text: a\nSource: b", "C:a|S:b"),
            ("Claim: a\nText (Ax 2011): b", "C:a|S:b"),
            ("Check.\n\ndraft.txt:\nA.\n\nsource.txt:\nB.", "-:Check.|C:A.|S:B."),
            ("Owls see well [1].\n\n[1] Atlas: Owls see.", "-:Owls see well [1].|S:Atlas: Owls see."),
            ("Check this claim against the source please.", "-:Check this claim against the source please."),
            ("My text:\na) x y.\n\nSource 1 (Yearbook): z.", "C:a) x y.|S:z."),
        ];
        for (text, expect) in cases {
            let told: Vec<String> = sections(text)
                .iter()
                .map(|section| {
                    let role = match section.role {
                        Some(Role::Claim) => "C",
                        Some(Role::Source) => "S",
                        Some(Role::References) => "R",
                        _ => "-",
                    };
                    format!("{role}:{}", section.text)
                })
                .collect();
            assert_eq!(told.join("|"), expect, "{text}");
        }
    }
}
