//! Version 1.0 of the protocol: requests and answers in its format.
//!
//! This module makes no decisions. It translates requests into the
//! version-independent form of the handler, and results into this version's
//! format, so that an operation costs, seals and refuses the same in either
//! version.

mod answer;
pub mod errors;
pub(super) mod names;
pub(super) mod parts;
pub(super) mod requests;
pub(super) mod views;

pub(super) use answer::answer;
