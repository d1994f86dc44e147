//! `tollbridge signing …`: the keys that the host signs with.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Map, json};

use super::account::lines;
use super::hinted::Hinted;
use super::output::Output;
use super::target::Target;
use super::{DataArgs, Global};
use crate::app::now_ms;
use crate::ledger::{Entry, Event};
use crate::signing::{ROTATED, rotate};
use crate::vault::Vault;

#[derive(Subcommand, Debug)]
pub enum SigningCommand {
    /// Take a key out of use; the next start makes a new one, and what the old
    /// one signed stays verifiable
    Rotate {
        /// What the key signs
        #[arg(value_parser = ROTATED)]
        purpose: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub async fn run(command: SigningCommand, global: &Global, out: Output) -> Result<()> {
    let SigningCommand::Rotate { purpose, data } = command;
    let purpose = ROTATED.into_iter().find(|known| *known == purpose).context("there is no such key")?;
    let config = global.config(&data)?;
    let vault = Vault::open(&config.data.dir)?;
    // Holds the data folder until it is done.
    let desk = match Target::of(config).await? {
        Target::Stopped(desk) => desk,
        Target::Running(_) => {
            let hint = "stop it, rotate, and start it again; nothing that was signed is lost";
            return Err(Hinted::error("a server is using this key", hint));
        }
    };
    let old = rotate(&vault, purpose, now_ms())?;
    let mut told = Map::new();
    told.insert("purpose".to_owned(), purpose.into());
    told.insert("retired_key_id".to_owned(), old.kid.clone().into());
    let entry = Entry::Event(Event { event: "signing.rotated".to_owned(), data: told });
    desk.notary.note(&entry, Vec::new(), now_ms()).await?;
    let answer = json!({ "purpose": purpose, "retired_key_id": old.kid });
    out.result(&answer, || lines(&answer));
    Ok(())
}
