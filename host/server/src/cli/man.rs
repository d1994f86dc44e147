//! `tollbridge man`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};

use super::Cli;

#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// Folder, made if it is not there; one page for each command
    dir: PathBuf,
}

pub(super) fn run(args: &ManArgs) -> Result<()> {
    let cannot = || format!("cannot write man pages into {}", args.dir.display());
    std::fs::create_dir_all(&args.dir).with_context(cannot)?;
    clap_mangen::generate_to(Cli::command(), &args.dir).with_context(cannot)
}
