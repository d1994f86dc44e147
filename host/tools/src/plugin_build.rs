//! `tollbridge plugin build`: builds the plugins in folders into components.
//!
//! A plugin's files determine its language, and the language determines how it is built. In every
//! language the result is `<target folder>/components/<name>.wasm`, or `<name>.agent.wasm` for an
//! agent.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{build_rust, build_script, built::Built, hinted::Hinted, language::Language, output::Output};

/// Maximum depth of the search for plugins below a given folder.
const SEARCH_DEPTH: usize = 3;

/// Build plugins into components.
#[derive(Debug, Clone, clap::Args)]
pub struct BuildArgs {
    /// Plugin folders, or folders that contain them [default: ., ./plugins]
    pub paths: Vec<PathBuf>,
}

/// Runs `plugin build`.
pub fn run(args: BuildArgs, out: &Output) -> anyhow::Result<()> {
    let built = build(&find(&args.paths)?, out)?;
    let text = || built.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    out.result(&serde_json::to_value(&built)?, text);
    Ok(())
}

/// Returns the plugin folders among `paths` and below them.
pub fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let here = PathBuf::from(".");
    let roots = match paths {
        [] if !here.join("plugin.toml").exists() && Path::new("plugins").is_dir() => vec![PathBuf::from("plugins")],
        [] => vec![here],
        paths => paths.to_vec(),
    };
    let mut artifacts = Vec::new();
    for root in roots {
        let before = artifacts.len();
        search(&root, SEARCH_DEPTH, &mut artifacts)?;
        if artifacts.len() == before && Language::of(&root)?.is_some() {
            artifacts.push(root);
        } else if artifacts.len() == before {
            let hint = "name a folder with plugin.toml and Cargo.toml, src/plugin.js or src/plugin.py, or make one: tollbridge plugin new NAME";
            return Err(Hinted::error(format!("{}: no plugin here", root.display()), hint));
        }
    }
    let absolute = |path: PathBuf| path.canonicalize().with_context(|| format!("{}", path.display()));
    let mut artifacts: Vec<PathBuf> = artifacts.into_iter().map(absolute).collect::<Result<_, _>>()?;
    artifacts.sort();
    artifacts.dedup();
    Ok(artifacts)
}

/// Builds the plugins in `folders`; returns them in the same order.
pub fn build(folders: &[PathBuf], out: &Output) -> anyhow::Result<Vec<Built>> {
    let mut built = Vec::new();
    let mut crates = Vec::new();
    for folder in folders {
        match Language::of(folder)? {
            Some(language @ (Language::Js | Language::Python)) => {
                built.push(build_script::build(folder, language, out)?);
            }
            Some(Language::Rust) | None => crates.push(folder),
        }
    }
    built.extend(build_rust::build(&crates, out)?);
    let place = |one: &Built| folders.iter().position(|folder| *folder == one.folder);
    built.sort_by_key(place);
    Ok(built)
}

fn search(folder: &Path, depth: usize, artifacts: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if folder.join("plugin.toml").is_file() && Language::of(folder)?.is_some() {
        artifacts.push(folder.to_owned());
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let entries = folder.read_dir().with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.') || name == "target" || name == "node_modules";
        if !hidden && entry.file_type()?.is_dir() {
            search(&entry.path(), depth.saturating_sub(1), artifacts)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, "").expect("a file");
        }
        root
    }

    fn check_find(files: &[&str], path: &str, expect: &[&str]) {
        let root = folder_with(files);
        let top = root.path().canonicalize().expect("a path");
        let artifacts = find(&[top.join(path)]).unwrap_or_default();
        let expect: Vec<PathBuf> = expect.iter().map(|name| top.join(name)).collect();
        assert_eq!(artifacts, expect);
    }

    #[test]
    fn plugins_are_found_below_a_folder() {
        let files = [
            "plugins/Cargo.toml",
            "plugins/bridges/b/Cargo.toml",
            "plugins/bridges/b/plugin.toml",
            "plugins/agents/a/Cargo.toml",
            "plugins/agents/a/plugin.toml",
            "plugins/target/x/Cargo.toml",
            "plugins/target/x/plugin.toml",
            "plugins/.tollbridge/sdk/Cargo.toml",
            "plugins/bridges/j/src/plugin.js",
            "plugins/bridges/j/plugin.toml",
            "plugins/bridges/p/src/plugin.py",
            "plugins/bridges/p/plugin.toml",
            "guest/Cargo.toml",
            "empty/readme",
        ];
        let all = ["plugins/agents/a", "plugins/bridges/b", "plugins/bridges/j", "plugins/bridges/p"];
        check_find(&files, "plugins", &all);
        check_find(&files, "plugins/bridges/b", &["plugins/bridges/b"]);
        check_find(&files, "guest", &["guest"]);
        check_find(&files, "empty", &[]);
    }
}
