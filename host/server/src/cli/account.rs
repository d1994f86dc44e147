//! The command `tollbridge account`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{AccountView, Command, LimitsChange, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::key::TierName;
use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum AccountCommand {
    /// List accounts, 100 at a time
    List {
        /// Start after this account id
        #[arg(long)]
        after: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show an account and its balance
    Show {
        /// Account id, or the e-mail address used to sign up
        #[arg(value_name = "ACCOUNT")]
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Change the tier of an account
    Tier {
        id: String,
        #[arg(value_enum)]
        tier: TierName,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show or set the call limits of an enterprise account
    Limits {
        id: String,
        /// Calls per minute
        #[arg(long, value_name = "CALLS")]
        per_minute: Option<u32>,
        /// Calls per hour
        #[arg(long, value_name = "CALLS")]
        per_hour: Option<u32>,
        /// Restore the limits of the account's tier
        #[arg(long, conflicts_with_all = ["per_minute", "per_hour"])]
        reset: bool,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Give an account test credit (sandbox only)
    Credit {
        id: String,
        /// Pounds, for example 5.00
        amount: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List e-mail addresses that asked to be notified, 1,000 at a time
    Interested {
        /// Start after this key: `next` of the previous page
        #[arg(long)]
        after: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Suspend an account and all of its keys
    Suspend {
        id: String,
        /// Reinstate the account
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: AccountCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command): (_, Command) = match command {
        AccountCommand::List { after, data } => return list(global, &data, after, out).await,
        AccountCommand::Interested { after, data } => return notify_requests(global, &data, after, out).await,
        AccountCommand::Show { id, data } => (data, command::AccountShow { id }.into()),
        AccountCommand::Tier { id, tier, data } => {
            (data, command::AccountTier { id, tier: tier.as_str().to_owned() }.into())
        }
        AccountCommand::Limits { id, per_minute, per_hour, reset, data } => {
            let change = match (reset, per_minute.or(per_hour)) {
                (true, _) => LimitsChange::Reset,
                (false, None) => LimitsChange::Keep,
                (false, Some(_)) => LimitsChange::Set { per_minute, per_hour },
            };
            (data, command::AccountLimits { id, change }.into())
        }
        AccountCommand::Credit { id, amount, data } => (data, command::AccountCredit { id, amount_gbp: amount }.into()),
        AccountCommand::Suspend { id, undo, data } => (data, command::AccountSuspend { id, suspended: !undo }.into()),
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, after: Option<String>, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::AccountList { after }, |answer| {
        let row =
            |AccountView { account_id, tier, suspended, email, .. }: &_| cells((account_id, tier, suspended, email));
        let rows: Vec<_> = answer.accounts.iter().map(row).collect();
        table(&["ACCOUNT", "TIER", "SUSPENDED", "EMAIL"], &rows)
    })
    .await
    .map(drop)
}

async fn notify_requests(global: &Global, data: &DataArgs, after: Option<String>, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::NotifyList { after }, |answer| {
        answer.interested.iter().map(|one| one.email.as_str()).collect::<Vec<_>>().join("\n")
    })
    .await
    .map(drop)
}
