//! The outcome of a line.

use serde::{Deserialize, Serialize};

/// The outcome of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LineOutcome {
    Succeeded,
    Errored,
    Cancelled,
    Expired,
}
