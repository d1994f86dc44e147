//! What is missing where a request cannot be answered.

use agent_common::sheet::Sheet;
use tollbridge_sdk::Error;

/// Refuses with what is missing and what to add.
pub fn missing(message: String) -> Error {
    Error::invalid("/tables", message)
}

/// Refuses a word that no column goes by.
pub fn no_column(sheet: &Sheet, word: &str) -> Error {
    missing(format!(
        "there is no column for \"{word}\"; the table has {}, so add that column or name one of these",
        sheet.table.columns.join(", ")
    ))
}
