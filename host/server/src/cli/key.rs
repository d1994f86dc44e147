//! The command `tollbridge key`.

use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::publisher::text;
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
            let answer = target::run(global, &data, command).await?;
            out.result(&answer, || text(&answer, "api_key"));
        }
        KeyCommand::List { account, data } => {
            let answer = target::run(global, &data, command::KeyList { account }).await?;
            out.result(&answer, || {
                let rows = answer.get("keys").and_then(Value::as_array).into_iter().flatten();
                let rows = rows.map(|key| {
                    ["id", "label", "created_ms", "expires_ms", "revoked"].map(|name| text(key, name)).to_vec()
                });
                table(&["ID", "LABEL", "CREATED", "EXPIRES", "REVOKED"], &rows.collect::<Vec<_>>())
            });
        }
        KeyCommand::Revoke { account, id, data } => {
            let answer = target::run(global, &data, command::KeyRevoke { account, id }).await?;
            out.result(&answer, || format!("Key {} revoked.", text(&answer, "revoked")));
        }
    }
    Ok(())
}
