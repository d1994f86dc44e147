//! The command `tollbridge plugin replay`: shows how another version would have answered
//! stored inputs.

use anyhow::Result;
use clap::Args;
use tollbridge_operator::{REPLAYED, ReplayOptions, ReplayReport, ReplayedDifference, ReplayedTimes, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::working::ProgressIndicator;

use super::target;

#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    /// Number of stored inputs to replay, newest first
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
    let working = ProgressIndicator::begin(out, "replaying inputs");
    let answer = target::run(global, &data, command::PluginReplay { plugin, options: Box::new(options) }).await?;
    drop(working);
    let report = serde_json::from_value(answer.clone())?;
    out.result(&answer, || describe(&report));
    Ok(())
}

fn describe(report: &ReplayReport) -> String {
    let ReplayReport { plugin, version, against, inputs, same, changed, newly_failed, newly_answered, .. } = report;
    let ReplayReport { failed_in_both, unsteady, not_run, unreadable, times, against_times, .. } = report;
    let mut lines = vec![
        format!("{plugin} {version} compared with {against}: {inputs} inputs"),
        format!(
            "  {same} same, {changed} changed, {newly_failed} newly failed, {newly_answered} newly answered, \
             {failed_in_both} failed in both, {unsteady} unsteady, {not_run} not run"
        ),
    ];
    if *unreadable > 0 {
        lines.push(format!("  {unreadable} more cannot be read: another host stored them, or the key has changed"));
    }
    let both = |of: fn(&ReplayedTimes) -> Option<u64>| format!("{} ({})", micros(of(times)), micros(of(against_times)));
    lines.push(format!("  p50 {}, p95 {}", both(|times| times.p50_micros), both(|times| times.p95_micros)));
    lines.extend(report.differences.iter().flat_map(describe_difference));
    lines.join("\n")
}

fn describe_difference(difference: &ReplayedDifference) -> Vec<String> {
    let outcome = difference.outcome.replace('_', " ");
    let why = difference.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let mut lines = vec![format!("  {outcome}{why}")];
    for place in &difference.at {
        let pointer = if place.pointer.is_empty() { "(the whole answer)" } else { &place.pointer };
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        lines.push(format!("    {pointer}: {} → {}", side(&place.against), side(&place.version)));
    }
    if difference.more > 0 {
        lines.push(format!("    and {} more places", difference.more));
    }
    lines.extend(difference.input.as_ref().map(|input| format!("    input: {input}")));
    lines
}

fn micros(micros: Option<u64>) -> String {
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
        assert_eq!(describe(&serde_json::from_value(report).unwrap()), expect);
    }
}
