//! Exit codes of this program, for scripts and service managers.
//!
//! Invariant: nothing in this crate exits with another code. `docs/operator.md`, the man page and
//! `--help` have the same table.

use std::process::ExitCode;

/// The outcome of a command or of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success.
    Done = 0,
    /// The command was refused or failed.
    Failed = 1,
    /// The parser rejected the command line.
    Usage = 2,
    /// A verification failed.
    Broken = 3,
    /// The state of the disk is unknown until it is read again.
    DiskFailed = 74,
    /// Another host declared this one dead.
    Replaced = 75,
    /// A second signal ended the process early.
    StoppedAtOnce = 130,
}

impl Exit {
    /// All exit codes, in documented order.
    pub(crate) const ALL: [Self; 7] =
        [Self::Done, Self::Failed, Self::Usage, Self::Broken, Self::DiskFailed, Self::Replaced, Self::StoppedAtOnce];

    /// Returns the numeric code.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the documented meaning.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "refused or failed; the last line on standard error says why",
            Self::Usage => "the command line is wrong; nothing was done",
            Self::Broken => "a ledger, proof or backup failed verification",
            Self::DiskFailed => "the disk or the database failed; restart to read the actual state",
            Self::Replaced => "another host declared this one dead; restart it to rejoin",
            Self::StoppedAtOnce => "a second signal ended the server before its calls were finished",
        }
    }

    /// Ends the process at once.
    pub(crate) fn now(self) -> ! {
        std::process::exit(i32::from(self.code()))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn the_documented_codes_are_those_of_the_code() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_to_string(root.join("docs/operator.md")).unwrap();
        let (_, table) = docs.split_once("## Exit codes").expect("no section about exit codes");
        let table = table.split("\n## ").next().unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
        let documented: Vec<(u8, &str)> =
            rows.filter_map(|(code, meaning)| Some((code.parse().ok()?, meaning))).collect();
        assert_eq!(documented, Exit::ALL.map(|exit| (exit.code(), exit.meaning())));
    }

    /// Checks that every exit goes through `Exit`, so that the table is complete.
    #[test]
    fn nothing_else_ends_the_process() {
        fn files(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files(&path, found);
                } else if path.file_name().is_some_and(|name| name != "exit.rs") {
                    found.push(path);
                }
            }
        }
        let mut found = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(found.len() > 40);
        for path in found {
            let text = std::fs::read_to_string(&path).unwrap();
            for other in ["process::exit", "ExitCode::from(", "ExitCode::FAILURE"] {
                assert!(!text.contains(other), "{} has {other}: use Exit", path.display());
            }
        }
    }
}
