//! The command `tollbridge audit`.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::publisher::text;
use super::target;

/// Show operators' actions as sealed in the ledger, newest first
#[derive(Args, Debug)]
pub(super) struct AuditArgs {
    /// Only records older than this one: `next` of the previous page
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
    /// Number of rows, at most 1000
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: AuditArgs, global: &Global, out: Output) -> Result<()> {
    let command = command::AuditList { before: args.before, limit: Some(args.limit) };
    let answer = target::run(global, &args.data, command).await?;
    out.result(&answer, || {
        let rows = answer.get("acts").and_then(Value::as_array).into_iter().flatten();
        let columns = ["at", "operator", "role", "command", "target"];
        let rows: Vec<_> = rows.map(|row| columns.map(|name| text(row, name)).to_vec()).collect();
        table(&["AT", "OPERATOR", "ROLE", "COMMAND", "OF"], &rows)
    });
    Ok(())
}
