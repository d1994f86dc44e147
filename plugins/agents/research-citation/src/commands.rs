//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::Draft;
use agent_common::lexer::Token;
use agent_common::{framing, material, slots};
use serde_json::{Value, json};

use crate::input::{Identifier, Input, Source};
use crate::work::Work;

/// The published list.
pub const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`check these ISBNs: …`, `format this in APA style: …`, `check these references: …`, `is the claim \
    supported by the source` with `Claim: …` and `Source: …`";
/// Names of identifiers.
const IDENTIFIERS: [&str; 7] = ["identifier", "ISBN", "ISSN", "DOI", "ORCID", "arXiv", "PMID"];
/// Names of styles.
const STYLES: [&str; 7] = ["APA", "MLA", "Chicago", "Harvard", "Vancouver", "IEEE", "BibTeX"];
/// Headings of claims and of sources.
const CLAIMS: [&str; 5] = ["claim", "quote", "sentence", "statement", "claims"];
const SOURCES: [&str; 4] = ["source", "text", "excerpt", "sources"];

/// The slots of this agent: `identifier` and `style`.
struct Names;

impl Slots for Names {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let names = match kind {
            "identifier" => &IDENTIFIERS,
            "style" => &STYLES,
            _ => return slots::Common.read(kind, tokens),
        };
        let lower = |(length, name): (usize, Value)| (length, json!(name.as_str().unwrap_or_default().to_lowercase()));
        slots::longest(names, tokens).into_iter().map(lower).collect()
    }
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let (command, sections) = sections(task);
    let (reading, text) = if sections.iter().any(|(name, _)| is_claim(name)) {
        (grammar.read(&command, &Names), String::new())
    } else {
        let read = framing::read(task, &grammar, &Names);
        (read.reading, read.text)
    };
    let mut draft: Draft<Input> = reading.draft(SHOWN);
    if draft.question.is_none() {
        draft.question = fill(&mut draft.form, &reading, &sections, &text).err();
    }
    draft
}

/// Adds the material to the form; an error is the question to the caller.
fn fill(form: &mut Input, reading: &Reading, sections: &[(String, String)], text: &str) -> Result<(), String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let kind = reading.one("identifiers")?.map(|found| found.text("kind"));
    if sections.iter().any(|(name, _)| is_claim(name)) {
        add_sections(form, sections);
        let other = kind.is_some() || form.style.is_some() && form.references.is_none();
        return if other { Err("claims, or something else? Ask for one of them".to_owned()) } else { Ok(()) };
    }
    if has("claims") || has("literal") {
        return Err("the claims are missing: write each behind `Claim:`, and the source behind `Source:`".to_owned());
    }
    if text.is_empty() {
        return Err(format!("what shall be checked or formatted? {SHOWN}"));
    }
    let works = if form.style.is_some() { Work::all(text)? } else { Vec::new() };
    match kind {
        Some(_) if form.style.is_some() => {
            return Err("check identifiers, or format references? Ask for one of them".to_owned());
        }
        Some(kind) => form.identifiers = Some(identifiers(text, &kind)?),
        None if works.is_empty() => form.references = Some(references(text)),
        None => form.works = Some(works),
    }
    Ok(())
}

/// Splits a text into BibTeX entries, blocks, or lines.
fn references(text: &str) -> Vec<String> {
    let text = text.strip_prefix("References:").unwrap_or(text).trim();
    let parts: Vec<String> = if text.starts_with('@') {
        format!("\n{text}").split("\n@").skip(1).map(|entry| format!("@{}", entry.trim())).collect()
    } else if text.contains("\n\n") {
        text.split("\n\n").map(|block| block.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    } else {
        text.lines().map(|line| line.trim().trim_start_matches(['-', '*', '•']).trim().to_owned()).collect()
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// Reads a list of identifiers: in each line or piece, the only word with four digits or more.
fn identifiers(text: &str, kind: &str) -> Result<Vec<Identifier>, String> {
    let kind: Option<crate::input::IdentifierKind> = serde_json::from_value(json!(kind)).ok();
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let pieces: Vec<&str> = line.split([',', ';', '|', '\t']).filter(|piece| digits(piece) > 0).collect();
        if pieces.is_empty() || pieces.iter().any(|piece| digits(piece) < 4) {
            return Err(format!("it is unclear what the identifier is in `{}`; write one a line", line.trim()));
        }
        for piece in pieces {
            let spaced = piece.trim().trim_end_matches('.');
            let whole = spaced.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | 'X' | 'x'));
            let words: Vec<&str> = spaced.split_whitespace().filter(|word| digits(word) > 3).collect();
            let value = match words.as_slice() {
                _ if whole => spaced,
                [one] => one.trim_matches(['(', ')', '[', ']', '"', '“', '”', '.']),
                _ => return Err(format!("`{spaced}` has several numbers; write one identifier a line")),
            };
            // `ISBN:`, `doi:` before the value say the same as the command.
            let bare = value
                .rsplit_once(':')
                .filter(|(name, _)| IDENTIFIERS.iter().any(|known| known.eq_ignore_ascii_case(name)));
            all.push(Identifier { kind, value: bare.map_or(value, |(_, rest)| rest).trim().to_owned() });
        }
    }
    Ok(all)
}

/// Returns the command, and the sections with their names: `Claim 2: …`, `Source B (2020): …`.
/// A paragraph behind the last section belongs to the command.
fn sections(task: &str) -> (String, Vec<(String, String)>) {
    let (mut command, mut all) = (String::new(), Vec::<(String, String)>::new());
    let (mut open, mut blank) = (false, false);
    for line in task.lines() {
        if let Some((name, rest)) = heading(line) {
            all.push((name, rest.to_owned()));
            open = true;
        } else if let Some((_, text)) = all.last_mut().filter(|(_, text)| open && (!blank || text.trim().is_empty())) {
            text.push('\n');
            text.push_str(line.trim());
        } else {
            open = false;
            command.push_str(line);
            command.push('\n');
        }
        blank = line.trim().is_empty();
    }
    all.retain(|(_, text)| !text.trim().is_empty());
    (command, all)
}

/// Returns the name of a heading and what follows it.
fn heading(line: &str) -> Option<(String, &str)> {
    let (head, rest) = line.trim().split_once(':')?;
    let name = head.split(['(', '[']).next()?.trim().to_lowercase();
    let mut words = name.split_whitespace();
    let first = words.next()?;
    let number = words.next().is_none_or(|word| word.chars().count() < 4) && words.next().is_none();
    let known = CLAIMS.iter().chain(&SOURCES).any(|known| *known == first) || first == "references";
    (known && number && head.len() < 80).then(|| (name.clone(), rest.trim()))
}

fn is_claim(name: &str) -> bool {
    CLAIMS.iter().any(|known| name.starts_with(known))
}

/// Adds the claims, sources and references of the sections to the form.
fn add_sections(form: &mut Input, sections: &[(String, String)]) {
    let unquoted = |text: &str| material::unquoted(text).to_owned();
    for (name, text) in sections {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        let named = |line: &str| {
            let (id, text) = line.strip_prefix('[')?.split_once(']')?;
            Some(Source { id: id.trim().to_owned(), text: text.trim().to_owned() })
        };
        if name == "references" {
            form.references.get_or_insert_default().extend(references(text));
        } else if name == "claims" {
            let mark = |c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '-' | '*' | ' ');
            let claims = lines().map(|line| unquoted(line.trim_start_matches(mark)));
            form.claims.get_or_insert_default().extend(claims);
        } else if is_claim(name) {
            form.claims.get_or_insert_default().push(unquoted(text));
        } else if name == "sources" && lines().all(|line| line.starts_with('[')) {
            form.sources.get_or_insert_default().extend(lines().filter_map(named));
        } else {
            form.sources.get_or_insert_default().push(Source { id: name.clone(), text: unquoted(text) });
        }
    }
}
