//! Records of the ledger as rows that people search: who, what, how much.

use serde_json::{Value, json};
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::{Record, seal_of};
use tollbridge_market::accounts::{amount_of, intent_of};

/// One record, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordRow {
    pub(super) record: Record,
    seal: String,
}

impl RecordRow {
    pub(super) fn of(bytes: &[u8], record: Record) -> Self {
        Self { record, seal: hex::encode(seal_of(bytes)) }
    }

    /// Who paid, bought, or is paid: the account that the record names.
    pub(super) fn account(&self) -> Option<&str> {
        let body = &self.record.body;
        let payer = body.get("payer");
        let queued = || payer?.get("task")?.get("account");
        body.get("account").or_else(|| payer?.get("account")).or_else(queued)?.as_str()
    }

    /// The bridge, agent, product or model.
    pub(super) fn sold(&self) -> Option<&str> {
        ["plugin", "bridge", "product", "agent", "model"]
            .into_iter()
            .find_map(|member| self.record.body.get(member))?
            .as_str()
    }

    pub(super) fn intent(&self) -> Option<&str> {
        intent_of(&self.record.body)
    }

    pub(super) fn seal(&self) -> &str {
        &self.seal
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.record.body.get(member)?.as_str()
    }

    /// For programs and tables.
    pub(super) fn view(&self) -> Value {
        let Record { seq, kind, tx, time_ms, body, .. } = &self.record;
        json!({
            "seq": seq,
            "at": rfc3339(*time_ms),
            "kind": kind,
            "stage": self.text("stage"),
            "account_id": self.account(),
            "sold": self.sold(),
            "amount_gbp": amount_of(body).map(|amount| amount.pounds()),
            "intent": self.intent(),
            "reference": self.text("reference"),
            "request_id": self.text("request_id"),
            "transaction_id": format!("tx_{}", hex::encode(tx)),
            "worm_seal": self.seal,
        })
    }
}
