//! `tollbridge payment …`.

use anyhow::Result;
use clap::Subcommand;

use super::account::lines;
use super::output::Output;
use super::{DataArgs, Global, target};
use crate::control::Command;

#[derive(Subcommand, Debug)]
pub enum PaymentCommand {
    /// What a payment is good for
    Show {
        /// Payment intent id, or the token of a pay link
        intent: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub async fn run(command: PaymentCommand, global: &Global, out: Output) -> Result<()> {
    let PaymentCommand::Show { intent, data } = command;
    let answer = target::run(global, &data, Command::PaymentShow { intent }).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
