//! What a task in words wants translated, and under which conditions.

use agent_common::request::{PieceKind, Request};
use agent_common::{function_words, quotes};

use crate::Term;
use crate::languages;

/// A task, taken apart.
#[derive(Debug, Default)]
pub struct Task {
    /// What it asks.
    pub instruction: String,
    /// The text as one.
    pub text: String,
    /// Its separate parts: words of a list, lines, quotations.
    pub parts: Vec<String>,
    /// Language of the text, where it is named.
    pub source: Option<&'static str>,
    /// Languages asked for.
    pub targets: Vec<&'static str>,
    /// Terms and their translations.
    pub glossary: Vec<Term>,
    /// What stays as it is.
    pub keep: Vec<String>,
    /// Words of buttons and menus.
    pub is_screen: bool,
    /// Texts to compare: source and translation.
    pub pairs: Vec<(String, String)>,
}

/// Takes a task apart.
#[must_use]
pub fn read(task: &str) -> Task {
    if let Some((said, rest)) = plain_question(task) {
        let asked = languages::asked(&rest);
        let targets = if asked.targets.is_empty() {
            of_question(&rest.to_lowercase()).into_iter().collect()
        } else {
            asked.targets
        };
        let parts = split_list(vec![said.clone()]);
        return Task { source: asked.source, instruction: rest, text: said, parts, targets, ..Task::default() };
    }
    let request = Request::read(task);
    let mut instruction = request.instruction.clone();
    if instruction.trim().is_empty()
        && let Some((text, rest)) = quoted_alone(task)
    {
        let asked = languages::asked(&rest);
        if !asked.targets.is_empty() {
            return Task {
                source: asked.source,
                targets: asked.targets,
                instruction: rest,
                parts: text.clone(),
                text: text.join("\n"),
                ..Task::default()
            };
        }
        instruction.clear();
    }
    let lower = instruction.to_lowercase();
    let whole = request.text();
    let (glossary, text) = if task.to_lowercase().contains("glossar") || lower.contains("terms") {
        glossary(&whole)
    } else {
        (Vec::new(), whole.clone())
    };
    let quoted = || quotes::find(&instruction).iter().map(|quote| quote.text.to_owned()).collect::<Vec<_>>().join("\n");
    let text = if text.trim().is_empty() { quoted() } else { text };
    let asked = languages::asked(&instruction);
    let mut targets = asked.targets;
    if targets.is_empty() {
        targets.extend(of_question(&lower));
    }
    let items: Vec<String> = if glossary.is_empty() && !request.material.is_empty() {
        request.items().into_iter().map(|item| item.text).collect()
    } else {
        vec![text.clone()]
    };
    let screen = [
        "button",
        "label",
        "menu",
        "app ",
        "interface",
        " ui",
        "ui ",
        "website",
        "web shop",
        "webshop",
        "string",
        "locali",
        "screen",
        "sign",
        "navigation",
        "checkout",
    ];
    let parts = split_list(items);
    Task {
        is_screen: screen.iter().any(|word| format!("{lower} ").contains(word)),
        pairs: pairs(&request, &lower),
        keep: keep(&instruction),
        source: asked.source.or_else(|| function_words::detect(&text)),
        parts,
        text,
        targets,
        glossary,
        instruction,
    }
}

/// `"Good morning" in German and French`: the quotations, and what stands around them.
fn quoted_alone(task: &str) -> Option<(Vec<String>, String)> {
    let found = quotes::find(task);
    let first = found.first()?;
    let mut rest = task.get(..first.start)?.to_owned();
    for (at, quote) in found.iter().enumerate() {
        let next = found.get(at + 1).map_or(task.len(), |next| next.start);
        rest.push_str(task.get(quote.end..next)?);
    }
    let short = rest.split_whitespace().count() <= 12;
    short.then(|| (found.iter().map(|quote| quote.text.to_owned()).collect(), rest))
}

/// `how do you say thank you in Japanese`, `Japanese for thank you`, `what does fromage mean`: the words asked about,
/// and the question without them.
fn plain_question(task: &str) -> Option<(String, String)> {
    let task = task.trim();
    if task.contains(['"', '\n', '“', '«', '„', ':', '\'', '`']) || task.split_whitespace().count() > 14 {
        return None;
    }
    let bare = task.trim_end_matches(['?', '.', '!', ' ']);
    let lower = bare.to_lowercase();
    let opened = [
        "how do you say ",
        "how do i say ",
        "how would you say ",
        "how to say ",
        "how is ",
        "what is ",
        "what's ",
        "translate ",
        "please translate ",
        "was heißt ",
        "wie sagt man ",
        "comment dit-on ",
        "cómo se dice ",
        "come si dice ",
        "hoe zeg je ",
        "what does ",
        "say ",
    ];
    let between = |from: usize| -> Option<(String, String)> {
        let rest = lower.get(from..)?;
        let ends = [" in ", " into ", " to ", " auf ", " en ", " mean", " bedeutet", " op z'n ", " naar "];
        let (at, end) = ends.iter().filter_map(|end| rest.rfind(end).map(|at| (at, *end))).max()?;
        let behind = rest.get(at + end.len()..)?;
        let known = end == " mean" || behind.split_whitespace().next().and_then(languages::code).is_some();
        let said = bare.get(from..from + at)?.trim().to_owned();
        known.then(|| {
            (said, format!("{} {}", lower.get(..from).unwrap_or_default(), rest.get(at..).unwrap_or_default()))
        })
    };
    let found = opened.iter().find(|open| lower.starts_with(**open)).and_then(|open| between(open.len()));
    let found = found.or_else(|| {
        let (name, said) = lower.split_once(" for ")?;
        languages::code(name.trim())?;
        Some((bare.get(bare.len() - said.len()..)?.to_owned(), format!("{name} for")))
    });
    let (said, rest) = found?;
    let vague = [
        "this",
        "it",
        "that",
        "these",
        "those",
        "the",
        "my",
        "following",
        "attached",
        "text",
        "below",
        "document",
        "file",
        "sentence",
        "me",
        "something",
        "everything",
    ];
    let clear = !said.is_empty()
        && said.split_whitespace().count() <= 6
        && !said.split_whitespace().any(|word| vague.contains(&word.to_lowercase().as_str()));
    (clear || table_knows(&said)).then_some((said, rest))
}

fn table_knows(said: &str) -> bool {
    crate::table::find(said, None, "de", false).is_some()
}

/// A question for a meaning wants it in the language that it is asked in.
fn of_question(lower: &str) -> Option<&'static str> {
    let cues = [
        (
            "en",
            &[
                "what does",
                "what is the meaning",
                "meaning of",
                "what do they say",
                "what did they write",
                "what's written",
            ] as &[&str],
        ),
        ("de", &["was heißt", "was bedeutet", "was steht", "was heisst"]),
        ("fr", &["que veut dire", "que signifie", "qu'est-ce que"]),
        ("es", &["qué significa", "que significa", "qué quiere decir", "qué dice"]),
        ("it", &["cosa significa", "che significa", "cosa vuol dire"]),
        ("nl", &["wat betekent"]),
        ("pt", &["o que significa", "o que quer dizer"]),
    ];
    cues.iter().find(|(_, words)| words.iter().any(|word| lower.contains(word))).map(|(code, _)| *code)
}

/// `one, two, three` and `red / green` as several texts.
fn split_list(items: Vec<String>) -> Vec<String> {
    let [only] = items.as_slice() else { return items };
    let parts: Vec<&str> = only
        .trim_end_matches('.')
        .split([',', '/', ';', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let short = parts.len() > 1 && parts.iter().all(|part| part.split_whitespace().count() <= 4);
    if short && !only.contains("</") && !only.contains('{') {
        parts.into_iter().map(|part| part.strip_prefix("and ").unwrap_or(part).to_owned()).collect()
    } else {
        items
    }
}

/// The lines `term = translation`, and the text without them and their heading.
fn glossary(text: &str) -> (Vec<Term>, String) {
    let mut terms = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    for line in text.lines() {
        let bare = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let cut = [" = ", " -> ", " → ", " => "].iter().find_map(|sign| bare.split_once(sign));
        match cut.filter(|(term, _)| term.split_whitespace().count() <= 4) {
            Some((term, translation)) => {
                let clean = |text: &str| {
                    text.split('(').next().unwrap_or(text).trim().trim_matches(['"', '“', '”', '.', ' ']).to_owned()
                };
                terms.push(Term { term: clean(term), translation: clean(translation) });
            }
            None if line.to_lowercase().trim_start().starts_with("glossar") => {}
            None => rest.push(line),
        }
    }
    (terms, rest.join("\n").trim().to_owned())
}

/// A term that has two translations.
#[must_use]
pub fn contradiction(glossary: &[Term]) -> Option<(String, String, String)> {
    glossary.iter().enumerate().find_map(|(at, term)| {
        let other = glossary.iter().skip(at + 1).find(|other| {
            other.term.eq_ignore_ascii_case(&term.term) && !other.translation.eq_ignore_ascii_case(&term.translation)
        })?;
        Some((term.term.clone(), term.translation.clone(), other.translation.clone()))
    })
}

/// Names in a sentence that says that they stay.
fn keep(instruction: &str) -> Vec<String> {
    let cues = [
        "not to be translated",
        "not be translated",
        "do not translate",
        "don't translate",
        "untranslated",
        "keep ",
        "leave ",
        "never translate",
    ];
    let mut names: Vec<String> = Vec::new();
    for sentence in instruction
        .split(['.', '\n', ';'])
        .filter(|sentence| cues.iter().any(|cue| sentence.to_lowercase().contains(cue)))
    {
        names.extend(quotes::find(sentence).iter().map(|quote| quote.text.to_owned()));
        let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
        let name =
            |word: &&str| word.chars().filter(|c| c.is_uppercase()).count() > 0 && languages::code(word).is_none();
        names.extend(words.skip(1).filter(name).map(str::to_owned));
    }
    names.dedup();
    names
}

/// Source and translation of a check: two labelled texts, lines or quotations.
fn pairs(request: &Request, lower: &str) -> Vec<(String, String)> {
    let cues = [
        "check",
        "compare",
        "qa",
        "different",
        "difference",
        "missing",
        "lost",
        "misspell",
        "misspelt",
        "verify",
        "mismatch",
        "consistent",
        "wrong",
        "same numbers",
        "correct",
        "proof",
        "prüf",
        "vergleich",
        "vérifi",
        "stimmen",
        "did the translator",
        "match",
        "agree",
        "identical",
        "versions",
        "review the translation",
    ];
    if !cues.iter().any(|cue| lower.contains(cue)) {
        return Vec::new();
    }
    let quoted: Vec<String> = request
        .material
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::Quoted | PieceKind::ListItem))
        .map(|piece| piece.text.clone())
        .collect();
    let labelled: Vec<String> =
        request.labelled().into_iter().filter(|(name, _)| is_side(name)).map(|(_, text)| text).collect();
    let tables = request.tables();
    let rows: Vec<String> = tables
        .iter()
        .filter(|table| table.columns.len() >= 2 && !table.rows.is_empty())
        .flat_map(|table| table.rows.iter().flat_map(move |row| row.iter().skip(table.columns.len() - 2).cloned()))
        .collect();
    let lines: Vec<String> = request.items().into_iter().map(|item| item.text).collect();
    let texts = [labelled, quoted, rows, lines]
        .into_iter()
        .find(|texts| texts.len() > 1 && texts.len() % 2 == 0)
        .unwrap_or_default();
    texts
        .chunks(2)
        .filter_map(
            |pair| if let [source, translation] = pair { Some((source.clone(), translation.clone())) } else { None },
        )
        .collect()
}

fn is_side(name: &str) -> bool {
    let name = name.to_lowercase();
    let known = [
        "source",
        "target",
        "original",
        "translation",
        "traduction",
        "übersetzung",
        "traducción",
        "traduzione",
        "quelle",
        "ziel",
        "src",
        "tgt",
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "pl",
        "sv",
        "da",
        "fi",
        "tr",
        "cs",
    ];
    known.contains(&name.trim()) || languages::code(name.trim()).is_some()
}
