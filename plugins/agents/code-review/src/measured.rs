//! What the bridge `code_metrics` measures, and the remarks that follow from it.

use agent_common::{Answer, figures};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::File;
use crate::language;
use crate::remark::{Kind, Remark};
use crate::source::Source;

/// Parameters of a function from which on they are too many.
const PARAMETERS_MAX: usize = 6;
/// Nesting from which on code is hard to follow.
const NESTING_MAX: usize = 3;

/// Size of the reviewed code.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// Files.
    pub files: usize,
    /// Lines with code.
    pub code_lines: usize,
    /// Functions.
    pub functions: usize,
    /// The highest cyclomatic complexity of a function.
    pub most_cyclomatic: usize,
    /// Share of the code in duplicates, 0 to 1.
    pub duplicated_share: f64,
}

/// The answer of the bridge.
#[derive(Default, Deserialize)]
pub struct Metrics {
    pub totals: Measures,
    #[serde(default)]
    functions: Vec<FunctionMeasures>,
    hotspots: Vec<Hotspot>,
    duplicates: Vec<Duplicate>,
}

#[derive(Deserialize)]
struct FunctionMeasures {
    path: String,
    name: String,
    line: usize,
    #[serde(default)]
    nesting: usize,
    #[serde(default)]
    parameters: usize,
}

#[derive(Deserialize)]
struct Hotspot {
    path: String,
    name: String,
    line: usize,
    measure: String,
    reasons: Vec<String>,
}

#[derive(Deserialize)]
struct Duplicate {
    lines: usize,
    first: Place,
    second: Place,
}

#[derive(Deserialize)]
struct Place {
    path: String,
    line: usize,
}

/// Measures the files whose language the bridge knows; the others are only counted.
pub fn ask(files: &[File], sources: &[Source]) -> Result<Answer<Metrics>, Error> {
    let known: Vec<&File> = files
        .iter()
        .zip(sources)
        .filter(|(_, source)| language::is_measured(source.language))
        .map(|(file, _)| file)
        .collect();
    let mut answer = if known.is_empty() {
        Answer { result: Metrics::default(), limitations: Vec::new() }
    } else {
        bridges::call("code_metrics", &json!({ "files": known }))?
    };
    if known.len() < files.len() {
        let others = sources.iter().filter(|source| !language::is_measured(source.language));
        let lines: usize = others.map(|source| source.lines.iter().filter(|line| !line.is_empty()).count()).sum();
        answer.result.totals.files = files.len();
        answer.result.totals.code_lines += lines;
        answer.limitations.push("files in languages that the bridge does not measure were only counted".to_owned());
    }
    Ok(answer)
}

/// Returns remarks on functions and duplicates.
pub fn remarks(metrics: &Metrics, sources: &[Source]) -> Vec<Remark> {
    let make = |(path, line): (&str, usize), kind: Kind, severity: &str, message: String, remedy: &str, rule: &str| {
        let quote = sources.iter().find(|source| source.path == path).map(|source| source.quote(line));
        Remark {
            severity: severity.into(),
            kind,
            path: path.to_owned(),
            line,
            message,
            remedy: remedy.into(),
            rule: rule.into(),
            quote: quote.unwrap_or_default(),
        }
    };
    let mut found = Vec::new();
    for spot in &metrics.hotspots {
        let message = format!("`{}` is complex: {}", spot.name, spot.reasons.join("; "));
        let remedy = "Split it into functions that each do one thing.";
        found.push(make((&spot.path, spot.line), Kind::Complexity, "medium", message, remedy, &spot.measure));
    }
    for function in &metrics.functions {
        let at = (function.path.as_str(), function.line);
        if function.nesting > NESTING_MAX {
            let message =
                format!("`{}` is nested {} levels deep, which is hard to follow", function.name, function.nesting);
            let remedy = "Use guard clauses (early return, continue), or split it into functions.";
            found.push(make(at, Kind::Complexity, "medium", message, remedy, "nesting"));
        }
        if function.parameters > PARAMETERS_MAX {
            let message =
                format!("`{}` has {} parameters, too many to call it right", function.name, function.parameters);
            let remedy = "Group arguments that belong together into an object.";
            found.push(make(at, Kind::Complexity, "low", message, remedy, "parameters"));
        }
    }
    for double in &metrics.duplicates {
        let other =
            if double.second.path == double.first.path { String::new() } else { format!(" of {}", double.second.path) };
        let lines = figures::count(double.lines, "line", "lines");
        let message = format!("duplicate code: {lines} are repeated from line {}{other}", double.second.line);
        let at = (double.first.path.as_str(), double.first.line);
        found.push(make(at, Kind::Duplicate, "low", message, "Write it once and call it.", "duplicate tokens"));
    }
    found
}
