//! The tables that one plugin may open.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_registry::Table;

/// A table as a guest sees it; the resource handle is the table's index in `Tables`.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct GuestTable;

/// The tables of a plugin, sorted by name. Handles refer to tables by index.
pub(crate) type Tables = Vec<(String, Arc<Table>)>;

/// Sorts the tables by name.
pub(crate) fn by_name(tables: &BTreeMap<String, Arc<Table>>) -> Tables {
    tables.iter().map(|(name, table)| (name.clone(), table.clone())).collect()
}
