//! Measures the bridge on the FEBRL sets that `make.py` fetches and splits.
//!
//! Usage: `cargo run --release --example measure_entity_match -- FOLDER [tune|test]`
//!
//! A pair is true when both records have the same person's number. F1 is over pairs with a probability of at least 0.9.
//! Each set is measured with all fields, without the social security number, which nearly decides
//! alone, and without date of birth as well. As a
//! yardstick: pairs that agree exactly in surname, date of birth and postcode.

use std::{collections::BTreeMap, env, error::Error, fs};

use entity_match::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

type Rows = Vec<BTreeMap<String, String>>;

const FIELDS: [(&str, &str); 10] = [
    ("given_name", "name"),
    ("surname", "name"),
    ("street_number", "code"),
    ("address_1", "address"),
    ("address_2", "address"),
    ("suburb", "name"),
    ("postcode", "code"),
    ("state", "code"),
    ("date_of_birth", "date"),
    ("soc_sec_id", "code"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("give the folder that make.py wrote")?;
    let split = env::args().nth(2).unwrap_or_else(|| "test".into());
    let read = |name: &str| -> Result<Rows, Box<dyn Error>> {
        Ok(serde_json::from_str(&fs::read_to_string(format!("{folder}/{name}.{split}.json"))?)?)
    };
    for set in ["1", "2", "3", "4"] {
        let (a, b) = if set == "4" { (read("4a")?, Some(read("4b")?)) } else { (read(set)?, None) };
        let settings = [("all fields", 10), ("without soc_sec_id", 9), ("names and address only", 8)];
        for (label, count) in settings {
            let (fields, _) = FIELDS.split_at(count);
            let fields: Vec<_> =
                fields.iter().map(|(name, kind)| serde_json::json!({"name": name, "type": kind})).collect();
            let input: Input = serde_json::from_value(
                serde_json::json!({"records": a, "against": b, "fields": fields, "details": false, "max_pairs": 4000}),
            )?;
            let clock = std::time::Instant::now();
            let output = handle(&Call::default(), input)?;
            let matches = output.result.pairs.iter().filter(|pair| pair.decision == "match");
            let found: Vec<(usize, usize)> = matches.map(|pair| (pair.a, pair.b)).collect();
            show(&format!("{set} {split} {label}"), &a, b.as_ref(), &found);
            println!("    compared {} of {}, {:?}", output.result.compared, output.result.possible, clock.elapsed());
        }
        let key = |row: &BTreeMap<String, String>| {
            ["surname", "date_of_birth", "postcode"].map(|name| row.get(name).cloned().unwrap_or_default())
        };
        let second = b.as_ref().unwrap_or(&a);
        let mut by_key: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        second.iter().enumerate().for_each(|(place, row)| by_key.entry(key(row)).or_default().push(place));
        let same = |(x, row): (usize, &BTreeMap<String, String>)| {
            let others = by_key.get(&key(row)).cloned().unwrap_or_default();
            others.into_iter().filter(|y| b.is_some() || x < *y).map(|y| (x, y)).collect::<Vec<_>>()
        };
        let exact: Vec<(usize, usize)> = a.iter().enumerate().flat_map(same).collect();
        show(&format!("{set} {split} yardstick"), &a, b.as_ref(), &exact);
    }
    Ok(())
}

fn person(row: &BTreeMap<String, String>) -> &str {
    row.get("rec_id").and_then(|id| id.split('-').nth(1)).unwrap_or_default()
}

fn show(label: &str, a: &Rows, b: Option<&Rows>, found: &[(usize, usize)]) {
    let second = b.unwrap_or(a);
    let mut people: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    a.iter().for_each(|row| people.entry(person(row)).or_default().0 += 1);
    second.iter().for_each(|row| people.entry(person(row)).or_default().1 += 1);
    let pairs = |(x, y): &(usize, usize)| if b.is_some() { x * y } else { x * x.saturating_sub(1) / 2 };
    let all: usize = people.values().map(pairs).sum();
    let same = |(x, y): &&(usize, usize)| a.get(*x).map(person) == second.get(*y).map(person);
    let right = found.iter().filter(same).count();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let f1 = share(2 * right, found.len() + all);
    println!(
        "{label:32} true pairs {all} found {} precision {:.4} recall {:.4} F1 {f1:.4}",
        found.len(),
        share(right, found.len()),
        share(right, all)
    );
}
