//! Disputes: their stage, the money that they took, and the remaining steps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use futures_util::future::join_all;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::{Dispute, DisputeStage, Entry, LedgerError, Notary, Payer, RecordSummary};
use tollbridge_payment::DisputeCase;

use super::answers::answers;
use super::error::OperatorError;
use super::payments::{PaymentCommands, PaymentShown};
use super::record_reader::RecordReader;
use super::records::{RecordRow, RecordView, exact};
use crate::limits::OPERATOR_RECORDS_PER_LIST_MAX;

answers! {
    /// Disputes, the most recently changed first, and the processor's ids of those that
    /// are not in the books.
    Disputes { disputes: Vec<DisputeView>, not_in_the_books: Vec<String>, incomplete: bool }
    /// A dispute in the answer of a command.
    DisputeView {
        dispute_id: String, stage: String, what_to_do: String,
        #[serde(flatten)] booked: Option<BookedView>,
        #[serde(flatten)] case: Option<CaseView>,
        #[serde(skip_serializing_if = "Option::is_none")] processor_silent: Option<Option<String>>,
    }
    /// The records of a dispute in the books.
    BookedView {
        opened_at: Option<String>, changed_at: Option<String>, amount_gbp: Option<String>, account_id: Option<String>,
        intent: Option<String>, taken: Vec<TakenView>, came_back_gbp: Option<String>, evidence_sent: Option<u64>,
    }
    /// The processor's details of a dispute.
    CaseView {
        processor_status: Option<String>, reason: Option<String>, evidence_due_at: Option<String>,
        dashboard: Option<String>,
    }
    /// An amount that a dispute took.
    TakenView { from: String, account_id: Option<String>, amount_gbp: String }
    /// A dispute with its records and the disputed payment.
    DisputeShown {
        #[serde(flatten)] dispute: DisputeView,
        events: Vec<RecordView>,
        #[serde(skip_serializing_if = "Option::is_none")] payment: Option<Option<PaymentShown>>,
    }
}

/// Kind of the records.
const DISPUTE: &str = "dispute";
/// Number of records read before checking whether older ones are needed.
const RECORDS_AT_ONCE: u64 = 4_096;
/// Number of disputes in one list.
const PAGE: usize = 50;
const PAGE_MAX: usize = 500;
/// Maximum number of disputes in one list whose status is requested from the processor,
/// one request each.
const CASE_REQUESTS_MAX: usize = 20;

/// A dispute, as assembled from its records.
pub(super) struct AssembledDispute {
    id: String,
    account: Option<String>,
    intent: Option<String>,
    opened: Option<Dispute>,
    opened_ms: Option<u64>,
    changed_ms: u64,
    is_won: bool,
    /// Amount that was returned, before the dispute ended, to the accounts that had borne
    /// its cost.
    relieved: Millipence,
}

impl AssembledDispute {
    /// Creates a dispute whose newest record is `row`; the caller then adds its records.
    fn new(row: &RecordRow, dispute: &Dispute) -> Self {
        Self {
            id: dispute.dispute.clone(),
            account: row.account().map(str::to_owned),
            intent: row.intent().map(str::to_owned),
            opened: None,
            opened_ms: None,
            changed_ms: row.record.time_ms,
            is_won: false,
            relieved: Millipence::ZERO,
        }
    }

    fn add(&mut self, row: &RecordRow, dispute: Dispute) {
        match dispute.stage {
            DisputeStage::Won => self.is_won = true,
            DisputeStage::Relieved => {
                self.relieved = self.relieved.checked_add(dispute.amount).unwrap_or(self.relieved);
            }
            DisputeStage::Opened => {
                self.opened_ms = Some(row.record.time_ms);
                self.opened = Some(dispute);
            }
        }
    }

    /// Returns whether the dispute is not won. A lost dispute leaves no record, so it
    /// counts as open.
    pub(super) const fn is_open(&self) -> bool {
        !self.is_won
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn amount(&self) -> Option<Millipence> {
        self.opened.as_ref().map(|opened| opened.amount)
    }

    /// Returns the amounts that the dispute took, with the accounts that they were taken
    /// from.
    fn taken(&self) -> Vec<TakenView> {
        let Some(opened) = &self.opened else { return Vec::new() };
        let mut taken = Vec::new();
        let mut take = |from: &str, account: Option<&str>, amount: Millipence| {
            if !amount.is_zero() {
                let (from, account_id) = (from.to_owned(), account.map(str::to_owned));
                taken.push(TakenView { from, account_id, amount_gbp: exact(amount) });
            }
        };
        let payer = match &opened.payer {
            Payer::Intent(_) => "the unspent remainder of the payment",
            Payer::Account(_) | Payer::Task { .. } => "the payer's credit",
        };
        take(payer, self.account.as_deref(), opened.recovered);
        let mut borne = opened.recovered;
        if let Some(part) = &opened.credit {
            take("credit made from the payment", Some(&part.account), part.amount);
            borne = borne.checked_add(part.amount).unwrap_or(borne);
        }
        for part in &opened.held {
            take("earnings on hold", Some(&part.account), part.amount);
            borne = borne.checked_add(part.amount).unwrap_or(borne);
        }
        take("the house (written off)", None, opened.amount.checked_sub(borne).unwrap_or_default());
        taken
    }

    fn view(&self, case: &Result<Option<DisputeCase>, String>) -> DisputeView {
        let known = case.as_ref().ok().and_then(Option::as_ref);
        let stage = stage(self.is_won, known);
        DisputeView {
            dispute_id: self.id.clone(),
            stage: stage.to_owned(),
            what_to_do: next_action(stage, known).to_owned(),
            booked: Some(BookedView {
                opened_at: self.opened_ms.map(rfc3339),
                changed_at: Some(rfc3339(self.changed_ms)),
                amount_gbp: self.amount().map(exact),
                account_id: self.account.clone(),
                intent: self.intent.clone(),
                taken: self.taken(),
                came_back_gbp: (!self.relieved.is_zero()).then(|| exact(self.relieved)),
                evidence_sent: known.map(|case| case.evidence_sent),
            }),
            case: Some(known.map(CaseView::of).unwrap_or_default()),
            processor_silent: Some(case.as_ref().err().cloned()),
        }
    }
}

/// Returns the stage of the dispute. A lost dispute changes nothing in the books, so only the
/// processor can report it.
fn stage(is_won: bool, case: Option<&DisputeCase>) -> &'static str {
    match (is_won, case.map(|case| case.status.as_str())) {
        (true, _) => "won",
        (false, Some("lost")) => "lost",
        (false, Some("under_review")) => "under review",
        (false, _) => "open",
    }
}

impl CaseView {
    /// Converts the processor's details and adds the link to the payment in the
    /// processor's dashboard, where disputes are answered.
    fn of(case: &DisputeCase) -> Self {
        let test = if case.is_live { "" } else { "test/" };
        let link = |payment: &String| format!("https://dashboard.stripe.com/{test}payments/{payment}");
        Self {
            processor_status: Some(case.status.clone()),
            reason: case.reason.clone(),
            evidence_due_at: case.evidence_due_s.map(|due_s| rfc3339(due_s.saturating_mul(1_000))),
            dashboard: case.payment.as_ref().map(link),
        }
    }
}

fn next_action(stage: &str, case: Option<&DisputeCase>) -> &'static str {
    let sent = case.is_some_and(|case| case.evidence_sent > 0);
    match stage {
        "won" => "No action needed: the dispute is won, and all amounts that it took were returned.",
        "lost" => "No action possible: the dispute is lost. The buyer keeps the money; nothing is returned.",
        "under review" => "Wait: the bank decides. This takes weeks, and no evidence can be added.",
        _ if sent => "Evidence was sent. Check in the processor's dashboard whether the bank asks for more.",
        _ => {
            "Answer it in the processor's dashboard before the deadline: Tollbridge cannot upload evidence. The sealed \
             records of the calls that were paid for are evidence of what was delivered (tollbridge ledger proof SEAL)."
        }
    }
}

/// The commands for disputes.
pub(super) struct DisputeCommands {
    pub(super) payments: PaymentCommands,
}

impl DisputeCommands {
    /// Lists disputes, the most recently changed first, and disputes that are not in the
    /// books. If `ask` is set, also requests the processor's status of open disputes.
    pub(super) async fn list(&self, limit: Option<usize>, ask: bool) -> Result<Disputes, OperatorError> {
        let (assembled, more) =
            disputes_from_records(&self.payments.records, limit.unwrap_or(PAGE).clamp(1, PAGE_MAX), 0).await?;
        let unbooked = self.payments.payment_service.disputes.unbooked()?;
        let mut left = if ask { CASE_REQUESTS_MAX } else { 0 };
        let cases = assembled.iter().map(|dispute| {
            let asked = dispute.is_open() && left > 0;
            left = left.saturating_sub(usize::from(asked));
            async move { if asked { self.case(dispute.id()).await } else { Ok(None) } }
        });
        // Build all requests before sending them concurrently: whether to send one
        // depends on how many were built before it.
        let cases = join_all(cases.collect::<Vec<_>>()).await;
        let disputes = assembled.iter().zip(&cases).map(|(dispute, case)| dispute.view(case)).collect();
        Ok(Disputes { disputes, not_in_the_books: unbooked, incomplete: more })
    }

    /// Shows one dispute, with all its records and those of the disputed payment.
    pub(super) async fn show(&self, id: &str) -> Result<DisputeShown, OperatorError> {
        let disputes = &self.payments.payment_service.disputes;
        let Some(first) = disputes.opened_seq(id)? else { return self.show_unopened(id).await };
        let opened = self.payments.records.row(first)?;
        let rows = self.rows(id, &opened).await?;
        let mut assembled = None;
        for row in rows.values().rev() {
            let Some(dispute) = dispute_of(row) else { continue };
            assembled.get_or_insert_with(|| AssembledDispute::new(row, &dispute)).add(row, dispute);
        }
        let assembled = assembled.ok_or_else(|| unknown(id))?;
        let dispute = assembled.view(&self.case(id).await);
        let payment = match &assembled.intent {
            Some(intent) => self.payments.show(intent).await.ok(),
            None => None,
        };
        Ok(DisputeShown { dispute, events: rows.values().map(RecordRow::view).collect(), payment: Some(payment) })
    }

    /// Returns the records of a dispute by number: those that concern the payer, and
    /// those that concern the account of the payment, whose credit may cover a part of
    /// the dispute.
    async fn rows(&self, id: &str, opened: &RecordRow) -> Result<BTreeMap<u64, RecordRow>, OperatorError> {
        let payer = match dispute_of(opened).ok_or_else(|| unknown(id))?.payer {
            Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
        };
        let parties: BTreeSet<String> = std::iter::once(payer).chain(opened.account().map(str::to_owned)).collect();
        let (records, mut rows) = (&self.payments.records, BTreeMap::new());
        for party in parties {
            records
                .walk_party(&party, &mut |row| {
                    if row.record.seq < opened.record.seq {
                        return ControlFlow::Break(());
                    }
                    if dispute_of(&row).is_some_and(|dispute| dispute.dispute == id) {
                        rows.insert(row.record.seq, row);
                    }
                    ControlFlow::Continue(())
                })
                .await?;
        }
        Ok(rows)
    }

    /// Shows a dispute that took nothing here: an inquiry, a dispute that could not be booked, or
    /// one about another payment.
    async fn show_unopened(&self, id: &str) -> Result<DisputeShown, OperatorError> {
        let waits = self.payments.payment_service.disputes.unbooked()?.iter().any(|one| one == id);
        let case = self.case(id).await;
        let Some(found) = case.as_ref().ok().and_then(Option::as_ref).filter(|_| !waits) else {
            match case {
                Err(silent) if !waits => {
                    let why =
                        format!("dispute {id} is not in the books, and the processor returns no details: {silent}");
                    return Err(OperatorError::NotFound(why));
                }
                Ok(_) if !waits => return Err(unknown(id)),
                _ => {}
            }
            let todo =
                "It is retried automatically; tollbridge payment reconcile retries at once and says why it fails.";
            let unbooked = DisputeView { processor_silent: Some(case.err()), ..DisputeView::default() };
            return Ok(unopened(id, "not in the books", todo, unbooked));
        };
        let (stage, todo) = match found.status.starts_with("warning_") {
            true => ("inquiry", "No money was taken yet. Answer in the processor's dashboard to prevent a dispute."),
            false => (
                "not of this ledger",
                "Its payment is not in this ledger: it is for another sale, or its event has not arrived yet.",
            ),
        };
        let asked = DisputeView { case: Some(CaseView::of(found)), ..DisputeView::default() };
        Ok(unopened(id, stage, todo, asked))
    }

    async fn case(&self, id: &str) -> Result<Option<DisputeCase>, String> {
        self.payments.payment_service.disputes.case(id).await.map_err(|error| error.to_string())
    }
}

/// Returns the disputes with the newest records, back to `since_ms`, and whether there
/// may be further ones.
pub(super) async fn disputes_from_records(
    records: &RecordReader,
    limit: usize,
    since_ms: u64,
) -> Result<(Vec<AssembledDispute>, bool), OperatorError> {
    let notary = records.notary.clone();
    let reading = tokio::task::spawn_blocking(move || dispute_numbers(&notary, since_ms));
    let (numbers, mut more) = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
    let mut assembled: Vec<AssembledDispute> = Vec::new();
    for seq in numbers {
        let row = records.row(seq)?;
        let Some(dispute) = dispute_of(&row) else { continue };
        let shown = assembled.len();
        match assembled.iter_mut().find(|entry| entry.id == dispute.dispute) {
            Some(entry) => entry.add(&row, dispute),
            None if shown < limit => {
                let mut entry = AssembledDispute::new(&row, &dispute);
                entry.add(&row, dispute);
                assembled.push(entry);
            }
            // A further dispute, beyond the limit. Continue: older records of the listed
            // disputes may follow.
            None => more = true,
        }
    }
    Ok((assembled, more))
}

/// Returns the numbers of dispute records back to `since_ms`, newest first, and whether
/// older records were left unread because one list reads a limited number. Blocks.
fn dispute_numbers(notary: &Notary, since_ms: u64) -> Result<(Vec<u64>, bool), OperatorError> {
    let ledger = notary.ledger();
    let mut end = ledger.head()?.size;
    let last = end.saturating_sub(OPERATOR_RECORDS_PER_LIST_MAX);
    let mut found = Vec::new();
    while end > last {
        let start = end.saturating_sub(RECORDS_AT_ONCE).max(last);
        let (mut page, mut first_ms) = (Vec::new(), None);
        for record in ledger.records(start..end) {
            let (seq, bytes) = record?;
            // Read the summary only: parsing each record in full would cost several times
            // as much.
            let summary = RecordSummary::of(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
            first_ms.get_or_insert(summary.time_ms);
            if summary.kind == DISPUTE && summary.time_ms >= since_ms {
                page.push(seq);
            }
        }
        found.extend(page.into_iter().rev());
        // Times never decrease, so all earlier records are too old.
        if first_ms.is_some_and(|ms| ms < since_ms) {
            return Ok((found, false));
        }
        end = start;
    }
    Ok((found, last > 0))
}

fn dispute_of(row: &RecordRow) -> Option<Dispute> {
    if row.record.kind != DISPUTE {
        return None;
    }
    match Entry::read(&row.record.kind, &row.record.body) {
        Ok(Entry::Dispute(dispute)) => Some(dispute),
        _ => None,
    }
}

fn unopened(id: &str, stage: &str, todo: &str, known: DisputeView) -> DisputeShown {
    let (dispute_id, stage, what_to_do) = (id.to_owned(), stage.to_owned(), todo.to_owned());
    let dispute = DisputeView { dispute_id, stage, what_to_do, ..known };
    DisputeShown { dispute, ..DisputeShown::default() }
}

fn unknown(id: &str) -> OperatorError {
    let id = tollbridge_core::excerpt::excerpt(id, 64);
    OperatorError::NotFound(format!("there is no dispute {id}; use the processor's id, such as dp_…"))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tollbridge_ledger::Released;

    use super::*;

    fn part(account: &str, amount: i64) -> Released {
        Released { account: account.to_owned(), amount: Millipence::new(amount) }
    }

    fn assembled(opened: Dispute) -> AssembledDispute {
        AssembledDispute {
            id: opened.dispute.clone(),
            account: Some("acct_1".to_owned()),
            intent: None,
            opened: Some(opened),
            opened_ms: Some(0),
            changed_ms: 0,
            is_won: false,
            relieved: Millipence::ZERO,
        }
    }

    fn case(status: &str, evidence_sent: u64) -> DisputeCase {
        DisputeCase {
            status: status.to_owned(),
            reason: Some("fraudulent".to_owned()),
            payment: Some("pi_1".to_owned()),
            evidence_due_s: Some(86_400),
            evidence_sent,
            is_live: false,
        }
    }

    fn opened() -> Dispute {
        Dispute {
            amount: Millipence::new(500_000),
            credit: Some(part("acct_1", 100_000)),
            dispute: "dp_1".to_owned(),
            held: vec![part("acct_dev", 50_000)],
            payer: Payer::Account("acct_1".to_owned()),
            recovered: Millipence::new(300_000),
            stage: DisputeStage::Opened,
        }
    }

    #[test]
    fn the_amounts_taken_sum_to_the_dispute() {
        let taken = assembled(opened()).taken();
        let taken: Vec<_> = taken.iter().map(|row| (row.amount_gbp.as_str(), row.account_id.as_deref())).collect();
        let to_accounts = [("3.00", Some("acct_1")), ("1.00", Some("acct_1")), ("0.50", Some("acct_dev"))];
        assert_eq!(taken, [&to_accounts[..], &[("0.50", None)]].concat());
    }

    #[test]
    fn only_the_processor_knows_what_is_lost() {
        let json =
            |case: &Result<Option<DisputeCase>, String>| serde_json::to_value(assembled(opened()).view(case)).unwrap();
        let view = json(&Ok(None));
        assert_eq!((&view["stage"], view.get("evidence_due_at")), (&"open".into(), Some(&Value::Null)));
        assert_eq!(json(&Ok(Some(case("lost", 0))))["stage"], "lost");
        let view = json(&Ok(Some(case("needs_response", 0))));
        assert_eq!(view["evidence_due_at"], "1970-01-02T00:00:00Z");
        assert_eq!(view["dashboard"], "https://dashboard.stripe.com/test/payments/pi_1");
        assert!(view["what_to_do"].as_str().unwrap().contains("cannot upload evidence"));
        let sent = json(&Ok(Some(case("needs_response", 1))));
        assert!(sent["what_to_do"].as_str().unwrap().starts_with("Evidence was sent"));
        let silent = json(&Err("it did not answer".to_owned()));
        assert_eq!((&silent["processor_silent"], &silent["stage"]), (&"it did not answer".into(), &"open".into()));
        let won = AssembledDispute { is_won: true, ..assembled(opened()) };
        assert!(!won.is_open() && won.view(&Ok(None)).stage == "won");
    }
}
