//! Queries about money: lists by account, plugin and time; one payment with all its records.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::limits::OPERATOR_RECORDS_PER_LIST_MAX;
use tollbridge_core::time::{DAY_MS, parse_rfc3339};
use tollbridge_ledger::{LedgerError, PartiesError, Record};
use tollbridge_payment::{IntentRow, PaymentDeclined, PaymentError};

use super::answers::answers;
use super::command::PaymentFilter;
use super::error::OperatorError;
use super::records::{RecordRow, RecordView};
use super::service::OperatorService;

answers! {
    /// A page of records about money, newest first.
    PaymentsPage { payments: Vec<RecordView>, next: Option<u64> }
    /// A payment with all its records.
    PaymentShown { #[serde(flatten)] payment: PaymentView, events: Vec<RecordView> }
    /// A payment as shown.
    PaymentView {
        #[serde(skip_serializing_if = "Option::is_none")] intent: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")] sold: Option<String>,
        state: String,
        #[serde(skip_serializing_if = "Option::is_none")] amount_gbp: Option<String>,
        #[serde(flatten)] paid: Option<PaidView>,
    }
}

/// The payer, the processor and the remainder of a paid intent.
#[expect(missing_docs, reason = "each is named as in the JSON answer")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PaidView {
    pub account_id: Option<String>,
    pub refundable_gbp: String,
    pub processor: String,
    pub reference: Option<String>,
}

/// Default number of rows in one list.
const PAGE: usize = 50;
/// Maximum records of one account, and of one of its intents, that one list reads.
const RECORDS_OF_ACCOUNT_MAX: usize = 2_000;
/// Maximum rows of one list.
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

/// The filter of a list.
struct Kept {
    account: Option<String>,
    plugin: Option<String>,
    kind: Option<String>,
    since_ms: u64,
    until_ms: u64,
}

impl Kept {
    /// Returns whether a row matches; none if no older row can match.
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

impl OperatorService {
    /// Lists records of money, newest first.
    pub(super) async fn payment_list(&self, filter: PaymentFilter) -> Result<PaymentsPage, OperatorError> {
        let now_ms = (self.now_ms)();
        let account = match (filter.account, filter.email) {
            (Some(account), _) => Some(self.account_id(&account)?),
            (None, Some(email)) => Some(self.account_id(&email)?),
            (None, None) => None,
        };
        let kept = Kept {
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
            Some(account) => self.walk_account(account, filter.before, &mut take).await?,
            None => self.walk_ledger(filter.before, &mut take)?,
        };
        Ok(PaymentsPage { payments: rows.iter().map(RecordRow::view).collect(), next: next.or(seen) })
    }

    /// Shows one payment with all its records: by its intent's id, pay token or handle, by a seal,
    /// a transaction or the processor's name of it.
    pub(super) async fn payment_show(&self, name: &str) -> Result<PaymentShown, OperatorError> {
        let now_ms = (self.now_ms)();
        match self.payments.intents.find_paid(name, now_ms) {
            Ok((handle, _)) => return self.show_intent(handle.as_str(), now_ms).await,
            Err(PaymentDeclined::Store(error)) => return Err(error.into()),
            // Not paid, or not an intent of this host: processors also use the prefix `pi_`.
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
            // A payment by credit has no intent: the record is complete.
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
        self.walk_party(handle.as_str(), None, &mut |row| {
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

    /// Finds a record by number, seal, transaction, intent's handle, request id or reference.
    fn find_record(&self, name: &str) -> Result<Option<RecordRow>, OperatorError> {
        let tx = name.strip_prefix("tx_").and_then(digest);
        let seq = match (tx, digest(name)) {
            (Some(tx), _) => self.db.seq_of_tx(&tx)?,
            (None, Some(seal)) => self.db.seq_of_seal(&seal)?,
            (None, None) => {
                let mut found = None;
                self.walk_ledger(None, &mut |row| {
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
        seq.map(|seq| self.row(seq)).transpose()
    }

    /// Returns the id of an account by its id or the e-mail address that it signed up with.
    pub(super) fn account_id(&self, name: &str) -> Result<String, OperatorError> {
        if !name.contains('@') {
            return Ok(self.accounts.account(name)?.id);
        }
        let account = self.accounts.by_email(name)?;
        account.map(|account| account.id).ok_or_else(|| OperatorError::NotFound(format!("no account has {name}")))
    }

    /// Visits records that concern a party, newest first. Returns the position where it stopped,
    /// unless it reached the end.
    pub(super) async fn walk_party(
        &self,
        party: &str,
        before: Option<u64>,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<Option<u64>, OperatorError> {
        let parties = &self.accounts.history.parties;
        parties.up_to_date().await?;
        let mut below = before;
        loop {
            let numbers = parties.newest(party, below, PAGE)?;
            for seq in &numbers {
                if take(self.row(*seq)?).is_break() {
                    return Ok(None);
                }
            }
            let (Some(last), true) = (numbers.last(), numbers.len() == PAGE) else { return Ok(None) };
            below = Some(*last);
        }
    }

    /// Visits records that concern an account, and those of the intents that it paid: a call paid
    /// by an intent names only the intent.
    async fn walk_account(
        &self,
        account: &str,
        before: Option<u64>,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<Option<u64>, OperatorError> {
        let parties = &self.accounts.history.parties;
        parties.up_to_date().await?;
        let mut numbers: BTreeSet<u64> = parties.newest(account, before, RECORDS_OF_ACCOUNT_MAX)?.into_iter().collect();
        let oldest = numbers.first().copied().filter(|_| numbers.len() == RECORDS_OF_ACCOUNT_MAX);
        // An intent paid before this page may have been spent within it.
        for seq in parties.newest(account, None, RECORDS_OF_ACCOUNT_MAX)? {
            let row = self.row(seq)?;
            if let ("payment", Some(intent)) = (row.record.kind.as_str(), row.intent()) {
                numbers.extend(parties.newest(intent, before, RECORDS_OF_ACCOUNT_MAX)?);
            }
        }
        for seq in numbers.into_iter().rev() {
            if take(self.row(seq)?).is_break() {
                return Ok(None);
            }
        }
        Ok(oldest)
    }

    /// Visits all records, newest first, within the number that one list reads. Returns the
    /// position where it stopped, if there are more.
    pub(super) fn walk_ledger(
        &self,
        before: Option<u64>,
        take: &mut impl FnMut(RecordRow) -> ControlFlow<()>,
    ) -> Result<Option<u64>, OperatorError> {
        let size = self.notary.ledger().head()?.size;
        let mut end = before.unwrap_or(size).min(size);
        let last = end.saturating_sub(OPERATOR_RECORDS_PER_LIST_MAX);
        while end > last {
            let start = end.saturating_sub(256).max(last);
            let mut page = Vec::new();
            for record in self.notary.ledger().records(start..end) {
                let (seq, bytes) = record?;
                let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
                page.push(RecordRow::of(&bytes, record));
            }
            for row in page.into_iter().rev() {
                if take(self.with_owner(row)?).is_break() {
                    return Ok(None);
                }
            }
            end = start;
        }
        Ok((last > 0).then_some(last))
    }

    pub(super) fn row(&self, seq: u64) -> Result<RecordRow, OperatorError> {
        let found = self.notary.ledger().record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        self.with_owner(RecordRow::of(&found.0, found.1))
    }

    fn with_owner(&self, row: RecordRow) -> Result<RecordRow, OperatorError> {
        let (None, Some(intent)) = (row.account(), row.intent()) else { return Ok(row) };
        let owner = match self.payments.intents.find_paid(intent, (self.now_ms)()) {
            Ok((_, paid)) => paid.account,
            Err(PaymentDeclined::Store(error)) => return Err(error.into()),
            Err(_) => None,
        };
        Ok(row.owned_by(owner))
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

/// Parses `2026-11-23`, `2026-11-23T10:00:00Z`, or a time ago: `7d`, `24h`, `30m`.
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

impl From<PartiesError> for OperatorError {
    fn from(error: PartiesError) -> Self {
        match error {
            PartiesError::Behind => Self::Refused(error.to_string()),
            error => Self::Failed(error.to_string()),
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
