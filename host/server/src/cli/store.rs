//! The command `tollbridge store`: the location of the ledger.

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use tollbridge_core::config::Config;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use crate::app::{Moved, move_to_embedded, move_to_postgres};

/// Commands on the location of the ledger.
#[derive(Subcommand, Debug)]
pub(super) enum StoreCommand {
    Migrate(MigrateArgs),
}

/// Move the ledger of a stopped server into PostgreSQL, or back
///
/// Every row is read back. Run an interrupted move again to continue it.
#[derive(Args, Debug)]
pub(super) struct MigrateArgs {
    /// `postgres` (the database of store.url), a connection string, or `embedded`
    #[arg(long, value_name = "WHERE")]
    to: String,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(command: StoreCommand, global: &Global, out: Output) -> Result<()> {
    let StoreCommand::Migrate(MigrateArgs { to, data }) = command;
    let mut flags = vec![("--data", "data.dir", data.data.as_ref().map(|dir| dir.display().to_string()))];
    let is_back = to == "embedded";
    if to.starts_with("postgres://") || to.starts_with("postgresql://") {
        flags.push(("--to", "store.url", Some(to.clone())));
    } else if !is_back && to != "postgres" {
        bail!("--to is `{to}`; it must be `postgres`, a connection string that begins with postgres://, or `embedded`");
    }
    // The command's arguments override the configuration.
    flags.push(("--to", "store.engine", Some("postgres".to_owned())));
    let config: Config = global.load(&flags)?.config;
    let dir = config.data.dir.display().to_string();
    let tell = move |rows: i64| tracing::info!(rows, "moved");
    let moved = tokio::task::spawn_blocking(move || match is_back {
        true => move_to_embedded(&config),
        false => move_to_postgres(&config, tell),
    });
    let Moved { rows, records, kept } = moved.await?.context("the ledger was not moved")?;
    let engine = if is_back { "embedded" } else { "postgres" };
    let answer = json!({ "engine": engine, "rows": rows, "records": records, "kept": kept });
    out.result(&answer, || {
        let kept = kept.as_ref().map(|path| format!("; the previous files were renamed to {path}")).unwrap_or_default();
        format!(
            "{records} records and {rows} rows moved and compared{kept}.\nSet store.engine = \"{engine}\" and start the \
             server on {dir}."
        )
    });
    Ok(())
}
