//! The command `tollbridge compile-component`, which a server runs as a child process to compile a
//! component; not for people.
//!
//! Invariant: it runs before any other part of the program starts, and reads no configuration and
//! no environment variable.

use std::process::ExitCode;

use clap::Args;
use tollbridge_runtime::{CodeTarget, CompileOrder, MemoryLayout, compile_component};

use crate::exit::Exit;

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct CompileComponentArgs {
    /// Memory layout: `wide`, `on-demand` or a number of bytes
    #[arg(long)]
    layout: MemoryLayout,
    /// Memory limit, in bytes
    #[arg(long)]
    memory_bytes: u64,
    /// Processor time limit, in seconds
    #[arg(long)]
    cpu_seconds: u64,
    /// Compile for any processor of this architecture
    #[arg(long)]
    any_processor: bool,
    /// Include the source lines from the component's debug information
    #[arg(long, conflicts_with = "any_processor")]
    source_lines: bool,
}

pub(super) fn run(args: CompileComponentArgs) -> ExitCode {
    let CompileComponentArgs { layout, memory_bytes, cpu_seconds, any_processor, source_lines } = args;
    let target = match (any_processor, source_lines) {
        (true, _) => CodeTarget::AnyProcessor,
        (false, true) => CodeTarget::Author,
        (false, false) => CodeTarget::ThisProcessor,
    };
    match compile_component(CompileOrder { layout, target, memory_bytes, cpu_seconds }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            Exit::Failed.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use tollbridge_runtime::ChildCompiler;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_command_is_what_a_server_calls() {
        let compiler = ChildCompiler::of_this_program().unwrap();
        for layout in [MemoryLayout::Wide, MemoryLayout::Narrow(64 << 20), MemoryLayout::OnDemand] {
            let arguments = compiler.arguments(layout, CodeTarget::AnyProcessor);
            let arguments = std::iter::once("tollbridge".to_owned()).chain(arguments);
            let parsed = Cli::try_parse_from(arguments).unwrap();
            let Command::CompileComponent(args) = parsed.command else { panic!("{:?}", parsed.command) };
            assert_eq!((args.layout, args.memory_bytes, args.any_processor), (layout, 1 << 30, true));
        }
        let arguments = compiler.arguments(MemoryLayout::Wide, CodeTarget::Author);
        let parsed = Cli::try_parse_from(std::iter::once("tollbridge".to_owned()).chain(arguments)).unwrap();
        assert!(matches!(parsed.command, Command::CompileComponent(args) if args.source_lines && !args.any_processor));
    }
}
