//! `tollbridge credit …`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::Command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::account::lines;
use super::consent::Consent;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum CreditCommand {
    /// Give an account credit out of the house's own money
    Give {
        /// Account id, or the e-mail address that it signed up with
        #[arg(value_name = "ACCOUNT")]
        id: String,
        /// Pounds, in whole pence, for example 5.00
        amount: String,
        /// Short code for the record, such as `late_answers`; no sentence
        #[arg(long)]
        reason: String,
        /// Take it not from the house's share of calls, but from money that you paid
        /// into the processor's account; in the sandbox from test money
        #[arg(long)]
        own_money: bool,
        /// Say what would be given, and give nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        consent: Consent,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: CreditCommand, global: &Global, out: Output) -> Result<()> {
    let CreditCommand::Give { id, amount, reason, own_money, dry_run, consent, data } = command;
    if !dry_run {
        consent.ask(&format!("give {id} credit of £{amount}, out of the house's money"))?;
    }
    let command = Command::CreditGive { id, amount_gbp: amount, reason, own_money, dry_run };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
