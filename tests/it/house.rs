//! The rules of the house: which room may import which, and how large files
//! and functions may become.

use std::fs;
use std::path::{Path, PathBuf};

use tollbridge_tests::workspace;

/// Rooms of `host/src`, bottom to top. A room imports only rooms before it.
const ROOMS: [&str; 29] = [
    "limits",
    "finish",
    "money",
    "vault",
    "signing",
    "config",
    "egress",
    "store",
    "ledger",
    "events",
    "registry",
    "plugins",
    "catalog",
    "access",
    "payment",
    "webhooks",
    "checkout",
    "inference",
    "agents",
    "risk",
    "earning",
    "reputation",
    "accounts",
    "a2a",
    "control",
    "http",
    "app",
    "cli",
    "main",
];
const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;

/// Every Rust file below a folder of the repository.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&workspace().join(folder), &mut found);
    found.sort();
    assert!(!found.is_empty(), "no Rust files below {folder}");
    found
}

fn room_of(path: &Path) -> String {
    let below = path.strip_prefix(workspace().join("host/src")).unwrap();
    let first = below.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn rooms_import_only_rooms_below_them() {
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    let mut wrong = Vec::new();
    for file in rust_files("host/src") {
        let room = room_of(&file);
        // Tests may use the rooms above to make what they need. Only the path below the workspace counts: a checkout
        // in a folder with "test" in its name is no reason to skip every file.
        let is_test = file.strip_prefix(workspace()).unwrap().to_string_lossy().contains("test");
        if room == "lib" || is_test {
            continue;
        }
        let own = place(&room).unwrap_or_else(|| panic!("room `{room}` is not in the list of rooms"));
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for (start, _) in code.match_indices("crate::") {
                let name: String =
                    code[start + 7..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if place(&name).is_some_and(|imported| imported > own) {
                    wrong.push(format!("{}:{}: `{room}` must not import `{name}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_http_knows_axum_and_plugins_know_no_prices() {
    for file in rust_files("host/src") {
        let (room, text) = (room_of(&file), fs::read_to_string(&file).unwrap());
        assert!(!text.contains("axum::") || ["http", "app"].contains(&room.as_str()), "{} uses axum", file.display());
        for money in ["crate::money", "crate::ledger", "crate::payment"] {
            assert!(room != "plugins" || !text.contains(money), "{} knows what things cost", file.display());
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for folder in ["host/src", "sdk/src", "plugins", "tests/src", "tests/it"] {
        for file in rust_files(folder) {
            let text = fs::read_to_string(&file).unwrap();
            let tests = file.to_string_lossy().ends_with("tests.rs");
            assert!(tests || text.starts_with("//!"), "{} does not open with //!", file.display());
        }
    }
}

#[test]
fn files_and_functions_fit_a_reader() {
    let mut long = Vec::new();
    for folder in ["host/src", "sdk/src", "plugins", "tests/src", "tests/it"] {
        for file in rust_files(folder) {
            let text = fs::read_to_string(&file).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            if lines.len() > FILE_LINES_MAX {
                long.push(format!("{}: {} lines", file.display(), lines.len()));
            }
            let mut open: Option<(usize, usize)> = None;
            for (number, line) in lines.iter().enumerate() {
                let indent = line.len() - line.trim_start().len();
                let code = line.trim_start();
                let starts = ["fn ", "pub fn ", "async fn ", "pub async fn ", "pub(super) fn ", "pub(crate) fn "];
                if open.is_none() && starts.iter().any(|start| code.starts_with(start)) && !code.ends_with('}') {
                    open = Some((number, indent));
                } else if let Some((start, depth)) = open
                    && indent == depth
                    && code == "}"
                {
                    if number - start + 1 > FUNCTION_LINES_MAX {
                        long.push(format!(
                            "{}:{}: a function of {} lines",
                            file.display(),
                            start + 1,
                            number - start + 1
                        ));
                    }
                    open = None;
                }
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The one place where compiled code is loaded may be unsafe, and no other.
#[test]
fn unsafe_code_is_in_one_place() {
    let unsafe_files: Vec<String> = rust_files("host/src")
        .into_iter()
        .filter(|file| {
            fs::read_to_string(file).unwrap().lines().any(|line| {
                let code = line.split("//").next().unwrap_or_default();
                code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl")
            })
        })
        .map(|file| file.strip_prefix(workspace()).unwrap().display().to_string())
        .collect();
    assert!(unsafe_files.len() <= 1, "unsafe code in {unsafe_files:?}");
}
