//! A work that is cited, read from its parts: labelled lines, RIS, CSL-JSON of the bridge.

use std::collections::BTreeMap;

use agent_common::dates;
use agent_common::labels::{self, Labels};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A kind of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// In a journal.
    Article,
    /// On its own.
    #[default]
    Book,
    /// In an edited book.
    Chapter,
    /// At a conference.
    Paper,
    /// On the web.
    Page,
    /// A thesis.
    Thesis,
}

/// A work with the parts that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Work {
    /// Its kind. Default: book.
    pub kind: Kind,
    /// Its authors, at most 100: `Family, Given`; a name without a comma is an organisation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The editors of the book that it is in, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub editors: Vec<String>,
    /// Its title.
    #[schemars(length(min = 1, max = 1_000))]
    pub title: String,
    /// The journal, book, proceedings or site that it is in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub container: String,
    /// The year.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub year: String,
    /// The day of publication, as YYYY-MM-DD, for a page on the web.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// The day on which a page was read, as YYYY-MM-DD.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accessed: String,
    /// The volume.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub volume: String,
    /// The number within the volume.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub issue: String,
    /// The pages: `5-18`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pages: String,
    /// The publisher, or the school of a thesis.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub publisher: String,
    /// The place of the publisher.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The edition, as a number.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub edition: String,
    /// The DOI, without an address before it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doi: String,
    /// The web address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The ISBN.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub isbn: String,
}

/// The names of parts and kinds in labelled lines, RIS, CSL-JSON and BibTeX.
#[derive(Default, Deserialize)]
pub struct Known {
    labels: BTreeMap<String, String>,
    /// Tags without a name are skipped.
    ris: BTreeMap<String, String>,
    ris_types: BTreeMap<String, String>,
    csl: BTreeMap<String, String>,
    csl_types: BTreeMap<String, String>,
    /// The type of the entry, and the names of the container and the publisher.
    pub bibtex_kinds: BTreeMap<String, [String; 3]>,
    /// The fields in order, and the parts that they have.
    pub bibtex_fields: Vec<[String; 2]>,
}

impl Known {
    pub fn read() -> Self {
        serde_json::from_str(include_str!("../parts.json")).unwrap_or_default()
    }
}

/// Returns whether a name is `Family, Given` for certain: one comma, and one word with a
/// capital before it. `Ann Lee, Bo Kim` and `Lee A, Kim B` are two persons.
fn is_turned(name: &str) -> bool {
    let Some((family, given)) = name.split_once(',') else { return false };
    let capitals = family.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).count();
    capitals == 1 && !given.contains(',') && !given.trim().is_empty()
}

impl Work {
    /// Reads the works of a text in labelled lines or RIS; none if it is neither.
    ///
    /// # Errors
    /// A part that is not known, or is unclear.
    pub fn all(text: &str) -> Result<Vec<Self>, String> {
        let known = Known::read();
        if text.trim_start().starts_with("TY  -") {
            let records = text.split("ER  -").map(str::trim).filter(|record| !record.is_empty());
            return records.map(|record| Self::of_ris(record, &known)).collect();
        }
        let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
        let labels: Vec<(&str, Labels)> = blocks.map(|block| (block, Labels::read(block))).collect();
        let titled = labels.iter().any(|(_, labels)| !labels.of("title").is_empty());
        if text.trim_start().starts_with('@') || !titled {
            return Ok(Vec::new());
        }
        labels.iter().map(|(block, labels)| Self::of_labels(block, labels, &known)).collect()
    }

    fn of_labels(block: &str, labels: &Labels, known: &Known) -> Result<Self, String> {
        let lines = block.lines().filter(|line| !line.trim().is_empty()).count();
        if labels.values.len() < lines || labels.values.iter().any(|found| found.unclear.is_some()) {
            return Err("some lines have no part of a work; write each part in a line of its own".to_owned());
        }
        let mut parts = Vec::new();
        for found in &labels.values {
            let value = found.value.as_str().unwrap_or_default();
            let part = known.labels.iter().find(|(name, _)| labels::same_name(&found.label, name));
            let (_, part) = part.ok_or_else(|| format!("`{}` is no known part of a work", found.label))?;
            if !matches!(part.as_str(), "authors" | "editors") {
                parts.push((part.as_str(), value));
                continue;
            }
            if !value.split([';', '&']).all(is_turned) {
                let fix = "Family, Given` with semicolons between persons, or `Organisation: NAME`";
                let text = format!("the name `{value}` can be read in two ways; write `{}: {fix}", found.label);
                return Err(text);
            }
            parts.extend(value.split([';', '&']).map(|name| (part.as_str(), name.trim())));
        }
        Self::of_parts(&parts)
    }

    fn of_ris(record: &str, known: &Known) -> Result<Self, String> {
        let (mut parts, mut pages) = (Vec::new(), Vec::new());
        for line in record.lines().filter(|line| !line.trim().is_empty()) {
            let (tag, value) = line.split_once("  -").ok_or_else(|| format!("`{line}` is no line of RIS"))?;
            let (tag, value) = (tag.trim(), value.trim());
            let part = known.ris.get(tag).ok_or_else(|| format!("the RIS tag `{tag}` is not known here"))?;
            match part.as_str() {
                "" => {}
                "pages" if tag == "SP" => pages.insert(0, value),
                "pages" => pages.push(value),
                "kind" => {
                    let kind = known.ris_types.get(value);
                    let kind = kind.ok_or_else(|| format!("works of the RIS type `{value}` are not formatted here"))?;
                    parts.push(("kind", kind.as_str()));
                }
                part => parts.push((part, value)),
            }
        }
        pages.retain(|page| !page.is_empty());
        let pages = pages.join("-");
        parts.push(("pages", &pages));
        Self::of_parts(&parts)
    }

    fn of_parts(parts: &[(&str, &str)]) -> Result<Self, String> {
        let mut work = Map::new();
        let (mut authors, mut editors, mut container) = (Vec::new(), Vec::new(), None);
        for (part, value) in parts.iter().filter(|(_, value)| !value.is_empty()) {
            let member = match *part {
                "authors" | "organisation" | "editors" => {
                    if *part == "editors" {
                        editors.push(*value)
                    } else {
                        authors.push(*value)
                    }
                    continue;
                }
                "date" => {
                    let day = dates::read(value, None);
                    let day = day.ok_or_else(|| format!("`{value}` is no day; write YYYY-MM-DD"))?;
                    work.insert("year".to_owned(), json!(day.year.to_string()));
                    work.insert("date".to_owned(), json!(day.iso()));
                    continue;
                }
                "year" => {
                    // RIS writes 2014/05/01.
                    let year = value.split('/').next().unwrap_or_default();
                    if year.len() != 4 || year.parse::<u16>().is_err() {
                        return Err(format!("`{value}` is no year; write four digits"));
                    }
                    work.insert("year".to_owned(), json!(year));
                    continue;
                }
                "journal" | "book" => {
                    container = Some(if *part == "book" { Kind::Chapter } else { Kind::Article });
                    "container"
                }
                part => part,
            };
            if work.insert(member.to_owned(), json!(value)).is_some() {
                return Err(format!("the work has two parts of the kind `{part}`"));
            }
        }
        let page = !work.contains_key("publisher") && work.contains_key("url");
        let kind = container.unwrap_or(if page { Kind::Page } else { Kind::Book });
        work.entry("kind").or_insert(json!(kind));
        work.extend([("authors".to_owned(), json!(authors)), ("editors".to_owned(), json!(editors))]);
        serde_json::from_value(Value::Object(work)).map_err(|error| error.to_string())
    }

    /// Reads an item of CSL-JSON; none for a type that is not formatted here.
    pub fn of_csl(item: &Value) -> Option<Self> {
        let known = Known::read();
        let kind = known.csl_types.get(item.get("type")?.as_str()?)?;
        let people = |name: &str| -> Vec<String> {
            let list = item.get(name).and_then(Value::as_array);
            let one = |person: &Value| {
                let part = |name: &str| person.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                if part("family").is_empty() {
                    part("literal")
                } else {
                    format!("{}, {}", part("family"), part("given"))
                }
            };
            list.into_iter().flatten().map(one).collect()
        };
        let issued = item.pointer("/issued/date-parts/0").and_then(Value::as_array);
        let issued: Vec<u64> = issued.into_iter().flatten().filter_map(Value::as_u64).collect();
        let date = match issued.as_slice() {
            [year, month, day] => format!("{year}-{month:02}-{day:02}"),
            _ => String::new(),
        };
        let year = issued.first().map(ToString::to_string).unwrap_or_default();
        let (authors, editors) = (people("author"), people("editor"));
        let mut work = json!({ "kind": kind, "authors": authors, "editors": editors, "year": year, "date": date });
        let texts =
            known.csl.iter().filter_map(|(name, member)| Some((member.clone(), json!(item.get(name)?.as_str()?))));
        work.as_object_mut()?.extend(texts);
        serde_json::from_value(work).ok()
    }

    /// Returns the part without which a reference would be incomplete.
    pub fn missing(&self) -> Option<&'static str> {
        let empty = |part: &str| part.trim().is_empty();
        let contained = matches!(self.kind, Kind::Article | Kind::Chapter | Kind::Paper);
        let parts = [
            ("title", empty(&self.title)),
            ("author", self.authors.iter().all(|name| empty(name))),
            ("year", empty(&self.year) && self.kind != Kind::Page),
            ("container", contained && empty(&self.container)),
            ("publisher", matches!(self.kind, Kind::Book | Kind::Thesis) && empty(&self.publisher)),
            ("url", self.kind == Kind::Page && empty(&self.url)),
        ];
        parts.into_iter().find(|(_, missing)| *missing).map(|(name, _)| name)
    }
}
