//! The command `tollbridge plugin logs`: shows or follows a plugin's log, on this machine or on
//! another server.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::rfc3339_millis;
use tollbridge_operator::{LogLineView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::http_client::{ServerError, http_client};
use super::server_access::{ServerAccess, ServerArgs};
use super::target;

/// Interval between requests for new lines.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
pub(super) struct LogsArgs {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    /// Follow the log; with `--json`, print one JSON line per entry
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    elsewhere: ServerArgs,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: LogsArgs, global: &Global, out: Output) -> Result<()> {
    // Naming the data folder of a local server overrides any log-in.
    let here = args.data.data.is_some();
    ensure!(!here || args.elsewhere.server.is_none(), "--server and --data name different servers");
    let access = if here { None } else { args.elsewhere.access()? };
    let Some(ServerAccess { server, key }) = access else {
        return run_here(args, global, out).await;
    };
    let mut answer = ask_elsewhere(&server, &key, &args.plugin).await?;
    if !args.follow {
        out.result(&answer, || text_of(lines(&answer)));
        return Ok(());
    }
    let mut known: Vec<Value> = Vec::new();
    loop {
        let now = lines(&answer).to_vec();
        // The program that reads the output, such as `head`, has closed the pipe.
        if !write(fresh(&known, &now), global.json) {
            return Ok(());
        }
        known = now;
        tokio::time::sleep(POLL_INTERVAL).await;
        answer = ask_elsewhere(&server, &key, &args.plugin).await?;
    }
}

/// Reads the log from this machine's server, which numbers its lines.
async fn run_here(args: LogsArgs, global: &Global, out: Output) -> Result<()> {
    let LogsArgs { plugin, follow, data, .. } = args;
    if !follow {
        let command = command::PluginLogs { plugin, after: None };
        return target::show_answer(global, &data, out, command, |log| text_of(&log.lines)).await.map(drop);
    }
    let server = target::running(global, &data).await?;
    let heard = |kind| signal(kind).context("cannot receive signals");
    let (mut interrupt, mut terminate) = (heard(SignalKind::interrupt())?, heard(SignalKind::terminate())?);
    let mut interval = tokio::time::interval(POLL_INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut after = None;
    loop {
        tokio::select! {
            _ = interval.tick() => {
                // A restarted server has a new token, which ends this loop with an error.
                let answer = server.ask(command::PluginLogs { plugin: plugin.clone(), after }).await?;
                after = answer.newest.or(after);
                if !write(&answer.lines, global.json) {
                    return Ok(());
                }
            }
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}

/// Writes lines; returns whether the output is still open.
fn write(lines: &[impl Serialize], json: bool) -> bool {
    let mut out = std::io::stdout().lock();
    let written = lines.iter().try_for_each(|one| {
        let text = if json { serde_json::to_value(one)?.to_string() } else { shown(one) };
        writeln!(out, "{text}")
    });
    written.and_then(|()| out.flush()).is_ok()
}

fn text_of(lines: &[impl Serialize]) -> String {
    lines.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// Reads the log of a plugin of the key's account from a remote server.
async fn ask_elsewhere(server: &str, key: &str, plugin: &str) -> Result<Value> {
    let places = match plugin.split_once('/') {
        Some(_) => vec![plugin.to_owned()],
        // A plain name may be a bridge or an agent.
        None => [PluginKind::Bridge, PluginKind::Agent].map(|kind| format!("{}/{plugin}", kind.folder())).into(),
    };
    let mut refused = String::new();
    for place in places {
        match ask_server(server, key, &place).await? {
            Ok(answer) => return Ok(answer),
            Err(why) => refused = why,
        }
    }
    bail!("{refused}")
}

/// Returns the server's answer, or the reason why it has no such plugin.
pub(super) async fn ask_server(server: &str, key: &str, place: &str) -> Result<Result<Value, String>> {
    let url = reqwest::Url::parse(server).with_context(|| format!("`{server}` is not a URL"))?;
    let url = url.join(&format!("/api/v1/{place}/logs"))?;
    let sent = http_client()?.get(url).bearer_auth(key).send().await;
    let answer = sent.with_context(|| format!("cannot reach {server}"))?;
    let status = answer.status();
    let reply: Value = answer.json().await.context("the answer is not JSON")?;
    if status.is_success() {
        return Ok(Ok(reply));
    }
    let ServerError { code, error, .. } = ServerError::deserialize(reply).unwrap_or_default();
    let why = format!("{} {}: {}", status.as_u16(), code.unwrap_or_default(), error.unwrap_or_default());
    match status {
        reqwest::StatusCode::NOT_FOUND => Ok(Err(why)),
        _ => bail!(why),
    }
}

fn lines(answer: &Value) -> &[Value] {
    answer.get("lines").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the lines of `now` that are not in `known`. A server keeps only its latest
/// lines, so `now` begins with those lines of `known` that the server still has.
fn fresh<'n>(known: &[Value], now: &'n [Value]) -> &'n [Value] {
    let still = (0..=known.len()).find_map(|gone| known.get(gone..).filter(|rest| now.starts_with(rest)));
    now.get(still.map_or(0, <[Value]>::len)..).unwrap_or_default()
}

/// Formats a line for people: `2026-01-31T12:00:00.000Z error req_… text`, with the stack trace
/// below it.
fn shown(line: &impl Serialize) -> String {
    let line = serde_json::to_value(line).and_then(serde_json::from_value::<LogLineView>).unwrap_or_default();
    let LogLineView { at, time_ms, request_id, level, text, trace, .. } = line;
    let time = time_ms.map_or(at, rfc3339_millis);
    let mut entry = format!("{time} {level:<5} {request_id} {text}");
    trace.iter().for_each(|place| entry.push_str(&format!("\n    {place}")));
    entry
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check_fresh(known: &[u64], now: &[u64], expect: &[u64]) {
        let values = |numbers: &[u64]| numbers.iter().map(|number| json!(number)).collect::<Vec<_>>();
        assert_eq!(fresh(&values(known), &values(now)), values(expect), "{known:?} {now:?}");
    }

    #[test]
    fn only_what_is_new_is_shown() {
        check_fresh(&[], &[1, 2], &[1, 2]);
        check_fresh(&[1, 2], &[1, 2], &[]);
        check_fresh(&[1, 2], &[1, 2, 3], &[3]);
        // The oldest line was dropped.
        check_fresh(&[1, 2, 3], &[2, 3, 4], &[4]);
        check_fresh(&[1, 2, 3], &[4, 5, 6], &[4, 5, 6]);
        // Another version serves, with its own log.
        check_fresh(&[1, 2, 3], &[9], &[9]);
        check_fresh(&[1, 2, 3], &[], &[]);
    }

    #[test]
    fn a_line_has_a_time_that_people_read() {
        let line = json!({ "time_ms": 1_767_225_600_000_u64, "level": "warn", "request_id": "req_1", "text": "slow" });
        assert_eq!(shown(&line), "2026-01-01T00:00:00.000Z warn  req_1 slow");
        let mut failed = line;
        failed["trace"] = json!(["at weather::deep", "at weather::handle"]);
        let expect = "2026-01-01T00:00:00.000Z warn  req_1 slow\n    at weather::deep\n    at weather::handle";
        assert_eq!(shown(&failed), expect);
    }
}
