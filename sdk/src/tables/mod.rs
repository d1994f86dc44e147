//! Large read-only data sets, loaded by the host once for all calls: the grant
//! `tables`.
//!
//! A plugin ships its own tables as `tables/<name>.tsv` next to its `plugin.toml`; the operator may
//! supply further tables or replace a shipped one. The first line of a table is `#` and a JSON
//! object `{"version", "as_of", "licence", "source"}`; each other line is `key<TAB>value`. The lines
//! are sorted by the bytes of the keys, and each key occurs once. A value may contain further tabs.
//!
//! ```
//! use tollbridge_sdk::{Error, tables::Table, testing::Doubles};
//!
//! let doubles = Doubles::new().table("countries", &[("DE", "Germany"), ("GB", "United Kingdom")]);
//! let (name, _) = doubles.run(|| Ok::<_, Error>(Table::open("countries")?.get("GB")));
//! assert_eq!(name, Ok(Some("United Kingdom".into())));
//! ```

pub(crate) mod entry;
mod page;
mod table;

pub use entry::{Entry, Info};
pub use page::Page;
pub use table::Table;
