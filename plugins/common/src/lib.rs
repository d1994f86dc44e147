//! What several bridges of this repository share.
//!
//! Pure functions without the host; each is linked only where it is called.

#![warn(missing_docs, unreachable_pub)]

pub mod calendar;
pub mod code;
pub mod completion;
pub mod csv;
pub mod depth;
pub mod luhn;
pub mod median;
pub mod number;
pub mod report;
pub mod series;
pub mod source;
pub mod student;
pub mod table;
pub mod text_input;
pub mod time;

pub use report::Report;
pub use source::Source;
