//! The command `tollbridge completions SHELL`.

use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, mut command: Command) {
    clap_complete::generate(args.shell, &mut command, "tollbridge", &mut std::io::stdout());
}
