//! Measures the bridge on the set that `make.py` makes; it says where the labels are from and how the set is split.
//!
//! Usage: `cargo run --release --example measure_security -- FOLDER [tune|test] [show]`.
//!
//! Python: a label (a line, or the lines of a statement) of severity medium or high is found when a finding lies in it;
//! labels of severity low are left out of the count. A finding in no label at all is false. JavaScript: a snippet that
//! is bad is found when it has a finding; a finding in a good one is false.

use std::{collections::BTreeMap, env, error::Error, fs, ops::RangeInclusive};

use security_scan::{Input, handle};
use tollbridge_sdk::{
    Call,
    serde_json::{self, Value, json},
};

#[derive(Default)]
struct Count {
    found: usize,
    missed: usize,
    wrong: usize,
}

type Counts = BTreeMap<String, Count>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("give the folder that make.py filled")?;
    let part = env::args().nth(2).unwrap_or_else(|| "test".into());
    let show = env::args().nth(3).is_some();
    for language in ["python", "javascript"] {
        let set: Vec<Value> = serde_json::from_str(&fs::read_to_string(format!("{folder}/{language}.json"))?)?;
        let mut counts = Counts::new();
        for item in set.iter().filter(|item| item["split"] == part.as_str()) {
            let found = findings(item)?;
            if language == "python" {
                lines(item, &found, &mut counts, show);
            } else {
                snippet(item, &found, &mut counts, show);
            }
        }
        print(language, &part, &counts);
    }
    Ok(())
}

/// Line and rule of each finding.
fn findings(item: &Value) -> Result<Vec<(u64, String)>, Box<dyn Error>> {
    let input: Input = serde_json::from_value(json!({
        "source": item["source"], "language": item["language"], "max_findings": 500,
    }))?;
    let output = serde_json::to_value(handle(&Call::default(), input).map_err(|error| error.to_string())?)?;
    let listed = output.pointer("/result/findings").and_then(Value::as_array).ok_or("no findings")?;
    let read = |finding: &Value| {
        (finding["line"].as_u64().unwrap_or(0), finding["rule"].as_str().unwrap_or_default().to_owned())
    };
    Ok(listed.iter().map(read).collect())
}

fn lines(item: &Value, found: &[(u64, String)], counts: &mut Counts, show: bool) {
    let labels = item["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    let span = |label: &Value| -> RangeInclusive<u64> {
        label["from"].as_u64().unwrap_or(0)..=label["to"].as_u64().unwrap_or(0)
    };
    let source: Vec<&str> = item["source"].as_str().unwrap_or_default().lines().collect();
    let line = |number: u64| source.get(number.saturating_sub(1) as usize).copied().unwrap_or_default().trim();
    for label in labels.iter().filter(|label| label["severity"] != "low") {
        let count = counts.entry(label["rule"].as_str().unwrap_or_default().to_owned()).or_default();
        if found.iter().any(|(at, _)| span(label).contains(at)) {
            count.found += 1;
        } else {
            count.missed += 1;
            if show {
                println!("missed {} in {}: {}", label["rule"], item["name"], line(*span(label).start()));
            }
        }
    }
    for (at, rule) in found.iter().filter(|(at, _)| !labels.iter().any(|label| span(label).contains(at))) {
        counts.entry(rule.clone()).or_default().wrong += 1;
        if show {
            println!("wrong {rule} in {}: {}", item["name"], line(*at));
        }
    }
}

fn snippet(item: &Value, found: &[(u64, String)], counts: &mut Counts, show: bool) {
    let rule = item["rule"].as_str().unwrap_or_default().split(' ').next().unwrap_or_default();
    let count = counts.entry(rule.to_owned()).or_default();
    let what = match (item["bad"] == true, found.is_empty()) {
        (true, false) => {
            count.found += 1;
            return;
        }
        (true, true) => {
            count.missed += 1;
            "missed"
        }
        (false, false) => {
            count.wrong += 1;
            "wrong"
        }
        (false, true) => return,
    };
    if show {
        println!("{what} {} {found:?}: {}", item["name"], item["source"]);
    }
}

fn print(language: &str, part: &str, counts: &Counts) {
    println!("{language}, {part}\n{:36} {:>6} {:>6} {:>6}", "", "found", "missed", "wrong");
    let row = |name: &str, count: &Count| println!("{name:36} {:6} {:6} {:6}", count.found, count.missed, count.wrong);
    let mut all = Count::default();
    for (name, count) in counts {
        row(name, count);
        all.found += count.found;
        all.missed += count.missed;
        all.wrong += count.wrong;
    }
    row("all", &all);
    let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
    println!("recall {:.3}, precision {:.3}\n", share(all.found, all.missed), share(all.found, all.wrong));
}
