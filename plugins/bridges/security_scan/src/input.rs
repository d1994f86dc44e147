//! What a caller may send.

use bridge_common::code::CodeFile;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::language::Language;
use crate::rule::Severity;

/// Longest path, in bytes.
pub const LONGEST_PATH: usize = 512;
/// Most findings that are listed.
pub const MOST_LISTED: u32 = 500;
/// Most entries of a rule list.
const MOST_RULES: usize = 100;

/// Source to scan: `files`, or `source`, or `resource_id` of a stored text file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("files | source | resource_id"))]
pub struct Input {
    /// Files with their paths; at most 200 and 1 MiB in all. Give this, `source` or `resource_id`.
    #[schemars(length(min = 1, max = 200))]
    pub files: Option<Vec<CodeFile<LONGEST_PATH>>>,
    /// The text of a single file. Give this, `files` or `resource_id`.
    #[schemars(length(max = 1_048_576))]
    pub source: Option<String>,
    /// Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means: this
    /// file, language by its media type or first line, all rules.
    pub resource_id: Option<String>,
    /// Language of `source` or of the resource. Default: by `path`, else by the first line.
    pub language: Option<Language>,
    /// Path of `source` or of the resource, for its language and for the findings. Default: none.
    #[schemars(length(max = 512))]
    pub path: Option<String>,
    /// The least severity to report. Default: info.
    pub severity_min: Option<Severity>,
    /// Which rules to apply. Default: all.
    #[serde(default)]
    pub rules: Rules,
    /// Most findings to list, the most severe first to stay (1 to 500; default 200).
    #[schemars(range(min = 1, max = 500))]
    pub max_findings: Option<u32>,
}

/// Rules by id (`python.eval`) or by group (`secret.*`).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Only these. Default: all.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub include: Vec<String>,
    /// Not these. Default: none.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub exclude: Vec<String>,
}

impl Rules {
    /// Whether a rule is wanted.
    #[must_use]
    pub fn want(&self, id: &str) -> bool {
        let among = |list: &[String]| list.iter().any(|wanted| matches(wanted, id));
        (self.include.is_empty() || among(&self.include)) && !among(&self.exclude)
    }

    /// The first entry that names no rule, with its pointer; or a list that is too long.
    #[must_use]
    pub fn unknown(&self, ids: &[&str]) -> Option<(String, String)> {
        for (name, list) in [("include", &self.include), ("exclude", &self.exclude)] {
            if list.len() > MOST_RULES {
                return Some((format!("/rules/{name}"), format!("at most {MOST_RULES} entries")));
            }
            let place = list.iter().position(|wanted| !ids.iter().any(|id| matches(wanted, id)));
            if let Some(place) = place {
                let text = "no rule has this id; use ids as in findings (python.eval) or a group (secret.*)".to_owned();
                return Some((format!("/rules/{name}/{place}"), text));
            }
        }
        None
    }
}

/// `python.eval`, `python.*` or `*`.
#[must_use]
pub fn matches(wanted: &str, id: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => id.starts_with(start),
        None => wanted == id,
    }
}
