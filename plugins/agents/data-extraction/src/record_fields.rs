//! The fields of one text, and of several records.

use agent_common::request::Request;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::fill::{self, Evidence, Found};
use crate::html;
use crate::labels;
use crate::material::Material;
use crate::outcome::{ALONE, LABELLED, Outcome, WORDED, missing};
use crate::pairs::pairs;
use crate::party::party;
use crate::posting::posting;
use crate::sort::Sort;
use crate::wanted::Wanted;

/// Fields of one text.
pub(crate) fn of_text(request: &Request, fields: &[Wanted], raw: &str) -> Result<Outcome, Error> {
    let (text, html_pairs) = if html::is_html(raw) { html::read(raw) } else { (raw.to_owned(), Vec::new()) };
    let pairs = pairs(request, &text, &html_pairs);
    let labelled = fields.iter().filter(|field| fill::by_label(&pairs, field).is_some()).count();
    let structured = pairs.len() > 2
        && labelled * 2 >= fields.len()
        && labelled > 0
        && !has_prose(&text, &pairs)
        && Material::read(raw).is_form();
    let mut outcome = Outcome { text: text.clone(), confidence: LABELLED, ..Outcome::default() };
    for field in fields {
        let alone = fields.iter().filter(|other| other.sort == field.sort).count() == 1;
        let found = one(&text, &pairs, field, alone);
        put(&mut outcome, &text, field, found, structured)?;
    }
    no_shared(&mut outcome, fields)?;
    Ok(outcome)
}

/// Whether sentences stand beside the labels.
fn has_prose(text: &str, pairs: &[(String, String)]) -> bool {
    let words = text.split_whitespace().count();
    let labelled: usize =
        pairs.iter().map(|(label, value)| label.split_whitespace().count() + value.split_whitespace().count()).sum();
    words > labelled * 3 + 12
}

fn one(text: &str, pairs: &[(String, String)], field: &Wanted, alone: bool) -> Option<Found> {
    if field.many
        && matches!(
            field.sort,
            Sort::Email
                | Sort::Phone
                | Sort::Iban
                | Sort::Url
                | Sort::Hashtag
                | Sort::Mention
                | Sort::Day
                | Sort::Amount
        )
        && let Some(found) = fill::by_form(text, field, alone)
    {
        return Some(found);
    }
    fill::by_label(pairs, field)
        .or_else(|| fill::by_word(text, field))
        .or_else(|| fill::by_form(text, field, alone))
        .or_else(|| party(text, field))
}

fn put(outcome: &mut Outcome, text: &str, field: &Wanted, found: Option<Found>, structured: bool) -> Result<(), Error> {
    match found {
        Some(found) => {
            let level = match found.evidence {
                Evidence::Label => LABELLED,
                Evidence::Word => WORDED,
                Evidence::Form
                    if matches!(field.sort, Sort::Amount | Sort::Day | Sort::Percent | Sort::Time) && !field.many =>
                {
                    ALONE
                }
                Evidence::Form => WORDED,
            };
            outcome.confidence = outcome.confidence.min(level);
            let kind = match found.evidence {
                Evidence::Label => "label",
                Evidence::Word => "words",
                Evidence::Form => "form",
            };
            outcome.raws.push((field.name.clone(), kind.into(), found.raw));
            outcome.values.push((field.name.clone(), found.value));
            Ok(())
        }
        None if (structured && !said(text, field)) || fill::has_none(text, field) => {
            outcome.values.push((field.name.clone(), Value::Null));
            Ok(())
        }
        None => Err(missing(format!(
            "\"{}\" is not labelled in the text, so it cannot be told which words it is: use the words that stand there, or leave it out",
            field.name
        ))),
    }
}

/// Whether the text speaks of a field at all.
fn said(text: &str, field: &Wanted) -> bool {
    labels::ways(&field.words).iter().any(|way| !labels::places(text, way).is_empty())
}

/// One value for two fields was taken for one of them by mistake.
fn no_shared(outcome: &mut Outcome, fields: &[Wanted]) -> Result<(), Error> {
    for (at, (name, value)) in outcome.values.iter().enumerate() {
        let twin = outcome.values.iter().take(at).find(|(_, other)| other == value && !value.is_null());
        let sorts = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.sort);
        if let Some((other, _)) = twin.filter(|(other, _)| {
            sorts(other) == sorts(name)
                && outcome.confidence < LABELLED
                && !matches!(sorts(name), Some(Sort::Amount | Sort::Count | Sort::Percent))
        }) {
            return Err(missing(format!(
                "\"{other}\" and \"{name}\" are not told apart in the text: use the words that stand there"
            )));
        }
    }
    Ok(())
}

/// Fields of several records, each a list.
pub(crate) fn of_items(items: &[String], fields: &[Wanted], text: &str) -> Result<Outcome, Error> {
    let mut outcome = Outcome { text: text.to_owned(), confidence: LABELLED, ..Outcome::default() };
    let mut lists: Vec<Vec<Value>> = vec![Vec::new(); fields.len()];
    for item in items {
        let request = Request { instruction: String::new(), material: Request::read(item).material };
        let own_text = item.clone();
        let pairs = pairs(&request, &own_text, &[]);
        for (field, list) in fields.iter().zip(&mut lists) {
            let alone = fields.iter().filter(|other| other.sort == field.sort).count() == 1;
            let found = posting(&own_text, field, fields).or_else(|| one(&own_text, &pairs, field, alone));
            let mut own = Outcome { confidence: outcome.confidence, ..Outcome::default() };
            put(&mut own, &own_text, field, found, false)?;
            outcome.confidence = own.confidence;
            outcome.raws.extend(own.raws);
            list.extend(own.values.into_iter().map(|(_, value)| value));
        }
    }
    outcome.values =
        fields.iter().map(|field| field.name.clone()).zip(lists.into_iter().map(|list| json!(list))).collect();
    Ok(outcome)
}
