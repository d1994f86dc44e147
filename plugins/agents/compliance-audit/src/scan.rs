//! What a document has by its form: numbers with check digits, personal data, labels,
//! exact words. Where the form leaves a doubt, the reason is returned instead of an item.

use std::ops::Range;
use std::sync::LazyLock;

use agent_common::labels::{self, Labels};
use agent_common::{Answer, columns, dates, grounds, number_runs};
use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::output::{Item, Status};

/// Most numbers of one kind that are checked; the price covers as many.
pub const NUMBERS_MAX: usize = 5;

/// A find of the bridge `pii_redaction`.
#[derive(Debug, Clone, Deserialize)]
pub struct Span {
    #[serde(rename = "type")]
    pub kind: String,
    pub start_byte: usize,
    pub end_byte: usize,
    pub start_char: usize,
}

/// A number, and the verdict of its bridge.
#[derive(Debug)]
pub struct Checked {
    pub number: String,
    pub place: Range<usize>,
    pub valid: bool,
    pub faults: Vec<String>,
}

/// An item, or why it cannot be decided.
pub type Decision = Result<Result<Item, String>, Error>;

static VAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let countries = "AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI|CHE";
    Regex::new(&format!(r"\b(?:{countries})[ -]?[0-9A-Z](?:[ .-]?[0-9A-Z]){{6,12}}\b")).ok()
});
static LOOSE_VAT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bvat\b[^\n]{0,30}?\d[\d ./-]{3,}\d").ok());
static LINK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:https?://|www\.)[^\s<>"”)\]]+"#).ok());
static DOMAIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[a-z0-9-]\.[a-z]{2,}\b").ok());

/// A form that an item can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Vat,
    Iban,
    Date,
    Link,
    /// A kind of the bridge `pii_redaction`; empty for all kinds.
    Personal(&'static str),
}

/// The names of the forms.
const FORMS: [(&str, Form); 17] = [
    ("VAT number", Form::Vat),
    ("VAT ID", Form::Vat),
    ("VAT registration number", Form::Vat),
    ("VAT identification number", Form::Vat),
    ("IBAN", Form::Iban),
    ("date", Form::Date),
    ("web address", Form::Link),
    ("link", Form::Link),
    ("e-mail", Form::Personal("email")),
    ("e-mail address", Form::Personal("email")),
    ("phone number", Form::Personal("phone")),
    ("telephone number", Form::Personal("phone")),
    ("card number", Form::Personal("card")),
    ("credit card number", Form::Personal("card")),
    ("date of birth", Form::Personal("date_of_birth")),
    ("birth date", Form::Personal("date_of_birth")),
    ("personal data", Form::Personal("")),
];

/// Returns the form of an item, and whether it must be valid.
fn form(name: &str) -> Option<(Form, bool)> {
    let valid = name.strip_prefix("valid ");
    let known = FORMS.iter().find(|(known, _)| labels::same_name(valid.unwrap_or(name), known));
    known.map(|(_, form)| (*form, valid.is_some()))
}

/// A document with what its forms show.
pub struct Scan<'t> {
    text: &'t str,
    spans: Vec<Span>,
    labels: Labels,
}

impl<'t> Scan<'t> {
    /// Reads a document. The bridge is called only if an item has a form.
    pub fn of(text: &'t str, items: &[String]) -> Result<Self, Error> {
        let spans = if items.iter().any(|name| form(name).is_some()) { personal(text)? } else { Vec::new() };
        Ok(Self { text, spans, labels: Labels::read(text) })
    }

    /// Decides an item of a checklist.
    pub fn item(&self, name: &str) -> Decision {
        if let Some(phrase) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Ok(self.phrase(phrase, name));
        }
        let digits = |least: usize, what: &str| {
            self.open_digits(least).map(|run| format!("`{run}` could be a {what}, or another number"))
        };
        let kind = match form(name) {
            Some((Form::Vat, valid)) => {
                let loose = LOOSE_VAT.as_ref().is_some_and(|regex| regex.is_match(self.text));
                return self.numbers(name, valid, vat(self.text), loose);
            }
            Some((Form::Iban, valid)) => {
                return self.numbers(name, valid, iban(self.text, &self.spans), self.open_digits(10).is_some());
            }
            Some((Form::Date, _)) => return Ok(self.date(name)),
            Some((Form::Link, _)) => return Ok(self.link(name)),
            Some((Form::Personal(kind), _)) => kind,
            None => {
                return Ok(match self.label(name, false) {
                    Ok(item) if item.present == Some(true) || self.labels.of(name).len() == 1 => Ok(item),
                    _ => {
                        Err("the document has no such label, and whether its sentences say it needs a model".to_owned())
                    }
                });
            }
        };
        let doubt = match kind {
            "email" => self.text.contains('@').then(|| "an `@` belongs to no e-mail address".to_owned()),
            "phone" => digits(7, "phone number"),
            "card" => digits(12, "card number"),
            "date_of_birth" => self
                .text
                .contains(|c: char| c.is_ascii_digit())
                .then(|| "one of its numbers could be a date of birth".to_owned()),
            _ => Some("personal data can be there in other forms, such as names".to_owned()),
        };
        Ok(self.personal_item(name, kind, doubt))
    }

    fn personal_item(&self, name: &str, kind: &str, doubt: Option<String>) -> Result<Item, String> {
        let own = self.spans.iter().filter(|span| kind.is_empty() || span.kind == kind);
        let evidence =
            own.filter_map(|span| self.text.get(span.start_byte..span.end_byte)).map(str::to_owned).collect();
        by_form(name, evidence, doubt.as_deref())
    }

    fn date(&self, name: &str) -> Result<Item, String> {
        let found = dates::scan(self.text, None);
        let evidence = found.iter().filter_map(|one| self.text.get(one.start..one.end)).map(str::to_owned).collect();
        let digits = self.text.contains(|c: char| c.is_ascii_digit());
        by_form(name, evidence, digits.then_some("one of its numbers could be a date"))
    }

    fn link(&self, name: &str) -> Result<Item, String> {
        let evidence =
            LINK.iter().flat_map(|regex| regex.find_iter(self.text)).map(|hit| hit.as_str().to_owned()).collect();
        let domain = DOMAIN.as_ref().is_some_and(|regex| regex.is_match(self.text));
        by_form(name, evidence, domain.then_some("a name with a point could be a web address"))
    }

    /// Decides whether the document has a label, with a value unless `blank` is accepted.
    pub fn label(&self, name: &str, blank: bool) -> Result<Item, String> {
        let found = self.labels.of(name);
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let empty = |value: &str| value.chars().all(|c| c.is_whitespace() || "_.…-–".contains(c));
        let lines = found.iter().map(|one| (one.label.as_str(), shown(&one.value)));
        let kept = lines.filter(|(_, value)| blank || !empty(value));
        let evidence: Vec<String> = kept.map(|(label, value)| format!("{label}: {value}").trim().to_owned()).collect();
        if !evidence.is_empty() {
            return Ok(Item::decided(name, true, "the document has this label", evidence));
        }
        if !found.is_empty() {
            return Ok(Item::decided(name, false, "its label has no value", Vec::new()));
        }
        if let Some(problem) = &self.labels.problem {
            return Err(problem.clone());
        }
        let plain =
            |text: &str| columns::fold(text).split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join(" ");
        if grounds::stands_in(&plain(name), &plain(self.text)) {
            return Err("the document has these words, but not as a label with a value".to_owned());
        }
        Ok(Item::decided(name, false, "the document has no such label", Vec::new()))
    }

    /// Decides whether the document contains a text word for word.
    pub fn phrase(&self, phrase: &str, name: &str) -> Result<Item, String> {
        let straight = |text: &str| text.replace(['“', '”', '„'], "\"").replace(['’', '‘'], "'");
        let (phrase, text) = (straight(phrase), straight(self.text));
        if grounds::word_for_word(&phrase, &text) {
            return Ok(Item::decided(name, true, "the document has it word for word", vec![phrase]));
        }
        if grounds::stands_in(&phrase, &text) {
            return Err("the document has these words with other capitals or marks".to_owned());
        }
        Ok(Item::decided(name, false, "the document does not have it word for word", Vec::new()))
    }

    /// Returns a run of at least so many digits that belongs to no find and is no date.
    pub fn open_digits(&self, least: usize) -> Option<String> {
        let known: Vec<Range<usize>> = vat(self.text).into_iter().map(|(_, place)| place).collect();
        let spans = self.spans.iter().map(|span| span.start_byte..span.end_byte);
        let covered: Vec<Range<usize>> = known.into_iter().chain(spans).collect();
        let free = |place: &Range<usize>| !covered.iter().any(|one| one.start < place.end && place.start < one.end);
        let runs = number_runs::digits(self.text, least).into_iter().filter(free);
        runs.filter_map(|place| self.text.get(place)).find(|run| dates::scan(run, None).is_empty()).map(str::to_owned)
    }

    fn numbers(&self, name: &str, valid: bool, all: Vec<(String, Range<usize>)>, loose: bool) -> Decision {
        if all.len() > NUMBERS_MAX {
            return Ok(Err(format!("more than {NUMBERS_MAX} numbers look like one; check them in parts")));
        }
        let is_vat = name.to_lowercase().contains("vat");
        let checked = all.iter().filter_map(|(number, place)| check(number, place.clone(), is_vat).transpose());
        let mut checked: Vec<Checked> = checked.collect::<Result<_, Error>>()?;
        let seen = checked.len();
        // A number without valid check digits may be another number, unless its name is before it.
        checked.retain(|one| {
            let before: String = self.text.get(..one.place.start).unwrap_or_default().chars().rev().take(40).collect();
            one.valid || !is_vat || before.to_lowercase().contains("tav")
        });
        if checked.is_empty() && (seen > 0 || loose) {
            return Ok(Err("a number looks like one, but has no valid form".to_owned()));
        }
        let wrong = checked.iter().filter(|one| !one.valid).count();
        let show = |one: &Checked| {
            let written = self.text.get(one.place.clone()).unwrap_or(&one.number);
            let faults = if one.faults.is_empty() { String::new() } else { format!(" ({})", one.faults.join("; ")) };
            if one.valid { written.to_owned() } else { format!("{written}: not valid{faults}") }
        };
        let evidence: Vec<String> = checked.iter().map(show).collect();
        let message = match (checked.len(), wrong) {
            (0, _) => "there is none".to_owned(),
            (count, 0) => format!("{count} found, with valid check digits or form"),
            (count, wrong) => format!("{count} found, {wrong} of them not valid"),
        };
        let present = !checked.is_empty() && (!valid || wrong == 0);
        let item = Item::decided(name, present, &message, evidence);
        Ok(Ok(if wrong > 0 { Item { status: Status::Fails, ..item } } else { item }))
    }
}

/// Decides an item by what was found of its form; none found is a doubt, or its absence.
fn by_form(name: &str, evidence: Vec<String>, doubt: Option<&str>) -> Result<Item, String> {
    match (evidence.is_empty(), doubt) {
        (false, _) => Ok(Item::decided(name, true, "found by its form", evidence)),
        (true, Some(doubt)) => Err(doubt.to_owned()),
        (true, None) => Ok(Item::decided(name, false, "nothing of this form is in the document", evidence)),
    }
}

#[derive(Deserialize)]
struct Personal {
    spans: Vec<Span>,
}

/// Returns the personal data of a text; a tax number is no phone number.
pub fn personal(text: &str) -> Result<Vec<Span>, Error> {
    let answer: Answer<Personal> = bridges::call("pii_redaction", &json!({ "text": text, "mode": "replace" }))?;
    let tax = vat(text);
    let is_tax = |span: &Span| tax.iter().any(|(_, place)| place.start < span.end_byte && span.start_byte < place.end);
    Ok(answer.result.spans.into_iter().filter(|span| span.kind != "phone" || !is_tax(span)).collect())
}

/// Returns what has the form of a VAT number: without its marks, and its place.
pub fn vat(text: &str) -> Vec<(String, Range<usize>)> {
    let ibans = number_runs::ibans(text);
    let free = |place: &Range<usize>| !ibans.iter().any(|one| one.start < place.end && place.start < one.end);
    let found = VAT.iter().flat_map(|regex| regex.find_iter(text)).map(|hit| whole(text, hit.range()));
    distinct(found.filter(|(number, place)| free(place) && number.bytes().filter(u8::is_ascii_digit).count() > 6))
}

/// Returns what has the form of an IBAN: without its marks, and its place.
pub fn iban(text: &str, spans: &[Span]) -> Vec<(String, Range<usize>)> {
    let exact = |place: Range<usize>| {
        let span = spans.iter().find(|span| span.kind == "iban" && span.start_byte == place.start);
        span.map_or(place, |span| span.start_byte..span.end_byte)
    };
    distinct(number_runs::ibans(text).into_iter().map(|place| whole(text, exact(place))))
}

/// Cuts words in capitals off the end of a number.
fn whole(text: &str, place: Range<usize>) -> (String, Range<usize>) {
    let mut end = place.end;
    while let Some(part) = text.get(place.start..end) {
        match part.rfind([' ', '-', '.']) {
            Some(at) if !part.get(at..).unwrap_or_default().contains(|c: char| c.is_ascii_digit()) => {
                end = place.start + at
            }
            _ => break,
        }
    }
    let number = text.get(place.start..end).unwrap_or_default();
    (number.chars().filter(char::is_ascii_alphanumeric).collect(), place.start..end)
}

fn distinct(found: impl Iterator<Item = (String, Range<usize>)>) -> Vec<(String, Range<usize>)> {
    let mut all: Vec<(String, Range<usize>)> = Vec::new();
    for one in found {
        if all.iter().all(|(number, _)| *number != one.0) {
            all.push(one);
        }
    }
    all
}

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
    #[serde(default)]
    faults: Vec<Value>,
}

/// Checks a number by its bridge; none if the bridge knows no such form.
pub fn check(number: &str, place: Range<usize>, is_vat: bool) -> Result<Option<Checked>, Error> {
    let (bridge, member) = if is_vat { ("vat_number_check", "vat_number") } else { ("iban_validation", "iban") };
    let answer = match bridges::call::<Answer<Verdict>>(bridge, &json!({ member: number })) {
        Err(bridges::Error::InvalidInput { .. }) => return Ok(None),
        answer => answer?.result,
    };
    let fault = |fault: &Value| fault.as_str().map_or_else(|| fault.to_string(), str::to_owned);
    let faults = answer.faults.iter().map(fault).collect();
    Ok(Some(Checked { number: number.to_owned(), place, valid: answer.valid, faults }))
}
