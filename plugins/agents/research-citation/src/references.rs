//! References of a task: their identifiers checked by the bridge, their parts written in a form.

use agent_common::{Answer, asking, request::Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::identifiers;
use crate::lines;
use crate::parts;
use crate::style::{self, Style};
use crate::wants::Wants;
use crate::work::Work;

/// Forms and check digits leave no doubt.
const CHECKED: f64 = 0.95;
/// Parts with names, or a reference whose punctuation follows a pattern.
const WRITTEN: f64 = 0.9;
/// The bridge read whole references.
const READ: f64 = 0.8;
/// Forms that the bridge writes too.
const OF_BRIDGE: [Style; 3] = [Style::Apa, Style::Vancouver, Style::Bibtex];

/// A reference.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// Its beginning.
    pub text: String,
    /// Whether nothing in it is wrong.
    pub ok: bool,
    /// In the form asked for; null where its parts are not clear.
    pub formatted: Option<String>,
    /// What is wrong.
    pub issues: Vec<String>,
}

#[derive(Deserialize)]
struct References {
    references: Vec<Reference>,
}

/// The references of a task, and how sure they are.
#[derive(Debug)]
pub struct Answered {
    /// In order.
    pub list: Vec<Reference>,
    /// How likely they are right.
    pub confidence: f64,
    /// What the bridge says that it does not tell.
    pub limitations: Vec<String>,
}

impl Default for Answered {
    fn default() -> Self {
        Self { list: Vec::new(), confidence: 1.0, limitations: Vec::new() }
    }
}

/// What a task wants of references.
pub struct Wanted<'t> {
    pub text: &'t str,
    pub request: &'t Request,
    /// The words that ask.
    pub asked: &'t str,
    pub wants: Wants,
    pub style: Option<Style>,
    /// They came as members.
    pub typed: bool,
    /// References below a heading, or of the input.
    pub listed: Vec<String>,
}

impl Wanted<'_> {
    /// Looks them up; `lone` if the task has no claims.
    pub fn look_up(&self, lone: bool) -> Result<Answered, Error> {
        if self.wants.other_style {
            return Err(Error::invalid(
                "/style",
                "this form of references is not known here; choose APA, MLA, Chicago, Harvard, Vancouver, IEEE or BibTeX",
            ));
        }
        if !self.listed.is_empty() && (self.typed || self.wants.style.is_none()) {
            return self.by_bridge(&self.listed);
        }
        if let Some(style) = self.wants.style.filter(|_| !self.typed) {
            return self.written(style);
        }
        if self.wants.identifiers && !self.typed {
            let found = identifiers::find(self.text, self.asked);
            if !found.is_empty() || lone {
                return checked(&found);
            }
        }
        if lone && !self.typed && self.request.instruction.is_empty() {
            let lines: Vec<String> =
                self.text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
            let known = |line: &String| lines::read(line).is_some() || !identifiers::find(line, "").is_empty();
            if !lines.is_empty() && lines.iter().all(known) {
                return self.by_bridge(&lines);
            }
        }
        Ok(Answered::default())
    }

    fn by_bridge(&self, listed: &[String]) -> Result<Answered, Error> {
        let style = self.style.unwrap_or(Style::Apa);
        let asked = if OF_BRIDGE.contains(&style) { style } else { Style::Apa };
        let answer: Answer<References> =
            bridges::call("citation_check", &json!({ "references": listed, "style": asked }))?;
        let mut list = answer.result.references;
        for (at, (reference, text)) in list.iter_mut().zip(listed).enumerate() {
            if !OF_BRIDGE.contains(&style) {
                reference.formatted = one(text).map(|work| style::write(&work, style, at + 1));
            } else if reference.formatted.is_none() {
                reference.formatted = one(text).map(|work| style::write(&work, style, at + 1));
            }
        }
        Ok(Answered { list, confidence: READ, limitations: answer.limitations })
    }

    /// The works of the material in the form asked for.
    fn written(&self, style: Style) -> Result<Answered, Error> {
        let body = body(self.text, self.request);
        let works = works(&body)?;
        if works.is_empty() {
            return Ok(Answered::default());
        }
        let mut list: Vec<(String, Reference)> = Vec::new();
        for (at, (text, work)) in works.iter().enumerate() {
            if let Some(part) = missing(work) {
                let fix = format!("the {part} of \"{}\" is missing; add it", work.title);
                return Err(Error::invalid("/references", fix));
            }
            let formatted = Some(style::write(work, style, at + 1));
            let key = work.authors.first().map_or(work.title.clone(), |one| one.family.clone()).to_lowercase();
            let faults = of_parts(work)?;
            list.push((
                key,
                Reference { text: text.chars().take(120).collect(), ok: faults.is_empty(), formatted, issues: faults },
            ));
        }
        if self.wants.sorted {
            list.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(Answered {
            list: list.into_iter().map(|(_, reference)| reference).collect(),
            confidence: WRITTEN,
            limitations: Vec::new(),
        })
    }
}

/// A task's text without the words that ask.
fn body(text: &str, request: &Request) -> String {
    let mut text = text.to_owned();
    for line in request.instruction.lines().map(str::trim).filter(|line| line.len() > 3) {
        // `Title:` asks for nothing even where it stands alone, nor does what follows `Chicago style:`.
        let part =
            line.contains(['=', ':']) && !asking::asks(line) && !parts::read(&format!("{line}\nTitle: x")).is_empty();
        let asks = head(line).and_then(|end| line.get(..end)).unwrap_or(line);
        if let Some(at) = text.find(asks).filter(|_| !part || asks.len() < line.len()) {
            text.replace_range(at..at + asks.len(), "");
        }
    }
    let text = text.trim_start_matches([':', ' ', '\n', '.', '?', '!']).trim();
    let cut = head(text.lines().next().unwrap_or_default()).unwrap_or(0);
    text.get(cut..).unwrap_or(text).trim().to_owned()
}

/// Where `Harvard style please:` at the beginning of a line ends.
fn head(line: &str) -> Option<usize> {
    let at = line.find(':')?;
    let words: Vec<String> = line
        .get(..at)?
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    (words.len() <= 8 && words.iter().any(|word| Style::named(word).is_some())).then_some(at + 1)
}

/// Each work with its text; an error for a line that is none.
fn works(body: &str) -> Result<Vec<(String, Work)>, Error> {
    let parted = parts::read(body);
    if !parted.is_empty() {
        return Ok(parted.into_iter().map(|work| (work.title.clone(), work)).collect());
    }
    let blocks: Vec<&str> = if body.contains("\n\n") { body.split("\n\n").collect() } else { body.lines().collect() };
    let mut works = Vec::new();
    for block in blocks.into_iter().flat_map(|block| {
        if block.lines().all(|line| lines::read(line).is_some()) {
            block.lines().map(str::to_owned).collect()
        } else {
            vec![block.replace('\n', " ")]
        }
    }) {
        let block = block.trim();
        if block.is_empty() || asking::closes(block) || (asking::asks(block) && lines::read(block).is_none()) {
            continue;
        }
        let Some(work) = lines::read(block) else {
            let short: String = block.chars().take(60).collect();
            let fix = format!(
                "the parts of \"{short}\" are not clear; give them as `Author:`, `Title:`, `Year:`, `Publisher:` or `Journal:`"
            );
            return Err(Error::invalid("/references", fix));
        };
        works.push((block.to_owned(), work));
    }
    Ok(works)
}

fn one(text: &str) -> Option<Work> {
    let mut parted = parts::read(text);
    if parted.len() == 1 { parted.pop() } else { lines::read(text) }
}

/// The part without which a reference says too little.
fn missing(work: &Work) -> Option<&'static str> {
    if work.title.is_empty() {
        Some("title")
    } else if work.authors.is_empty() && work.editors.is_empty() {
        Some("author")
    } else if work.year.is_empty() && work.url.is_empty() {
        Some("year")
    } else {
        None
    }
}

/// What is wrong with the identifiers among the parts.
fn of_parts(work: &Work) -> Result<Vec<String>, Error> {
    let doi = if work.doi.is_empty() { String::new() } else { format!("doi:{}", work.doi) };
    let isbn = if work.isbn.is_empty() {
        String::new()
    } else {
        format!("{} {}", if work.isbn.len() == 9 { "ISSN" } else { "ISBN" }, work.isbn)
    };
    let found = identifiers::find(&format!("{doi}\n{isbn}"), "");
    if found.is_empty() {
        return Ok(Vec::new());
    }
    Ok(checked(&found)?.list.into_iter().flat_map(|reference| reference.issues).collect())
}

/// Identifiers by their form and check digit.
fn checked(found: &[identifiers::Found]) -> Result<Answered, Error> {
    if found.is_empty() {
        return Ok(Answered::default());
    }
    let sound: Vec<&str> = found.iter().filter(|one| one.fault.is_none()).map(|one| one.named.as_str()).collect();
    let (mut answers, mut limitations) = (Vec::new(), Vec::new());
    for part in sound.chunks(100) {
        let answer: Answer<References> = bridges::call("citation_check", &json!({ "references": part }))?;
        answers.extend(answer.result.references);
        limitations = answer.limitations;
    }
    let mut answers = answers.into_iter();
    let mut list = Vec::new();
    for one in found {
        let (ok, issues) = match one.fault {
            Some(fault) => (false, vec![format!("{}: {fault}", one.written)]),
            None => {
                let Some(answer) = answers.next() else {
                    return Err(Error::internal("the bridge left a reference out"));
                };
                // A person's number alone is no reference, and need not be one.
                let person = one.named.contains("orcid.org");
                let answer = Reference {
                    issues: answer
                        .issues
                        .into_iter()
                        .filter(|issue| !(person && issue.starts_with("no identifier")))
                        .collect(),
                    ..answer
                };
                // Ranges of registrants grow; the check digit decides.
                let ranged = answer.issues.iter().all(|issue| issue.contains("no registrant"));
                (answer.ok || ranged, answer.issues)
            }
        };
        list.push(Reference { text: one.written.clone(), ok, formatted: None, issues });
    }
    Ok(Answered { list, confidence: CHECKED, limitations })
}
