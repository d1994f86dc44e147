//! Records of the ledger as searchable rows.

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::rfc3339_millis;
use tollbridge_ledger::{Record, seal_of};
use tollbridge_market::accounts::{amount_of, intent_of};

use super::answers::answers;

answers! {
    /// One record, as listed.
    RecordView {
        seq: u64, at: String, kind: String, stage: Option<String>, account_id: Option<String>, sold: Option<String>,
        amount_gbp: Option<String>, intent: Option<String>, reference: Option<String>, request_id: Option<String>,
        transaction_id: String, worm_seal: String,
    }
}

/// One record, and the account of the intent that paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordRow {
    pub(super) record: Record,
    seal: String,
    /// The account of the intent that paid; the record does not name it.
    intent_owner: Option<String>,
}

/// Returns pounds with all decimals.
pub(super) fn exact(amount: Millipence) -> String {
    amount.to_string().replace('£', "")
}

impl RecordRow {
    pub(super) fn of(bytes: &[u8], record: Record) -> Self {
        Self { record, seal: hex::encode(seal_of(bytes)), intent_owner: None }
    }

    /// Returns the row of a record, with the account that owns the intent named in the
    /// record.
    #[must_use]
    pub(super) fn owned_by(self, intent_owner: Option<String>) -> Self {
        Self { intent_owner, ..self }
    }

    /// Returns the account that paid, bought, or is paid, as named by the record.
    pub(super) fn account(&self) -> Option<&str> {
        let body = &self.record.body;
        let payer = body.get("payer");
        let queued = || payer?.get("task")?.get("account");
        let named = body.get("account").or_else(|| payer?.get("account")).or_else(queued);
        named.and_then(Value::as_str).or(self.intent_owner.as_deref())
    }

    /// Returns the name of the sold bridge, agent, product or model.
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

    /// Returns the row in the form that JSON output and tables show.
    pub(super) fn view(&self) -> RecordView {
        let Record { seq, kind, tx, time_ms, body, .. } = &self.record;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        RecordView {
            seq: *seq,
            at: rfc3339_millis(*time_ms),
            kind: kind.clone(),
            stage: owned(self.text("stage")),
            account_id: owned(self.account()),
            sold: owned(self.sold()),
            amount_gbp: amount_of(body).map(exact),
            intent: owned(self.intent()),
            reference: owned(self.text("reference")),
            request_id: owned(self.text("request_id")),
            transaction_id: format!("tx_{}", hex::encode(tx)),
            worm_seal: self.seal.clone(),
        }
    }
}
