//! The command `tollbridge plugin replay`: shows how another version would have answered kept
//! inputs.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tollbridge_operator::{REPLAYED, ReplayOptions, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::working::Working;

use super::publisher::text;
use super::target;

#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    /// Number of kept inputs, newest first
    #[arg(long, value_name = "NUMBER", default_value_t = REPLAYED)]
    last: u32,
    /// Version to test [default: the canary, or the newest version that does not serve]
    #[arg(long)]
    version: Option<String>,
    /// Version to compare with [default: the serving version]
    #[arg(long, value_name = "VERSION")]
    against: Option<String>,
    /// Allow calls to models and other hosts, which cost money and are visible to them
    #[arg(long)]
    allow_outside: bool,
    /// Show the inputs whose answers differ; recorded in the audit log
    #[arg(long)]
    show_inputs: bool,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: ReplayArgs, global: &Global, out: Output) -> Result<()> {
    let ReplayArgs { plugin, last, version, against, allow_outside, show_inputs, data } = args;
    let options = ReplayOptions { last: Some(last), version, against, allow_outside, show_inputs };
    let working = Working::begin(out, "replaying inputs");
    let answer = target::run(global, &data, command::PluginReplay { plugin, options: Box::new(options) }).await?;
    drop(working);
    out.result(&answer, || describe(&answer));
    Ok(())
}

fn describe(report: &Value) -> String {
    let count = |name: &str| report.get(name).and_then(Value::as_u64).unwrap_or_default();
    let mut lines = vec![format!(
        "{} {} compared with {}: {} inputs",
        text(report, "plugin"),
        text(report, "version"),
        text(report, "against"),
        count("inputs"),
    )];
    let outcomes = ["same", "changed", "newly_failed", "newly_answered", "failed_in_both", "unsteady", "not_run"];
    let counts = outcomes.map(|name| format!("{} {}", count(name), name.replace('_', " ")));
    lines.push(format!("  {}", counts.join(", ")));
    if count("unreadable") > 0 {
        lines.push(format!("  {} more were kept by another host, or under another key", count("unreadable")));
    }
    let (of, against) = (report.get("times"), report.get("against_times"));
    let both = |name: &str| format!("{} ({})", micros(of, name), micros(against, name));
    lines.push(format!("  p50 {}, p95 {}", both("p50_micros"), both("p95_micros")));
    let differences = report.get("differences").and_then(Value::as_array).into_iter().flatten();
    lines.extend(differences.flat_map(describe_difference));
    lines.join("\n")
}

fn describe_difference(difference: &Value) -> Vec<String> {
    let outcome = text(difference, "outcome").replace('_', " ");
    let mut lines = match text(difference, "why") {
        why if why.is_empty() => vec![format!("  {outcome}")],
        why => vec![format!("  {outcome}: {why}")],
    };
    let side = |place: &Value, name: &str| match place.get(name).and_then(Value::as_str) {
        Some(value) => value.to_owned(),
        None => "nothing".to_owned(),
    };
    for place in difference.get("at").and_then(Value::as_array).into_iter().flatten() {
        let pointer = match text(place, "pointer") {
            whole if whole.is_empty() => "(the whole answer)".to_owned(),
            pointer => pointer,
        };
        lines.push(format!("    {pointer}: {} → {}", side(place, "against"), side(place, "version")));
    }
    if let Some(more) = difference.get("more").and_then(Value::as_u64).filter(|more| *more > 0) {
        lines.push(format!("    and {more} more places"));
    }
    if let Some(input) = difference.get("input") {
        lines.push(format!("    input: {input}"));
    }
    lines
}

fn micros(times: Option<&Value>, name: &str) -> String {
    let micros = times.and_then(|times| times.get(name)).and_then(Value::as_u64);
    micros.map_or_else(|| "no answer".to_owned(), |micros| format!("{micros} µs"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_reads_as_a_few_lines() {
        let report = json!({
            "plugin": "bridges/echo", "version": "1.0.1", "against": "1.0.0", "inputs": 3, "same": 1, "changed": 1,
            "newly_failed": 1, "newly_answered": 0, "failed_in_both": 0, "unsteady": 0, "not_run": 0, "unreadable": 0,
            "times": { "p50_micros": 7, "p95_micros": 9 }, "against_times": { "p50_micros": null, "p95_micros": null },
            "differences": [
                { "outcome": "changed", "at": [{ "pointer": "/a", "against": "1", "version": null }], "more": 2, "why": null },
                { "outcome": "newly_failed", "at": [], "more": 0, "why": "trapped: out of bounds", "input": { "x": 1 } },
            ],
        });
        let expect = "bridges/echo 1.0.1 compared with 1.0.0: 3 inputs\n  \
            1 same, 1 changed, 1 newly failed, 0 newly answered, 0 failed in both, 0 unsteady, 0 not run\n  \
            p50 7 µs (no answer), p95 9 µs (no answer)\n  changed\n    /a: 1 → nothing\n    and 2 more places\n  \
            newly failed: trapped: out of bounds\n    input: {\"x\":1}";
        assert_eq!(describe(&report), expect);
    }
}
