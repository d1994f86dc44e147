//! Lays the merge ranks out so that they are used in place: a finite-state map from
//! the bytes of a token to its rank, for each encoding.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    for encoding in ["o200k_base", "cl100k_base"] {
        let source = format!("data/{encoding}.tiktoken");
        println!("cargo::rerun-if-changed={source}");
        let ranks = ranks(&fs::read_to_string(&source)?).ok_or_else(|| format!("{source} is no list of ranks"))?;
        let map = fst::Map::from_iter(ranks)?;
        fs::write(Path::new(&out).join(encoding).with_extension("fst"), map.as_fst().as_bytes())?;
    }
    Ok(())
}

/// Tokens and their ranks: lines of a token in Base64, a space, and its rank.
fn ranks(text: &str) -> Option<BTreeMap<Vec<u8>, u64>> {
    let rank = |line: &str| {
        let (token, rank) = line.split_once(' ')?;
        Some((STANDARD.decode(token).ok()?, rank.parse().ok()?))
    };
    text.lines().map(rank).collect()
}
