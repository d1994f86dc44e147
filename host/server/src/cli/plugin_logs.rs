//! `tollbridge plugin logs`: what a plugin wrote, here or on a server of somebody
//! else's, and what it goes on to write.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::rfc3339_millis;
use tollbridge_operator::Command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::http_client::http_client;
use super::publisher::text;
use super::target;

/// How often is looked for more.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
pub(super) struct LogsArgs {
    /// NAME, bridges/NAME or agents/NAME
    plugin: String,
    /// Go on with what it writes from now on; with `--json`, a line of JSON for each
    #[arg(short, long)]
    follow: bool,
    /// Ask this server instead, for a plugin of the account of a key
    #[arg(long, value_name = "URL", requires = "key", conflicts_with = "data")]
    server: Option<String>,
    /// API key of the account
    #[arg(long, env = "TOLLBRIDGE_KEY", hide_env_values = true)]
    key: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: LogsArgs, global: &Global, out: Output) -> Result<()> {
    let mut answer = ask(&args, global).await?;
    if !args.follow {
        out.result(&answer, || lines(&answer).iter().map(shown).collect::<Vec<_>>().join("\n"));
        return Ok(());
    }
    let mut known: Vec<Value> = Vec::new();
    loop {
        let now = lines(&answer).to_vec();
        for line in fresh(&known, &now) {
            out.line(&if global.json { line.to_string() } else { shown(line) });
        }
        known = now;
        tokio::time::sleep(PAUSE).await;
        answer = ask(&args, global).await?;
    }
}

async fn ask(args: &LogsArgs, global: &Global) -> Result<Value> {
    let (Some(server), Some(key)) = (&args.server, &args.key) else {
        return target::run(global, &args.data, Command::PluginLogs { plugin: args.plugin.clone() }).await;
    };
    let places = match args.plugin.split_once('/') {
        Some(_) => vec![args.plugin.clone()],
        // As a name alone is read elsewhere: a bridge, or else an agent.
        None => [PluginKind::Bridge, PluginKind::Agent].map(|kind| format!("{}/{}", kind.folder(), args.plugin)).into(),
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

/// The answer of a server, or why there is none at this place.
async fn ask_server(server: &str, key: &str, place: &str) -> Result<Result<Value, String>> {
    let url = reqwest::Url::parse(server).with_context(|| format!("`{server}` is not a URL"))?;
    let url = url.join(&format!("/api/v1/{place}/logs"))?;
    let sent = http_client()?.get(url).bearer_auth(key).send().await;
    let answer = sent.with_context(|| format!("cannot reach {server}"))?;
    let status = answer.status();
    let reply: Value = answer.json().await.context("the answer is not JSON")?;
    if status.is_success() {
        return Ok(Ok(reply));
    }
    let why = format!("{} {}: {}", status.as_u16(), text(&reply, "code"), text(&reply, "error"));
    match status {
        reqwest::StatusCode::NOT_FOUND => Ok(Err(why)),
        _ => bail!(why),
    }
}

fn lines(answer: &Value) -> &[Value] {
    answer.get("lines").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The lines that were not there before: a server keeps only the last, so those that
/// it still has of `known` stand first in `now`.
fn fresh<'n>(known: &[Value], now: &'n [Value]) -> &'n [Value] {
    let still = (0..=known.len()).find_map(|gone| known.get(gone..).filter(|rest| now.starts_with(rest)));
    now.get(still.map_or(0, <[Value]>::len)..).unwrap_or_default()
}

/// A line for people: `2026-01-31T12:00:00.000Z error req_… text`.
fn shown(line: &Value) -> String {
    let time = line.get("time_ms").and_then(Value::as_u64).map(rfc3339_millis).unwrap_or_default();
    format!("{time} {:<5} {} {}", text(line, "level"), text(line, "request_id"), text(line, "text"))
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
        // The oldest made room.
        check_fresh(&[1, 2, 3], &[2, 3, 4], &[4]);
        check_fresh(&[1, 2, 3], &[4, 5, 6], &[4, 5, 6]);
        // Another version serves, with a log of its own.
        check_fresh(&[1, 2, 3], &[9], &[9]);
        check_fresh(&[1, 2, 3], &[], &[]);
    }

    #[test]
    fn a_line_has_a_time_that_people_read() {
        let line = json!({ "time_ms": 1_767_225_600_000_u64, "level": "warn", "request_id": "req_1", "text": "slow" });
        assert_eq!(shown(&line), "2026-01-01T00:00:00.000Z warn  req_1 slow");
    }
}
