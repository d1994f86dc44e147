//! The command `tollbridge request`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{MinuteTraffic, RequestQuery, RequestView, TrafficView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum RequestCommand {
    /// List the last requests that the running server answered, newest first
    List {
        /// Only the request with this X-Request-Id
        #[arg(long)]
        id: Option<String>,
        /// Only for this account
        #[arg(long)]
        account: Option<String>,
        /// Only paths with this prefix
        #[arg(long)]
        path: Option<String>,
        /// Only this status, or 4 or 5 for a whole class
        #[arg(long)]
        status: Option<u16>,
        /// Only this error code, such as E011
        #[arg(long)]
        code: Option<String>,
        /// Not before this time: 30m, 1h, 2026-11-23T10:00:00Z
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Number of rows, at most 1000
        #[arg(long, default_value_t = 50)]
        limit: usize,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Count recent requests by minute: answered, refused, failed, response times
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
    target::show_answer(global, &data, out, command::RequestList { filter: Box::new(filter) }, |answer| {
        let row = |RequestView { at, request_id, method, path, account_id, status, code, message, micros }: &_| {
            cells((at, request_id, method, path, status, code, micros, account_id, message))
        };
        let rows: Vec<_> = answer.requests.iter().map(row).collect();
        table(&["AT", "REQUEST", "METHOD", "PATH", "STATUS", "CODE", "US", "ACCOUNT", "WHY"], &rows)
    })
    .await
    .map(drop)
}

async fn count(minutes: u64, global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::RequestMinutes { minutes }, |answer| {
        let row = |MinuteTraffic { at, traffic }: &_| {
            let TrafficView { answered, refused, failed, median_us, p95_us, p99_us } = traffic;
            cells((at, answered, refused, failed, median_us, p95_us, p99_us))
        };
        let rows: Vec<_> = answer.minutes.iter().map(row).collect();
        table(&["MINUTE", "ANSWERED", "REFUSED", "FAILED", "P50 US", "P95 US", "P99 US"], &rows)
    })
    .await
    .map(drop)
}
