//! Measures what the bridge finds in set.json; make.py says where the set is from and how it is split.
//!
//! Usage: `cargo run --release --example measure_pii -- [tune|test] [show]`. A label is found when a find of its type
//! overlaps it; a find that overlaps no label of its type is false. `exact`: labels whose place is exactly that of a
//! find (a title before a name may be in it).

use std::{collections::BTreeMap, env, error::Error};

use pii_redaction::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

#[derive(Default)]
struct Count {
    found: usize,
    exact: usize,
    missed: usize,
    wrong: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let part = env::args().nth(1).unwrap_or_else(|| "test".into());
    let show = env::args().nth(2).is_some();
    let set: Vec<serde_json::Value> = serde_json::from_str(include_str!("set.json"))?;
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for row in set.iter().filter(|row| row["part"] == part.as_str()) {
        let text = row["text"].as_str().ok_or("no text")?;
        let input: Input = serde_json::from_value(serde_json::json!({"text": text}))?;
        let output = serde_json::to_value(handle(&Call::default(), input).map_err(|error| error.to_string())?)?;
        let places = |list: &serde_json::Value, start: &str, end: &str| -> Vec<(String, u64, u64, bool)> {
            let number = |item: &serde_json::Value, name: &str| item[name].as_u64().unwrap_or(0);
            let read = |item: &serde_json::Value| {
                let kind = item["type"].as_str().unwrap_or_default().to_owned();
                (kind, number(item, start), number(item, end), item["cued"] != false)
            };
            list.as_array().map(|list| list.iter().map(read).collect()).unwrap_or_default()
        };
        let gold = places(&row["spans"], "start", "end");
        let found = places(output.pointer("/result/spans").ok_or("no spans")?, "start_char", "end_char");
        let meet = |a: &(String, u64, u64, bool), b: &(String, u64, u64, bool)| a.0 == b.0 && a.1 < b.2 && b.1 < a.2;
        for label in &gold {
            let cue = if label.3 { "" } else { " without a title" };
            let count = counts.entry(format!("{}{cue}", label.0)).or_default();
            match found.iter().find(|found| meet(found, label)) {
                Some(hit) => {
                    count.found += 1;
                    let start = hit.1 == label.1 || (label.0 == "name" && hit.1 < label.1);
                    count.exact += usize::from(start && hit.2 == label.2);
                }
                None => {
                    count.missed += 1;
                    if show && label.3 {
                        println!("missed {label:?} in {text:?}");
                    }
                }
            }
        }
        for hit in found.iter().filter(|found| !gold.iter().any(|label| meet(found, label))) {
            counts.entry(hit.0.clone()).or_default().wrong += 1;
            if show {
                println!("wrong {hit:?} in {text:?}");
            }
        }
    }
    for (kind, count) in counts {
        let share = |a: usize, b: usize| if a + b == 0 { 0.0 } else { a as f64 / (a + b) as f64 };
        let (precision, recall) = (share(count.found, count.wrong), share(count.found, count.missed));
        println!(
            "{part} {kind:22} labels {:4} found {:4} exact {:4} false {:3} precision {precision:.3} recall {recall:.3}",
            count.found + count.missed,
            count.found,
            count.exact,
            count.wrong
        );
    }
    Ok(())
}
