//! Calls as they are written: what is called, by its full name, with which arguments.
//!
//! One pass over words, texts and marks; no grammar. An argument belongs to its own call only, however the statements
//! around it look. What no closed bracket ends is no call. Depth and numbers are bounded, so hostile text costs no
//! more than its length.

mod imports;
mod names;
mod rule;
mod table;
mod token;
mod value;
mod walk;

pub use rule::{Arg, CallRule, Test};
pub use table::CallTable;
