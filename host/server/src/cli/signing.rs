//! The command `tollbridge signing`: the host's signing keys.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_core::signing::ROTATED;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::shown::lines;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum SigningCommand {
    /// Rotate a key: a new key signs from now on; signatures by the old key stay
    /// verifiable
    Rotate {
        /// Purpose of the key
        #[arg(value_parser = ROTATED)]
        purpose: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: SigningCommand, global: &Global, out: Output) -> Result<()> {
    let SigningCommand::Rotate { purpose, data } = command;
    let answer = target::run(global, &data, command::SigningRotate { purpose }).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}
