//! Reports of failures inside a plugin, for the plugin's operator and author, never for its
//! callers.

use std::fmt;

/// The first line of a Python traceback, whose last line has the error.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// A report of a failure inside a plugin, for its operator and author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureReport {
    /// Name of the plugin.
    pub plugin: String,
    /// Version of the plugin.
    pub version: String,
    /// Id of the request that failed.
    pub request_id: String,
    /// The demangled name of the function that was running, if known.
    pub function: Option<String>,
    /// The engine's or the host's reason in one line.
    pub reason: String,
    /// The plugin's panic message, if it panicked.
    pub panic: Option<String>,
    /// The exceeded limit with its value and its configuration key, if a limit was exceeded.
    pub limit: Option<String>,
    /// The location of the failure, line by line: the stack trace of the plugin's own language, or
    /// the functions that were running, innermost first.
    pub trace: Vec<String>,
}

impl FailureReport {
    /// Returns the failure in one line: the plugin's own message if it has one, otherwise the
    /// reason.
    pub fn headline(&self) -> &str {
        if let Some(panic) = &self.panic {
            return panic;
        }
        if let Some(limit) = &self.limit {
            return limit;
        }
        match self.trace.as_slice() {
            [first, .., last] if first.starts_with(TRACEBACK) => last.trim_start(),
            // The trace is a JavaScript error whose first line is the message.
            [first, ..] if self.function.is_none() && self.reason.starts_with(first.as_str()) => first,
            _ => &self.reason,
        }
    }

    /// Returns the location of the failure, line by line, without the headline.
    pub fn places(&self) -> Vec<String> {
        let headline = self.headline();
        self.trace.iter().filter(|line| line.trim_start() != headline).cloned().collect()
    }

    /// Returns a log line with plugin, version, request id and headline.
    pub fn log_line(&self) -> String {
        let Self { plugin, version, request_id, .. } = self;
        let own_words = self.panic.is_none() && self.limit.is_none() && self.headline() != self.reason;
        match own_words {
            true => format!("{plugin} {version} (request {request_id}): {}", self.headline()),
            false => self.to_string(),
        }
    }
}

impl fmt::Display for FailureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} (request {}): {}", self.plugin, self.version, self.request_id, self.reason)?;
        if let Some(function) = &self.function {
            write!(f, ", in {function}")?;
        }
        if let Some(panic) = &self.panic {
            write!(f, ", after the panic: {panic}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reason: &str, panic: Option<&str>, trace: &[&str], expect: &str) {
        let report = FailureReport {
            reason: reason.to_owned(),
            panic: panic.map(str::to_owned),
            trace: trace.iter().map(ToString::to_string).collect(),
            ..FailureReport::default()
        };
        assert_eq!(report.headline(), expect, "{report:?}");
    }

    #[test]
    fn the_headline_is_in_the_plugins_own_words() {
        check("wasm trap: out of bounds", None, &[], "wasm trap: out of bounds");
        check(
            "wasm trap: unreachable",
            Some("panicked at src/lib.rs:1:1: no"),
            &["at x"],
            "panicked at src/lib.rs:1:1: no",
        );
        check("my mistake", None, &[], "my mistake");
        let python =
            ["Traceback (most recent call last):", "  File \"plugin.py\", line 3, in handle", "IndexError: no"];
        check(&python.join(" "), None, &python, "IndexError: no");
        let js = ["TypeError: no", "    at handle (plugin.js:3:1)"];
        check(&js.join(" "), None, &js, "TypeError: no");
        // Names of running functions do not replace the reason as the headline.
        check("wasm trap: out of bounds", None, &["at f", "at g"], "wasm trap: out of bounds");
    }

    #[test]
    fn a_log_has_the_words_once() {
        let trace = ["TypeError: no", "    at handle (plugin.js:3:1)"];
        let report = FailureReport {
            plugin: "p".to_owned(),
            version: "1.0.0".to_owned(),
            request_id: "req_1".to_owned(),
            reason: trace.join(" "),
            trace: trace.map(str::to_owned).to_vec(),
            ..FailureReport::default()
        };
        assert_eq!(report.log_line(), "p 1.0.0 (request req_1): TypeError: no");
        assert_eq!(report.places(), ["    at handle (plugin.js:3:1)"]);
    }
}
