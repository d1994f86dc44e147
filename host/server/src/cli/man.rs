//! The command `tollbridge man`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};

use crate::exit::Exit;

/// The page of the main command.
const TOP: &str = "tollbridge.1";
/// The section before which the exit codes are inserted.
const VERSION: &str = ".SH VERSION";

#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// Folder for one page per command; created if missing
    dir: PathBuf,
}

pub(super) fn run(args: &ManArgs, command: Command) -> Result<()> {
    let cannot = || format!("cannot write man pages into {}", args.dir.display());
    std::fs::create_dir_all(&args.dir).with_context(cannot)?;
    clap_mangen::generate_to(command, &args.dir).with_context(cannot)?;
    let top = args.dir.join(TOP);
    let page = std::fs::read_to_string(&top).with_context(cannot)?;
    std::fs::write(&top, with_exit_codes(&page)).with_context(cannot)
}

/// Adds the section with exit codes, which the generator does not write.
fn with_exit_codes(page: &str) -> String {
    let mut section = ".SH \"EXIT STATUS\"\n".to_owned();
    for exit in Exit::ALL {
        let _ = writeln!(section, ".TP\n\\fB{}\\fR\n{}", exit.code(), exit.meaning());
    }
    match page.find(VERSION) {
        Some(place) => {
            let (before, after) = page.split_at(place);
            format!("{before}{section}{after}")
        }
        None => format!("{page}{section}"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_page_of_the_command_has_the_exit_codes() {
        let dir = tempfile::tempdir().unwrap();
        run(&ManArgs { dir: dir.path().to_owned() }, crate::cli::Cli::command()).unwrap();
        let page = std::fs::read_to_string(dir.path().join(TOP)).unwrap();
        assert!(page.find("EXIT STATUS").unwrap() < page.find(VERSION).unwrap(), "{page}");
        for exit in Exit::ALL {
            assert!(page.contains(&format!("\\fB{}\\fR\n{}\n", exit.code(), exit.meaning())), "{page}");
        }
        assert!(dir.path().join("tollbridge-ledger-verify.1").exists());
    }
}
