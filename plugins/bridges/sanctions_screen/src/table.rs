//! The operator's list: the table `sanctions`, a row for each entry.
//!
//! A key is the list's id, a value an [`Entry`] as JSON. A row that does not read makes the list unavailable: nobody
//! may be left out unseen.

use tollbridge_sdk::{
    Error,
    tables::{Info, Table},
};

use crate::list::{Entry, NAMES_MAX};

/// The table's name.
const NAME: &str = "sanctions";

/// All entries of the operator's list, and what the table says of itself.
pub fn read() -> Result<(Vec<Entry>, Info), Error> {
    let missing = |error: Error| match error {
        Error::Unavailable(text) => {
            Error::unavailable(format!("{text}; or give `list`, or store one and name it in `resource_id`"))
        }
        other => other,
    };
    let table = Table::open(NAME).map_err(missing)?;
    let info = table.info();
    if info.rows == 0 || info.rows > NAMES_MAX as u64 {
        return Err(Error::unavailable(format!("the table `{NAME}` has {} rows; it may have {NAMES_MAX}", info.rows)));
    }
    let mut entries = Vec::with_capacity(info.rows as usize);
    for page in table.pages("", None) {
        for (key, value) in page.entries() {
            let read: Result<Entry, _> = serde_json::from_str(value);
            let wrong = |error| Error::unavailable(format!("the table `{NAME}`, row {key}: {error}"));
            let entry = read.map_err(wrong)?;
            entries.push(Entry { id: entry.id.or_else(|| Some(key.to_owned())), ..entry });
        }
    }
    Ok((entries, info))
}
