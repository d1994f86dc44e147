//! Embeds the SDK, the plugin contract and the project templates in the binary, so that `tollbridge
//! plugin new` can copy them for authors outside this repository.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Files and folders below the repository's root that an author's copy of the SDK needs.
const WANTED: [&str; 3] = ["sdk/Cargo.toml", "sdk/src", "wit"];
/// Extensions of the files to embed; excludes files that editors leave behind.
const ENDINGS: [&str; 6] = ["rs", "wit", "toml", "json", "tsv", "md"];

fn main() -> Result<(), Box<dyn Error>> {
    let tools = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).canonicalize()?;
    let root = tools.join("../..").canonicalize()?;
    write("sdk_files.rs", &root, &WANTED)?;
    write("project_files.rs", &tools.join("templates/projects"), &["."])
}

/// Writes the paths and texts of the files in `wanted` as a Rust array; paths are relative to
/// `root`.
fn write(name: &str, root: &Path, wanted: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for wanted in wanted {
        let path = root.join(wanted).canonicalize()?;
        println!("cargo::rerun-if-changed={}", path.display());
        gather(&path, &mut files)?;
    }
    files.sort();
    let mut source = String::from("[\n");
    for file in files {
        let name = file.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?;
        writeln!(source, "    ({name:?}, include_str!({:?})),", file.display().to_string())?;
    }
    source.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join(name), source)?;
    Ok(())
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    if path.is_file() {
        let ending = path.extension().unwrap_or_default();
        if ENDINGS.iter().any(|known| ending == *known) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    for entry in path.read_dir()? {
        gather(&entry?.path(), files)?;
    }
    Ok(())
}
