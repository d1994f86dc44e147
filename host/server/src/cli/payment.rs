//! `tollbridge payment …`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::Command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::account::lines;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum PaymentCommand {
    /// Show a payment and what is left of it
    Show {
        /// Payment intent id, or the token of a pay link
        intent: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Book the processor's fees and compare its books with the ledger
    Reconcile {
        /// Days to look back
        #[arg(long, default_value_t = 3)]
        days: u32,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Refund what is left of a payment
    Refund {
        /// Payment intent id, or the token of a pay link
        intent: String,
        /// Refund to the credit of the account that owns the intent, not to the card
        #[arg(long)]
        to_credit: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: PaymentCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command) = match command {
        PaymentCommand::Show { intent, data } => (data, Command::PaymentShow { intent }),
        PaymentCommand::Reconcile { days, data } => (data, Command::PaymentReconcile { days }),
        PaymentCommand::Refund { intent, to_credit, data } => (data, Command::PaymentRefund { intent, to_credit }),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
