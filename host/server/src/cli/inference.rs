//! The command `tollbridge inference show`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum InferenceCommand {
    /// Show the state, failures and costs of model providers
    ///
    /// Attempts are counted since the server started, spending by day.
    Show {
        /// Days of spending, including today
        #[arg(long, default_value_t = 7)]
        days: u32,
        /// Show every model, not only those that were called or are paused
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: InferenceCommand, global: &Global, out: Output) -> Result<()> {
    let InferenceCommand::Show { days, all, data } = command;
    let answer = target::run(global, &data, command::InferenceShow { days }).await?;
    out.result(&answer, || describe(&answer, all));
    Ok(())
}

fn describe(answer: &Value, all: bool) -> String {
    let rows = |name: &str| answer.get(name).and_then(Value::as_array).into_iter().flatten();
    let cells = |row: &Value, names: &[&str]| names.iter().map(|name| text(row, name)).collect::<Vec<_>>();
    let mut parts = Vec::new();
    let names = ["provider", "state", "models", "models_paused", "attempts", "failed_percent", "cost_gbp", "why_not"];
    let providers: Vec<_> = rows("providers").map(|row| cells(row, &names)).collect();
    parts.push(table(
        &["PROVIDER", "STATE", "MODELS", "PAUSED", "ATTEMPTS", "FAILED %", "TOOK GBP", "WHY NOT"],
        &providers,
    ));
    let names = ["model", "provider", "breaker", "paused_until", "attempts", "failed_percent", "latency_ms"];
    let is_of_note = |row: &&Value| all || text(row, "breaker") != "closed" || text(row, "attempts") != "0";
    let models: Vec<_> = rows("models").filter(is_of_note).map(|row| cells(row, &names)).collect();
    if !models.is_empty() {
        let head = ["MODEL", "PROVIDER", "BREAKER", "PAUSED UNTIL", "ATTEMPTS", "FAILED %", "MS"];
        parts.push(table(&head, &models));
    }
    let sums = ["requests", "input_tokens", "output_tokens", "cost_gbp", "charged_gbp"];
    let days: Vec<_> = rows("by_day").map(|row| cells(row, &[&["day", "provider"][..], &sums[..]].concat())).collect();
    if !days.is_empty() {
        parts.push(table(&["DAY", "PROVIDER", "REQUESTS", "IN", "OUT", "TOOK GBP", "CHARGED GBP"], &days));
    }
    let who: Vec<_> = rows("by_who")
        .map(|row| {
            let name = ["plugin", "key"].into_iter().map(|name| text(row, name)).find(|name| !name.is_empty());
            let name = name.unwrap_or_else(|| format!("{} others", text(row, "others")));
            [vec![name, text(row, "account_id")], cells(row, &sums)].concat()
        })
        .collect();
    if !who.is_empty() {
        parts.push(table(&["WHO", "ACCOUNT", "REQUESTS", "IN", "OUT", "TOOK GBP", "CHARGED GBP"], &who));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_that_nobody_asked_is_left_out() {
        let model = |name: &str, attempts: u64, breaker: &str| json!({ "model": name, "provider": "one", "breaker": breaker, "attempts": attempts });
        let answer = json!({
            "providers": [{ "provider": "one", "state": "up", "models": 3 }, { "provider": "two", "state": "off",
                "why_not": "set TWO_KEY in the environment" }],
            "models": [model("asked", 4, "closed"), model("idle", 0, "closed"), model("paused", 0, "open")],
            "by_day": [{ "day": "2026-11-26", "provider": "one", "requests": 4, "cost_gbp": "0.10" }],
            "by_who": [{ "kind": "plugin", "plugin": "summarise", "requests": 4, "cost_gbp": "0.10" },
                { "kind": "others", "others": 7, "requests": 9, "cost_gbp": "0.01" }],
        });
        let shown = describe(&answer, false);
        for part in ["set TWO_KEY", "asked", "paused", "summarise", "7 others", "2026-11-26"] {
            assert!(shown.contains(part), "no {part:?}:\n{shown}");
        }
        assert!(!shown.contains("idle") && describe(&answer, true).contains("idle"), "{shown}");
    }
}
