//! `tollbridge plugin logs`: the last lines, and those that follow.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;
use tollbridge_operator::Command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::publisher::text;
use super::target;

/// How often a server is asked for new lines.
const ASK_EVERY: Duration = Duration::from_millis(500);

pub(super) async fn run(plugin: String, follow: bool, (global, data): (&Global, &DataArgs), out: Output) -> Result<()> {
    if !follow {
        let answer = target::run(global, data, Command::PluginLogs { plugin, after: None }).await?;
        out.result(&answer, || lines(&answer).map(line).collect::<Vec<_>>().join("\n"));
        return Ok(());
    }
    let server = target::running(global, data).await?;
    let heard = |kind| signal(kind).context("signals cannot be received");
    let (mut interrupt, mut terminate) = (heard(SignalKind::interrupt())?, heard(SignalKind::terminate())?);
    let mut interval = tokio::time::interval(ASK_EVERY);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut after = None;
    loop {
        tokio::select! {
            _ = interval.tick() => {
                // A server that is started anew wants another token: this ends then.
                let answer = server.run(&Command::PluginLogs { plugin: plugin.clone(), after }).await?;
                after = answer.get("newest").and_then(Value::as_u64).or(after);
                // Whoever read it has enough.
                if !write(&answer, global.json) {
                    return Ok(());
                }
            }
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

/// Writes the lines of an answer; whether anybody still reads them.
fn write(answer: &Value, json: bool) -> bool {
    let mut out = std::io::stdout().lock();
    let written = lines(answer).try_for_each(|one| {
        let text = if json { one.to_string() } else { line(one) };
        writeln!(out, "{text}")
    });
    written.and_then(|()| out.flush()).is_ok()
}

fn lines(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.get("lines").and_then(Value::as_array).into_iter().flatten()
}

fn line(one: &Value) -> String {
    format!("{} {:<5} {} {}", text(one, "at"), text(one, "level"), text(one, "request_id"), text(one, "text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_begins_with_its_time() {
        let one = json!({ "at": "2026-11-26T10:00:00.123Z", "level": "warn", "request_id": "req_1", "text": "low" });
        assert_eq!(line(&one), "2026-11-26T10:00:00.123Z warn  req_1 low");
    }
}
