//! What the agent takes beside the task.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::File;

/// What to review.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| files | diff"))]
pub struct Input {
    /// Files with their paths, at most 200 and 1 MiB in all. The task's own code or diff unless given.
    #[schemars(length(min = 1, max = 200))]
    pub files: Option<Vec<File>>,
    /// A unified diff (`git diff`) instead: only added lines are reviewed.
    #[schemars(length(min = 1, max = 500_000))]
    pub diff: Option<String>,
}
