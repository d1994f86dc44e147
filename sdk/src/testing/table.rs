//! Tables in a native build: those that a plugin ships and those that a test specifies.

use std::{
    collections::{BTreeMap, HashMap},
    env, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::Deserialize;

use crate::tables::entry::{Entry, Info};

/// An in-memory table: entries sorted by key.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) info: Info,
    pub(crate) entries: Vec<Entry>,
}

/// A table specified in a case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedTable {
    #[serde(flatten)]
    header: Header,
    /// Entries by key.
    rows: BTreeMap<String, String>,
}

/// The JSON object in a table's first line.
#[derive(Debug, Clone, Deserialize, serde::Serialize)]
struct Header {
    #[serde(default = "stated")]
    version: String,
    #[serde(default = "stated")]
    as_of: String,
    #[serde(default = "stated")]
    licence: String,
    #[serde(default = "stated")]
    source: String,
}

fn stated() -> String {
    "stated by a test".into()
}

impl StatedTable {
    pub(crate) fn new(rows: &[(&str, &str)]) -> Self {
        let header = Header { version: stated(), as_of: stated(), licence: stated(), source: stated() };
        Self { header, rows: rows.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect() }
    }

    /// Returns the table's text in the format of shipped tables.
    pub fn text(&self) -> String {
        let mut text = format!("#{}\n", serde_json::json!(self.header));
        for (key, value) in &self.rows {
            text.push_str(&format!("{key}\t{value}\n"));
        }
        text
    }

    pub(crate) fn rows(&self, name: &str) -> Rows {
        let entry = |(key, value): (&String, &String)| Entry { key: key.clone(), value: value.clone() };
        let entries: Vec<Entry> = self.rows.iter().map(entry).collect();
        Rows { info: info(name, self.header.clone(), entries.len()), entries }
    }
}

/// Tables already read, by path; the tests of one plugin share them.
static READ: Mutex<Option<HashMap<PathBuf, Arc<Rows>>>> = Mutex::new(None);

impl Rows {
    /// Returns a table that the plugin under test ships; `None` if it ships no table of
    /// this name.
    pub(crate) fn shipped(name: &str) -> Result<Option<Arc<Self>>, String> {
        // Cargo passes the crate's folder in this variable, and runs the tests in that
        // folder.
        let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
        Self::read(&folder.join("tables").join(format!("{name}.tsv")), name)
    }

    fn read(path: &Path, name: &str) -> Result<Option<Arc<Self>>, String> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let read = read.get_or_insert_default();
        if let Some(rows) = read.get(path) {
            return Ok(Some(rows.clone()));
        }
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", path.display())),
        };
        let rows = Self::parse(&text, name).map_err(|problem| format!("{}: {problem}", path.display()))?;
        let rows = Arc::new(rows);
        read.insert(path.to_owned(), rows.clone());
        Ok(Some(rows))
    }

    /// Parses a table in the format that `tollbridge plugin check` accepts.
    fn parse(text: &str, name: &str) -> Result<Self, String> {
        let first = "line 1: must be # and a JSON object with version, as_of, licence and source";
        let (header, rows) = text.split_once('\n').ok_or(first)?;
        let header = header.strip_prefix('#').ok_or(first)?;
        let header: Header = serde_json::from_str(header).map_err(|error| format!("{first}: {error}"))?;
        let mut entries: Vec<Entry> = Vec::new();
        for (line, row) in rows.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", line.saturating_add(2));
            let (key, value) = row.split_once('\t').ok_or_else(|| wrong("must be key, tab, value"))?;
            if entries.last().is_some_and(|last| last.key.as_str() >= key) {
                return Err(wrong(
                    "is not after the line before; sort by the bytes of the keys (LC_ALL=C sort), each key once",
                ));
            }
            entries.push(Entry { key: key.into(), value: value.into() });
        }
        Ok(Self { info: info(name, header, entries.len()), entries })
    }
}

fn info(name: &str, header: Header, rows: usize) -> Info {
    let Header { version, as_of, licence, source } = header;
    Info { name: name.into(), version, as_of, licence, source, rows: u64::try_from(rows).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        match Rows::parse(text, "t") {
            Ok(rows) => assert_eq!(format!("{:?}", rows.entries.len()), expect),
            Err(problem) => assert!(problem.contains(expect) && !expect.is_empty(), "{problem}"),
        }
    }

    #[test]
    fn a_table_reads_or_says_which_line_is_wrong() {
        let header = r#"#{"version": "1", "as_of": "2026-01-01", "licence": "CC0", "source": "by hand"}"#;
        check(&format!("{header}\n"), "0");
        check(&format!("{header}\na\t1\nb\t2\tand more\n"), "2");
        check(&format!("{header}\na\t1\nb 2\n"), "line 3: must be key");
        check(&format!("{header}\nb\t1\na\t2\n"), "line 3: is not after");
        check(&format!("{header}\na\t1\na\t2\n"), "line 3: is not after");
        check("a\t1\n", "line 1");
        check("", "line 1");
    }

    #[test]
    fn stated_rows_read_back() {
        let stated = StatedTable::new(&[("b", "2"), ("a", "1\tx")]);
        let rows = Rows::parse(&stated.text(), "t").expect("a table");
        assert_eq!(rows.entries, stated.rows("t").entries);
        assert_eq!(rows.info, stated.rows("t").info);
    }

    #[test]
    fn shipped_tables_are_read_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.tsv");
        assert!(matches!(Rows::read(&path, "t"), Ok(None)));
        fs::write(&path, StatedTable::new(&[("a", "1")]).text()).expect("a file");
        let first = Rows::read(&path, "t").ok().flatten().expect("a table");
        let again = Rows::read(&path, "t").ok().flatten().expect("a table");
        assert!(Arc::ptr_eq(&first, &again));
    }
}
