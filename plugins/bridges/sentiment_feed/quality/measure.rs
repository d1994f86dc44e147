//! Measures the labels of the bridge on human-rated texts; make.py says where they are from and how they are split.
//!
//! Usage: `cargo run --release --example measure_sentiment -- [tune|test] [FOLDER]`; without a folder, on the set that
//! is kept here. A text is positive when people rated it above 0.5 on the scale from −4 to 4, negative below −0.5,
//! else neutral. F1 of each label, and their mean (macro F1). As a yardstick: always the most frequent label.

use std::{env, error::Error, fs, path::Path};

use sentiment_feed::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

const LABELS: [&str; 3] = ["positive", "neutral", "negative"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let part = args.next().unwrap_or_else(|| "test".into());
    let folder = args.next();
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/quality");
    let names: &[&str] = if folder.is_some() { &["tweets", "editorials", "movies", "products"] } else { &["tweets"] };
    for name in names {
        let set = read(&Path::new(folder.as_deref().unwrap_or(here)).join(format!("{name}.tsv")), &part)?;
        let most = |set: &[(String, &'static str)]| {
            let count = |label: &str| set.iter().filter(|(_, gold)| *gold == label).count();
            LABELS.into_iter().max_by_key(|label| count(label)).unwrap_or("neutral")
        };
        let constant = vec![most(&set).to_owned(); set.len()];
        show(&format!("{name:10} {part} always {}", most(&set)), &set, &constant);
        let bands: &[f64] = if part == "tune" { &[0.0, 0.05, 0.1, 0.2, 0.3] } else { &[0.05] };
        for domain in ["general", "finance", "news"] {
            let usual = if domain == "news" { &[] } else { bands };
            for band in usual.iter().map(|band| Some(*band)).chain((domain == "news").then_some(None)) {
                let found = labels(&set, domain, band)?;
                let width = band.map_or("usual".to_owned(), |band| band.to_string());
                show(&format!("{name:10} {part} {domain} band {width:5}"), &set, &found);
            }
        }
    }
    Ok(())
}

/// Texts of a part with their true labels.
fn read(path: &Path, part: &str) -> Result<Vec<(String, &'static str)>, Box<dyn Error>> {
    let mut set = Vec::new();
    for line in fs::read_to_string(path)?.lines() {
        let mut cells = line.splitn(3, '\t');
        let (of, rating, text) = (cells.next(), cells.next(), cells.next());
        if of != Some(part) {
            continue;
        }
        let rating: f64 = rating.ok_or("no rating")?.parse()?;
        let label = match rating {
            above if above > 0.5 => "positive",
            below if below < -0.5 => "negative",
            _ => "neutral",
        };
        set.push((text.ok_or("no text")?.to_owned(), label));
    }
    Ok(set)
}

fn labels(set: &[(String, &'static str)], domain: &str, band: Option<f64>) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Vec::new();
    for chunk in set.chunks(500) {
        let items: Vec<&str> = chunk.iter().map(|(text, _)| text.as_str()).collect();
        let input: Input =
            serde_json::from_value(serde_json::json!({"items": items, "domain": domain, "neutral_band": band}))?;
        let output = handle(&Call::default(), input).map_err(|error| error.to_string())?;
        let output = serde_json::to_value(output)?;
        let items = output.pointer("/result/items").and_then(|items| items.as_array()).ok_or("no items")?;
        found.extend(items.iter().filter_map(|item| item.get("label")?.as_str().map(str::to_owned)));
    }
    Ok(found)
}

fn show(title: &str, set: &[(String, &'static str)], found: &[String]) {
    let mut line = format!("{title} n {}:", set.len());
    let mut sum = 0.0;
    for label in LABELS {
        let pairs = || set.iter().map(|(_, gold)| *gold == label).zip(found.iter().map(|found| found == label));
        let count = |want: (bool, bool)| pairs().filter(|pair| *pair == want).count() as f64;
        let (right, missed, wrong) = (count((true, true)), count((true, false)), count((false, true)));
        let f1 = if right > 0.0 { 2.0 * right / (2.0 * right + missed + wrong) } else { 0.0 };
        sum += f1;
        line.push_str(&format!(" {label} {f1:.3}"));
    }
    println!("{line} macro F1 {:.3}", sum / 3.0);
}
