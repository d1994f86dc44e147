//! Version 1.0 of the protocol: what it asks and answers, in its own words.
//!
//! Nothing is decided here. Requests are read into what the handler takes for
//! every version, and what it gives is written as this version has it, so that
//! an operation costs, seals and refuses the same by either.

mod answer;
pub mod errors;
pub(super) mod names;
pub(super) mod parts;
pub(super) mod requests;
pub(super) mod views;

pub(super) use answer::answer;
