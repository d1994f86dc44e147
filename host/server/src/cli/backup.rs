//! The command `tollbridge backup`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::working::ProgressIndicator;

use super::shown::lines;
use super::target;

/// Copy the data folder while the server runs; another server can continue from the copy
#[derive(Args, Debug)]
pub(super) struct BackupArgs {
    /// Folder to write to; it must not exist yet
    to: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: BackupArgs, global: &Global, out: Output) -> Result<()> {
    let to = std::path::absolute(&args.to).with_context(|| args.to.display().to_string())?;
    let working = ProgressIndicator::begin(out, "copying the data folder");
    let answer = target::run(global, &args.data, command::Backup { to: to.display().to_string() }).await?;
    drop(working);
    out.result(&answer, || lines(&answer));
    Ok(())
}
