//! Gathers the SDK and the plugin contract into the binary, so that
//! `tollbridge plugin new` can hand them to authors outside this repository.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// What an author's copy needs, below the repository's root.
const WANTED: [&str; 3] = ["sdk/Cargo.toml", "sdk/src", "wit"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let mut files = Vec::new();
    for wanted in WANTED {
        println!("cargo::rerun-if-changed={}", root.join(wanted).display());
        gather(&root.join(wanted), &mut files)?;
    }
    files.sort();
    let mut source = String::from("[\n");
    for file in files {
        let name = file.strip_prefix(&root)?.to_str().ok_or("a file name is not UTF-8")?;
        writeln!(source, "    ({name:?}, include_str!({:?})),", file.display().to_string())?;
    }
    source.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("sdk_files.rs"), source)?;
    Ok(())
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    if path.is_file() {
        // Not what editors leave behind.
        if path.extension().is_some_and(|end| end == "rs" || end == "wit" || end == "toml") {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    for entry in path.read_dir()? {
        gather(&entry?.path(), files)?;
    }
    Ok(())
}
