//! A record: its bytes, its seal, and strict parsing.
//!
//! Invariants: `Record::parse` accepts everything that `encode` writes; for every
//! accepted input, `encode` of the parsed record yields the same bytes.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tollbridge_core::limits::RECORD_BYTES_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_store::{Draft, Hash, Posting};

use super::canonical_json;
use super::chart::LedgerAccount;
use super::explanation::explanation;
use crate::limits::SAFE_INTEGER_MAX;

/// Value of the member `v` in every record.
pub(super) const RECORD_VERSION: i64 = 1;

/// A parsed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the record.
    pub seq: u64,
    /// Kind of the record.
    pub kind: String,
    /// Transaction id of the record.
    pub tx: Hash,
    /// Unix time in milliseconds; never less than that of the previous record.
    pub time_ms: u64,
    /// The amounts that the record moves.
    pub postings: Vec<RecordedPosting>,
    /// Seal of the previous record; zeros in the first record.
    pub prev: Hash,
    /// The body, whose members depend on the kind.
    pub body: Map<String, Value>,
}

/// A posting in a parsed record.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPosting {
    /// Name of the ledger account.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// The reason why bytes are not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum RecordError {
    #[error("{0} bytes long, but at most {RECORD_BYTES_MAX} are allowed")]
    TooLong(usize),
    #[error("not a record: {0}")]
    Malformed(String),
    #[error("version {0} is not supported, only version {RECORD_VERSION}")]
    Version(i64),
    #[error("not in canonical form (RFC 8785, integers only)")]
    NotCanonical,
}

/// Returns the SHA-256 of a record's bytes, which the API calls `worm_seal`.
pub fn seal_of(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// Returns the canonical bytes of the record that a draft becomes at its position.
pub(super) fn encode(draft: &Draft, seq: u64, prev: &Hash, time_ms: u64) -> Vec<u8> {
    let legs = draft.postings.iter().map(|posting| (posting.account.as_str(), posting.amount));
    write(&draft.body, draft.kind, legs, prev, seq, time_ms, &draft.tx)
}

impl Record {
    /// Parses a record, which must be in canonical form.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            body: Map<String, Value>,
            kind: String,
            postings: Vec<RecordedPosting>,
            #[serde(with = "hex::serde")]
            prev: Hash,
            seq: u64,
            time_ms: u64,
            #[serde(with = "hex::serde")]
            tx: Hash,
            v: i64,
        }
        if bytes.len() > RECORD_BYTES_MAX {
            return Err(RecordError::TooLong(bytes.len()));
        }
        let members: Members =
            serde_json::from_slice(bytes).map_err(|error| RecordError::Malformed(explanation(&error)))?;
        if members.v != RECORD_VERSION {
            return Err(RecordError::Version(members.v));
        }
        let Members { body, kind, postings, prev, seq, time_ms, tx, v: _ } = members;
        let record = Self { seq, kind, tx, time_ms, postings, prev, body };
        let safe = |number: u64| i64::try_from(number).is_ok_and(canonical_json::is_safe);
        let amounts = record.postings.iter().all(|leg| canonical_json::is_safe(leg.amount.get()));
        let exact = safe(record.seq) && safe(record.time_ms) && amounts;
        if exact && record.bytes() == bytes { Ok(record) } else { Err(RecordError::NotCanonical) }
    }

    /// Returns the parties of the record: ids of accounts and handles of intents that may
    /// read the body.
    pub fn parties(&self) -> BTreeSet<String> {
        let member = |name: &str| self.body.get(name);
        let payer = member("payer");
        // The body also names parties without a posting: the payer of a free call, and
        // the owner of an intent.
        let paying = ["account", "intent"].map(|name| payer?.get(name));
        let queued = payer.and_then(|payer| payer.get("task")?.get("account"));
        let named = ["account", "owner", "intent"].map(member).into_iter().chain(paying).chain([queued]);
        parties(self.postings.iter().map(|leg| leg.account.as_str()), named.flatten().filter_map(Value::as_str))
    }

    /// Returns the canonical bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let legs = self.postings.iter().map(|leg| (leg.account.as_str(), leg.amount));
        let mut body = Vec::with_capacity(1_024);
        canonical_json::object(&mut body, &self.body);
        write(&body, &self.kind, legs, &self.prev, self.seq, self.time_ms, &self.tx)
    }
}

/// Returns the holders of the accounts in the postings, and the other parties that the
/// body names.
pub(super) fn parties<'a>(
    posted: impl Iterator<Item = &'a str>,
    named: impl Iterator<Item = &'a str>,
) -> BTreeSet<String> {
    let posted = posted.filter_map(LedgerAccount::parse);
    let mut parties: BTreeSet<String> = posted.filter_map(|account| account.party().map(str::to_owned)).collect();
    parties.extend(named.map(str::to_owned));
    parties
}

impl From<&Posting> for RecordedPosting {
    fn from(posting: &Posting) -> Self {
        Self { account: posting.account.clone(), amount: posting.amount }
    }
}

/// Writes the members in canonical order. The order is part of the format and never
/// changes.
fn write<'a>(
    body: &[u8],
    kind: &str,
    legs: impl Iterator<Item = (&'a str, Millipence)>,
    prev: &Hash,
    seq: u64,
    time_ms: u64,
    tx: &Hash,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_536);
    out.extend_from_slice(b"{\"body\":");
    out.extend_from_slice(body);
    out.extend_from_slice(b",\"kind\":");
    canonical_json::string(&mut out, kind);
    out.extend_from_slice(b",\"postings\":[");
    for (position, (account, amount)) in legs.enumerate() {
        out.extend_from_slice(if position > 0 { b",{\"account\":" } else { b"{\"account\":" });
        canonical_json::string(&mut out, account);
        out.extend_from_slice(b",\"amount_millipence\":");
        canonical_json::integer(&mut out, amount.get());
        out.push(b'}');
    }
    out.extend_from_slice(b"],\"prev\":\"");
    canonical_json::hex(&mut out, prev);
    out.extend_from_slice(b"\",\"seq\":");
    unsigned(&mut out, seq);
    out.extend_from_slice(b",\"time_ms\":");
    unsigned(&mut out, time_ms);
    out.extend_from_slice(b",\"tx\":\"");
    canonical_json::hex(&mut out, tx);
    out.extend_from_slice(b"\",\"v\":");
    canonical_json::integer(&mut out, RECORD_VERSION);
    out.push(b'}');
    out
}

/// Writes a sequence number or time, limited to values that every JSON reader represents
/// exactly.
fn unsigned(out: &mut Vec<u8>, value: u64) {
    canonical_json::integer(out, i64::try_from(value).unwrap_or(i64::MAX).min(SAFE_INTEGER_MAX));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body() -> Value {
        json!({"z": [1, null, {"é": "\u{1f600}", "\u{ffff}": true}], "a": "tab\there"})
    }

    fn draft() -> Draft {
        let posting = |account: &str, amount| Posting {
            account: account.to_owned(),
            amount: Millipence::new(amount),
            guarded: true,
        };
        let mut bytes = Vec::new();
        canonical_json::value(&mut bytes, &body());
        Draft {
            kind: "event",
            tx: [0xab; 32],
            time_ms: 1_700_000_000_123,
            postings: vec![posting("credit:a", -30_000), posting("platform", 30_000)],
            body: bytes,
        }
    }

    #[test]
    fn the_hand_written_order_is_canonical() {
        let bytes = encode(&draft(), 7, &[1; 32], 1_700_000_000_123);
        let general: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(bytes, serde_json_canonicalizer::to_vec(&general).unwrap());
        let record = Record::parse(&bytes).unwrap();
        assert_eq!((record.seq, record.prev, record.tx), (7, [1; 32], [0xab; 32]));
        assert_eq!(Value::Object(record.body.clone()), body());
        assert_eq!(record.bytes(), bytes);
    }

    #[test]
    fn reads_nothing_but_the_canonical_form() {
        let good = String::from_utf8(encode(&draft(), 7, &[1; 32], 5)).unwrap();
        assert!(Record::parse(good.as_bytes()).is_ok());
        for (from, to) in [
            ("{\"body\"", "{ \"body\""),
            ("\"v\":1}", "\"v\":1.0}"),
            ("\"v\":1}", "\"v\":2}"),
            ("\"v\":1}", "\"v\":1,\"w\":1}"),
            ("\"v\":1}", "\"v\":1}\n"),
            (",\"v\":1}", "}"),
            ("\"v\":1}", "\"v\":1,\"v\":1}"),
            ("\"seq\":7", "\"seq\":07"),
            ("\"seq\":7", "\"seq\":7e0"),
            ("\"seq\":7", "\"seq\":-7"),
            ("\"seq\":7", "\"seq\":9007199254740993"),
            ("-30000", "-30000.5"),
            ("-30000", "-9007199254740993"),
            ("abab", "ABab"),
            ("\\t", "\\u0009"),
            ("tab", "t\\u0061b"),
            ("[1,null", "[1.5,null"),
            ("[1,null", "[9007199254740993,null"),
            ("\"platform\"", "\"platform\",\"guarded\":true"),
        ] {
            assert!(good.contains(from), "{from}");
            let bad = good.replacen(from, to, 1);
            assert!(Record::parse(bad.as_bytes()).is_err(), "{from} -> {to}");
        }
        let long = vec![b' '; RECORD_BYTES_MAX + 1];
        assert_eq!(Record::parse(&long), Err(RecordError::TooLong(long.len())));
    }

    #[test]
    fn depth_is_bounded() {
        let good = String::from_utf8(encode(&draft(), 7, &[1; 32], 5)).unwrap();
        let deep = good.replacen("[1,null", &format!("{}[1,null", "[".repeat(10_000)), 1);
        assert!(matches!(Record::parse(deep.as_bytes()), Err(RecordError::Malformed(_))));
    }
}
