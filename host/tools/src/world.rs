//! The WIT world of one plugin: the contract with only the imports that the plugin's
//! grants need.
//!
//! Rust omits unused imports from a component. The tools for scripts import everything in
//! the world that they are given, so each script gets its own world; otherwise every
//! script would need every grant.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Context;
use tollbridge_core::config::Grant;
use tollbridge_runtime::grant_of;
use wit_parser::Resolve;

use super::sdk_files;

const PACKAGE: &str = "tollbridge:plugin";
/// Name of the generated world, in the contract's package.
pub(crate) const WORLD: &str = "component";
/// Name of the contract's world that has all imports.
const EVERYTHING: &str = "grants";

/// The world of one plugin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub text: String,
    /// Imports that the plugin's grants need.
    pub imports: Vec<String>,
}

/// Writes to `folder` the contract and the world of a bridge with these grants. `basics` are
/// imports that need no grant.
pub(crate) fn write(folder: &Path, grants: &BTreeSet<Grant>, basics: &[&str]) -> anyhow::Result<World> {
    for (name, text) in sdk_files::contract() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, text)?;
    }
    let path = folder.join(format!("{WORLD}.wit"));
    // Remove the world of an earlier build, which would be read as a part of the contract.
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let imports = imports(folder, grants)?;
    let text = text(imports.iter().map(String::as_str).chain(basics.iter().copied()));
    fs::write(path, &text)?;
    Ok(World { text, imports })
}

/// Returns the imports of the contract that need one of `grants`.
fn imports(contract: &Path, grants: &BTreeSet<Grant>) -> anyhow::Result<Vec<String>> {
    let mut resolve = Resolve::default();
    resolve.push_dir(contract).context("the plugin contract cannot be read")?;
    let world = resolve.worlds.iter().find(|(_, world)| world.name == EVERYTHING);
    let (_, world) = world.context("the plugin contract has no world `grants`")?;
    let names = world.imports.keys().map(|key| resolve.name_world_key(key));
    Ok(names.filter(|name| grant_of(name).is_some_and(|grant| grants.contains(&grant))).collect())
}

fn text<'a>(imports: impl Iterator<Item = &'a str>) -> String {
    let lines: String = imports.map(|import| format!("    import {};\n", named(import))).collect();
    format!(
        "package {PACKAGE}@1.0.0;\n\nworld {WORLD} {{\n{lines}    use types.{{call, error, description}};\n    \
         export describe: func() -> description;\n    \
         export handle: func(call: call, input: list<u8>) -> result<list<u8>, error>;\n}}\n"
    )
}

/// Returns an import's name as written in the world: an interface of the same package has a short
/// name.
fn named(import: &str) -> &str {
    let own_interface = import.strip_prefix(PACKAGE).and_then(|rest| rest.strip_prefix('/'));
    own_interface.and_then(|interface| interface.split('@').next()).unwrap_or(import)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world_of(grants: &[Grant]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let write = || write(folder.path(), &grants.iter().copied().collect(), &["wasi:cli/stdout@0.2.12"]);
        let written = write().expect("a world");
        assert_eq!(written, write().expect("the same again"));
        assert!(written.text.contains("import wasi:cli/stdout@0.2.12;"));
        let mut resolve = Resolve::default();
        resolve.push_dir(folder.path()).expect("the contract must be readable");
        let (_, world) = resolve.worlds.iter().find(|(_, world)| world.name == WORLD).expect("the world");
        assert!(world.exports.keys().any(|key| resolve.name_world_key(key) == "handle"));
        world.imports.keys().map(|key| resolve.name_world_key(key)).collect()
    }

    #[test]
    fn a_world_imports_only_what_the_grants_ask_for() {
        let needs: Vec<_> = world_of(&[]).iter().map(|import| grant_of(import)).collect();
        assert_eq!(needs, world_of(&[]).iter().map(|_| None).collect::<Vec<_>>());
        let logging = world_of(&[Grant::Logging]);
        assert!(logging.iter().any(|import| import.starts_with("wasi:logging/logging@")), "{logging:?}");
        assert!(!logging.iter().any(|import| import.starts_with("wasi:http") || import.starts_with("wasi:keyvalue")));
    }

    #[test]
    fn interfaces_of_the_contract_have_short_names() {
        assert_eq!(named("tollbridge:plugin/tables@1.0.0"), "tables");
        assert_eq!(named("wasi:config/store@0.2.0-rc.1"), "wasi:config/store@0.2.0-rc.1");
    }

    #[test]
    fn every_grant_has_an_import() {
        for grant in Grant::ALL {
            let imports = world_of(&[grant]);
            assert!(imports.iter().any(|import| grant_of(import) == Some(grant)), "{grant}: {imports:?}");
        }
    }
}
