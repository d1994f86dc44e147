//! Large read-only data sets, loaded by the host once for all calls: the grant
//! `tables`.
//!
//! A plugin ships its own tables as `tables/<name>.tsv` beside its `plugin.toml`; the operator may
//! supply or replace one. The first line is `#` and a JSON object `{"version", "as_of", "licence",
//! "source"}`, each other line is `key<TAB>value`, sorted by the bytes of the keys, each key once.
//! A value may contain further tabs.
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
