//! The command `tollbridge dispute`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{BookedView, DisputeShown, DisputeView, Disputes, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum DisputeCommand {
    /// List disputes: status, deadline for evidence, next step
    List {
        /// Number of rows, at most 500
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Do not ask the processor for deadlines
        #[arg(long)]
        offline: bool,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show a dispute: the money it took, its records, and where to answer
    Show {
        /// The processor's id of the dispute, such as dp_…
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: DisputeCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        DisputeCommand::List { limit, offline, data } => {
            let asked = command::DisputeList { limit: Some(limit), ask: !offline };
            target::show_answer(global, &data, out, asked, list).await.map(drop)
        }
        DisputeCommand::Show { id, data } => {
            target::show_answer(global, &data, out, command::DisputeShow { id }, show).await.map(drop)
        }
    }
}

fn list(answer: &Disputes) -> String {
    let rows = answer.disputes.iter().map(|DisputeView { dispute_id, stage, booked, case, .. }| {
        let (booked, case) = (booked.clone().unwrap_or_default(), case.clone().unwrap_or_default());
        let BookedView { amount_gbp, opened_at, account_id, intent, .. } = booked;
        cells((dispute_id, stage, amount_gbp, opened_at, case.evidence_due_at, account_id, intent))
    });
    let rows: Vec<_> = rows.collect();
    let mut shown = match rows.is_empty() {
        true => "There are no disputes.".to_owned(),
        false => table(&["DISPUTE", "STAGE", "GBP", "OPENED", "EVIDENCE UNTIL", "ACCOUNT", "INTENT"], &rows),
    };
    for id in &answer.not_in_the_books {
        shown.push_str(&format!("\n{id} is not in the books; `tollbridge payment reconcile` tries again"));
    }
    shown
}

fn show(answer: &DisputeShown) -> String {
    let mut about = serde_json::to_value(&answer.dispute).unwrap_or_default();
    if let Some(members) = about.as_object_mut() {
        // Lists and objects are shown below, as tables.
        members.retain(|_, value| !value.is_array() && !value.is_object() && !value.is_null());
    }
    let mut parts = vec![lines(&about)];
    let mut add = |head: &[&str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            parts.push(table(head, &rows));
        }
    };
    let taken = answer.dispute.booked.iter().flat_map(|booked| &booked.taken);
    let taken = taken.map(|row| cells((&row.from, &row.account_id, &row.amount_gbp)));
    add(&["TAKEN FROM", "ACCOUNT", "GBP"], taken.collect());
    let events = answer.events.iter().map(|row| cells((&row.at, &row.stage, &row.amount_gbp, &row.worm_seal)));
    add(&["AT", "STAGE", "GBP", "SEAL"], events.collect());
    let payment = answer.payment.iter().flatten().flat_map(|payment| &payment.events);
    let payment = payment.map(|row| cells((&row.at, &row.kind, &row.sold, &row.amount_gbp, &row.worm_seal)));
    add(&["WHAT WAS PAID FOR", "KIND", "SOLD", "GBP", "SEAL"], payment.collect());
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dispute_is_described_from_its_cost_to_the_next_action() {
        let answer = serde_json::from_value(json!({
            "dispute_id": "dp_1", "stage": "open", "reason": null, "what_to_do": "Answer it",
            "taken": [{ "from": "earnings on hold", "account_id": "acct_dev", "amount_gbp": "0.50" }],
            "events": [{ "at": "2026-11-26T10:00:00.000Z", "stage": "opened", "amount_gbp": "5.00", "worm_seal": "ab" }],
            "payment": { "events": [{ "kind": "route", "sold": "echo", "amount_gbp": "0.10" }] },
        }))
        .unwrap();
        let shown = show(&answer);
        for part in ["dp_1", "Answer it", "earnings on hold", "opened", "echo"] {
            assert!(shown.contains(part), "no {part:?}:\n{shown}");
        }
        assert!(!shown.contains("reason") && !shown.contains('{'), "{shown}");
        let listed = list(&serde_json::from_value(json!({ "disputes": [], "not_in_the_books": ["dp_2"] })).unwrap());
        assert!(listed.starts_with("There") && listed.contains("dp_2 is not in the books"), "{listed}");
    }
}
