//! Checks that the generated bindings in `wit/rust/` match the contract.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use tollbridge_tests::workspace;

const RENEW: &str = "run scripts/renew-bindings.sh";

fn contract_files(folder: &Path, found: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            contract_files(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "wit") {
            found.push(path.strip_prefix(workspace())?.display().to_string());
        }
    }
    Ok(())
}

#[test]
fn the_bindings_are_made_of_this_contract() -> Result<()> {
    let noted = fs::read_to_string(workspace().join("wit/rust/made-of.txt"))?;
    let noted: BTreeMap<&str, &str> =
        noted.lines().filter_map(|line| line.split_once("  ")).map(|(digest, path)| (path, digest)).collect();
    let mut files = Vec::new();
    contract_files(&workspace().join("wit"), &mut files)?;
    ensure!(files.len() > 10, "too few files of the contract were found: {files:?}");
    for file in &files {
        ensure!(noted.contains_key(file.as_str()), "{file} is new: {RENEW}");
    }
    for (path, digest) in noted {
        let bytes = fs::read(workspace().join(path)).with_context(|| format!("{path} is missing: {RENEW}"))?;
        ensure!(hex::encode(Sha256::digest(&bytes)) == digest, "{path} has changed: {RENEW}");
    }
    Ok(())
}

/// The `wit-bindgen` runtime must have the same version as the generator of the bindings.
#[test]
fn the_generator_and_the_sdk_have_one_version() -> Result<()> {
    let version = |manifest: &str, name: &str| -> Result<String> {
        let table: toml::Table = fs::read_to_string(workspace().join(manifest))?.parse()?;
        let wasm = "cfg(target_family = \"wasm\")";
        let of_target = table.get("target").and_then(|all| all.get(wasm)?.get("dependencies")?.get(name));
        let one = of_target.or_else(|| table.get("dependencies")?.get(name)).context("no such dependency")?;
        let text = one.as_str().or_else(|| one.get("version")?.as_str());
        Ok(text.context("no version")?.to_owned())
    };
    let (sdk, generator) =
        (version("sdk/Cargo.toml", "wit-bindgen")?, version("scripts/bindings/Cargo.toml", "wit-bindgen-rust")?);
    ensure!(sdk == generator && sdk.starts_with('='), "{sdk} and {generator}: {RENEW}");
    Ok(())
}
