//! The tables of a plugin: the shipped ones, overridden by the operator's.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::RegistryError;
use super::id::Name;
use super::table::Table;
use super::table_cache::TableCache;
use super::tables::read_table;
use crate::limits::TABLES_PER_PLUGIN_MAX;

/// Adds the operator's tables to the shipped ones; an operator's table replaces a shipped table of
/// the same name. If the operator's file does not exist, that table is left out, because the
/// shipped one is not what the operator chose. Errors name the table and the file. Blocks.
pub fn with_operator_tables(
    shipped: BTreeMap<Name, Arc<Table>>,
    operators: &BTreeMap<String, PathBuf>,
    cache: &TableCache,
) -> Result<BTreeMap<String, Arc<Table>>, String> {
    let mut tables: BTreeMap<String, Arc<Table>> =
        shipped.into_iter().map(|(name, table)| (name.to_string(), table)).collect();
    for (name, path) in operators {
        let wrong = |why: String| format!("the operator's table `{name}`, {}: {why}", path.display());
        match read_table(path) {
            Ok(bytes) => {
                let table = cache.add(bytes).map_err(|fault| wrong(fault.to_string()))?;
                tables.insert(name.clone(), table);
            }
            Err(RegistryError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                tracing::warn!(table = name, path = %path.display(), "the operator's table does not exist");
                tables.remove(name);
            }
            Err(error) => return Err(wrong(error.to_string())),
        }
    }
    match tables.len() {
        0..=TABLES_PER_PLUGIN_MAX => Ok(tables),
        count => Err(format!("the plugin would have {count} tables; at most {TABLES_PER_PLUGIN_MAX} are allowed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\n";

    #[test]
    fn the_operators_table_wins_and_an_error_names_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let cache = TableCache::default();
        let shipped = || {
            let table = |value: &str| cache.add(format!("{TEXT}k\t{value}\n").into_bytes()).unwrap();
            BTreeMap::from([("a".parse().unwrap(), table("1")), ("b".parse().unwrap(), table("2"))])
        };
        let merged = |operators: &[(&str, PathBuf)]| {
            let operators = operators.iter().map(|(name, path)| ((*name).to_owned(), path.clone())).collect();
            let tables = with_operator_tables(shipped(), &operators, &cache)?;
            let value = |(name, table): (&String, &Arc<Table>)| format!("{name}{}", table.get("k").unwrap_or("-"));
            Ok::<_, String>(tables.iter().map(value).collect::<Vec<_>>().join(" "))
        };
        let own_file = file("own.tsv", format!("{TEXT}k\t3\n"));
        assert_eq!(merged(&[]), Ok("a1 b2".to_owned()));
        assert_eq!(merged(&[("a", own_file.clone()), ("c", own_file.clone())]), Ok("a3 b2 c3".to_owned()));
        assert_eq!(merged(&[("a", folder.path().join("none.tsv"))]), Ok("b2".to_owned()));
        let bad = file("bad.tsv", format!("{TEXT}k 3\n"));
        let error = merged(&[("a", bad)]).unwrap_err();
        assert!(error.contains("`a`") && error.contains("bad.tsv: line 2: must be a key, a tab"), "{error}");
        let many: Vec<(String, PathBuf)> = (0..9).map(|n| (format!("t{n}"), own_file.clone())).collect();
        let many: Vec<(&str, PathBuf)> = many.iter().map(|(name, path)| (name.as_str(), path.clone())).collect();
        assert!(merged(&many).unwrap_err().contains("at most 8"));
    }
}
