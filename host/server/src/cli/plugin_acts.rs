//! What serves and what should: `plugin list`, `inspect`, `approve`, `pin`, …

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::Value;
use tollbridge_operator::Command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::account::lines;
use super::plugin_logs::{self, LogsArgs};
use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum ActCommand {
    /// List plugins: what serves, and what is held back
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show a plugin: what serves, what does not, and why
    Inspect(Named),
    /// Show the last log lines of a plugin, or follow them
    Logs(LogsArgs),
    /// Approve a version that waits because of new grants or a new publisher
    Approve(Versioned),
    /// Pin a plugin to a version; without a version, remove the pin
    Pin(Versioned),
    /// Roll back to an earlier version
    Rollback(Versioned),
    /// Yank a version: it never serves again
    Yank {
        plugin: String,
        version: String,
        #[command(flatten)]
        data: DataArgs,
    },
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

pub(super) async fn run(command: ActCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command) = match command {
        ActCommand::List { data } => return list(global, &data, out).await,
        ActCommand::Logs(args) => return plugin_logs::run(args, global, out).await,
        ActCommand::Inspect(Named { plugin, data }) => (data, Command::PluginInspect { plugin }),
        ActCommand::Approve(Versioned { plugin, version, data }) => (data, Command::PluginApprove { plugin, version }),
        ActCommand::Pin(Versioned { plugin, version, data }) => (data, Command::PluginPin { plugin, version }),
        ActCommand::Rollback(Versioned { plugin, version, data }) => {
            (data, Command::PluginRollback { plugin, version })
        }
        ActCommand::Yank { plugin, version, data } => (data, Command::PluginYank { plugin, version }),
        ActCommand::Disable(Named { plugin, data }) => (data, Command::PluginDisable { plugin }),
        ActCommand::Enable(Named { plugin, data }) => (data, Command::PluginEnable { plugin }),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || describe(&answer));
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    let answer = target::run(global, data, Command::PluginList).await?;
    out.result(&answer, || {
        let rows = members(&answer, "plugins").iter().map(|one| {
            let held =
                members(one, "held").first().map(|held| format!("{}: {}", text(held, "version"), text(held, "reason")));
            let note = held.unwrap_or_else(|| text(one, "cause"));
            vec![
                text(one, "plugin"),
                text(one, "status"),
                text(one, "serving"),
                text(one, "price_gbp"),
                text(one, "publisher"),
                note,
            ]
        });
        table(&["PLUGIN", "STATUS", "SERVES", "GBP", "PUBLISHER", "NOTE"], &rows.collect::<Vec<_>>())
    });
    for stray in members(&answer, "strays") {
        out.warning(&format!("in the registry: {stray}"));
    }
    Ok(())
}

fn describe(report: &Value) -> String {
    let mut text_lines = lines(report);
    for held in members(report, "held") {
        text_lines.push_str(&format!("\n  {} does not run: {}", text(held, "version"), text(held, "reason")));
    }
    text_lines
}

fn members<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
