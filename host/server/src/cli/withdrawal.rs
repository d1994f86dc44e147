//! The command `tollbridge withdrawal`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;
use tollbridge_operator::{Command, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::account::lines;
use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum WithdrawalCommand {
    /// List open withdrawals and why they wait
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Release a withdrawal that a rule blocked, or that the processor does not know after a day
    Release {
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Reject such a withdrawal and restore the balance
    Reject {
        id: String,
        /// Short code for the record, such as `stolen_account`
        #[arg(long, default_value = "operator")]
        reason: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: WithdrawalCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command): (_, Command) = match command {
        WithdrawalCommand::List { data } => return list(global, &data, out).await,
        WithdrawalCommand::Release { id, data } => (data, command::WithdrawalRelease { id }.into()),
        WithdrawalCommand::Reject { id, reason, data } => (data, command::WithdrawalReject { id, reason }.into()),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    let answer = target::run(global, data, command::WithdrawalList {}).await?;
    out.result(&answer, || {
        let names = ["withdrawal_id", "account_id", "amount_gbp", "state", "reason"];
        let rows = answer.get("withdrawals").and_then(Value::as_array).into_iter().flatten();
        let rows = rows.map(|one| names.map(|name| text(one, name)).to_vec());
        table(&["WITHDRAWAL", "ACCOUNT", "POUNDS", "STATE", "REASON"], &rows.collect::<Vec<_>>())
    });
    Ok(())
}
