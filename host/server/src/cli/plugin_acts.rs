//! Operator commands on plugins: `plugin list`, `inspect`, `approve`, `pin`, …

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::Value;
use tollbridge_operator::{CanaryRules, Command, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::plugin_logs::{self, LogsArgs};
use super::publisher::text;
use super::shown::lines;
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
    /// Share of callers that get it; always the same ones
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    share: String,
    /// End the canary at this many failures above the serving version's, in tenths of a percent
    #[arg(long, value_name = "PERMILLE", default_value_t = CanaryRules::default().failures_max)]
    max_failures: u32,
    /// Allowed increase of its 95th percentile time, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = CanaryRules::default().slower_max)]
    max_slower: u32,
    /// Compare answers with the serving version's, and end the canary if more differ, in tenths of a percent
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
    let answer = target::run(global, data, command::PluginList {}).await?;
    out.result(&answer, || {
        let rows = members(&answer, "plugins").iter().map(|one| {
            let held =
                members(one, "held").first().map(|held| format!("{}: {}", text(held, "version"), text(held, "reason")));
            let note = held.unwrap_or_else(|| text(one, "cause"));
            vec![
                text(one, "plugin"),
                text(one, "status"),
                text(one, "serving"),
                text(one, "pinned"),
                text(one, "price_gbp"),
                text(one, "publisher"),
                note,
            ]
        });
        table(&["PLUGIN", "STATUS", "SERVES", "PINNED", "GBP", "PUBLISHER", "NOTE"], &rows.collect::<Vec<_>>())
    });
    for stray in members(&answer, "strays") {
        out.warning(&format!("in the registry: {stray}"));
    }
    Ok(())
}

fn describe(report: &Value) -> String {
    let mut about = report.clone();
    let usage = about.as_object_mut().and_then(|members| members.remove("usage"));
    let mut text_lines = lines(&about);
    if let Some(usage) = &usage {
        text_lines.push_str(&format!("\n  {}", describe_usage(usage)));
    }
    if let Some(canary) = report.get("canary") {
        text_lines.push_str(&format!("\n  {}", describe_canary(canary)));
    }
    for held in members(report, "held") {
        text_lines.push_str(&format!("\n  {} does not run: {}", text(held, "version"), text(held, "reason")));
    }
    text_lines
}

/// Formats the resource usage of recent calls beside the limits.
fn describe_usage(usage: &Value) -> String {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let (calls, running) = (count("calls").unwrap_or_default(), count("running").unwrap_or_default());
    let limits = format!(
        "limits: {} ms, {} MiB, {} calls at once ({running} running now)",
        count("time_limit_ms").unwrap_or_default(),
        count("memory_limit_bytes").unwrap_or_default() >> 20,
        count("concurrency_limit").unwrap_or_default(),
    );
    if calls == 0 {
        return format!("{limits}; no call has been measured since it was loaded");
    }
    let ms = |name: &str| {
        let micros = count(name).unwrap_or_default();
        format!("{}.{} ms", micros.div_euclid(1_000), micros.rem_euclid(1_000).div_euclid(100))
    };
    let kib = |name: &str| format!("{} KiB", count(name).unwrap_or_default() >> 10);
    format!(
        "{limits}\n  the last {calls} calls took p50 {}, p95 {}, at most {}; memory p50 {}, p95 {}, at most {}",
        ms("time_p50_us"),
        ms("time_p95_us"),
        ms("time_max_us"),
        kib("memory_p50_bytes"),
        kib("memory_p95_bytes"),
        kib("memory_max_bytes"),
    )
}

fn describe_canary(canary: &Value) -> String {
    let count = |name: &str| canary.get(name).and_then(Value::as_u64).unwrap_or_default();
    let time =
        |name: &str| canary.get(name).and_then(Value::as_u64).map_or("too few".to_owned(), |p95| format!("{p95} µs"));
    let state = match canary.get("ended").and_then(Value::as_str) {
        Some(why) => format!("ended: {why}"),
        None => format!("serves {}% of callers", text(canary, "share_pct")),
    };
    format!(
        "canary {} {state}; {} of {} calls failed (serving version: {} of {}), p95 {} ({}), {} of {} answers changed",
        text(canary, "version"),
        count("failures"),
        count("calls"),
        count("stable_failures"),
        count("stable_calls"),
        time("p95_micros"),
        time("stable_p95_micros"),
        count("changed"),
        count("compared"),
    )
}

fn members<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_stands_beside_its_limits() {
        let limits =
            json!({ "calls": 0, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 16 });
        let none = describe_usage(&limits);
        assert!(none.contains("limits: 2000 ms, 16 MiB, 16 calls at once") && none.contains("no call"), "{none}");
        let usage = json!({
            "calls": 3, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 16, "running": 1,
            "time_p50_us": 1_250, "time_p95_us": 20_000, "time_max_us": 20_000, "memory_p50_bytes": 1 << 20,
            "memory_p95_bytes": 2 << 20, "memory_max_bytes": 3 << 20,
        });
        let shown = describe(&json!({ "plugin": "bridges/x", "usage": usage, "held": [] }));
        for part in ["p50 1.2 ms, p95 20.0 ms", "memory p50 1024 KiB", "(1 running now)"] {
            assert!(shown.contains(part), "no {part:?}: {shown}");
        }
        assert!(!shown.contains('{'), "{shown}");
    }
}
