//! A golden case: a JSON file with an input and the expected answer.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::Value;

use super::{bridges::Bridges, inference::Inference, ledger::Ledger, table::StatedTable};
use crate::call::{Call, Stored};

/// Default deadline of a case, in milliseconds.
const DEADLINE_MS: u32 = 1_000;
/// Default time of a case's call: 2026-01-01T00:00:00Z.
const NOW_MS: u64 = 1_767_225_600_000;

/// A golden case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// Name of the case's file, without the extension.
    #[serde(skip)]
    pub(crate) name: String,
    /// Source of the expected answer, for people who read the file.
    #[allow(dead_code, reason = "for readers of the file; the member is required")]
    about: String,
    /// The task; for agents only.
    pub(crate) task: Option<String>,
    /// The input object; optional for an agent.
    pub(crate) input: Option<Value>,
    /// The expected output; a case has either this or `error`.
    pub(crate) output: Option<Value>,
    /// The expected error; a case has either this or `output`.
    pub(crate) error: Option<ExpectedError>,
    now_ms: Option<u64>,
    deadline_ms: Option<u32>,
    caller: Option<String>,
    resource: Option<Resource>,
    /// Configuration values that the operator would set.
    #[serde(default)]
    pub(crate) config: BTreeMap<String, String>,
    /// Tables that are added to, or replace, those that the plugin ships; `null` hides
    /// one.
    #[serde(default)]
    pub(crate) tables: BTreeMap<String, Option<StatedTable>>,
    /// Contents of the test double of the ledger.
    #[serde(default)]
    pub(crate) ledger: Ledger,
    /// Answers of the test double of models.
    #[serde(default)]
    pub(crate) inference: Inference,
    /// Answers of the test double of other plugins.
    #[serde(default)]
    pub(crate) bridges: Bridges,
    /// Tolerance for numbers, absolute and relative; 0 by default.
    #[serde(default)]
    pub(crate) tolerance: f64,
    /// Whether only the members that occur in the expected output are compared.
    #[serde(default)]
    pub(crate) partial: bool,
}

/// An error that a case expects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedError {
    /// Kind of the error, spelled as in the plugin contract.
    pub(crate) kind: String,
    /// Expected JSON pointer of the error; not compared if absent.
    pub(crate) field: Option<String>,
    /// Expected part of the error's message; not compared if absent.
    pub(crate) message: Option<String>,
    /// Expected proposed input, compared as an output is; not compared if absent.
    pub(crate) input: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resource {
    #[serde(default = "resource_id")]
    id: String,
    #[serde(default = "content_type")]
    content_type: String,
    text: Option<String>,
    base64: Option<String>,
}

impl Case {
    /// Reads a case file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, ..Self::parse(&text)? })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let case: Self = serde_json::from_str(text).map_err(|error| format!("not a case: {error}"))?;
        if case.output.is_some() == case.error.is_some() {
            return Err("not a case: give exactly one of `output` and `error`".into());
        }
        if case.input.is_none() && case.task.is_none() {
            return Err("not a case: `input` is missing".into());
        }
        case.call()?;
        Ok(case)
    }

    /// Returns the call that the case describes.
    pub(crate) fn call(&self) -> Result<Call, String> {
        Ok(Call {
            request_id: "req_case".into(),
            deadline_ms: self.deadline_ms.unwrap_or(DEADLINE_MS),
            now_ms: self.now_ms.unwrap_or(NOW_MS),
            caller: self.caller.clone(),
            resource: self.resource.as_ref().map(Resource::stored).transpose()?,
        })
    }
}

impl Resource {
    fn stored(&self) -> Result<Stored, String> {
        let bytes = match (&self.text, &self.base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(code)) => STANDARD.decode(code).map_err(|error| format!("`resource.base64`: {error}"))?,
            _ => return Err("`resource`: give exactly one of `text` and `base64`".into()),
        };
        Ok(Stored { id: self.id.clone(), content_type: self.content_type.clone(), bytes })
    }
}

/// Returns the case files of a folder, sorted by name. An empty folder is an error, because a test
/// without cases would prove nothing.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!("{}: no case files (*.json)", folder.display()));
    }
    paths.sort();
    Ok(paths)
}

fn resource_id() -> String {
    "res_case".into()
}

fn content_type() -> String {
    "application/octet-stream".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_complete_or_refused() {
        let good = r#"{"about": "x", "input": {}, "output": {}, "resource": {"base64": "aGk="}}"#;
        let call = Case::parse(good).and_then(|case| case.call()).expect(good);
        assert_eq!(call.resource.map(|stored| stored.bytes), Some(b"hi".to_vec()));
        assert_eq!(call.now_ms, NOW_MS);
        for (bad, expect) in [
            (r#"{"input": {}, "output": {}}"#, "about"),
            (r#"{"about": "x", "output": {}}"#, "`input` is missing"),
            (r#"{"about": "x", "input": {}}"#, "exactly one of"),
            (r#"{"about": "x", "input": {}, "output": {}, "error": {"kind": "internal"}}"#, "exactly one of"),
            (r#"{"about": "x", "input": {}, "output": {}, "resource": {}}"#, "exactly one of"),
            (r#"{"about": "x", "input": {}, "output": {}, "outptu": {}}"#, "outptu"),
        ] {
            let error = Case::parse(bad).map(|_| ()).expect_err(bad);
            assert!(error.contains(expect), "{error}");
        }
    }
}
