//! The command `tollbridge publisher`: signing keys, and trusted publishers.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use tollbridge_operator::{PublisherRevoked, PublisherTrusted, PublisherView, command};
use tollbridge_registry::{Name, PublisherKey, key_folder, key_path};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum PublisherCommand {
    /// Create a signing key for plugins; it is saved in your configuration folder
    New(NewArgs),
    /// Trust a publisher, so that its plugins run
    Trust(TrustArgs),
    /// Stop all plugins of a publisher at once; with an account id, all plugins that earn
    /// for that account, and bar it from ever deploying again
    Revoke {
        #[arg(value_name = "NAME|ACCOUNT")]
        name: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List trusted publishers, including accounts that deploy
    List {
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Args, Debug)]
pub(super) struct NewArgs {
    /// Name of the publisher: a-z, 0-9, _ and -
    name: String,
    /// Account that receives the earnings, for --trust
    #[arg(long)]
    account: Option<String>,
    /// Trust the publisher on this server as well
    #[arg(long, requires = "account")]
    trust: bool,
    /// If the key exists already, keep it instead of failing
    #[arg(long)]
    if_missing: bool,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Args, Debug)]
pub(super) struct TrustArgs {
    name: String,
    /// Public key as printed by `publisher new`
    #[arg(long, value_name = "HEX")]
    key: String,
    /// Account that receives the earnings
    #[arg(long)]
    account: String,
    /// Prefixes of the plugin names that the publisher may use
    #[arg(long, default_value = "*", value_delimiter = ',')]
    namespaces: Vec<String>,
    /// Hold new versions until `plugin approve`
    #[arg(long)]
    no_auto_activate: bool,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(command: PublisherCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        PublisherCommand::New(args) => new(args, global, out).await,
        PublisherCommand::Trust(args) => {
            let command = command::PublisherTrust {
                name: args.name,
                public_key: args.key,
                account: args.account,
                namespaces: args.namespaces,
                auto_activate: !args.no_auto_activate,
            };
            let text = |answer: &PublisherTrusted| format!("{} is trusted", answer.publisher);
            target::show_answer(global, &args.data, out, command, text).await.map(drop)
        }
        PublisherCommand::Revoke { name, data } => {
            let text = |answer: &PublisherRevoked| format!("{} is revoked; its plugins are stopped", answer.publisher);
            target::show_answer(global, &data, out, command::PublisherRevoke { name }, text).await.map(drop)
        }
        PublisherCommand::List { data } => list(global, &data, out).await,
    }
}

async fn new(args: NewArgs, global: &Global, out: Output) -> Result<()> {
    let name: Name = args.name.parse()?;
    let folder = key_folder()?;
    let path = key_path(&folder, &name);
    let key = if args.if_missing && path.exists() {
        PublisherKey::load(&path)?
    } else {
        let key = PublisherKey::generate(name)?;
        key.save(&folder)?;
        out.note(&format!("created {}; keep it secret and backed up", path.display()));
        key
    };
    let public_key = key.public().to_string();
    if args.trust {
        let account = args.account.context("--trust needs --account")?;
        let command = command::PublisherTrust {
            name: args.name.clone(),
            public_key: public_key.clone(),
            account,
            namespaces: vec!["*".to_owned()],
            auto_activate: true,
        };
        target::run(global, &args.data, command).await?;
    }
    out.result(&json!({ "publisher": args.name, "public_key": public_key }), || public_key.clone());
    Ok(())
}

async fn list(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::PublisherList {}, |answer| {
        let row = |PublisherView { name, public_key, account, namespaces, revoked, .. }: &_| {
            cells((name, if *revoked { "revoked" } else { "trusted" }, account, namespaces, public_key))
        };
        let rows: Vec<_> = answer.publishers.iter().map(row).collect();
        table(&["PUBLISHER", "STATE", "ACCOUNT", "NAMES", "KEY"], &rows)
    })
    .await
    .map(drop)
}

#[cfg(test)]
mod tests {
    use tollbridge_operator::Actor;

    use super::*;
    use crate::app::{Base, OpenPurpose};
    use tollbridge_core::config::Sources;
    use tollbridge_registry::{Publisher, Publishers, Revocation};
    use tollbridge_store::{Change, Collection, Expect, Put};

    /// Checks that revoking one publisher of an account is attempted even if revoking
    /// another one fails.
    #[test]
    fn one_that_cannot_be_revoked_keeps_no_other_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Sources::default().load().unwrap().config;
        config.data.dir = folder.path().join("data");
        config.registry.publishers = folder.path().join("publishers.toml");
        let base = Base::open(config, OpenPurpose::Command).unwrap();
        for name in ["aaa", "bbb"] {
            let key = PublisherKey::generate(name.parse().unwrap()).unwrap();
            let publisher = Publisher {
                name: name.parse().unwrap(),
                key: key.public(),
                account: "acct_tollbridge".to_owned(),
                namespaces: tollbridge_registry::Namespaces::Any,
                auto_activate: true.into(),
            };
            Publishers::add_to_file(&base.config.registry.publishers, &publisher).unwrap();
        }
        let put = |value: Option<&str>, expect| Put {
            collection: Collection::Publishers,
            key: "aaa".to_owned(),
            value: value.map(|text| text.as_bytes().to_vec()),
            expect,
        };
        let damaged = put(Some("not json"), Expect::Absent);
        base.db.submit_blocking(Change { puts: vec![damaged], ..Change::default() }).unwrap();
        let operator = base.operator().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let revoke = || command::PublisherRevoke { name: "acct_tollbridge".to_owned() };
        assert!(
            runtime.block_on(operator.execute(&Actor::of_command_line(), revoke())).is_err(),
            "the damage is not reported"
        );
        let row = base.db.store().get(Collection::Publishers, "bbb").unwrap();
        let revoked = |row: &[u8]| Revocation::from_row(row).unwrap().key_ids.len();
        assert_eq!(row.as_deref().map(revoked), Some(1), "the second still serves");

        let repaired = put(None, Expect::Any);
        base.db.submit_blocking(Change { puts: vec![repaired], ..Change::default() }).unwrap();
        runtime.block_on(operator.execute(&Actor::of_command_line(), revoke())).unwrap();
        let row = base.db.store().get(Collection::Publishers, "aaa").unwrap();
        assert_eq!(row.as_deref().map(revoked), Some(1));
    }
}
