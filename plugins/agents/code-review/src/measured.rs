//! What the bridge `code_metrics` measures, and the remarks that follow from it.

use agent_common::{Answer, figures};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::input::File;
use crate::language;
use crate::remark::{Kind, Remark, Severity};
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
    functions: Vec<Measured>,
    hotspots: Vec<Measured>,
    duplicates: Vec<Duplicate>,
}

/// A function, or one that is too complex.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Measured {
    path: String,
    name: String,
    line: usize,
    nesting: usize,
    parameters: usize,
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
pub fn ask(sources: &[Source]) -> Result<Answer<Metrics>, Error> {
    let (known, others): (Vec<&Source>, Vec<&Source>) =
        sources.iter().partition(|source| language::is_measured(source.language));
    let known: Vec<&File> = known.into_iter().map(|source| &source.file).collect();
    let mut answer = if known.is_empty() {
        Answer { result: Metrics::default(), limitations: Vec::new() }
    } else {
        bridges::call("code_metrics", &json!({ "files": known }))?
    };
    if !others.is_empty() {
        let lines = others.iter().flat_map(|source| &source.lines).filter(|line| !line.code.is_empty()).count();
        answer.result.totals.files = sources.len();
        answer.result.totals.code_lines += lines;
        answer.limitations.push("files in languages that the bridge does not measure were only counted".to_owned());
    }
    Ok(answer)
}

/// Returns remarks on functions and duplicates.
pub fn remarks(metrics: &Metrics, sources: &[Source]) -> Vec<Remark> {
    let complex = |one: &Measured, severity: Severity, rule: &str, message: String, remedy: &str| {
        let message = format!("`{}` {message}", one.name);
        Remark::new(sources, (&one.path, one.line), (Kind::Complexity, severity), rule, message, remedy)
    };
    let hotspots = metrics.hotspots.iter().map(|one| {
        let message = format!("is complex: {}", one.reasons.join("; "));
        complex(one, Severity::Medium, &one.measure, message, "Split it into functions that each do one thing.")
    });
    let nested = metrics.functions.iter().filter(|one| one.nesting > NESTING_MAX).map(|one| {
        let message = format!("is nested {} levels deep, which is hard to follow", one.nesting);
        let remedy = "Use guard clauses (early return, continue), or split it into functions.";
        complex(one, Severity::Medium, "nesting", message, remedy)
    });
    let wide = metrics.functions.iter().filter(|one| one.parameters > PARAMETERS_MAX).map(|one| {
        let message = format!("has {} parameters, too many to call it right", one.parameters);
        let remedy = "Group arguments that belong together into an object.";
        complex(one, Severity::Low, "parameters", message, remedy)
    });
    let duplicates = metrics.duplicates.iter().map(|Duplicate { lines, first, second }| {
        let other = if second.path == first.path { String::new() } else { format!(" of {}", second.path) };
        let lines = figures::count(*lines, "line", "lines");
        let message = format!("duplicate code: {lines} are repeated from line {}{other}", second.line);
        let (grade, remedy) = ((Kind::Duplicate, Severity::Low), "Write it once and call it.");
        Remark::new(sources, (&first.path, first.line), grade, "duplicate tokens", message, remedy)
    });
    hotspots.chain(nested).chain(wide).chain(duplicates).collect()
}
