//! Measures the bridge on short formal texts: greetings, closings, subjects and labels of forms, one to six words.
//!
//! Usage: `cargo run --release --example measure_short -- [work|frozen]`. What is wrong is printed for the work part alone.

use std::{collections::BTreeMap, env, error::Error};

use language_detection::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

const SET: &str = include_str!("short.tsv");

fn main() -> Result<(), Box<dyn Error>> {
    let part = env::args().nth(1).unwrap_or_else(|| "frozen".into());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut reliable, mut reliable_right) = (0, 0);
    for line in SET.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [split, code, text] = cells.as_slice() else { return Err(format!("not three cells: {line}").into()) };
        if *split != part {
            continue;
        }
        let input: Input = serde_json::from_value(serde_json::json!({ "text": text }))?;
        let output = handle(&Call::default(), input).map_err(|error| error.to_string())?;
        let found = output.result.texts.first().ok_or("no answer")?;
        let right = found.language == Some(*code);
        let count = counts.entry(*code).or_default();
        *count = (count.0 + usize::from(right), count.1 + 1);
        reliable += usize::from(found.reliable);
        reliable_right += usize::from(found.reliable && right);
        if part == "work" && !right {
            println!("{code} as {:?} {text}", found.language);
        }
    }
    for (code, (right, all)) in &counts {
        println!("{part} {code} {right} of {all}");
    }
    let (right, all) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    println!("{part}: right {right} of {all}; reliable {reliable}, of them right {reliable_right}");
    Ok(())
}
