//! A work written in a style of references. The styles are data: `styles.json` has a
//! template for each style and kind of work.
//!
//! `{name}` is a part of the work, `{name|text}` has a text in its place if the work lacks
//! it, and what is between `<` and `>` is left out if all its parts are empty. A mark is
//! left out where nothing precedes it, and a full stop where the sentence has an end.

use std::collections::BTreeMap;
use std::str::Chars;

use agent_common::dates;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::work::{Known, Work};

/// A style of references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// American Psychological Association, 7th edition.
    #[default]
    Apa,
    /// ICMJE and National Library of Medicine.
    Vancouver,
    /// A BibTeX entry.
    Bibtex,
    /// Modern Language Association, 9th edition.
    Mla,
    /// Chicago Manual of Style, bibliography.
    Chicago,
    /// Harvard, as in Cite Them Right.
    Harvard,
    /// Institute of Electrical and Electronics Engineers.
    Ieee,
}

/// The rules of a style.
#[derive(Default, Deserialize)]
struct Rules {
    authors: Names,
    editors: Names,
    /// The end of every reference.
    #[serde(default)]
    tail: String,
    /// The templates by kind of work; a paper without one is written like a chapter.
    #[serde(flatten)]
    kinds: BTreeMap<String, String>,
}

/// How a list of names is written.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Names {
    /// Number of names that begin with the family name.
    turned: usize,
    /// Signs between the family name and the given ones; a comma and a space unless set.
    family: Option<String>,
    /// What is behind and between initials; given names are written in full unless set.
    initials: Option<[String; 2]>,
    /// Between two names.
    two: String,
    /// Before the last of more names.
    last: String,
    /// A longer list is cut to `shown` names with `more` behind them.
    most: Option<usize>,
    shown: usize,
    more: String,
}

impl Names {
    fn write(&self, names: &[String]) -> String {
        let cut = self.most.is_some_and(|most| names.len() > most);
        let shown = names.iter().take(if cut { self.shown } else { names.len() });
        let all: Vec<String> = shown.enumerate().map(|(at, name)| self.name(name, at < self.turned)).collect();
        match all.as_slice() {
            all if cut => format!("{}{}", all.join(", "), self.more),
            [a, b] => format!("{a}{}{b}", self.two),
            [head @ .., last] if !head.is_empty() => format!("{}{}{last}", head.join(", "), self.last),
            all => all.concat(),
        }
    }

    fn name(&self, name: &str, turned: bool) -> String {
        let (family, given) = name.split_once(',').unwrap_or((name, ""));
        let (family, given) = (family.trim(), given.trim());
        let given = match &self.initials {
            Some([stop, gap]) => initials(given, stop, gap),
            None => given.to_owned(),
        };
        match turned {
            _ if given.is_empty() => family.to_owned(),
            true => format!("{family}{}{given}", self.family.as_deref().unwrap_or(", ")),
            false => format!("{given} {family}"),
        }
    }
}

fn initials(given: &str, stop: &str, gap: &str) -> String {
    let letters = |word: &str| {
        let parts = word.split('-').filter_map(|part| part.chars().next());
        parts.map(|c| format!("{}{stop}", c.to_uppercase())).collect::<Vec<_>>().join("-")
    };
    let words = given.split([' ', '.']).filter(|word| !word.is_empty() && *word != "-");
    words.map(letters).collect::<Vec<_>>().join(gap)
}

/// Returns a work in a style. `place` numbers a BibTeX entry without a year.
pub fn write(work: &Work, style: Style, place: usize) -> String {
    if style == Style::Bibtex {
        return bibtex(work, place);
    }
    let styles = serde_json::from_str::<BTreeMap<String, Rules>>(include_str!("../styles.json"));
    let rules = styles.unwrap_or_default().remove(&name_of(&style)).unwrap_or_default();
    let template = rules.kinds.get(&name_of(&work.kind)).or_else(|| rules.kinds.get("chapter"));
    let template = format!("{}{}", template.map_or("", String::as_str), rules.tail);
    let mut text = String::new();
    fill(&mut template.chars(), &parts(work, &rules), &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the name of a style or kind in the data.
fn name_of(value: &impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}

/// Returns the texts among the members of a work.
fn members(work: &Work) -> BTreeMap<String, String> {
    let work = json!(work);
    let texts = work.as_object().into_iter().flatten();
    texts.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn dashed(pages: &str) -> String {
    pages.replace("--", "–").replace(['-', '—'], "–")
}

/// Appends a template up to its end or `>`; returns whether one of its parts is not empty.
fn fill(template: &mut Chars<'_>, parts: &BTreeMap<String, String>, text: &mut String) -> bool {
    let mut any = false;
    while let Some(c) = template.next() {
        if c == '>' {
            break;
        } else if c == '<' {
            let before = text.len();
            if fill(template, parts, text) {
                any = true;
            } else {
                text.truncate(before);
            }
        } else if c == '{' {
            let slot: String = template.by_ref().take_while(|c| *c != '}').collect();
            let (name, instead) = slot.split_once('|').unwrap_or((&slot, ""));
            let part = parts.get(name).map(|part| part.trim()).filter(|part| !part.is_empty());
            any |= part.is_some();
            text.push_str(part.unwrap_or(instead));
        } else {
            let at_start = text.is_empty() || text.ends_with([' ', '(']);
            let ended = c == '.' && text.trim_end_matches(['”', '’']).ends_with(['.', '?', '!']);
            if !(ended || at_start && matches!(c, ' ' | '.' | ',' | ':' | ';')) {
                text.push(c);
            }
        }
    }
    any
}

/// Returns the parts of a work by their names in the templates.
fn parts(work: &Work, rules: &Rules) -> BTreeMap<String, String> {
    let mut parts = members(work);
    let link = if work.doi.is_empty() { work.url.clone() } else { format!("https://doi.org/{}", work.doi) };
    let accessed = if link.is_empty() { "" } else { &work.accessed };
    for (name, date) in [("date", work.date.as_str()), ("accessed", accessed)] {
        let Some(date) = dates::read(date, None) else { continue };
        let month = usize::try_from(date.month).ok().and_then(|month| dates::MONTH_NAMES.get(month.checked_sub(1)?));
        let month = month.copied().unwrap_or_default();
        let letters = month.get(..3).unwrap_or_default();
        let short = match month {
            "May" | "June" | "July" => month.to_owned(),
            "September" => "Sept.".to_owned(),
            _ => format!("{letters}."),
        };
        let (day, year) = (date.day.to_string(), date.year.to_string());
        let all =
            [("day", day), ("month", month.into()), ("letters", letters.into()), ("short", short), ("year", year)];
        parts.extend(all.map(|(part, text)| (format!("{name}.{part}"), text)));
    }
    let pages = dashed(&work.pages);
    let mark = if pages.contains('–') { "pp. " } else { "p. " };
    let year = Some(work.year.clone()).filter(|year| !year.is_empty()).or_else(|| parts.get("date.year").cloned());
    let (s, stop) = match work.editors.len() {
        0 => ("", ""),
        1 => ("", "."),
        _ => ("s", "s"),
    };
    let own = [
        ("authors", rules.authors.write(&work.authors)),
        ("editors", rules.editors.write(&work.editors)),
        ("s", s.to_owned()),
        ("stop", stop.to_owned()),
        ("year", year.unwrap_or_default()),
        ("edition", edition(&work.edition, "ed")),
        ("edn", edition(&work.edition, "edn")),
        ("pp", if pages.is_empty() { String::new() } else { format!("{mark}{pages}") }),
        ("hyphened", pages.replace('–', "-")),
        ("pages", pages),
        ("link", link),
    ];
    parts.extend(own.map(|(name, text)| (name.to_owned(), text)));
    parts
}

/// Returns an edition with its ordinal; nothing for the first.
fn edition(edition: &str, word: &str) -> String {
    let digits: String = edition.chars().take_while(char::is_ascii_digit).collect();
    let end = match digits.as_str() {
        "" => return edition.to_owned(),
        "1" => return String::new(),
        n if n.ends_with('1') && !n.ends_with("11") => "st",
        n if n.ends_with('2') && !n.ends_with("12") => "nd",
        n if n.ends_with('3') && !n.ends_with("13") => "rd",
        _ => "th",
    };
    format!("{digits}{end} {word}.")
}

fn bibtex(work: &Work, place: usize) -> String {
    let known = Known::read();
    let Some([kind, container, publisher]) = known.bibtex_kinds.get(&name_of(&work.kind)) else { return String::new() };
    let name = |name: &String| if name.contains(',') { name.clone() } else { format!("{{{name}}}") };
    let people = |list: &[String]| list.iter().map(name).collect::<Vec<_>>().join(" and ");
    let mut parts = members(work);
    parts.insert("authors".to_owned(), people(&work.authors));
    parts.insert("editors".to_owned(), people(&work.editors));
    parts.insert("pages".to_owned(), dashed(&work.pages).replace('–', "--"));
    let field = |[field, part]: &[String; 2]| {
        let value = parts.get(part).filter(|value| !value.is_empty())?;
        let field = match field.as_str() {
            "container" => container,
            "publisher" => publisher,
            field => field,
        };
        Some(format!(",\n  {field} = {{{value}}}"))
    };
    let body: String = known.bibtex_fields.iter().filter_map(field).collect();
    let family = work.authors.first().map_or("ref", |name| name.split(',').next().unwrap_or_default());
    let key: String = family.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let number = if work.year.is_empty() { place.to_string() } else { work.year.clone() };
    format!("@{kind}{{{key}{number}{body}\n}}")
}
