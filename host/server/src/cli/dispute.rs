//! The command `tollbridge dispute`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::account::lines;
use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum DisputeCommand {
    /// List disputes: status, deadline for evidence, next step
    List {
        /// Rows, at most 500
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
            let answer = target::run(global, &data, asked).await?;
            out.result(&answer, || list(&answer));
        }
        DisputeCommand::Show { id, data } => {
            let answer = target::run(global, &data, command::DisputeShow { id }).await?;
            out.result(&answer, || show(&answer));
        }
    }
    Ok(())
}

fn list(answer: &Value) -> String {
    let names = ["dispute_id", "stage", "amount_gbp", "opened_at", "evidence_due_at", "account_id", "intent"];
    let rows: Vec<_> = members(answer, "disputes").map(|row| names.map(|name| text(row, name)).to_vec()).collect();
    let mut shown = match rows.is_empty() {
        true => "There are no disputes.".to_owned(),
        false => table(&["DISPUTE", "STAGE", "GBP", "OPENED", "EVIDENCE UNTIL", "ACCOUNT", "INTENT"], &rows),
    };
    for id in members(answer, "not_in_the_books").filter_map(Value::as_str) {
        shown.push_str(&format!("\n{id} is not in the books; `tollbridge payment reconcile` tries again"));
    }
    shown
}

fn show(answer: &Value) -> String {
    let plain = answer.as_object().into_iter().flatten().filter(|(_, value)| {
        // Lists follow as tables.
        !value.is_array() && !value.is_object() && !value.is_null()
    });
    let mut parts = vec![lines(&Value::Object(plain.map(|(name, value)| (name.clone(), value.clone())).collect()))];
    let mut add = |head: &[&str], of: &Value, list: &str, names: &[&str]| {
        let row = |row: &Value| names.iter().map(|name| text(row, name)).collect::<Vec<_>>();
        let rows: Vec<_> = members(of, list).map(row).collect();
        if !rows.is_empty() {
            parts.push(table(head, &rows));
        }
    };
    add(&["TAKEN FROM", "ACCOUNT", "GBP"], answer, "taken", &["from", "account_id", "amount_gbp"]);
    add(&["AT", "STAGE", "GBP", "SEAL"], answer, "events", &["at", "stage", "amount_gbp", "worm_seal"]);
    let payment = answer.get("payment").unwrap_or(&Value::Null);
    add(
        &["WHAT WAS PAID FOR", "KIND", "SOLD", "GBP", "SEAL"],
        payment,
        "events",
        &["at", "kind", "sold", "amount_gbp", "worm_seal"],
    );
    parts.join("\n\n")
}

fn members<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dispute_is_told_from_what_it_took_to_what_to_do() {
        let answer = json!({
            "dispute_id": "dp_1", "stage": "open", "reason": null, "what_to_do": "Answer it",
            "taken": [{ "from": "earnings on hold", "account_id": "acct_dev", "amount_gbp": "0.50" }],
            "events": [{ "at": "2026-11-26T10:00:00.000Z", "stage": "opened", "amount_gbp": "5.00", "worm_seal": "ab" }],
            "payment": { "events": [{ "kind": "route", "sold": "echo", "amount_gbp": "0.10" }] },
        });
        let shown = show(&answer);
        for part in ["dp_1", "Answer it", "earnings on hold", "opened", "echo"] {
            assert!(shown.contains(part), "no {part:?}:\n{shown}");
        }
        assert!(!shown.contains("reason") && !shown.contains('{'), "{shown}");
        let listed = list(&json!({ "disputes": [], "not_in_the_books": ["dp_2"] }));
        assert!(listed.starts_with("There") && listed.contains("dp_2 is not in the books"), "{listed}");
    }
}
