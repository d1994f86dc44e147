//! The commands `tollbridge inference …`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{InferenceReport, ModelView, ProviderView, Qualification, UsageView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::qualify::{self, QualifyArgs};
use super::shown::{cells, shown};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum InferenceCommand {
    /// Show the state, failures and costs of model providers
    ///
    /// Attempts are counted since the server started, spending by day.
    Show {
        /// Number of days of spending to show, including today
        #[arg(long, default_value_t = 7)]
        days: u32,
        /// Show every model, not only those that were called or are paused
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Measure which agents may be sold with a chat model
    ///
    /// Runs tasks with known answers through each agent and the model, without a sale, and
    /// records which agents may use the model: those with at least 10 answers, of which at
    /// most 5 % are wrong. Requests to the model cost what the provider charges.
    Qualify(QualifyArgs),
}

pub(super) async fn run(command: InferenceCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        InferenceCommand::Qualify(args) => qualify::run(args, global, out).await,
        InferenceCommand::Show { days, all, data } => {
            let show = command::InferenceShow { days };
            target::show_answer(global, &data, out, show, |answer| describe(answer, all)).await.map(drop)
        }
    }
}

fn describe(answer: &InferenceReport, all: bool) -> String {
    let mut parts = Vec::new();
    let providers = answer.providers.iter().map(|one| {
        let ProviderView { provider, state, why_not, models, models_paused, attempts, failed_percent, usage, .. } = one;
        cells((provider, state, models, models_paused, attempts, failed_percent, &usage.cost_gbp, why_not))
    });
    parts.push(table(
        &["PROVIDER", "STATE", "MODELS", "PAUSED", "ATTEMPTS", "FAILED %", "TOOK GBP", "WHY NOT"],
        &providers.collect::<Vec<_>>(),
    ));
    let mut add = |head: &[&str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            parts.push(table(head, &rows));
        }
    };
    let models = answer.models.iter().filter(|one| all || one.breaker != "closed" || one.attempts != 0);
    let models = models.map(|one| {
        let ModelView { provider, model, breaker, paused_until, attempts, failed_percent, latency_ms, .. } = one;
        cells((model, provider, breaker, paused_until, attempts, failed_percent, latency_ms))
    });
    add(&["MODEL", "PROVIDER", "BREAKER", "PAUSED UNTIL", "ATTEMPTS", "FAILED %", "MS"], models.collect());
    let days = answer.by_day.iter().map(|one| [cells((&one.day, &one.provider)), sums(&one.usage)].concat());
    add(&["DAY", "PROVIDER", "REQUESTS", "IN", "OUT", "TOOK GBP", "CHARGED GBP"], days.collect());
    let who = answer.by_who.iter().map(|one| {
        let others = || format!("{} others", shown(&one.others));
        let name = one.plugin.clone().or(one.key.clone()).unwrap_or_else(others);
        [cells((name, &one.account_id)), sums(&one.usage)].concat()
    });
    add(&["WHO", "ACCOUNT", "REQUESTS", "IN", "OUT", "TOOK GBP", "CHARGED GBP"], who.collect());
    let qualified = answer.qualifications.iter().map(|one| {
        let Qualification { model, version, measured_at, tasks, answered, wrong, admitted } = &one.qualification;
        cells((&one.agent, model, admitted, tasks, answered, wrong, version, measured_at))
    });
    let heads = ["AGENT", "MODEL", "ADMITTED", "TASKS", "ANSWERED", "WRONG", "VERSION", "MEASURED AT"];
    add(&heads, qualified.collect());
    parts.join("\n\n")
}

fn sums(UsageView { requests, input_tokens, output_tokens, cost_gbp, charged_gbp, .. }: &UsageView) -> Vec<String> {
    cells((requests, input_tokens, output_tokens, cost_gbp, charged_gbp))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_without_requests_is_left_out() {
        let model = |name: &str, attempts: u64, breaker: &str| json!({ "model": name, "provider": "one", "breaker": breaker, "attempts": attempts });
        let answer = serde_json::from_value(json!({
            "providers": [{ "provider": "one", "state": "up", "models": 3 }, { "provider": "two", "state": "off",
                "why_not": "set TWO_KEY in the environment" }],
            "models": [model("asked", 4, "closed"), model("idle", 0, "closed"), model("paused", 0, "open")],
            "by_day": [{ "day": "2026-11-26", "provider": "one", "requests": 4, "cost_gbp": "0.10" }],
            "by_who": [{ "kind": "plugin", "plugin": "summarise", "requests": 4, "cost_gbp": "0.10" },
                { "kind": "others", "others": 7, "requests": 9, "cost_gbp": "0.01" }],
        }))
        .unwrap();
        let shown = describe(&answer, false);
        for part in ["set TWO_KEY", "asked", "paused", "summarise", "7 others", "2026-11-26"] {
            assert!(shown.contains(part), "no {part:?}:\n{shown}");
        }
        assert!(!shown.contains("idle") && describe(&answer, true).contains("idle"), "{shown}");
    }
}
