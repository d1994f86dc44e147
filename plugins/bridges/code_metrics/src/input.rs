//! What a caller may send.

use bridge_common::code::CodeFile;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::language::Language;

/// Most tokens in all: twice what programs of the most bytes have, and what fits into the memory of a call.
pub const MOST_TOKENS: usize = 300_000;
/// Longest path, in bytes.
pub const LONGEST_PATH: usize = 300;
/// Most functions and duplicates that are listed.
pub const MOST_LISTED: u32 = 1_000;

/// Source to measure: `files`, `source`, or `resource_id` of a stored text file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("files | source | resource_id"))]
pub struct Input {
    /// Files with their paths; at most 200, 1 MiB and 300,000 tokens in all. Give this, `source` or `resource_id`.
    #[schemars(length(min = 1, max = 200))]
    pub files: Option<Vec<CodeFile<LONGEST_PATH>>>,
    /// The text of a single file. Give this, `files` or `resource_id`.
    #[schemars(length(max = 1_048_576))]
    pub source: Option<String>,
    /// Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means: this file,
    /// its language by its first line or its words.
    pub resource_id: Option<String>,
    /// Language of `source` or of the resource. Default: by `path`, else by the text.
    pub language: Option<Language>,
    /// Path of `source` or of the resource. At most 300 bytes. Default: none.
    #[schemars(length(max = 300))]
    pub path: Option<String>,
    /// Cyclomatic complexity above which a function is a hotspot, 1 to 1,000. Default: 10 (McCabe 1976).
    #[schemars(range(min = 1, max = 1000))]
    pub cyclomatic_max: Option<u32>,
    /// Cognitive complexity above which a function is a hotspot, 1 to 1,000. Default: 15.
    #[schemars(range(min = 1, max = 1000))]
    pub cognitive_max: Option<u32>,
    /// Lines with code above which a function is a hotspot, 1 to 10,000. Default: 60.
    #[schemars(range(min = 1, max = 10_000))]
    pub lines_max: Option<u32>,
    /// Tokens in a row that must be equal for a duplicate, 20 to 1,000. Default: 60.
    #[schemars(range(min = 20, max = 1000))]
    pub duplicate_tokens: Option<u32>,
    /// Most functions and duplicates to list, the worst first (1 to 1,000; default 200).
    #[schemars(range(min = 1, max = 1000))]
    pub max_listed: Option<u32>,
}
