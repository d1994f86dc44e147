//! An item of a request, looked for in the documents.

use agent_common::prose;
use agent_common::request::Request;
use tollbridge_sdk::Error;

use crate::datum::{self, Datum};
use crate::document::Document;
use crate::fields::{self, Value};
use crate::item::{Item, Status};
use crate::plain_text::plain;
use crate::{clause, known_clauses, number_check, numbers, qualified, wants};

/// A check digit, a form, a label with its value, or the very words.
const SURE: f64 = 0.92;
/// A sentence has the cues of the clause.
const CUED: f64 = 0.85;
/// Neither a cue nor a hint stands anywhere.
const ABSENT: f64 = 0.82;
/// Sentences that are quoted for one item at most.
const QUOTES_MAX: usize = 3;

/// An item with how sure it is.
#[derive(Debug)]
pub struct Found {
    /// The item.
    pub item: Item,
    /// How likely it is right.
    pub confidence: f64,
    /// Whether neither the item nor any of its words is known here or stands in the document.
    pub is_unknown: bool,
}

/// Why an item that is not known cannot be told absent.
pub fn not_known(name: &str) -> String {
    format!(
        "\"{name}\" is no item that is known here, and the document does not have its words; name it as the document does, or as a common clause such as `governing law`"
    )
}

/// The items of a request; a sentence that has to be there word for word is one.
pub fn items(request: &Request) -> Vec<String> {
    let asked = &request.instruction;
    let lower = asked.to_lowercase();
    let literal = ["literal", "the sentence", "exact wording", "word for word", "the words", "wörtlich"]
        .iter()
        .any(|word| lower.contains(word));
    let quotes = agent_common::quotes::find(asked);
    if literal {
        let sentences: Vec<String> = quotes
            .iter()
            .filter(|one| one.text.split_whitespace().count() > 3)
            .map(|one| one.text.to_owned())
            .collect();
        if !sentences.is_empty() {
            return sentences;
        }
    }
    if checks(&lower) && !lower.contains("items") {
        // `I want one line: "valid VAT number"`
        let short: Vec<String> = request
            .material
            .iter()
            .filter(|piece| plain(&piece.text).contains("valid"))
            .map(|piece| piece.text.clone())
            .collect();
        if !short.is_empty() {
            return short;
        }
    }
    wants::items(asked)
}

/// Whether numbers are to be checked, not just found.
fn checks(lower: &str) -> bool {
    ["valid", "checksum", "check digit", "check sum", "mod 97", "prüfsumme", "prüfziffer", "passes", "correct form"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The documents of a request; pieces with names of their own are documents.
pub fn documents(request: &Request) -> Vec<Document> {
    let short = |label: &str| label.len() <= 24 && label.split_whitespace().count() <= 3;
    let named = request.material.len() > 1
        && request.material.iter().all(|piece| {
            piece.label.as_deref().is_some_and(|label| short(label) && label.chars().any(char::is_alphabetic))
        });
    if named {
        return request
            .material
            .iter()
            .map(|piece| Document { name: piece.label.clone().unwrap_or_default(), text: piece.text.clone() })
            .collect();
    }
    vec![Document { name: "document".into(), text: request.text() }]
}

/// Looks for an item; an error says what is not clear.
pub fn answer(name: &str, documents: &[Document], request: &str) -> Result<Found, Error> {
    let Some(measure) = qualified::read(name) else { return plainly(name, documents, request) };
    let found = plainly(&measure.core, documents, request)?;
    let found = Found { item: Item { name: name.into(), ..found.item }, ..found };
    if found.item.present != Some(true) {
        return Ok(found);
    }
    match measure.holds(&found.item.evidence) {
        Some(true) => Ok(found),
        Some(false) => {
            let item = Item {
                present: Some(false),
                status: Status::Fails,
                message: "the document has it with another measure".into(),
                ..found.item
            };
            Ok(Found { item, ..found })
        }
        None => Err(Error::invalid(
            "/documents",
            format!(
                "the document has it, but not with a number that tells whether it is \"{name}\"; ask for \"{}\"",
                measure.core
            ),
        )),
    }
}

fn plainly(name: &str, documents: &[Document], request: &str) -> Result<Found, Error> {
    let own = of_documents(name, documents);
    let text: String = own.iter().map(|document| document.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let lower = format!("{} {}", request.to_lowercase(), name.to_lowercase());
    if checks(&lower)
        && let Some(found) = checked(name, &text)?
    {
        return Ok(found);
    }
    let exact =
        ["exact", "verbatim", "literal", "word for word", "word-for-word"].iter().any(|word| lower.contains(word));
    if (name.split_whitespace().count() > 4 || exact)
        && request.contains(name)
        && agent_common::quotes::find(request).iter().any(|one| one.text == name)
    {
        return Ok(literal(name, &text));
    }
    let form =
        ["form ask", "asks for", "ask for", "does the form", "form's fields"].iter().any(|word| lower.contains(word));
    if let Some(datum) = datum::named(name) {
        return by_form(name, datum, &text, form);
    }
    match fields::find(name, &text) {
        Some(Value::Given(line)) => return Ok(present(name, vec![line], SURE)),
        Some(Value::Blank(line)) if form => return Ok(present(name, vec![line], SURE)),
        Some(Value::Blank(_)) => return Ok(absent(name, "its field is empty", SURE)),
        None => {}
    }
    by_clause(name, &text)
}

/// `document A court` is looked for in document A only.
fn of_documents<'d>(name: &str, documents: &'d [Document]) -> Vec<&'d Document> {
    let words = plain(name);
    let padded = format!(" {words} ");
    let fits = |document: &&Document| {
        let label = plain(&document.name);
        padded.contains(&format!(" document {label} "))
            || padded.contains(&format!(" text {label} "))
            || (label.contains(' ') && padded.contains(&format!(" {label} ")))
    };
    let own: Vec<&Document> = documents.iter().filter(fits).collect();
    if own.is_empty() { documents.iter().collect() } else { own }
}

fn present(name: &str, evidence: Vec<String>, confidence: f64) -> Found {
    let message = "the document has it; read whether it says what it should".to_owned();
    Found {
        item: Item { name: name.into(), present: Some(true), status: Status::InOrder, message, evidence },
        confidence,
        is_unknown: false,
    }
}

fn absent(name: &str, why: &str, confidence: f64) -> Found {
    Found {
        item: Item {
            name: name.into(),
            present: Some(false),
            status: Status::Missing,
            message: why.into(),
            evidence: Vec::new(),
        },
        confidence,
        is_unknown: false,
    }
}

/// Numbers with check digits: present if they are right.
fn checked(name: &str, text: &str) -> Result<Option<Found>, Error> {
    let lower = plain(name);
    let accounts = lower.contains("iban") || lower.contains("account");
    let taxes = ["vat", "ust", "tva", "uid", "tax number"].iter().any(|word| lower.contains(word));
    if !accounts && !taxes {
        return Ok(None);
    }
    let found = if accounts { numbers::iban(text) } else { numbers::vat(&text.replace(':', ": ")) };
    let place = ["first", "second", "third", "fourth", "fifth"]
        .iter()
        .position(|word| lower.split(' ').any(|one| one == *word))
        .unwrap_or(0);
    let Some(number) = found.get(place) else {
        return Err(Error::invalid("/documents", format!("the number for \"{name}\" is not in the text; add it")));
    };
    let verdict = if accounts { number_check::account(number)? } else { number_check::tax(number)? };
    let written = as_written(number, text);
    let mut found = if verdict.valid { present(name, vec![written.clone()], SURE) } else { absent(name, "", SURE) };
    found.item.message = if verdict.valid {
        format!("{written} has the right form and check digits")
    } else {
        format!("{written} is wrong: {}", verdict.faults().join("; "))
    };
    found.item.status = if verdict.valid { Status::InOrder } else { Status::Fails };
    Ok(Some(found))
}

/// A number with the spaces that it has in the text.
fn as_written(number: &str, text: &str) -> String {
    let mut want = number.chars().peekable();
    let (mut from, mut written) = (None, String::new());
    for c in text.chars() {
        if want.peek() == Some(&c) {
            want.next();
            from.get_or_insert(());
            written.push(c);
        } else if from.is_some() && matches!(c, ' ' | '-' | '.') && want.peek().is_some() {
            written.push(c);
        } else if from.is_some() && want.peek().is_some() {
            (from, written) = (None, String::new());
            want = number.chars().peekable();
        }
        if want.peek().is_none() {
            return written;
        }
    }
    number.to_owned()
}

fn literal(name: &str, text: &str) -> Found {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if flat(text).contains(flat(name).trim_end_matches('.')) {
        present(name, vec![name.to_owned()], SURE)
    } else {
        absent(name, "the document does not have these words", SURE)
    }
}

fn by_form(name: &str, datum: Datum, text: &str, form: bool) -> Result<Found, Error> {
    let values = datum::find(datum, text);
    let field = fields::find(name, text);
    if form && let Some(Value::Given(line) | Value::Blank(line)) = &field {
        return Ok(present(name, vec![line.clone()], SURE));
    }
    // What stands behind its own label is it; other names and addresses may stand elsewhere.
    let loose = matches!(datum, Datum::Name | Datum::Address | Datum::TaxId | Datum::Register | Datum::Birth);
    match &field {
        Some(Value::Given(line)) if loose => {
            let own = values.iter().filter(|value| !line.contains(value.as_str()) && datum != Datum::Name).cloned();
            return Ok(present(name, [line.clone()].into_iter().chain(own).take(5).collect(), SURE));
        }
        Some(Value::Blank(_)) if datum == Datum::Name => return Ok(absent(name, "its field is empty", SURE)),
        _ => {}
    }
    if !values.is_empty() {
        return Ok(present(name, values.into_iter().take(5).collect(), SURE));
    }
    if let Some(Value::Given(line)) = field
        && matches!(datum, Datum::Name | Datum::Address | Datum::TaxId | Datum::Register | Datum::Birth | Datum::Phone)
    {
        return Ok(present(name, vec![line], CUED));
    }
    let doubt = match datum {
        Datum::Name => capitals(text),
        Datum::Phone => text
            .split(|c: char| c.is_alphabetic() || c == '\n')
            .any(|run| (7..=14).contains(&run.bytes().filter(u8::is_ascii_digit).count()) && !run.contains('=')),
        Datum::Birth => ["born", "geboren", "years old", "aged"].iter().any(|word| text.to_lowercase().contains(word)),
        Datum::Address => {
            text.lines().any(|line| {
                line.split_whitespace().any(|word| {
                    (4..=5).contains(&word.len())
                        && word.bytes().all(|b| b.is_ascii_digit())
                        && !word.starts_with("20")
                        && !word.starts_with("19")
                })
            }) && !text.contains(';')
        }
        _ => false,
    };
    if doubt {
        return Err(Error::invalid(
            "/documents",
            format!(
                "whether \"{name}\" is in the text cannot be told by its form; name another item, or mark it with a label"
            ),
        ));
    }
    Ok(absent(name, "nothing of this form is in the document", CUED))
}

/// Two words with capitals side by side, which may be a name.
fn capitals(text: &str) -> bool {
    let cap = |word: &str| {
        word.starts_with(char::is_uppercase) && word.chars().skip(1).all(char::is_lowercase) && word.chars().count() > 2
    };
    text.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches([',', '.'])).collect();
        words.windows(2).skip(1).any(|pair| pair.iter().all(|word| cap(word)))
    })
}

fn half_said(word: &str, name: &str) -> String {
    format!(
        "the document has \"{word}\", so whether it has \"{name}\" takes reading it; send the sentence that may say it"
    )
}

fn by_clause(name: &str, text: &str) -> Result<Found, Error> {
    let sentences: Vec<&str> = prose::sentences(text).into_iter().map(|sentence| sentence.text).collect();
    let wanted = fields::words(name);
    // The very words of the item in one sentence.
    let says = |sentence: &&&str| {
        let have: Vec<String> = plain(sentence).split(' ').map(str::to_owned).collect();
        wanted.iter().all(|word| have.iter().any(|one| fields::alike(one, word)))
    };
    let Some(clause) = known_clauses::named(name) else {
        let hits: Vec<String> = sentences.iter().filter(says).map(|one| (*one).to_owned()).take(QUOTES_MAX).collect();
        if !hits.is_empty() {
            return Ok(present(name, hits, ABSENT));
        }
        if fields::is_form(text) {
            return Ok(absent(name, "no label or line of the document names it", ABSENT));
        }
        let document: Vec<String> = plain(text).split(' ').map(str::to_owned).collect();
        let near = wanted.iter().find(|word| word.len() > 3 && document.iter().any(|one| fields::alike(one, word)));
        if let Some(word) = near.filter(|_| wanted.len() > 1) {
            return Err(Error::invalid("/documents", half_said(word, name)));
        }
        let absent = absent(name, "no sentence of the document speaks of it", ABSENT);
        return Ok(Found { is_unknown: true, ..absent });
    };
    let mut hits: Vec<&str> =
        sentences.iter().filter(|sentence| clause::shows(clause, sentence) || says(sentence)).copied().collect();
    // A heading alone is no clause; the sentence behind it is.
    let long = |sentence: &&str| sentence.split_whitespace().count() > 3;
    if hits.iter().any(long) {
        hits.retain(long);
    } else if let Some(heading) = hits.first().copied() {
        let next = sentences.iter().position(|one| *one == heading).and_then(|at| sentences.get(at + 1)).copied();
        hits.extend(next.filter(|_| !heading.contains(':')));
    }
    if !hits.is_empty() {
        return Ok(present(name, hits.into_iter().take(QUOTES_MAX).map(str::to_owned).collect(), CUED));
    }
    if let Some(hint) = clause::hint(clause, text).filter(|_| !fields::is_form(text)) {
        let fix = format!(
            "the document has \"{}\", so whether it has \"{name}\" takes reading it; send the sentence that may say it, or name the item as the document does",
            hint.trim()
        );
        return Err(Error::invalid("/documents", fix));
    }
    // A word of its own name may say it too.
    let common = ["clause", "right", "rights", "period", "terms", "contract", "agreement", "number", "option"];
    let document: Vec<String> = plain(text).split(' ').map(str::to_owned).collect();
    let half = wanted.iter().find(|word| {
        word.len() >= 5 && !common.contains(&word.as_str()) && document.iter().any(|one| fields::alike(one, word))
    });
    if let Some(word) = half.filter(|_| !fields::is_form(text)) {
        return Err(Error::invalid("/documents", half_said(word, name)));
    }
    Ok(absent(name, "no sentence of the document speaks of it", ABSENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_or_not() {
        let contract = "1. Pay. The fee is EUR 90 a month, payable within 14 days.\n2. End. Either side may terminate with a month's notice.\n3. Law. Swedish law applies.";
        // Item, text, present; none where it is not told.
        let cases = [
            ("governing law", contract, Some(true)),
            ("termination", contract, Some(true)),
            ("arbitration", contract, Some(false)),
            ("IBAN", contract, Some(false)),
            ("confidentiality", "She told no third party of it.", None),
            ("colour scheme", contract, None),
            ("Working hours", "Working hours: 38 a week\nPlace: Graz", Some(true)),
            ("Pension", "Working hours: 38 a week\nPlace: Graz", Some(false)),
            ("e-mail", "Write to a@b.example.", Some(true)),
        ];
        for (name, text, expect) in cases {
            let found =
                answer(name, &[Document { name: "document".into(), text: text.into() }], "Check the items").ok();
            assert_eq!(found.filter(|found| !found.is_unknown).and_then(|found| found.item.present), expect, "{name}");
        }
    }
}
