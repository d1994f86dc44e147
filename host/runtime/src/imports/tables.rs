//! Implements the `tables` interface: read-only data sets, shared by all calls.
//!
//! Invariants:
//! 1. Only the requested entries are copied, and their size is bounded for each host call.
//! 2. A handle refers to one of the plugin's own tables; opening a table allocates no memory.

use std::sync::Arc;

use tollbridge_registry::Table;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::plugin_tables::GuestTable;
use crate::bindings::table_pages;
use crate::bindings::tables::{Entry, Error, Host, HostTable, Info};
use crate::calls::state::State;
use crate::limits::{TABLE_REPLY_BYTES_MAX, TABLE_ROWS_PER_CALL_MAX};

impl State {
    /// Returns the table of a handle; it exists, because only `open` creates handles.
    fn table(&self, handle: &Resource<GuestTable>) -> Result<&(String, Arc<Table>)> {
        let index = usize::try_from(handle.rep()).unwrap_or(usize::MAX);
        self.plugin.facts.tables.get(index).ok_or_else(|| wasmtime::Error::msg("there is no table behind this handle"))
    }
}

fn missing(plugin: &str, name: &str) -> Error {
    // The name comes from the guest and is shown to callers, so it is sanitized.
    let name: String = name.chars().filter(|c| c.is_ascii_graphic()).take(64).collect();
    Error::Missing(format!(
        "the table `{name}`; the operator supplies it with plugins.{plugin}.tables = {{ {name} = \"FILE.tsv\" }}"
    ))
}

fn too_much(what: String) -> Error {
    Error::TooMuch(what)
}

impl Host for State {
    fn open(&mut self, name: String) -> Result<Result<Resource<GuestTable>, Error>> {
        self.limiter.count_host_call()?;
        let index = self.plugin.facts.tables.iter().position(|(table, _)| *table == name);
        let index = index.and_then(|index| u32::try_from(index).ok());
        Ok(index.map(Resource::new_own).ok_or_else(|| missing(&self.plugin.facts.name, &name)))
    }
}

impl HostTable for State {
    fn info(&mut self, table: Resource<GuestTable>) -> Result<Info> {
        self.limiter.count_host_call()?;
        let (name, table) = self.table(&table)?;
        let about = table.about().clone();
        Ok(Info {
            name: name.clone(),
            version: about.version,
            as_of: about.as_of,
            licence: about.licence,
            source: about.source,
            rows: u64::try_from(table.rows()).unwrap_or(u64::MAX),
        })
    }

    fn get(&mut self, table: Resource<GuestTable>, key: String) -> Result<Option<String>> {
        self.limiter.count_host_call()?;
        Ok(self.table(&table)?.1.get(&key).map(str::to_owned))
    }

    fn get_many(
        &mut self,
        table: Resource<GuestTable>,
        keys: Vec<String>,
    ) -> Result<Result<Vec<Option<String>>, Error>> {
        self.limiter.count_host_call()?;
        if keys.len() > TABLE_ROWS_PER_CALL_MAX {
            let text = format!("{} keys requested at once; at most {TABLE_ROWS_PER_CALL_MAX} are allowed", keys.len());
            return Ok(Err(too_much(text)));
        }
        let table = &self.table(&table)?.1;
        let mut left = TABLE_REPLY_BYTES_MAX;
        let mut values = Vec::with_capacity(keys.len());
        for key in &keys {
            let value = table.get(key);
            let Some(rest) = left.checked_sub(value.map_or(0, str::len)) else {
                let text =
                    format!("the values have more than {TABLE_REPLY_BYTES_MAX} bytes; request fewer keys at once");
                return Ok(Err(too_much(text)));
            };
            left = rest;
            values.push(value.map(str::to_owned));
        }
        Ok(Ok(values))
    }

    fn at_or_before(&mut self, table: Resource<GuestTable>, key: String) -> Result<Option<Entry>> {
        self.limiter.count_host_call()?;
        Ok(self.table(&table)?.1.at_or_before(&key).map(entry))
    }

    fn scan(&mut self, table: Resource<GuestTable>, start: String, limit: u32) -> Result<Vec<Entry>> {
        self.limiter.count_host_call()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(TABLE_ROWS_PER_CALL_MAX);
        let mut left = TABLE_REPLY_BYTES_MAX;
        let fits = |(key, value): &(&str, &str)| match left.checked_sub(key.len().saturating_add(value.len())) {
            // The first entry always fits: the maximum size of an entry is below that of
            // the reply.
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        Ok(self.table(&table)?.1.starting_at(&start).take(limit).take_while(fits).map(entry).collect())
    }

    fn drop(&mut self, _table: Resource<GuestTable>) -> Result<()> {
        Ok(())
    }
}

impl table_pages::Host for State {
    fn read(&mut self, table: Resource<GuestTable>, start: String, end: Option<String>) -> Result<String> {
        self.limiter.count_host_call()?;
        Ok(self.table(&table)?.1.page(&start, end.as_deref(), TABLE_REPLY_BYTES_MAX).to_owned())
    }
}

fn entry((key, value): (&str, &str)) -> Entry {
    Entry { key: key.to_owned(), value: value.to_owned() }
}
