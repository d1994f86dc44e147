//! Names of files, paths and counts in documents and comments, checked against the
//! source they are about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;
use tollbridge_tests::source::rust_files;
use tollbridge_tests::workspace;

/// Names from outside of this repository.
const FOREIGN: [&str; 2] = ["Config::wasm_component_model_async", "concurrent.rs"];

/// Names that the sources define: files as `crate/module.rs`, and every word outside of
/// comments.
#[derive(Default)]
struct Known {
    files: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Known {
    fn read() -> Self {
        let word = Regex::new(r"\w+").unwrap();
        let mut known = Self::default();
        for path in ["host", "sdk", "plugins", "tests"].into_iter().flat_map(rust_files) {
            let name = path.strip_prefix(workspace()).unwrap().display().to_string();
            known.words.extend(word.find_iter(&name).map(|part| part.as_str().to_owned()));
            known.files.extend([format!("/{}", name.replace("/src/", "/")), format!("/{name}")]);
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            known.words.extend(code.flat_map(|line| word.find_iter(line)).map(|word| word.as_str().to_owned()));
        }
        known
    }

    fn has_file(&self, name: &str) -> bool {
        let end = format!("/{name}");
        self.files.iter().any(|file| file.ends_with(&end))
    }

    /// Returns the first name in backquotes that nothing has.
    fn stale(&self, text: &str) -> Option<String> {
        let quoted = Regex::new(r"`([\w./-]+\.rs|\w+(?:::\w+)+)`").unwrap();
        let names = quoted.captures_iter(text).map(|found| found[1].to_owned());
        names.filter(|name| !FOREIGN.contains(&name.as_str())).find(|name| match name.ends_with(".rs") {
            true => !self.has_file(name),
            false => !name.split("::").all(|part| self.words.contains(part)),
        })
    }
}

fn documents() -> Vec<PathBuf> {
    fn add(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => add(&path, found),
                false if path.extension().is_some_and(|extension| extension == "md") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|file| workspace().join(file)).to_vec();
    add(&workspace().join("docs"), &mut found);
    found
}

#[test]
fn documents_and_comments_name_files_and_items_that_exist() {
    let known = Known::read();
    let mut wrong = Vec::new();
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        wrong.extend(known.stale(&prose).map(|name| format!("{}: {name}", path.display())));
    }
    for path in ["host", "sdk"].into_iter().flat_map(rust_files) {
        let text = std::fs::read_to_string(&path).unwrap();
        let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
        let stale = known.stale(&comments.collect::<Vec<_>>().join("\n"));
        wrong.extend(stale.map(|name| format!("{}: {name}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_crates_is_right_wherever_it_is_written() {
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    const ONES: [&str; 20] = [
        "",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    let count = std::fs::read_dir(workspace().join("host")).unwrap().count();
    let written = match ONES.get(count) {
        Some(word) => (*word).to_owned(),
        None => format!("{}-{}", TENS[count / 10 - 2], ONES[count % 10]).trim_end_matches('-').to_owned(),
    };
    let counted = Regex::new(r"(?i)\b([a-z]+teen|[a-z]+ty(?:-[a-z]+)?|\d+) crates\b").unwrap();
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for found in counted.captures_iter(&text) {
            let said = found[1].to_lowercase();
            assert!(said == written || said == count.to_string(), "{}: {said} crates, not {written}", path.display());
        }
    }
}

#[test]
fn every_decision_has_a_status() {
    for entry in std::fs::read_dir(workspace().join("docs/decisions")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let status = text.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default();
        let known = ["Status: accepted", "Status: superseded"].iter().any(|known| status.starts_with(known));
        assert!(known, "{}: the line below the title is {status:?}", path.display());
    }
}
