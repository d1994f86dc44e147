//! The command `tollbridge run-engine`, which a server runs as a child process to run a local
//! engine of models; not for people.
//!
//! The command runs this program a second time, which becomes the engine.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::app::{RUN_ENGINE, become_engine, own_program, run_engine_group};
use crate::exit::Exit;

#[derive(Args, Debug)]
pub(super) struct RunEngineArgs {
    /// Become the engine instead of running it
    #[arg(long)]
    exec: bool,
    /// Program and arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(super) fn run(args: &RunEngineArgs) -> ExitCode {
    let ended = match args.exec {
        true => Err(become_engine(&args.command)),
        false => own_program().and_then(|program| {
            let mut engine = Command::new(program);
            engine.args([RUN_ENGINE, "--exec", "--"]).args(&args.command);
            run_engine_group(engine, std::io::stdin())
        }),
    };
    match ended {
        Ok(status) if status.success() => Exit::Done.into(),
        Ok(status) => {
            eprintln!("the engine ended: {status}");
            Exit::Failed.into()
        }
        Err(error) => {
            eprintln!("{error}");
            Exit::Failed.into()
        }
    }
}
