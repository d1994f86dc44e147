//! The command `tollbridge withdrawal`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{Command, WithdrawalView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum WithdrawalCommand {
    /// List open withdrawals and why they wait
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Release a withdrawal that a rule blocked, or that the processor still does not
    /// know after a day
    Release {
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Reject a blocked or unknown withdrawal and restore the balance
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
    target::show_answer(global, data, out, command::WithdrawalList {}, |answer| {
        let row = |WithdrawalView { withdrawal_id, account_id, state, reason, amount_gbp, .. }: &_| {
            cells((withdrawal_id, account_id, amount_gbp, state, reason))
        };
        let rows: Vec<_> = answer.withdrawals.iter().map(row).collect();
        table(&["WITHDRAWAL", "ACCOUNT", "POUNDS", "STATE", "REASON"], &rows)
    })
    .await
    .map(drop)
}
