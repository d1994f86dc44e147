//! Additions to `tollbridge --help`: commands grouped by purpose, and exit codes.

use std::fmt::Write as _;

use clap::Command;

use crate::exit::Exit;

/// All commands, grouped by purpose.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Start", &["init", "serve", "doctor", "config"]),
    ("Plugins", &["plugin", "publisher", "dev", "call", "precompile"]),
    ("Customers", &["account", "key", "credit", "request"]),
    ("Money", &["payment", "dispute", "withdrawal", "report", "earn"]),
    ("Watch", &["status", "top", "inference", "console", "audit"]),
    ("Ledger and data", &["ledger", "backup", "restore", "store", "signing"]),
    ("Others", &["webhooks", "completions", "man"]),
];

/// Adds the groups and exit codes to the command's help.
pub(super) fn with_help(command: Command) -> Command {
    let (groups, codes) = (groups(&command), exit_codes());
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{}\n{{options}}{{after-help}}",
        heading("Options")
    );
    command.help_template(template).after_help(codes)
}

fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (name, commands) in GROUPS {
        let _ = writeln!(text, "{}", heading(name));
        for name in commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let _ = writeln!(text, "  {name:<12} {}", about.map(ToString::to_string).unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// Formats a heading like the parser's own; the parser removes the ANSI codes where they are not
/// wanted.
fn heading(name: &str) -> String {
    format!("\u{1b}[1m\u{1b}[4m{name}:\u{1b}[0m")
}

fn exit_codes() -> String {
    let mut text = format!("{}\n", heading("Exit codes"));
    for exit in Exit::ALL {
        let _ = writeln!(text, "  {:<4} {}", exit.code(), exit.meaning());
    }
    text + "\n`tollbridge help COMMAND` and the man pages show more."
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let visible: BTreeSet<&str> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        assert_eq!(listed.len(), listed.iter().collect::<BTreeSet<_>>().len(), "a command is in two groups");
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), visible);
    }

    #[test]
    fn the_help_has_all_commands_options_and_codes() {
        let help = with_help(Cli::command()).term_width(200).render_help().to_string();
        for (name, commands) in GROUPS {
            assert!(help.contains(&format!("{name}:\n")), "{help}");
            for name in commands {
                let line = help.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
                let about = line.and_then(|line| line.trim_start().split_once(' ')).map_or("", |(_, about)| about);
                assert!(about.trim().len() > 10, "{name} is not explained:\n{help}");
            }
        }
        assert!(help.contains("--config") && help.contains("Usage: tollbridge"), "{help}");
        for exit in Exit::ALL {
            assert!(help.contains(&format!("{:<4} {}", exit.code(), exit.meaning())), "{help}");
        }
    }

    #[test]
    fn the_parser_ends_with_the_codes_of_the_table() {
        for args in [vec!["tollbridge", "--nonsense"], vec!["tollbridge"], vec!["tollbridge", "none"]] {
            let error = Cli::try_parse_from(args).unwrap_err();
            assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()));
        }
        let error = Cli::try_parse_from(["tollbridge", "--help"]).unwrap_err();
        assert_eq!(error.exit_code(), i32::from(Exit::Done.code()));
    }
}
