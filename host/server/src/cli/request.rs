//! `tollbridge request …`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;
use tollbridge_operator::{Command, RequestQuery};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum RequestCommand {
    /// List the last requests that the running server answered, newest first
    List {
        /// One request: what the header X-Request-Id said
        #[arg(long)]
        id: Option<String>,
        /// Of this account
        #[arg(long)]
        account: Option<String>,
        /// Whose path begins like this
        #[arg(long)]
        path: Option<String>,
        /// With this status, or 4 or 5 for all of a class
        #[arg(long)]
        status: Option<u16>,
        /// With this code, such as E011
        #[arg(long)]
        code: Option<String>,
        /// Not before: 30m, 1h, 2026-11-23T10:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Rows, at most 1000
        #[arg(long, default_value_t = 50)]
        limit: usize,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Count the requests of the last minutes: answered, refused, failed, how fast
    Minutes {
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=1_440))]
        minutes: u64,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: RequestCommand, global: &Global, out: Output) -> Result<()> {
    let (id, account, path, status, code, since, limit, data) = match command {
        RequestCommand::Minutes { minutes, data } => return count(minutes, global, &data, out).await,
        RequestCommand::List { id, account, path, status, code, since, limit, data } => {
            (id, account, path, status, code, since, limit, data)
        }
    };
    let filter = RequestQuery { id, account, path, status, code, since, limit: Some(limit) };
    let answer = target::run(global, &data, Command::RequestList { filter: Box::new(filter) }).await?;
    out.result(&answer, || {
        let columns = ["at", "request_id", "method", "path", "status", "code", "micros", "account_id", "message"];
        let rows = answer.get("requests").and_then(Value::as_array).into_iter().flatten();
        let rows: Vec<_> = rows.map(|row| columns.map(|name| text(row, name)).to_vec()).collect();
        table(&["AT", "REQUEST", "METHOD", "PATH", "STATUS", "CODE", "US", "ACCOUNT", "WHY"], &rows)
    });
    Ok(())
}

async fn count(minutes: u64, global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    let answer = target::run(global, data, Command::RequestMinutes { minutes }).await?;
    out.result(&answer, || {
        let columns = ["at", "answered", "refused", "failed", "median_us", "p95_us", "p99_us"];
        let rows = answer.get("minutes").and_then(Value::as_array).into_iter().flatten();
        let rows: Vec<_> = rows.map(|row| columns.map(|name| text(row, name)).to_vec()).collect();
        table(&["MINUTE", "ANSWERED", "REFUSED", "FAILED", "P50 US", "P95 US", "P99 US"], &rows)
    });
    Ok(())
}
