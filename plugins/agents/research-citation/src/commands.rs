//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::Token;
use agent_common::{framing, slots};
use serde_json::{Value, json};

use crate::input::{Identifier, Input, Source};
use crate::work::Work;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
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
        let lower = |(length, name): (usize, Value)| (length, json!(name.as_str().unwrap_or_default().to_lowercase()));
        match kind {
            "identifier" => slots::longest(&IDENTIFIERS, tokens).into_iter().map(lower).collect(),
            "style" => slots::longest(&STYLES, tokens).into_iter().map(lower).collect(),
            _ => slots::Common.read(kind, tokens),
        }
    }
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let sections = Sections::read(task);
    let claims = !sections.claims.is_empty();
    let (reading, text) = if claims {
        (grammar.read(&sections.command, &Names), String::new())
    } else {
        let read = framing::read(task, &grammar, &Names);
        (read.reading, read.text)
    };
    let mut form = Input::default();
    let question = form::unread(&reading.unread, SHOWN).or_else(|| fill(&mut form, &reading, sections, &text).err());
    Draft { form, question }
}

/// Fills the form; an error is the question to the caller.
fn fill(form: &mut Input, reading: &Reading, sections: Sections, text: &str) -> Result<(), String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let one = |name: &str, slot: &str| reading.one(name).map(|found| found.map(|found| found.text(slot)));
    let style = one("style", "style")?.or(one("ris", "style")?);
    form.style = style.as_ref().and_then(|style| serde_json::from_value(json!(style)).ok());
    form.literal = has("literal").then_some(true);
    if !sections.claims.is_empty() {
        if has("identifiers") || style.is_some() && sections.references.is_empty() {
            return Err("claims, or something else? Ask for one of them".to_owned());
        }
        form.claims = Some(sections.claims);
        form.sources = Some(sections.sources).filter(|sources| !sources.is_empty());
        form.references = Some(sections.references).filter(|references| !references.is_empty());
        return Ok(());
    }
    if has("claims") || has("literal") {
        return Err("the claims are missing: write each behind `Claim:`, and the source behind `Source:`".to_owned());
    }
    if text.is_empty() {
        return Err(format!("what shall be checked or formatted? {SHOWN}"));
    }
    match (one("identifiers", "kind")?, style) {
        (Some(_), Some(_)) => Err("check identifiers, or format references? Ask for one of them".to_owned()),
        (Some(kind), None) => {
            form.identifiers = Some(identifiers(text, &kind)?);
            Ok(())
        }
        (None, Some(_)) => {
            let works = Work::all(text)?;
            form.references = works.is_empty().then(|| references(text));
            form.works = (!works.is_empty()).then_some(works);
            Ok(())
        }
        (None, None) => {
            form.references = Some(references(text));
            Ok(())
        }
    }
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

/// The parts of a task about claims.
#[derive(Debug, Default, PartialEq)]
struct Sections {
    command: String,
    claims: Vec<String>,
    sources: Vec<Source>,
    references: Vec<String>,
}

impl Sections {
    /// Reads the sections behind `Claim:`, `Source:` and the like. A paragraph behind the
    /// last section belongs to the command.
    fn read(task: &str) -> Self {
        let mut all = Self::default();
        let mut open: Option<(String, String)> = None;
        let mut blank = false;
        for line in task.lines() {
            if let Some((name, rest)) = heading(line) {
                all.close(open.take());
                open = Some((name, rest.to_owned()));
            } else if let Some((_, text)) = open.as_mut().filter(|(_, text)| !blank || text.trim().is_empty()) {
                text.push('\n');
                text.push_str(line.trim());
            } else {
                all.close(open.take());
                all.command.push_str(line);
                all.command.push('\n');
            }
            blank = line.trim().is_empty();
        }
        all.close(open);
        all
    }

    fn close(&mut self, open: Option<(String, String)>) {
        let Some((name, text)) = open else { return };
        let unquoted = |text: &str| agent_common::material::unquoted(text).to_owned();
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        let bare = |line: &str| {
            line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '-' | '*' | ' ')).to_owned()
        };
        if name == "references" {
            self.references.extend(references(&text));
        } else if name == "claims" {
            self.claims.extend(lines().map(|line| unquoted(&bare(line))));
        } else if CLAIMS.iter().any(|known| name.starts_with(known)) {
            self.claims.extend(Some(unquoted(&text)).filter(|claim| !claim.is_empty()));
        } else if name == "sources" && lines().all(|line| line.starts_with('[')) {
            self.sources.extend(
                lines()
                    .filter_map(|line| line.strip_prefix('[')?.split_once(']'))
                    .map(|(id, text)| Source { id: id.trim().to_owned(), text: text.trim().to_owned() }),
            );
        } else if !text.trim().is_empty() {
            self.sources.push(Source { id: name, text: unquoted(&text) });
        }
    }
}

/// Returns the name of a heading and what follows it: `Claim 2: …`, `Source B (2020): …`.
fn heading(line: &str) -> Option<(String, &str)> {
    let (head, rest) = line.trim().split_once(':')?;
    let name = head.split(['(', '[']).next()?.trim().to_lowercase();
    let mut words = name.split_whitespace();
    let first = words.next()?;
    let number = words.next().is_none_or(|word| word.chars().count() < 4) && words.next().is_none();
    let known = CLAIMS.iter().chain(&SOURCES).any(|known| *known == first) || first == "references";
    (known && number && head.len() < 80).then(|| (name.clone(), rest.trim()))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn what_is_unclear_is_a_question() {
        let cases = [
            ("Is this DOI registered: 10.1000/182", "does not know"),
            ("Format this in Turabian: Smith (2019)", "does not know"),
            ("Is the claim supported by the source?", "claims are missing"),
            ("Cite this in APA\nAuthor: Ann Lee\nTitle: Fog\nYear: 2001", "can be read in two ways"),
            ("Cite this in APA\nAuthors: Lee A, Kim B\nTitle: Fog\nYear: 2001", "can be read in two ways"),
            ("Cite this in APA\nAuthors: Ann Lee, Bo Kim\nTitle: Fog\nYear: 2001", "can be read in two ways"),
            ("Cite this in APA\nAuthor: Lee, Ann\nTitle: Fog\nFlavour: mint", "`Flavour` is no known part"),
            ("Check the ISSNs\nJournal A; 0378-5955\nJournal B", "unclear what the identifier is"),
            ("Check the PMIDs: 31452104, 12a", "unclear what"),
            ("Claim: A b c.\nSource: A b c.\n\nTell me who is right.", "does not know"),
            ("Format it in APA style and in MLA style: x", "two different"),
        ];
        for (task, expect) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(expect), "{task}: {question}");
        }
    }
}
