//! The `tollbridge` command.

fn main() -> std::process::ExitCode {
    tollbridge::cli::main()
}
