//! Measures how far `reliable` can be trusted; make.py says where the texts are from and how they are split.
//!
//! Usage: `cargo run --release --example measure_language -- FOLDER [tune|test] [show]`. Texts of known languages with the
//! right answer should be reliable, wrong answers (all for languages that are not known) should not. Each is counted as
//! the bridge says, and as it would be by confidence and length alone. Languages with a twin are never reliable: those
//! right answers are counted apart.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use language_detection::{Doubt, Input, handle};
use tollbridge_sdk::{Call, serde_json};

#[derive(Default)]
struct Count {
    texts: usize,
    reliable: usize,
    confident: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("give the folder that make.py wrote")?;
    let part = env::args().nth(2).unwrap_or_else(|| "test".into());
    let show = env::args().nth(3).is_some();
    let set = fs::read_to_string(Path::new(&folder).join(format!("{part}.tsv")))?;
    let mut counts: BTreeMap<(String, &str), Count> = BTreeMap::new();
    for line in set.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [source, tag, code, text] = cells.as_slice() else { return Err(format!("not four cells: {line}").into()) };
        let input: Input = serde_json::from_value(serde_json::json!({ "text": text }))?;
        let output = handle(&Call::default(), input).map_err(|error| error.to_string())?;
        let found = output.result.texts.first().ok_or("no answer")?;
        let Some(language) = found.language else { continue };
        let twin = found.doubts.contains(&Doubt::UnlistedTwin);
        let kind = match (language == *code, twin) {
            (true, false) => "right",
            (true, true) => "right, has a twin",
            _ => "wrong or unknown",
        };
        let count = counts.entry(((*source).to_owned(), kind)).or_default();
        count.texts += 1;
        count.reliable += usize::from(found.reliable);
        let alone = |doubt: &Doubt| !matches!(doubt, Doubt::NearTie | Doubt::FewLetters);
        count.confident += usize::from(found.doubts.iter().all(alone));
        if show && found.reliable != (language == *code) {
            println!("{source} {tag} as {language} {:?} {text}", found.doubts);
        }
    }
    for ((source, kind), count) in counts {
        let Count { texts, reliable, confident } = count;
        println!("{part} {source:6} {kind:17} texts {texts:5} reliable {reliable:5} by confidence alone {confident:5}");
    }
    Ok(())
}
