//! Operator commands on plugins: `plugin list`, `inspect`, `approve`, `pin`, …

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Deserialize as _;
use serde_json::Value;
use tollbridge_operator::{CanaryReport, CanaryRules, Command, PluginInspection, PluginReport, PluginUsage, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::plugin_logs::{self, LogsArgs};
use super::shown::{cells, lines, shown};
use super::{plugin_replay, target};

#[derive(Subcommand, Debug)]
pub(super) enum ActCommand {
    /// List plugins: serving and held-back versions
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show a plugin: which versions serve, which do not, and why
    Inspect(Named),
    /// Show or follow the log of a plugin, even if it was just taken out of service
    Logs(LogsArgs),
    /// Approve a version that waits because of new grants or a new publisher
    Approve(Versioned),
    /// Pin a plugin to a version; without a version, remove the pin
    Pin(Versioned),
    /// Remove the pin, so that the newest version serves again
    Unpin(Named),
    /// Pin the previous version, or an earlier one by name; newer ones wait for `unpin`
    Rollback(Versioned),
    /// Yank a version: it never serves again
    Yank {
        plugin: String,
        version: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Serve a version to some callers and watch for regressions; without a version, show the current canary
    Canary(CanaryArgs),
    /// Replay kept inputs through another version, and compare its answers with those of the serving version
    Replay(plugin_replay::ReplayArgs),
    /// Delete the kept inputs of a plugin
    ForgetInputs(Named),
    /// Disable a plugin
    Disable(Named),
    /// Enable a disabled plugin
    Enable(Named),
}

#[derive(Args, Debug)]
pub(super) struct Named {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Args, Debug)]
pub(super) struct Versioned {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    version: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Args, Debug)]
pub(super) struct CanaryArgs {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    version: Option<String>,
    /// Share of callers that get the version; always the same callers
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    share: String,
    /// End the canary if its failure rate exceeds the serving version's by more than
    /// this, in tenths of a percent
    #[arg(long, value_name = "PERMILLE", default_value_t = CanaryRules::default().failures_max)]
    max_failures: u32,
    /// Maximum increase of the version's 95th percentile time over the serving version's,
    /// in percent
    #[arg(long, value_name = "PERCENT", default_value_t = CanaryRules::default().slower_max)]
    max_slower: u32,
    /// Compare answers with the serving version's, and end the canary if more than this
    /// share differs, in tenths of a percent
    #[arg(long, value_name = "PERMILLE")]
    max_changed: Option<u32>,
    /// End the canary
    #[arg(long, conflicts_with = "version")]
    end: bool,
    #[command(flatten)]
    data: DataArgs,
}

impl CanaryArgs {
    fn command(self) -> (DataArgs, Command) {
        let Self { plugin, version, share, max_failures, max_slower, max_changed, end, data } = self;
        let rules = CanaryRules { failures_max: max_failures, slower_max: max_slower, changed_max: max_changed };
        let command = match version {
            Some(version) => command::PluginCanary { plugin, version, share, rules }.into(),
            None if end => command::PluginEndCanary { plugin }.into(),
            None => command::PluginInspect { plugin }.into(),
        };
        (data, command)
    }
}

pub(super) async fn run(command: ActCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command) = match command {
        ActCommand::List { data } => return list(global, &data, out).await,
        ActCommand::Logs(args) => return plugin_logs::run(args, global, out).await,
        ActCommand::Replay(args) => return plugin_replay::run(args, global, out).await,
        ActCommand::ForgetInputs(Named { plugin, data }) => (data, command::PluginForgetInputs { plugin }.into()),
        ActCommand::Inspect(Named { plugin, data }) => (data, command::PluginInspect { plugin }.into()),
        ActCommand::Approve(Versioned { plugin, version, data }) => {
            (data, command::PluginApprove { plugin, version }.into())
        }
        ActCommand::Pin(Versioned { plugin, version, data }) => (data, command::PluginPin { plugin, version }.into()),
        ActCommand::Unpin(Named { plugin, data }) => (data, command::PluginUnpin { plugin }.into()),
        ActCommand::Rollback(Versioned { plugin, version, data }) => {
            (data, command::PluginRollback { plugin, version }.into())
        }
        ActCommand::Yank { plugin, version, data } => (data, command::PluginYank { plugin, version }.into()),
        ActCommand::Canary(args) => args.command(),
        ActCommand::Disable(Named { plugin, data }) => (data, command::PluginDisable { plugin }.into()),
        ActCommand::Enable(Named { plugin, data }) => (data, command::PluginEnable { plugin }.into()),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || describe(&answer));
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    let answer = target::show_answer(global, data, out, command::PluginList {}, |answer| {
        let row = |one: &PluginReport| {
            let held = one.held.first().map(|held| format!("{}: {}", held.version, held.reason));
            let note = held.as_ref().or(one.cause.as_ref());
            cells((&one.plugin, &one.status, &one.serving, &one.pinned, &one.price_gbp, &one.publisher, note))
        };
        let rows: Vec<_> = answer.plugins.iter().map(row).collect();
        table(&["PLUGIN", "STATUS", "SERVES", "PINNED", "GBP", "PUBLISHER", "NOTE"], &rows)
    })
    .await?;
    for stray in answer.strays {
        out.warning(&format!("in the registry: {}", shown(&stray)));
    }
    Ok(())
}

fn describe(answer: &Value) -> String {
    // A stopped server returns only the operator's decisions, without a report and usage.
    let Ok(PluginInspection { report, usage }) = PluginInspection::deserialize(answer) else { return lines(answer) };
    let mut text_lines = lines(&report);
    if let Some(usage) = &usage {
        text_lines.push_str(&format!("\n  {}", describe_usage(usage)));
    }
    if let Some(canary) = &report.canary {
        text_lines.push_str(&format!("\n  {}", describe_canary(canary)));
    }
    for held in &report.held {
        text_lines.push_str(&format!("\n  {} does not run: {}", held.version, held.reason));
    }
    text_lines
}

/// Formats the resource usage of recent calls beside the limits.
fn describe_usage(usage: &PluginUsage) -> String {
    let PluginUsage { calls, running, time_limit_ms, concurrency_limit, .. } = usage;
    let limits = format!(
        "limits: {time_limit_ms} ms, {} MiB, {concurrency_limit} calls at once ({running} running now)",
        usage.memory_limit_bytes >> 20,
    );
    if *calls == 0 {
        return format!("{limits}; no call has been measured since it was loaded");
    }
    let ms = |micros: Option<u64>| {
        let micros = micros.unwrap_or_default();
        format!("{}.{} ms", micros.div_euclid(1_000), micros.rem_euclid(1_000).div_euclid(100))
    };
    let kib = |bytes: Option<usize>| format!("{} KiB", bytes.unwrap_or_default() >> 10);
    format!(
        "{limits}\n  the last {calls} calls took p50 {}, p95 {}, at most {}; memory p50 {}, p95 {}, at most {}",
        ms(usage.time_p50_us),
        ms(usage.time_p95_us),
        ms(usage.time_max_us),
        kib(usage.memory_p50_bytes),
        kib(usage.memory_p95_bytes),
        kib(usage.memory_max_bytes),
    )
}

fn describe_canary(canary: &CanaryReport) -> String {
    let CanaryReport { version, calls, failures, stable_calls, stable_failures, compared, changed, .. } = canary;
    let time = |p95: Option<u64>| p95.map_or_else(|| "too few".to_owned(), |p95| format!("{p95} µs"));
    let state = match &canary.ended {
        Some(why) => format!("ended: {why}"),
        None => format!("serves {}% of callers", canary.share_pct),
    };
    format!(
        "canary {version} {state}; {failures} of {calls} calls failed (serving version: {stable_failures} of \
         {stable_calls}), p95 {} ({}), {changed} of {compared} answers changed",
        time(canary.p95_micros),
        time(canary.stable_p95_micros),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_shown_next_to_its_limits() {
        let limits =
            json!({ "calls": 0, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 16 });
        let none = describe_usage(&serde_json::from_value(limits).unwrap());
        assert!(none.contains("limits: 2000 ms, 16 MiB, 16 calls at once") && none.contains("no call"), "{none}");
        let usage = json!({
            "calls": 3, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 16, "running": 1,
            "time_p50_us": 1_250, "time_p95_us": 20_000, "time_max_us": 20_000, "memory_p50_bytes": 1 << 20,
            "memory_p95_bytes": 2 << 20, "memory_max_bytes": 3 << 20,
        });
        let shown = describe(&json!({
            "plugin": "bridges/x", "status": "live", "grants": [], "disabled": false, "tables": [], "usage": usage, "held": [],
        }));
        for part in ["p50 1.2 ms, p95 20.0 ms", "memory p50 1024 KiB", "(1 running now)"] {
            assert!(shown.contains(part), "no {part:?}: {shown}");
        }
        assert!(!shown.contains('{'), "{shown}");
    }
}
