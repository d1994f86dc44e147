//! The command `tollbridge payment`.

use anyhow::Result;
use clap::{Args, Subcommand};
use tollbridge_operator::{Command, PaymentFilter, PaymentShown, RecordView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};
use tollbridge_tools::working::ProgressIndicator;

use super::consent::Consent;
use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum PaymentCommand {
    /// List payments, calls and refunds, newest first
    List(ListArgs),
    /// Show a payment from receipt to payout
    Show {
        /// Payment intent (id, pay token or handle), seal, transaction, request id, or the
        /// processor's id
        #[arg(value_name = "NAME")]
        intent: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Record the processor's fees, and compare the processor's books with the ledger
    Reconcile {
        /// Days to look back
        #[arg(long, default_value_t = 3)]
        days: u32,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Refund the remainder of a payment, or part of it
    Refund {
        /// Payment intent: id, handle, or the token of a pay link
        intent: String,
        /// Amount in pounds, with at most two decimals [default: the whole remainder]
        #[arg(long, value_name = "GBP", conflicts_with = "to_credit")]
        amount: Option<String>,
        /// Short code for the record, such as `goodwill`
        #[arg(long)]
        reason: Option<String>,
        /// Show what would be refunded, without refunding it
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        consent: Consent,
        /// Refund to the credit of the account that owns the intent, not to the card
        #[arg(long)]
        to_credit: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Args, Debug)]
pub(super) struct ListArgs {
    /// Only for this account id
    #[arg(long, value_name = "ACCOUNT")]
    account: Option<String>,
    /// Only for the account with this e-mail address
    #[arg(long, conflicts_with = "account")]
    email: Option<String>,
    /// Only for this bridge, agent, product or model
    #[arg(long)]
    plugin: Option<String>,
    /// Only records of this kind: payment, purchase, topup, goodwill, route, inference, refund,
    /// dispute, transfer, withdraw
    #[arg(long)]
    kind: Option<String>,
    /// Not before this time: 2026-11-23, 2026-11-23T10:00:00Z, 7d, 24h
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only records older than this one: `next` of the previous page
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
    /// Number of rows, at most 1000
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    data: DataArgs,
}

async fn list(args: ListArgs, global: &Global, out: Output) -> Result<()> {
    let ListArgs { account, email, plugin, kind, since, until, before, limit, data } = args;
    let filter = PaymentFilter { account, email, plugin, kind, since, until, before, limit: Some(limit) };
    let command = command::PaymentList { filter: Box::new(filter) };
    let answer = target::show_answer(global, &data, out, command, |answer| payments(&answer.payments)).await?;
    if let Some(next) = answer.next {
        out.hint(&format!("there may be more: --before {next}"));
    }
    Ok(())
}

fn payments(rows: &[RecordView]) -> String {
    let row = |row: &RecordView| {
        cells((&row.at, &row.kind, &row.sold, &row.amount_gbp, &row.account_id, &row.transaction_id))
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    table(&["AT", "KIND", "SOLD", "GBP", "ACCOUNT", "TRANSACTION"], &rows)
}

async fn show(name: String, data: &DataArgs, global: &Global, out: Output) -> Result<()> {
    let text = |answer: &PaymentShown| format!("{}\n\n{}", lines(&answer.payment), payments(&answer.events));
    target::show_answer(global, data, out, command::PaymentShow { intent: name }, text).await.map(drop)
}

pub(super) async fn run(command: PaymentCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command): (_, Command) = match command {
        PaymentCommand::List(args) => return list(args, global, out).await,
        PaymentCommand::Show { intent, data } => return show(intent, &data, global, out).await,
        PaymentCommand::Reconcile { days, data } => (data, command::PaymentReconcile { days }.into()),
        PaymentCommand::Refund { intent, amount, reason, dry_run, consent, to_credit, data } => {
            let what = amount.as_deref().map_or_else(|| "the remainder".to_owned(), |amount| format!("£{amount}"));
            if !dry_run {
                consent.ask(&format!("refund {what} of {intent}"))?;
            }
            (data, command::PaymentRefund { intent, amount_gbp: amount, to_credit, reason, dry_run }.into())
        }
    };
    let working = ProgressIndicator::begin(out, "asking the processor");
    let answer = target::run(global, &data, command).await?;
    drop(working);
    out.result(&answer, || lines(&answer));
    Ok(())
}
