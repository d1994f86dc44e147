//! Queries about money: lists by account, plugin and time; one payment with all its records.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::time::{DAY_MS, now_ms, parse_rfc3339};
use tollbridge_market::accounts::Accounts;
use tollbridge_payment::{BalanceComparison, CallPayments, IntentRow, PaymentDeclined, PaymentError, PaymentService};
use tollbridge_store::Db;

use super::accounts::account_id;
use super::answers::answers;
use super::error::OperatorError;
use super::record_reader::RecordReader;
use super::records::{RecordRow, RecordView};

answers! {
    /// A page of records about money, newest first.
    PaymentsPage { payments: Vec<RecordView>, next: Option<u64> }
    /// A payment with all its records.
    PaymentShown { #[serde(flatten)] payment: PaymentView, events: Vec<RecordView> }
    /// A payment, as commands return it.
    PaymentView {
        #[serde(skip_serializing_if = "Option::is_none")] intent: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] sold: Option<String>,
        state: String,
        #[serde(skip_serializing_if = "Option::is_none")] amount_gbp: Option<String>,
        #[serde(flatten)] paid: Option<PaidView>,
    }
}

/// The payer, the processor and the remainder of a paid intent.
#[expect(missing_docs, reason = "each field has the name of its JSON member")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaidView {
    pub account_id: Option<String>,
    pub refundable_gbp: String,
    pub processor: String,
    pub reference: Option<String>,
}

/// Default number of rows in one list.
const PAGE: usize = 50;
/// Maximum number of rows in one list.
const PAGE_MAX: usize = 1_000;
/// Kinds of records about money.
const MONEY: [&str; 12] = [
    "payment",
    "purchase",
    "topup",
    "grant",
    "goodwill",
    "route",
    "inference",
    "refund",
    "dispute",
    "transfer",
    "earn",
    "withdraw",
];

/// The filter of a list, with parsed times and names.
struct ParsedFilter {
    account: Option<String>,
    plugin: Option<String>,
    kind: Option<String>,
    since_ms: u64,
    until_ms: u64,
}

impl ParsedFilter {
    /// Returns whether a row matches; `None` if the list can stop because no older row
    /// can match.
    fn takes(&self, row: &RecordRow) -> Option<bool> {
        if row.record.time_ms < self.since_ms {
            return None;
        }
        let kind = row.record.kind.as_str();
        let is_kind = self.kind.as_deref().map_or_else(|| MONEY.contains(&kind), |asked| asked == kind);
        let is_plugin = self.plugin.as_deref().is_none_or(|asked| row.sold() == Some(asked));
        let concerns = |account: &str| row.account() == Some(account) || row.record.parties().contains(account);
        let is_account = self.account.as_deref().is_none_or(concerns);
        Some(row.record.time_ms < self.until_ms && is_kind && is_plugin && is_account)
    }
}

/// A filter for lists of payments; omitted members match everything.
#[expect(missing_docs, reason = "each field is named after its command-line option")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaymentFilter {
    pub account: Option<String>,
    pub email: Option<String>,
    pub plugin: Option<String>,
    /// Kind of record: `payment`, `route`, `refund` and so on.
    pub kind: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// Only records below this number.
    pub before: Option<u64>,
    pub limit: Option<usize>,
}

/// The commands for payments.
#[derive(Clone)]
pub(super) struct PaymentCommands {
    pub(super) db: Db,
    pub(super) payments: Arc<CallPayments>,
    pub(super) payment_service: Arc<PaymentService>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) records: RecordReader,
}

impl PaymentCommands {
    /// Lists records of money, newest first.
    pub(super) async fn list(&self, filter: PaymentFilter) -> Result<PaymentsPage, OperatorError> {
        let now_ms = now_ms();
        let account = match (filter.account, filter.email) {
            (Some(account), _) => Some(account_id(&self.accounts, &account)?),
            (None, Some(email)) => Some(account_id(&self.accounts, &email)?),
            (None, None) => None,
        };
        let kept = ParsedFilter {
            account,
            plugin: filter.plugin,
            kind: filter.kind,
            since_ms: filter.since.map_or(Ok(0), |text| moment("since", &text, now_ms))?,
            until_ms: filter.until.map_or(Ok(u64::MAX), |text| moment("until", &text, now_ms))?,
        };
        let limit = filter.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let mut rows = Vec::new();
        let mut next = None;
        let mut take = |row: RecordRow| {
            match kept.takes(&row) {
                None => return ControlFlow::Break(()),
                Some(true) if rows.len() == limit => {
                    next = rows.last().map(|last: &RecordRow| last.record.seq);
                    return ControlFlow::Break(());
                }
                Some(true) => rows.push(row),
                Some(false) => {}
            }
            ControlFlow::Continue(())
        };
        let seen = match &kept.account {
            Some(account) => self.records.walk_account(account, filter.before, &mut take).await?,
            None => self.records.walk_ledger(filter.before, &mut take)?,
        };
        Ok(PaymentsPage { payments: rows.iter().map(RecordRow::view).collect(), next: next.or(seen) })
    }

    /// Shows one payment with all its records. `name` is the intent's id, pay token or
    /// handle, a seal, a transaction id, or the processor's id of the payment.
    pub(super) async fn show(&self, name: &str) -> Result<PaymentShown, OperatorError> {
        let now_ms = now_ms();
        match self.payments.intents.find_paid(name, now_ms) {
            Ok((handle, _)) => return self.show_intent(handle.as_str(), now_ms).await,
            Err(PaymentDeclined::Store(error)) => return Err(error.into()),
            // The intent is unpaid, or was not issued by this host: processors also use
            // the prefix `pi_`. Search the ledger instead.
            Err(_) => {}
        }
        if let Ok(unpaid) = self.payments.intents.status(name, now_ms) {
            let payment = PaymentView {
                intent: Some(unpaid.quote.handle.as_str().to_owned()),
                sold: Some(unpaid.quote.terms.bridge),
                state: if unpaid.expired { "expired" } else { "unpaid" }.to_owned(),
                amount_gbp: Some(unpaid.quote.terms.charge.pounds()),
                paid: None,
            };
            return Ok(PaymentShown { payment, events: Vec::new() });
        }
        let row = self.find_record(name)?.ok_or_else(|| unknown(name))?;
        match row.intent() {
            Some(intent) => self.show_intent(intent, now_ms).await,
            // A payment by credit has no intent: this record is all there is.
            None => {
                let events = vec![row.view()];
                let payment = PaymentView { state: row.record.kind, ..PaymentView::default() };
                Ok(PaymentShown { payment, events })
            }
        }
    }

    async fn show_intent(&self, intent: &str, now_ms: u64) -> Result<PaymentShown, OperatorError> {
        let (handle, paid) = self.payments.intents.find_paid(intent, now_ms).map_err(PaymentError::from)?;
        let mut events = Vec::new();
        let mut state = "paid";
        self.records
            .walk_party(handle.as_str(), &mut |row| {
                match row.record.kind.as_str() {
                    "dispute" => state = "disputed",
                    "refund" if state == "paid" => state = "refunded",
                    _ => {}
                }
                events.push(row.view());
                ControlFlow::Continue(())
            })
            .await?;
        events.reverse();
        let left = self.payment_service.refunds.refundable(&handle, &paid)?;
        let (intent, amount_gbp) = (Some(handle.as_str().to_owned()), Some(paid.charge.pounds()));
        let IntentRow { bridge, account: account_id, processor, reference, .. } = paid;
        let paid = PaidView { account_id, refundable_gbp: left.pounds(), processor, reference };
        let state = state.to_owned();
        let payment = PaymentView { intent, sold: Some(bridge), state, amount_gbp, paid: Some(paid) };
        Ok(PaymentShown { payment, events })
    }

    /// Finds a record by its number, seal, transaction id, intent's handle, request id,
    /// or the processor's reference.
    fn find_record(&self, name: &str) -> Result<Option<RecordRow>, OperatorError> {
        let tx = name.strip_prefix("tx_").and_then(digest);
        let seq = match (tx, digest(name)) {
            (Some(tx), _) => self.db.seq_of_tx(&tx)?,
            (None, Some(seal)) => self.db.seq_of_seal(&seal)?,
            (None, None) => {
                let mut found = None;
                self.records.walk_ledger(None, &mut |row| {
                    let text = |member: &str| row.record.body.get(member).and_then(Value::as_str) == Some(name);
                    if row.intent() == Some(name) || text("reference") || text("request_id") {
                        found = Some(row);
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                })?;
                return Ok(found);
            }
        };
        seq.map(|seq| self.records.row(seq)).transpose()
    }

    /// Records the processor's fees in the ledger, and compares the processor's balance
    /// with the ledger.
    pub(super) async fn reconcile(&self, days: u32) -> Result<BalanceComparison, OperatorError> {
        let now = now_ms();
        let since = now.saturating_sub(u64::from(days).saturating_mul(DAY_MS));
        Ok(self.payment_service.audit.compare(since, now).await?)
    }
}

fn unknown(name: &str) -> OperatorError {
    OperatorError::NotFound(format!(
        "nothing matches {name}; use an intent, a seal, a transaction (tx_…), a request id (req_…) or the \
         processor's name of a payment"
    ))
}

fn digest(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).ok().map(|()| bytes)
}

/// Parses a time, `2026-11-23` or `2026-11-23T10:00:00Z`, or a time before now: `7d`,
/// `24h`, `30m`.
pub(super) fn moment(what: &str, text: &str, now_ms: u64) -> Result<u64, OperatorError> {
    let ago = |unit: char, ms: u64| Some(text.strip_suffix(unit)?.parse::<u64>().ok()?.saturating_mul(ms));
    let ago = ago('d', DAY_MS).or_else(|| ago('h', 3_600_000)).or_else(|| ago('m', 60_000));
    ago.map(|ago| now_ms.saturating_sub(ago))
        .or_else(|| parse_rfc3339(text))
        .or_else(|| parse_rfc3339(&format!("{text}T00:00:00Z")))
        .ok_or_else(|| {
            let known = "a day (2026-11-23), a time (2026-11-23T10:00:00Z) or a time ago (7d, 24h, 30m)";
            OperatorError::Refused(format!("`{what}`: {text} is not a time; use {known}"))
        })
}

impl From<PaymentError> for OperatorError {
    fn from(error: PaymentError) -> Self {
        match error {
            PaymentError::Write(error) => error.into(),
            PaymentError::Declined(problem) => Self::NotFound(problem.to_string()),
            PaymentError::Store(error) => error.into(),
            error => Self::Refused(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_moments_or_how_long_ago() {
        let now = parse_rfc3339("2026-11-26T12:00:00Z").unwrap();
        let at = |text: &str| parse_rfc3339(text).unwrap();
        for (text, expected) in [
            ("2026-11-23", at("2026-11-23T00:00:00Z")),
            ("2026-11-23T10:00:00Z", at("2026-11-23T10:00:00Z")),
            ("1d", at("2026-11-25T12:00:00Z")),
            ("3h", at("2026-11-26T09:00:00Z")),
            ("30m", at("2026-11-26T11:30:00Z")),
        ] {
            assert_eq!(moment("since", text, now).unwrap(), expected, "{text}");
        }
        for text in ["", "yesterday", "-1d", "2026-13-01", "d"] {
            let error = moment("since", text, now).unwrap_err().to_string();
            assert!(error.contains("`since`"), "{text}: {error}");
        }
    }
}
