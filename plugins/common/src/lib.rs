//! What several bridges of this repository share.
//!
//! Pure functions without the host; each is linked only where it is called.

pub mod student;
pub mod table;
pub mod time;
