//! From a question to a verdict.

use bridge_common::depth;
use std::collections::BTreeMap;

use serde_json::Value;
use tollbridge_sdk::{
    Error,
    ledger::{self, Entry, Verdict},
};

use crate::{Answer, Expectation, digest, input::Question};

/// Levels of a value that is passed on.
const DEPTH_MAX: usize = 48;

/// Looks up, verifies, compares.
pub fn answer(question: Question) -> Result<Answer, Error> {
    let entry = question.id.as_ref().map(|(id, field)| find(id, field)).transpose()?;
    let document = match (question.document, &entry) {
        (Some(document), _) => document,
        (None, Some(entry)) => proof(entry)?,
        (None, None) => return Err(Error::invalid("/id", "give a seal or transaction id, or a proof `document`")),
    };
    let record = question.record.or_else(|| entry.as_ref().and_then(|entry| entry.body.clone()));
    let mut answer = Answer {
        seal: entry.as_ref().map(|entry| entry.seal.clone()),
        seq: entry.as_ref().map(|entry| entry.seq),
        proof: serde_json::from_str(&document).ok().filter(is_shallow),
        ..Answer::default()
    };
    match ledger::verify(&document, record.as_deref())? {
        Verdict::NotProven(why) => answer.reason = Some(why),
        Verdict::Proven(proven) if answer.seal.as_ref().is_some_and(|seal| *seal != proven.seal) => {
            answer.reason = Some(format!("the document proves another record, {}", proven.seal));
        }
        Verdict::Proven(proven) => {
            answer.included = true;
            let record = match record {
                Some(record) => Some(record),
                None => own_record(&document, &proven.seal)?,
            };
            answer.record_checked = record.is_some();
            answer.record = record.as_deref().and_then(|text| serde_json::from_str(text).ok()).filter(is_shallow);
            answer.record_text = record;
            answer.seal = Some(proven.seal);
            answer.seq = Some(proven.seq);
            answer.tree_size = Some(proven.tree_size);
            answer.origin = Some(proven.origin);
            answer.key = Some(proven.key);
        }
    }
    if let Some(request) = &question.request {
        answer.request_matches = digest::matches(answer.record.as_ref(), "/body/request_sha256", request);
    }
    if let Some(text) = &question.answer {
        answer.answer_matches = digest::matches(answer.record.as_ref(), "/body/answer_sha256", text);
    }
    let texts = [
        ("request", question.request.is_some(), answer.request_matches),
        ("answer", question.answer.is_some(), answer.answer_matches),
    ];
    for (name, given, matches) in texts {
        let why = match matches {
            Some(false) => format!("the {name} is not the one that the record has the digest of"),
            None if given => format!("no record of a paid call is visible to you, so the {name} cannot be checked"),
            _ => continue,
        };
        answer.reason.get_or_insert(why);
    }
    compare(&mut answer, question.expect);
    Ok(answer)
}

fn find(id: &str, field: &str) -> Result<Entry, Error> {
    let record = ledger::record(id).map_err(|error| error.at(field))?;
    record.ok_or_else(|| Error::not_found("no record has this seal, and none of yours has this transaction id"))
}

fn proof(entry: &Entry) -> Result<String, Error> {
    let missing = || Error::unavailable("the proof of this record is not ready; ask again in a moment");
    ledger::proof(&entry.seal)?.ok_or_else(missing)
}

/// The record of a proven document, if the caller is a party to it and the document is about it.
fn own_record(document: &str, seal: &str) -> Result<Option<String>, Error> {
    let Some(body) = ledger::record(seal)?.and_then(|entry| entry.body) else { return Ok(None) };
    let fits = matches!(ledger::verify(document, Some(&body))?, Verdict::Proven(_));
    Ok(fits.then_some(body))
}

/// Whether a value is nested so little that it fits into an answer, which the host allows 64 levels.
pub fn is_shallow(value: &Value) -> bool {
    depth::is_shallow(value, DEPTH_MAX)
}

fn compare(answer: &mut Answer, expect: BTreeMap<String, Value>) {
    for (path, expected) in expect {
        let found = answer.record.as_ref().and_then(|record| record.pointer(&path)).cloned();
        let holds = found.as_ref() == Some(&expected);
        answer.expectations.push(Expectation { path, expected, found, holds });
    }
    let failed = answer.expectations.iter().find(|expectation| !expectation.holds);
    if answer.reason.is_none()
        && let Some(failed) = failed
    {
        answer.reason = Some(if answer.record.is_some() {
            format!("the record does not say what was expected at {}", failed.path)
        } else {
            "the record is not visible to you, so what was expected of it cannot be checked".to_owned()
        });
    }
    answer.verified = answer.included && answer.reason.is_none();
}
