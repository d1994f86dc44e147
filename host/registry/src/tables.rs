//! The tables in an author's plugin folder: `tables/<name>.tsv`.
//!
//! Invariant: the tables that `read_tables` returns are complete and well-formed, so that a table
//! that cannot be loaded is never published or tested.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::RegistryError;
use super::id::Name;
use super::table::Table;
use super::table_cache::TableCache;
use crate::limits::{TABLE_BYTES_MAX, TABLES_PER_PLUGIN_MAX};

/// Name of the folder of tables next to the manifest, both in an author's folder and in the
/// registry.
pub(super) const TABLES_FOLDER: &str = "tables";
const ENDING: &str = ".tsv";
/// The maximum number of folder entries that are read; scripts and sources may be stored next to
/// the tables.
const ENTRIES_MAX: usize = 1_000;

/// Tables by name, as bytes.
pub type TableFiles = BTreeMap<Name, Vec<u8>>;

/// Returns the file name of a table.
pub(super) fn file_name(name: &Name) -> String {
    format!("{name}{ENDING}")
}

/// Reads the tables of an author's plugin folder; empty if there is no folder `tables`. Files that
/// do not end in `.tsv` are ignored. Blocks.
pub fn read_tables(plugin: &Path) -> Result<TableFiles, RegistryError> {
    let folder = plugin.join(TABLES_FOLDER);
    let failed = |error| RegistryError::io("read", &folder, error);
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(TableFiles::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = TableFiles::new();
    for entry in entries.take(ENTRIES_MAX) {
        let entry = entry.map_err(failed)?;
        let file = entry.file_name();
        let Some(stem) = file.to_str().and_then(|file| file.strip_suffix(ENDING)) else { continue };
        let name: Name = stem.parse().map_err(|error: super::id::IdError| RegistryError::TableFiles {
            path: entry.path().display().to_string(),
            problem: error.to_string(),
        })?;
        files.insert(name, read_table(&entry.path())?);
    }
    check_count(&folder, files.len())?;
    Ok(files)
}

/// Reads the bytes of a table's file. Blocks.
pub fn read_table(path: &Path) -> Result<Vec<u8>, RegistryError> {
    let failed = |error| RegistryError::io("read", path, error);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    // Read one byte more than allowed, so that a table that is too large is rejected.
    file.take(TABLE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Parses the tables of a plugin into the cache.
pub fn parse_tables(files: &TableFiles, cache: &TableCache) -> Result<BTreeMap<Name, Arc<Table>>, RegistryError> {
    check_count(Path::new(TABLES_FOLDER), files.len())?;
    let check = |(name, bytes): (&Name, &Vec<u8>)| match cache.add(bytes.clone()) {
        Ok(table) => Ok((name.clone(), table)),
        Err(fault) => Err(RegistryError::Table { path: format!("{TABLES_FOLDER}/{}", file_name(name)), fault }),
    };
    files.iter().map(check).collect()
}

fn check_count(folder: &Path, count: usize) -> Result<(), RegistryError> {
    if count <= TABLES_PER_PLUGIN_MAX {
        return Ok(());
    }
    let problem = format!("{count} tables; a plugin may have at most {TABLES_PER_PLUGIN_MAX}");
    Err(RegistryError::TableFiles { path: folder.display().to_string(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\na\t1\n";

    /// Reads and checks a plugin folder with these files; returns the result.
    fn check(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let plugin = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = plugin.path().join("tables").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = read_tables(plugin.path()).map_err(|error| error.to_string())?;
        let tables = parse_tables(&files, &TableCache::default()).map_err(|error| error.to_string())?;
        Ok(tables.keys().map(ToString::to_string).collect())
    }

    #[test]
    fn a_folder_of_tables_is_whole_or_refused() {
        assert_eq!(check(&[]), Ok(vec![]));
        assert_eq!(check(&[("b.tsv", TABLE), ("a.tsv", TABLE), ("make.py", "x")]), Ok(vec!["a".into(), "b".into()]));
        let twice = format!("{TABLE}a\t2\n");
        for (files, expect) in [
            (&[("A.tsv", TABLE)][..], "A.tsv"),
            (&[("a.tsv", "x")][..], "tables/a.tsv: line 1: must be"),
            (&[("a.tsv", twice.as_str())][..], "tables/a.tsv: line 3: has the key"),
        ] {
            let error = check(files).unwrap_err();
            assert!(error.contains(expect), "{error}");
        }
        let names: Vec<String> = (0..=TABLES_PER_PLUGIN_MAX).map(|n| format!("t{n}.tsv")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), TABLE)).collect();
        assert!(check(&many).unwrap_err().contains("at most 8"));
    }
}
