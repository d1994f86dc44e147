//! Explains a failed local call to the plugin's author: with the plugin's own message, the trace,
//! and the value and key of a limit that was exceeded.

use std::path::Path;

use serde_json::json;
use tollbridge_plugin::{Failure, FailureReport};

use super::explained::ExplainedError;

/// Returns the error that a server's caller would see, with further details for the plugin's
/// author.
pub(crate) fn explained(failure: &Failure, folder: &Path) -> ExplainedError {
    let (status, code) = code(failure);
    let Some(report) = failure.report() else {
        let explanation = ExplainedError::here(status, code, &failure.to_string());
        return match failure {
            Failure::InvalidInput { field, input, .. } => explanation.with_details(field, input.as_ref()),
            _ => explanation,
        };
    };
    let mut explanation = ExplainedError::here(status, code, &sentence(failure, report)).with("kind", failure.kind());
    if let (Some(limit), Some(_)) = (&report.limit, &report.panic) {
        explanation.lines.push(format!("before that, {limit}"));
    }
    let explanation = match &report.function {
        Some(function) => explanation.with("function", json!(function)),
        None => explanation,
    };
    explanation.with_trace(trace(report, folder))
}

/// Returns the plugin's own message, or else the engine's message with the function that was
/// running.
fn sentence(failure: &Failure, report: &FailureReport) -> String {
    let happened = match failure {
        Failure::TimedOut(_) => return report.reason.clone(),
        Failure::BadOutput(_) => "the plugin gave no valid answer",
        _ => "the plugin failed",
    };
    format!("{happened}: {}", report.headline())
}

/// Returns the trace of a failure, with paths relative to the plugin's folder.
fn trace(report: &FailureReport, folder: &Path) -> Vec<String> {
    let folder = format!("{}/", folder.display());
    report.places().iter().map(|line| line.replace(&folder, "")).collect()
}

/// Returns the API's status and code for a failure, as listed in `docs/errors.md`.
const fn code(failure: &Failure) -> (u16, &'static str) {
    match failure {
        Failure::InvalidInput { .. } => (400, "E011"),
        Failure::NotFound(_) => (404, "E012"),
        Failure::Unavailable(_) => (503, "E027"),
        Failure::NoProvider(_) => (503, "E005"),
        Failure::TimedOut(_) => (504, "E018"),
        Failure::Overloaded { .. } => (503, "E024"),
        Failure::Upstream(_) | Failure::Internal(_) | Failure::Trapped(_) | Failure::BadOutput(_) => (502, "E017"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(reason: &str) -> FailureReport {
        FailureReport { plugin: "p".to_owned(), reason: reason.to_owned(), ..FailureReport::default() }
    }

    fn check(failure: &Failure, message: &str, lines: &[&str]) {
        let explanation = explained(failure, Path::new("/home/a/weather"));
        assert_eq!(explanation.message, message);
        assert_eq!(explanation.lines, lines, "{message}");
    }

    #[test]
    fn a_trap_is_reported_once_with_source_lines() {
        let panic = "panicked at src/lib.rs:3:5: index out of bounds";
        let trapped = Failure::Trapped(Box::new(FailureReport {
            function: Some("weather::deep".to_owned()),
            panic: Some(panic.to_owned()),
            trace: vec!["at weather::deep (/home/a/weather/src/lib.rs:3:5)".to_owned()],
            ..report("wasm trap: wasm `unreachable` instruction executed")
        }));
        let message = format!("502 E017: the plugin failed: {panic}");
        check(&trapped, &message, &["at weather::deep (src/lib.rs:3:5)"]);
        let object = explained(&trapped, Path::new("/")).object;
        assert_eq!((&object["kind"], &object["function"]), (&json!("trapped"), &json!("weather::deep")));
    }

    #[test]
    fn limits_are_reported_with_their_keys() {
        let time = "the time limit was reached: stopped after 500 ms (limits.time_ms in plugin.toml)";
        check(&Failure::TimedOut(Box::new(report(time))), &format!("504 E018: {time}"), &[]);
        let memory = "the memory limit was reached: 16 MiB (limits.memory_mib in plugin.toml)";
        let full = || FailureReport { limit: Some(memory.to_owned()), ..report("wasm trap: unreachable") };
        check(&Failure::Trapped(Box::new(full())), &format!("502 E017: the plugin failed: {memory}"), &[]);
        let panicked = FailureReport { panic: Some("panicked: no".to_owned()), ..full() };
        let lines = [format!("before that, {memory}")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        check(&Failure::Trapped(Box::new(panicked)), "502 E017: the plugin failed: panicked: no", &lines);
    }

    #[test]
    fn scripts_fail_as_their_language_shows_it() {
        let trace = ["Traceback (most recent call last):", "  File \"/x/plugin.py\", line 3", "IndexError: no"];
        let failed = FailureReport { trace: trace.map(str::to_owned).to_vec(), ..report(&trace.join(" ")) };
        let lines = ["Traceback (most recent call last):", "  File \"/x/plugin.py\", line 3"];
        check(&Failure::Internal(Box::new(failed)), "502 E017: the plugin failed: IndexError: no", &lines);
    }

    #[test]
    fn a_caller_error_names_the_member() {
        let wrong =
            Failure::InvalidInput { field: "/a/0".to_owned(), message: "must be nicer".to_owned(), input: None };
        check(&wrong, "400 E011: must be nicer", &["field /a/0"]);
        let proposed = Some(json!({ "a": [1] }));
        let asking = Failure::InvalidInput { field: String::new(), message: "only one?".to_owned(), input: proposed };
        check(&asking, "400 E011: only one?", &[r#"proposed input {"a":[1]}"#]);
        assert_eq!(explained(&asking, Path::new("/")).object["details"], json!({ "field": "", "input": { "a": [1] } }));
    }

    #[test]
    fn the_codes_are_documented() {
        let table = include_str!("../../../docs/errors.md");
        let failures = [
            Failure::InvalidInput { field: String::new(), message: String::new(), input: None },
            Failure::NotFound(String::new()),
            Failure::Unavailable(String::new()),
            Failure::NoProvider(String::new()),
            Failure::Upstream(String::new()),
            Failure::TimedOut(Box::default()),
            Failure::Overloaded { retry_after_s: 1 },
        ];
        for failure in failures {
            let (status, code) = code(&failure);
            let row = table.lines().find(|line| line.starts_with(&format!("| {code} |")));
            assert!(row.is_some_and(|row| row.contains(&status.to_string())), "{code} {status}");
        }
    }
}
