//! A work that is cited, read from its parts: labelled lines, RIS, CSL-JSON of the bridge.

use agent_common::labels::{self, Labels};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// Labels of parts in words, with the tags of RIS.
const PARTS: [(&str, &str, &str); 22] = [
    ("title", "TI", "title"),
    ("title", "T1", "title"),
    ("author", "AU", "authors"),
    ("author", "A1", "authors"),
    ("organisation", "", "organisation"),
    ("organization", "", "organisation"),
    ("editor", "A2", "editors"),
    ("editor", "ED", "editors"),
    ("journal", "JO", "journal"),
    ("journal", "T2", "journal"),
    ("book title", "BT", "book"),
    ("publisher", "PB", "publisher"),
    ("place", "CY", "place"),
    ("city", "PP", "place"),
    ("year", "PY", "year"),
    ("date", "Y1", "date"),
    ("volume", "VL", "volume"),
    ("issue", "IS", "issue"),
    ("edition", "ET", "edition"),
    ("doi", "DO", "doi"),
    ("url", "UR", "url"),
    ("isbn", "SN", "isbn"),
];

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
        if text.trim_start().starts_with("TY  -") {
            let records = text.split("ER  -").map(str::trim).filter(|record| !record.is_empty());
            return records.map(Self::of_ris).collect();
        }
        let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
        let labels: Vec<(&str, Labels)> = blocks.map(|block| (block, Labels::read(block))).collect();
        let is_title = |labels: &Labels| !labels.of("title").is_empty();
        if text.trim_start().starts_with('@') || !labels.iter().any(|(_, labels)| is_title(labels)) {
            return Ok(Vec::new());
        }
        labels.iter().map(|(block, labels)| Self::of_labels(block, labels)).collect()
    }

    fn of_labels(block: &str, labels: &Labels) -> Result<Self, String> {
        let lines = block.lines().filter(|line| !line.trim().is_empty()).count();
        if labels.values.len() < lines || labels.values.iter().any(|found| found.unclear.is_some()) {
            return Err("some lines have no part of a work; write each part in a line of its own".to_owned());
        }
        let mut parts = Vec::new();
        for found in &labels.values {
            let value = found.value.as_str().unwrap_or_default();
            let known =
                PARTS.iter().find(|(name, _, _)| labels::same_name(&found.label, name)).map(|(_, _, part)| *part);
            match known.or_else(|| labels::same_name(&found.label, "pages").then_some("pages")) {
                Some("authors" | "editors") if !value.split([';', '&']).all(is_turned) => {
                    return Err(format!(
                        "the name `{value}` can be read in two ways; write `{}: Family, Given` with semicolons between persons, or `Organisation: NAME`",
                        found.label
                    ));
                }
                Some(part @ ("authors" | "editors")) => {
                    parts.extend(value.split([';', '&']).map(|name| (part, name.trim().to_owned())));
                }
                Some(part) => parts.push((part, value.to_owned())),
                None => return Err(format!("`{}` is no known part of a work", found.label)),
            }
        }
        Self::of_parts(parts)
    }

    fn of_ris(record: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let (mut first, mut last, mut kind) = (String::new(), String::new(), Kind::Book);
        for line in record.lines().filter(|line| !line.trim().is_empty()) {
            let (tag, value) = line.split_once("  -").ok_or_else(|| format!("`{line}` is no line of RIS"))?;
            let value = value.trim();
            match tag.trim() {
                "TY" => {
                    kind = match value {
                        "BOOK" => Kind::Book,
                        "JOUR" | "EJOUR" | "MGZN" => Kind::Article,
                        "CHAP" => Kind::Chapter,
                        "CONF" | "CPAPER" => Kind::Paper,
                        "THES" => Kind::Thesis,
                        "ELEC" | "BLOG" | "WEB" => Kind::Page,
                        other => return Err(format!("works of the RIS type `{other}` are not formatted here")),
                    };
                }
                "SP" => value.clone_into(&mut first),
                "EP" => value.clone_into(&mut last),
                "KW" | "AB" | "N1" | "N2" | "ID" | "LA" => {}
                tag => {
                    let part = PARTS.iter().find(|(_, own, _)| *own == tag).map(|(_, _, part)| *part);
                    parts.push((
                        part.ok_or_else(|| format!("the RIS tag `{tag}` is not known here"))?,
                        value.to_owned(),
                    ));
                }
            }
        }
        let pages = [first, last].into_iter().filter(|page| !page.is_empty()).collect::<Vec<_>>().join("-");
        parts.extend((!pages.is_empty()).then_some(("pages", pages)));
        Ok(Self { kind, ..Self::of_parts(parts)? })
    }

    fn of_parts(parts: Vec<(&str, String)>) -> Result<Self, String> {
        let mut work = Self::default();
        for (part, value) in parts.into_iter().filter(|(_, value)| !value.is_empty()) {
            let place = match part {
                "authors" | "organisation" => {
                    work.authors.push(value);
                    continue;
                }
                "editors" => {
                    work.editors.push(value);
                    continue;
                }
                "date" => {
                    let day = agent_common::dates::read(&value, None)
                        .ok_or_else(|| format!("`{value}` is no day; write YYYY-MM-DD"))?;
                    work.year = day.year.to_string();
                    work.date = day.iso();
                    continue;
                }
                "title" => &mut work.title,
                "journal" | "book" => {
                    work.kind = if part == "book" { Kind::Chapter } else { Kind::Article };
                    &mut work.container
                }
                "year" => {
                    // RIS writes 2014/05/01.
                    let year = value.split('/').next().unwrap_or_default();
                    if year.len() != 4 || year.parse::<u16>().is_err() {
                        return Err(format!("`{value}` is no year; write four digits"));
                    }
                    year.clone_into(&mut work.year);
                    continue;
                }
                "volume" => &mut work.volume,
                "issue" => &mut work.issue,
                "pages" => &mut work.pages,
                "publisher" => &mut work.publisher,
                "place" => &mut work.place,
                "edition" => &mut work.edition,
                "doi" => &mut work.doi,
                "url" => &mut work.url,
                _ => &mut work.isbn,
            };
            if !place.is_empty() {
                return Err(format!("the work has two parts of the kind `{part}`"));
            }
            *place = value;
        }
        if work.kind == Kind::Book && work.publisher.is_empty() && !work.url.is_empty() {
            work.kind = Kind::Page;
        }
        Ok(work)
    }

    /// Reads an item of CSL-JSON; none for a type that is not formatted here.
    pub fn of_csl(item: &Value) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = match item.get("type")?.as_str()? {
            "article-journal" => Kind::Article,
            "book" => Kind::Book,
            "chapter" => Kind::Chapter,
            "paper-conference" => Kind::Paper,
            "thesis" => Kind::Thesis,
            "webpage" => Kind::Page,
            _ => return None,
        };
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
        let issued: Vec<u64> = item
            .pointer("/issued/date-parts/0")
            .and_then(Value::as_array)
            .map(|parts| parts.iter().filter_map(Value::as_u64).collect())
            .unwrap_or_default();
        let date = match issued.as_slice() {
            [year, month, day] => format!("{year}-{month:02}-{day:02}"),
            _ => String::new(),
        };
        Some(Self {
            kind,
            authors: people("author"),
            editors: people("editor"),
            title: text("title"),
            container: text("container-title"),
            year: issued.first().map(ToString::to_string).unwrap_or_default(),
            date,
            accessed: String::new(),
            volume: text("volume"),
            issue: text("issue"),
            pages: text("page"),
            publisher: text("publisher"),
            place: text("publisher-place"),
            edition: text("edition"),
            doi: text("DOI"),
            url: text("URL"),
            isbn: text("ISBN"),
        })
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
