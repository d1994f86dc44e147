//! Measures the bridge on the pairs of names in `pairs.tsv`; README.md says where they are from and how they are split.
//!
//! Usage: `cargo run --release --example measure_names -- [work|frozen] [THRESHOLD]`, or
//! `… -- crowd LIST.csv NAMES.txt [THRESHOLD]`.
//!
//! A pair counts as found if a list of the one name alone, screened for the other, has a match. A refusal is no find. What is
//! missed and what is found wrongly is printed for the work part alone, so that nobody tunes to the frozen one. With `crowd`,
//! every name of a file (one a line) is screened against a whole list, and what is found is counted.

use std::{collections::BTreeMap, env, error::Error, fs};

use sanctions_screen::{Input, handle};
use tollbridge_sdk::{Call, Stored, serde_json};

const PAIRS: &str = include_str!("pairs.tsv");

#[derive(Default)]
struct Count {
    pairs: usize,
    found: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [crowd, list, names, rest @ ..] if crowd == "crowd" => measure_crowd(list, names, threshold(rest.first())?),
        [part, rest @ ..] => measure_pairs(part, threshold(rest.first())?),
        [] => measure_pairs("frozen", threshold(None)?),
    }
}

fn threshold(given: Option<&String>) -> Result<f64, Box<dyn Error>> {
    Ok(given.map(|text| text.parse()).transpose()?.unwrap_or(0.85))
}

fn measure_pairs(part: &str, threshold: f64) -> Result<(), Box<dyn Error>> {
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for line in PAIRS.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [split, verdict, kind, name, other, _] = cells.as_slice() else {
            return Err(format!("not six cells: {line}").into());
        };
        if *split != part {
            continue;
        }
        let score = score(name, other, 0.7);
        let found = score >= threshold;
        let count = counts.entry((*verdict, *kind)).or_default();
        count.pairs += 1;
        count.found += usize::from(found);
        if part == "work" && found != (*verdict == "same") {
            println!("{verdict:9} {kind:13} {score:.3} {name} | {other}");
        }
    }
    let mut totals: BTreeMap<&str, Count> = BTreeMap::new();
    for ((verdict, kind), count) in &counts {
        println!("{part} {verdict:9} {kind:13} {:3} of {:3} found", count.found, count.pairs);
        let total = totals.entry(verdict).or_default();
        total.pairs += count.pairs;
        total.found += count.found;
    }
    let (same, different) = (totals.remove("same").unwrap_or_default(), totals.remove("different").unwrap_or_default());
    let recall = same.found as f64 / same.pairs as f64;
    let precision = same.found as f64 / (same.found + different.found) as f64;
    println!(
        "{part} at {threshold}: recall {recall:.3} ({} of {}), precision {precision:.3} ({} of {} different ones found)",
        same.found, same.pairs, different.found, different.pairs
    );
    Ok(())
}

/// The best score of a name against a list of the other one alone; 0 if nothing is reported.
fn score(name: &str, other: &str, threshold: f64) -> f64 {
    let input = serde_json::json!({"list": [{"name": other}], "subjects": [{"name": name}], "threshold": threshold});
    let output = serde_json::from_value::<Input>(input).map(|input| handle(&Call::default(), input));
    let Ok(Ok(output)) = output else { return 0.0 };
    let matches = output.result.subjects.iter().flat_map(|subject| &subject.matches);
    matches.map(|found| found.name_score).fold(0.0, f64::max)
}

fn measure_crowd(list: &str, names: &str, threshold: f64) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(list)?;
    let text = fs::read_to_string(names)?;
    let names: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let (mut hits, mut hit) = (0, 0);
    for name in &names {
        let call = Call {
            resource: Some(Stored { id: "res_1".into(), bytes: bytes.clone(), ..Stored::default() }),
            ..Call::default()
        };
        let input = serde_json::json!({"resource_id": "res_1", "subjects": [{"name": name}], "threshold": threshold});
        let output = handle(&call, serde_json::from_value(input)?).map_err(|error| error.to_string())?;
        for subject in &output.result.subjects {
            hits += subject.matches_count;
            hit += usize::from(subject.matches_count > 0);
            if let (Some(first), true) = (subject.matches.first(), env::var("SHOW").is_ok()) {
                println!("{:.3} {name} | {}", first.name_score, first.matched);
            }
        }
    }
    println!("crowd at {threshold}: {hit} of {} names have a match, {hits} matches in all", names.len());
    Ok(())
}
