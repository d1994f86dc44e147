//! `tollbridge backup`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use super::account::lines;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::target;
use tollbridge_operator::Command;

/// Copy the data folder while the server runs; a server started on the copy goes on from there
#[derive(Args, Debug)]
pub struct BackupArgs {
    /// A folder that is not there yet
    to: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

pub async fn run(args: BackupArgs, global: &Global, out: Output) -> Result<()> {
    let to = std::path::absolute(&args.to).with_context(|| args.to.display().to_string())?;
    let answer = target::run(global, &args.data, Command::Backup { to: to.display().to_string() }).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
