//! The tables of a plugin: those that it ships, and those of the operator.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tollbridge_core::limits::TABLES_PER_PLUGIN_MAX;
use tollbridge_runtime::registry::{Name, RegistryError, Shelf, Table, read_table};

/// Puts the operator's tables beside the shipped ones or in their place. Where
/// the operator names a file that is not there, there is no such table at all:
/// the one that the plugin ships is not what was meant. Blocks.
pub fn with_operators(
    shipped: BTreeMap<Name, Arc<Table>>,
    operators: &BTreeMap<String, PathBuf>,
    shelf: &Shelf,
) -> Result<BTreeMap<String, Arc<Table>>, String> {
    let mut tables: BTreeMap<String, Arc<Table>> =
        shipped.into_iter().map(|(name, table)| (name.to_string(), table)).collect();
    for (name, path) in operators {
        let wrong = |why: String| format!("the operator's table `{name}`, {}: {why}", path.display());
        match read_table(path) {
            Ok(bytes) => {
                let table = shelf.add(bytes).map_err(|fault| wrong(fault.to_string()))?;
                tables.insert(name.clone(), table);
            }
            Err(RegistryError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                tracing::warn!(table = name, path = %path.display(), "the operator's table is not there");
                tables.remove(name);
            }
            Err(error) => return Err(wrong(error.to_string())),
        }
    }
    match tables.len() {
        0..=TABLES_PER_PLUGIN_MAX => Ok(tables),
        count => Err(format!("it would have {count} tables; at most {TABLES_PER_PLUGIN_MAX} are allowed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\n";

    #[test]
    fn the_operators_table_wins_and_a_bad_one_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let shelf = Shelf::default();
        let shipped = || {
            let table = |value: &str| shelf.add(format!("{TEXT}k\t{value}\n").into_bytes()).unwrap();
            BTreeMap::from([("a".parse().unwrap(), table("1")), ("b".parse().unwrap(), table("2"))])
        };
        let found = |operators: &[(&str, PathBuf)]| {
            let operators = operators.iter().map(|(name, path)| ((*name).to_owned(), path.clone())).collect();
            let tables = with_operators(shipped(), &operators, &shelf)?;
            let value = |(name, table): (&String, &Arc<Table>)| format!("{name}{}", table.get("k").unwrap_or("-"));
            Ok::<_, String>(tables.iter().map(value).collect::<Vec<_>>().join(" "))
        };
        let own = file("own.tsv", format!("{TEXT}k\t3\n"));
        assert_eq!(found(&[]), Ok("a1 b2".to_owned()));
        assert_eq!(found(&[("a", own.clone()), ("c", own.clone())]), Ok("a3 b2 c3".to_owned()));
        assert_eq!(found(&[("a", folder.path().join("none.tsv"))]), Ok("b2".to_owned()));
        let bad = file("bad.tsv", format!("{TEXT}k 3\n"));
        let error = found(&[("a", bad)]).unwrap_err();
        assert!(error.contains("`a`") && error.contains("bad.tsv: line 2: must be a key, a tab"), "{error}");
        let many: Vec<(String, PathBuf)> = (0..9).map(|n| (format!("t{n}"), own.clone())).collect();
        let many: Vec<(&str, PathBuf)> = many.iter().map(|(name, path)| (name.as_str(), path.clone())).collect();
        assert!(found(&many).unwrap_err().contains("at most 8"));
    }
}
