//! Reads and proves records through the host.

use super::record::{Entry, Verdict};
use crate::{error::Error, host};

/// Returns the record with this seal (64 hexadecimal digits, `X-Worm-Seal`) or
/// transaction id (`tx_` and 64 digits, `X-Transaction-Id`); `None` if there is no such
/// record. A transaction id is found only if the calling account is a party to its
/// record. For a malformed id, the error is `invalid-input` without a field: add the
/// field with [`Error::at`].
pub fn record(id: &str) -> Result<Option<Entry>, Error> {
    host::ledger_record(id)
}

/// Returns the proof document of the record with this seal, as JSON text like that of
/// `GET /v1/ledger/proof/{seal}`: inclusion proof and signed checkpoint. Returns `None`
/// if there is no such record; errors are as for [`record`].
pub fn proof(seal: &str) -> Result<Option<String>, Error> {
    host::ledger_proof(seal)
}

/// Verifies a proof document with the host's verifier, which trusts only this host's
/// keys. If the record's canonical text is given, also checks that the document is about
/// that record.
pub fn verify(document: &str, record: Option<&str>) -> Result<Verdict, Error> {
    host::ledger_verify(document, record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Doubles, Ledger};

    #[test]
    fn doubles_know_what_was_stated() {
        let seal = "ab".repeat(32);
        let tx = format!("tx_{}", "cd".repeat(32));
        let stated = serde_json::json!({
            "records": [{"seal": seal, "seq": 4, "body": "{}", "transaction_id": tx}],
            "proofs": [{"seal": seal, "seq": 4, "tree_size": 9, "checkpoint": "example.org/ledger\n9\n"}],
        });
        let ledger: Ledger = serde_json::from_value(stated).expect("a ledger");
        let (done, _) = Doubles::new().ledger(ledger).run(|| {
            let entry = record(&tx)?;
            assert_eq!(entry, record(&seal)?);
            assert_eq!(entry.and_then(|entry| entry.body), Some("{}".into()));
            assert_eq!(record(&"0".repeat(64))?, None);
            assert_eq!(record("x").map_err(|error| error.at("id").field().map(str::to_owned)), Err(Some("/id".into())));
            let document = proof(&seal)?.unwrap_or_default();
            let Verdict::Proven(proven) = verify(&document, Some("{}"))? else { panic!("not proven") };
            assert_eq!((proven.seq, proven.tree_size, proven.record_checked), (4, 9, true));
            assert_eq!(proven.origin, "example.org/ledger");
            for (document, record) in [("{}", None), (document.as_str(), Some("[]")), ("x", None)] {
                assert!(matches!(verify(document, record)?, Verdict::NotProven(_)));
            }
            Ok::<_, Error>(())
        });
        assert_eq!(done, Ok(()));
    }
}
