//! Version 1.0 of the protocol: the format of its requests and results.
//!
//! This module makes no decisions. It translates requests into the version-independent
//! form of the handler, and results into this version's format, so that price, seals and
//! refusals of an operation are the same in both versions.

mod answer;
pub mod errors;
pub(super) mod names;
pub(super) mod parts;
pub(super) mod requests;
pub(super) mod views;

pub(super) use answer::answer;
pub use views::{Nothing, PushConfigView, PushConfigsView, Reply, TaskView, TasksView};
