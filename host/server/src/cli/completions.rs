//! `tollbridge completions SHELL`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;

#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) {
    clap_complete::generate(args.shell, &mut Cli::command(), "tollbridge", &mut std::io::stdout());
}
