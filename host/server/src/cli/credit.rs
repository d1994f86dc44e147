//! The command `tollbridge credit`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::consent::Consent;
use super::shown::lines;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum CreditCommand {
    /// Give an account credit from the house's own money
    Give {
        /// Account id, or the e-mail address used to sign up
        #[arg(value_name = "ACCOUNT")]
        id: String,
        /// Pounds, in whole pence, for example 5.00
        amount: String,
        /// Short code for the record, such as `late_answers`; not a sentence
        #[arg(long)]
        reason: String,
        /// Take it from money that you paid into the processor's account, instead of the house's
        /// share of calls; in the sandbox, from test money
        #[arg(long)]
        own_money: bool,
        /// Show what would be given, without giving it
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
    let command = command::CreditGive { id, amount_gbp: amount, reason, own_money, dry_run };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
