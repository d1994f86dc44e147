//! The command `tollbridge key`.

use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use tollbridge_operator::{KeyView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
use super::target;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum TierName {
    Free,
    Pro,
    Enterprise,
}

#[derive(Subcommand, Debug)]
pub(super) enum KeyCommand {
    /// Create an API key and print it; creates the account if the e-mail is new
    Create {
        #[arg(long, value_enum, default_value = "free")]
        tier: TierName,
        /// E-mail of the account
        #[arg(long)]
        email: Option<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List the keys of an account, without their secrets
    List {
        account: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Revoke a key
    Revoke {
        account: String,
        /// Key id, as shown by `key list`
        id: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

impl TierName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }
}

pub(super) async fn run(command: KeyCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        KeyCommand::Create { tier, email, data } => {
            let command = command::KeyCreate { tier: Some(tier.as_str().to_owned()), email };
            target::show_answer(global, &data, out, command, |answer| answer.api_key.clone()).await.map(drop)
        }
        KeyCommand::List { account, data } => {
            target::show_answer(global, &data, out, command::KeyList { account }, |answer| {
                let row = |KeyView { id, label, created_ms, expires_ms, revoked }: &_| {
                    cells((id, label, created_ms, expires_ms, revoked))
                };
                let rows: Vec<_> = answer.keys.iter().map(row).collect();
                table(&["ID", "LABEL", "CREATED", "EXPIRES", "REVOKED"], &rows)
            })
            .await
            .map(drop)
        }
        KeyCommand::Revoke { account, id, data } => {
            let command = command::KeyRevoke { account, id };
            target::show_answer(global, &data, out, command, |answer| format!("Key {} revoked.", answer.revoked))
                .await
                .map(drop)
        }
    }
}
