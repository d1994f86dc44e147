//! Replays of stored inputs with another version of a plugin.

mod answer_difference;
mod report;
mod service;

pub use answer_difference::PointerDifference;
pub use report::{ReplayReport, ReplayedDifference, ReplayedTimes};
pub use service::{ReplayOrder, Replays};
