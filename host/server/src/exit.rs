//! How this program ends, for scripts and service managers.
//!
//! Invariant: nothing in this crate ends with another code. `docs/operator.md`, the
//! man page and `--help` have the same table.

use std::process::ExitCode;

/// How a command or the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success.
    Done = 0,
    /// Refused or failed.
    Failed = 1,
    /// The command line makes no sense: said by its parser.
    Usage = 2,
    /// What was checked does not hold.
    Broken = 3,
    /// What is on the disk is unknown until it is read again.
    DiskFailed = 74,
    /// Another host has taken this one's place.
    Replaced = 75,
    /// A second signal did not wait.
    StoppedAtOnce = 130,
}

impl Exit {
    /// All of them, as they are documented.
    pub(crate) const ALL: [Self; 7] =
        [Self::Done, Self::Failed, Self::Usage, Self::Broken, Self::DiskFailed, Self::Replaced, Self::StoppedAtOnce];

    /// The code.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }

    /// What it says to whoever reads it.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "refused or failed; the last line on standard error says why",
            Self::Usage => "the command line is wrong; nothing was done",
            Self::Broken => "a ledger, proof or backup that was checked does not hold",
            Self::DiskFailed => "the disk or the database failed: start again, which reads what is really there",
            Self::Replaced => "another host took this one for dead: start again, which joins anew",
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

    /// So that none is left out of the table.
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
