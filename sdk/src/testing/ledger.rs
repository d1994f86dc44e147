//! A test double of the ledger, with the records and proofs that a test specifies.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::Error,
    ledger::record::{Entry, Proven, Verdict},
};

/// Contents of the ledger that a test specifies. Signatures are not checked: a proof
/// document is valid if it is in `proofs`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ledger {
    records: Vec<Stated>,
    /// Proof documents as returned by `GET /v1/ledger/proof/{seal}`.
    proofs: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    seal: String,
    seq: u64,
    /// Canonical text of the record, if the caller is a party to it.
    body: Option<String>,
    /// Transaction id, by which the record can also be found.
    transaction_id: Option<String>,
}

impl Ledger {
    /// Answers a call of `ledger.record`.
    pub fn record(&self, id: &str) -> Result<Option<Entry>, Error> {
        let id = match id.strip_prefix("tx_") {
            Some(digits) => format!("tx_{}", hash(digits)?),
            None => hash(id)?,
        };
        let is = |stated: &&Stated| stated.seal == id || stated.transaction_id.as_ref() == Some(&id);
        let record = self.records.iter().find(is);
        Ok(record.map(|stated| Entry { seal: stated.seal.clone(), seq: stated.seq, body: stated.body.clone() }))
    }

    /// Answers a call of `ledger.proof`.
    pub fn proof(&self, seal: &str) -> Result<Option<String>, Error> {
        let seal = hash(seal)?;
        let document = self.proofs.iter().find(|document| text(document, "seal") == Some(&seal));
        Ok(document.map(Value::to_string))
    }

    /// Answers a call of `ledger.verify`.
    pub fn verify(&self, document: &str, record: Option<&str>) -> Verdict {
        let known = |document: Value| self.proofs.contains(&document).then_some(document);
        let Some(document) = serde_json::from_str(document).ok().and_then(known) else {
            return Verdict::NotProven("the proof is not among those that the test states".into());
        };
        let seal = text(&document, "seal").unwrap_or_default().to_owned();
        let body = self.records.iter().find(|stated| stated.seal == seal).and_then(|stated| stated.body.as_deref());
        if record.is_some() && record != body {
            return Verdict::NotProven("the record does not match the proof".into());
        }
        let number = |member: &str| document.get(member).and_then(Value::as_u64).unwrap_or_default();
        let origin = text(&document, "checkpoint").and_then(|note| note.lines().next()).unwrap_or_default();
        Verdict::Proven(Proven {
            seal,
            seq: number("seq"),
            tree_size: number("tree_size"),
            origin: origin.to_owned(),
            key: "stated by a test".into(),
            record_checked: record.is_some(),
        })
    }
}

fn text<'d>(document: &'d Value, member: &str) -> Option<&'d str> {
    document.get(member).and_then(Value::as_str)
}

/// Parses a seal or transaction id, as the host does.
fn hash(id: &str) -> Result<String, Error> {
    if id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(id.to_ascii_lowercase());
    }
    Err(Error::invalid("", "a seal is 64 hexadecimal digits, a transaction id tx_ and 64 digits"))
}
