//! What a document has by its form: numbers with check digits, personal data, labels,
//! exact words. Where the form leaves a doubt, the reason is returned instead of an item.

use std::ops::Range;

use agent_common::labels::{self, Labels};
use agent_common::{Answer, columns, dates, grounds, number_runs, patterns};
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

/// The verdict of a bridge about a number.
pub struct Checked {
    pub valid: bool,
    /// In brackets; empty without any.
    pub faults: String,
}

/// An item, or why it cannot be decided.
pub type Decision = Result<Result<Item, String>, Error>;

/// What has the form of a VAT number.
const VAT: &str = concat!(
    r"\b(?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI|CHE)",
    r"[ -]?[0-9A-Z](?:[ .-]?[0-9A-Z]){6,12}\b"
);
/// What could be one.
const LOOSE_VAT: &str = r"(?i)\bvat\b[^\n]{0,30}?\d[\d ./-]{3,}\d";
const LINK: &str = r#"(?:https?://|www\.)[^\s<>"”)\]]+"#;
const DOMAIN: &str = r"[a-z0-9-]\.[a-z]{2,}\b";

/// Forms and their names. A form that is not treated apart is a kind of the bridge
/// `pii_redaction`; `personal` is all of its kinds.
const FORMS: [(&str, &str); 9] = [
    ("vat", "VAT number|VAT ID|VAT registration number|VAT identification number"),
    ("iban", "IBAN"),
    ("date", "date"),
    ("link", "web address|link"),
    ("email", "e-mail|e-mail address"),
    ("phone", "phone number|telephone number"),
    ("card", "card number|credit card number"),
    ("date_of_birth", "date of birth|birth date"),
    ("personal", "personal data"),
];

/// Returns the form of an item, and whether it must be valid.
fn form(name: &str) -> Option<(&'static str, bool)> {
    let valid = name.strip_prefix("valid ");
    let is = |known: &str| labels::same_name(valid.unwrap_or(name), known);
    let (form, _) = FORMS.iter().find(|(_, names)| names.split('|').any(is))?;
    Some((form, valid.is_some()))
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
        let Some((form, valid)) = form(name) else {
            let known = self.labels.of(name).len() == 1;
            let decided = self.label(name, false).ok().filter(|item| item.present == Some(true) || known);
            let why = "the document has no such label, and whether its sentences say it needs a model";
            return Ok(decided.ok_or_else(|| why.to_owned()));
        };
        if matches!(form, "vat" | "iban") {
            return self.numbers(name, (form, valid));
        }
        let evidence = self.of_form(form);
        Ok(match self.doubt(form) {
            _ if !evidence.is_empty() => Ok(Item::decided(name, true, "found by its form", evidence)),
            Some(doubt) => Err(doubt),
            None => Ok(Item::decided(name, false, "nothing of this form is in the document", evidence)),
        })
    }

    /// Returns what the document has of a form.
    fn of_form(&self, form: &str) -> Vec<String> {
        if form == "link" {
            return patterns::all(LINK, self.text);
        }
        let places: Vec<Range<usize>> = if form == "date" {
            dates::scan(self.text, None).iter().map(|one| one.start..one.end).collect()
        } else {
            let own = self.spans.iter().filter(|span| form == "personal" || span.kind == form);
            own.map(|span| span.start_byte..span.end_byte).collect()
        };
        places.into_iter().filter_map(|place| self.text.get(place)).map(str::to_owned).collect()
    }

    /// Returns why a form could be in the document although it was not found.
    fn doubt(&self, form: &str) -> Option<String> {
        let digits = |least: usize, what: &str| {
            self.open_digits(least).map(|run| format!("`{run}` could be a {what}, or another number"))
        };
        let has_digit = self.text.contains(|c: char| c.is_ascii_digit());
        let (open, why) = match form {
            "phone" => return digits(7, "phone number"),
            "card" => return digits(12, "card number"),
            "date" => (has_digit, "one of its numbers could be a date"),
            "date_of_birth" => (has_digit, "one of its numbers could be a date of birth"),
            "link" => (patterns::is_match(DOMAIN, self.text), "a name with a point could be a web address"),
            "email" => (self.text.contains('@'), "an `@` belongs to no e-mail address"),
            _ => (true, "personal data can be there in other forms, such as names"),
        };
        open.then(|| why.to_owned())
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

    fn numbers(&self, name: &str, (form, valid): (&str, bool)) -> Decision {
        let is_vat = form == "vat";
        let all = if is_vat { vat(self.text) } else { iban(self.text, &self.spans) };
        if all.len() > NUMBERS_MAX {
            return Ok(Err(format!("more than {NUMBERS_MAX} numbers look like one; check them in parts")));
        }
        let (mut evidence, mut wrong) = (Vec::new(), 0);
        let mut doubt = if is_vat { patterns::is_match(LOOSE_VAT, self.text) } else { self.open_digits(10).is_some() };
        for (number, place) in all {
            let Some(Checked { valid, faults }) = check(&number, is_vat)? else { continue };
            // A number without valid check digits may be another number, unless its name is before it.
            let before: String = self.text.get(..place.start).unwrap_or_default().chars().rev().take(40).collect();
            if !valid && is_vat && !before.to_lowercase().contains("tav") {
                doubt = true;
                continue;
            }
            wrong += usize::from(!valid);
            let written = self.text.get(place).unwrap_or(&number);
            evidence.push(if valid { written.to_owned() } else { format!("{written}: not valid{faults}") });
        }
        if evidence.is_empty() && doubt {
            return Ok(Err("a number looks like one, but has no valid form".to_owned()));
        }
        let message = match (evidence.len(), wrong) {
            (0, _) => "there is none".to_owned(),
            (count, 0) => format!("{count} found, with valid check digits or form"),
            (count, wrong) => format!("{count} found, {wrong} of them not valid"),
        };
        let present = !evidence.is_empty() && (!valid || wrong == 0);
        let item = Item::decided(name, present, &message, evidence);
        Ok(Ok(if wrong > 0 { Item { status: Status::Fails, ..item } } else { item }))
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
    let regex = patterns::compiled(VAT);
    let found = regex.iter().flat_map(|regex| regex.find_iter(text)).map(|hit| whole(text, hit.range()));
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
pub fn check(number: &str, is_vat: bool) -> Result<Option<Checked>, Error> {
    let (bridge, member) = if is_vat { ("vat_number_check", "vat_number") } else { ("iban_validation", "iban") };
    let Verdict { valid, faults } = match bridges::call::<Answer<Verdict>>(bridge, &json!({ member: number })) {
        Err(bridges::Error::InvalidInput { .. }) => return Ok(None),
        answer => answer?.result,
    };
    let shown = |fault: &Value| fault.as_str().map_or_else(|| fault.to_string(), str::to_owned);
    let faults = faults
        .iter()
        .map(|fault| fault.get("message").map_or_else(|| shown(fault), shown))
        .collect::<Vec<_>>()
        .join("; ");
    Ok(Some(Checked { valid, faults: if faults.is_empty() { faults } else { format!(" ({faults})") } }))
}
