//! Words of requests for figures, in the languages that people ask in. All folded.

mod figure;
mod order;
mod plain;
mod plain_english;
mod plain_foreign;
mod refused;

pub use figure::{COUNT, DISTINCT, MAX, MEAN, MIN, op};
pub use order::{DOWN, SORT, UP};
pub use plain::is_plain;
pub use refused::{BEYOND, UNMADE};

pub const BY: &[&str] = &[
    "by", "per", "each", "je", "pro", "par", "por", "nach", "every", "jeden", "jede", "jedem", "jeder", "chaque",
    "cada", "ogni", "grouped", "group",
];

pub const NOT: &[&str] = &[
    "not",
    "without",
    "except",
    "excluding",
    "exclude",
    "ohne",
    "sans",
    "sin",
    "ignore",
    "ignoring",
    "skip",
    "nicht",
    "other",
    "omit",
    "leaving",
    "but",
    "ausser",
    "sauf",
    "minus",
    "drop",
    "isn't",
    "isnt",
    "aren't",
    "never",
    "unless",
];
