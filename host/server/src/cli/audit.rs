//! The command `tollbridge audit`.

use anyhow::Result;
use clap::Args;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
use super::target;

/// Show operators' actions as sealed in the ledger, newest first
#[derive(Args, Debug)]
pub(super) struct AuditArgs {
    /// Only records older than SEQ, which is `next` of the previous page
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
    target::show_answer(global, &args.data, out, command, |answer| {
        let rows = answer.acts.iter().map(|act| cells((&act.at, &act.operator, &act.role, &act.command, &act.target)));
        table(&["AT", "OPERATOR", "ROLE", "COMMAND", "OF"], &rows.collect::<Vec<_>>())
    })
    .await
    .map(drop)
}
