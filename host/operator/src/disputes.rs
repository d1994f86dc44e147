//! Disputes: their stage, the money that they took, and the remaining steps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tollbridge_core::limits::OPERATOR_RECORDS_PER_LIST_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::{Dispute, DisputeStage, Entry, LedgerError, Notary, Payer, RecordSummary};
use tollbridge_payment::DisputeCase;

use super::error::OperatorError;
use super::records::{RecordRow, exact};
use super::service::OperatorService;

/// Kind of the records.
const DISPUTE: &str = "dispute";
/// Number of records read before checking whether older ones are needed.
const RECORDS_AT_ONCE: u64 = 4_096;
/// Number of disputes in one list.
const PAGE: usize = 50;
const PAGE_MAX: usize = 500;
/// Maximum disputes of one list that are queried at the processor: each is a request.
const ASKED_MAX: usize = 20;

/// A dispute, as assembled from its records.
pub(super) struct Story {
    id: String,
    account: Option<String>,
    intent: Option<String>,
    opened: Option<Dispute>,
    opened_ms: Option<u64>,
    changed_ms: u64,
    is_won: bool,
    /// Amount returned to the accounts that bore it, before the dispute ended.
    relieved: Millipence,
}

impl Story {
    /// Starts from the last known record of a dispute.
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

    fn tell(&mut self, row: &RecordRow, dispute: Dispute) {
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

    /// Returns whether the buyer still has the money.
    pub(super) const fn is_open(&self) -> bool {
        !self.is_won
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn amount(&self) -> Option<Millipence> {
        self.opened.as_ref().map(|opened| opened.amount)
    }

    /// Returns the amounts that the dispute took, with their sources.
    fn taken(&self) -> Vec<Value> {
        let Some(opened) = &self.opened else { return Vec::new() };
        let mut taken = Vec::new();
        let mut take = |from: &str, account: Option<&str>, amount: Millipence| {
            if !amount.is_zero() {
                taken.push(json!({ "from": from, "account_id": account, "amount_gbp": exact(amount) }));
            }
        };
        let payer = match &opened.payer {
            Payer::Intent(_) => "the rest of the payment",
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

    fn view(&self, case: &Result<Option<DisputeCase>, String>) -> Value {
        let known = case.as_ref().ok().and_then(Option::as_ref);
        let stage = stage(self.is_won, known);
        json!({
            "dispute_id": self.id,
            "stage": stage,
            "opened_at": self.opened_ms.map(rfc3339),
            "changed_at": rfc3339(self.changed_ms),
            "amount_gbp": self.amount().map(exact),
            "account_id": self.account,
            "intent": self.intent,
            "taken": self.taken(),
            "came_back_gbp": (!self.relieved.is_zero()).then(|| exact(self.relieved)),
            "processor_status": known.map(|case| case.status.as_str()),
            "reason": known.and_then(|case| case.reason.as_deref()),
            "evidence_due_at": known.and_then(due_at),
            "evidence_sent": known.map(|case| case.evidence_sent),
            "processor_silent": case.as_ref().err(),
            "dashboard": known.and_then(dashboard),
            "what_to_do": what_to_do(stage, known),
        })
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

/// Returns the deadline for evidence.
fn due_at(case: &DisputeCase) -> Option<String> {
    case.evidence_due_s.map(|due_s| rfc3339(due_s.saturating_mul(1_000)))
}

/// Returns the link to the payment in the processor's dashboard, where disputes are answered.
fn dashboard(case: &DisputeCase) -> Option<String> {
    let test = if case.is_live { "" } else { "test/" };
    case.payment.as_deref().map(|payment| format!("https://dashboard.stripe.com/{test}payments/{payment}"))
}

fn what_to_do(stage: &str, case: Option<&DisputeCase>) -> &'static str {
    let sent = case.is_some_and(|case| case.evidence_sent > 0);
    match stage {
        "won" => "Nothing: the money is back, and all parts that the dispute took were returned.",
        "lost" => "Nothing: the dispute is lost. The buyer keeps the money; nothing that it took is returned.",
        "under review" => "Wait: the bank decides. This takes weeks, and no evidence can be added.",
        _ if sent => "Evidence was sent. Check in the processor's dashboard whether the bank asks for more.",
        _ => {
            "Answer it in the processor's dashboard before the deadline: Tollbridge cannot upload evidence. The sealed \
             records of the calls that were paid for are evidence of what was delivered (tollbridge ledger proof SEAL)."
        }
    }
}

impl OperatorService {
    /// Lists disputes, the last changed first, and disputes that are not in the books. `ask`:
    /// includes the processor's status of open ones.
    pub(super) async fn dispute_list(&self, limit: Option<usize>, ask: bool) -> Result<Value, OperatorError> {
        let (stories, more) = self.dispute_stories(limit.unwrap_or(PAGE).clamp(1, PAGE_MAX), 0).await?;
        let unbooked = self.payment_service.disputes.unbooked()?;
        let mut left = if ask { ASKED_MAX } else { 0 };
        let cases = stories.iter().map(|story| {
            let asked = story.is_open() && left > 0;
            left = left.saturating_sub(usize::from(asked));
            async move { if asked { self.dispute_case(story.id()).await } else { Ok(None) } }
        });
        // Collected first: each decision to ask depends on the earlier ones.
        let cases = join_all(cases.collect::<Vec<_>>()).await;
        let views: Vec<Value> = stories.iter().zip(&cases).map(|(story, case)| story.view(case)).collect();
        Ok(json!({ "disputes": views, "not_in_the_books": unbooked, "incomplete": more }))
    }

    /// Shows one dispute, with all its records and those of the disputed payment.
    pub(super) async fn dispute_show(&self, id: &str) -> Result<Value, OperatorError> {
        let disputes = &self.payment_service.disputes;
        let Some(first) = disputes.opened_seq(id)? else { return self.show_unopened(id).await };
        let opened = self.row(first)?;
        let rows = self.dispute_rows(id, &opened).await?;
        let mut story = None;
        for row in rows.values().rev() {
            let Some(dispute) = dispute_of(row) else { continue };
            story.get_or_insert_with(|| Story::new(row, &dispute)).tell(row, dispute);
        }
        let story = story.ok_or_else(|| unknown(id))?;
        let mut view = story.view(&self.dispute_case(id).await);
        let payment = match &story.intent {
            Some(intent) => self.payment_show(intent).await.ok(),
            None => None,
        };
        if let Some(members) = view.as_object_mut() {
            let events: Vec<Value> = rows.values().map(RecordRow::view).collect();
            members.insert("events".to_owned(), events.into());
            members.insert("payment".to_owned(), payment.unwrap_or_default());
        }
        Ok(view)
    }

    /// Returns the records of a dispute by number: those of the payer, and those of the payment's
    /// account, whose credit may bear a part.
    async fn dispute_rows(&self, id: &str, opened: &RecordRow) -> Result<BTreeMap<u64, RecordRow>, OperatorError> {
        let payer = match dispute_of(opened).ok_or_else(|| unknown(id))?.payer {
            Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
        };
        let parties: BTreeSet<String> = std::iter::once(payer).chain(opened.account().map(str::to_owned)).collect();
        let mut rows = BTreeMap::new();
        for party in parties {
            self.walk_party(&party, None, &mut |row| {
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
    async fn show_unopened(&self, id: &str) -> Result<Value, OperatorError> {
        let waits = self.payment_service.disputes.unbooked()?.iter().any(|one| one == id);
        let case = self.dispute_case(id).await;
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
            let silent = case.err();
            return Ok(json!({
                "dispute_id": id, "stage": "not in the books", "processor_silent": silent, "what_to_do": todo, "events": [],
            }));
        };
        let inquiry = found.status.starts_with("warning_");
        Ok(json!({
            "dispute_id": id,
            "stage": if inquiry { "inquiry" } else { "not of this ledger" },
            "processor_status": found.status,
            "reason": found.reason,
            "evidence_due_at": due_at(found),
            "dashboard": dashboard(found),
            "what_to_do": if inquiry {
                "No money was taken yet. Answer in the processor's dashboard to prevent a dispute."
            } else {
                "Its payment is not in this ledger: it is for another sale, or its event has not arrived yet."
            },
            "events": [],
        }))
    }

    /// Returns the last disputes of the ledger since a time, and whether there may be more.
    pub(super) async fn dispute_stories(
        &self,
        limit: usize,
        since_ms: u64,
    ) -> Result<(Vec<Story>, bool), OperatorError> {
        let notary = self.notary.clone();
        let reading = tokio::task::spawn_blocking(move || dispute_numbers(&notary, since_ms));
        let (numbers, mut more) = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
        let mut stories: Vec<Story> = Vec::new();
        for seq in numbers {
            let row = self.row(seq)?;
            let Some(dispute) = dispute_of(&row) else { continue };
            let shown = stories.len();
            match stories.iter_mut().find(|story| story.id == dispute.dispute) {
                Some(story) => story.tell(&row, dispute),
                None if shown < limit => {
                    let mut story = Story::new(&row, &dispute);
                    story.tell(&row, dispute);
                    stories.push(story);
                }
                // Earlier records of the shown disputes may be further back.
                None => more = true,
            }
        }
        Ok((stories, more))
    }

    async fn dispute_case(&self, id: &str) -> Result<Option<DisputeCase>, String> {
        self.payment_service.disputes.case(id).await.map_err(|error| error.to_string())
    }
}

/// Returns the numbers of dispute records since a time, newest first, within the number of records
/// that one list reads; and whether there are older ones. Blocks.
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
            // Parsing each record in full would cost several times as much.
            let summary = RecordSummary::of(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
            first_ms.get_or_insert(summary.time_ms);
            if summary.kind == DISPUTE && summary.time_ms >= since_ms {
                page.push(seq);
            }
        }
        found.extend(page.into_iter().rev());
        // Times never decrease.
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

fn unknown(id: &str) -> OperatorError {
    let id = tollbridge_core::excerpt::excerpt(id, 64);
    OperatorError::NotFound(format!("there is no dispute {id}; use the processor's id, such as dp_…"))
}

#[cfg(test)]
mod tests {
    use tollbridge_ledger::Released;

    use super::*;

    fn part(account: &str, amount: i64) -> Released {
        Released { account: account.to_owned(), amount: Millipence::new(amount) }
    }

    fn story(opened: Dispute) -> Story {
        Story {
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
    fn what_was_taken_sums_to_the_dispute() {
        let taken = story(opened()).taken();
        let of = |row: &Value| (row["amount_gbp"].as_str().unwrap().to_owned(), row["account_id"].clone());
        let expected = [("3.00", json!("acct_1")), ("1.00", json!("acct_1")), ("0.50", json!("acct_dev"))];
        for (row, (amount, account)) in taken.iter().zip(expected) {
            assert_eq!(of(row), (amount.to_owned(), account));
        }
        assert_eq!(of(&taken[3]), ("0.50".to_owned(), Value::Null));
        assert_eq!(taken.len(), 4);
    }

    #[test]
    fn only_the_processor_knows_what_is_lost() {
        let view = story(opened()).view(&Ok(None));
        assert_eq!((&view["stage"], &view["evidence_due_at"]), (&json!("open"), &Value::Null));
        let view = story(opened()).view(&Ok(Some(case("lost", 0))));
        assert_eq!(view["stage"], "lost");
        let view = story(opened()).view(&Ok(Some(case("needs_response", 0))));
        assert_eq!(view["evidence_due_at"], "1970-01-02T00:00:00Z");
        assert_eq!(view["dashboard"], "https://dashboard.stripe.com/test/payments/pi_1");
        assert!(view["what_to_do"].as_str().unwrap().contains("cannot upload evidence"));
        let sent = story(opened()).view(&Ok(Some(case("needs_response", 1))));
        assert!(sent["what_to_do"].as_str().unwrap().starts_with("Evidence was sent"));
        let silent = story(opened()).view(&Err("it did not answer".to_owned()));
        assert_eq!((&silent["processor_silent"], &silent["stage"]), (&json!("it did not answer"), &json!("open")));
        let won = Story { is_won: true, ..story(opened()) };
        assert!(!won.is_open() && won.view(&Ok(None))["stage"] == "won");
    }
}
