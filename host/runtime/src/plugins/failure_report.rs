//! Reports of failures inside a plugin, for its operator and its author; never for its callers.

use std::fmt;

/// The first line of a Python traceback; the error is in the last line.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// A failure inside a plugin, for its operator and its author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureReport {
    /// Name of the plugin.
    pub plugin: String,
    /// Version of the plugin.
    pub version: String,
    /// Id of the request that failed.
    pub request_id: String,
    /// The function that was running, demangled, if it is known.
    pub function: Option<String>,
    /// The failure in one line.
    pub reason: String,
    /// The message of its panic, if it panicked.
    pub panic: Option<String>,
    /// The limit that it exceeded, with its value and its key.
    pub limit: Option<String>,
    /// The location, line by line: the stack trace of the plugin's own language, or the functions
    /// that were running, innermost first.
    pub trace: Vec<String>,
}

impl FailureReport {
    /// Returns the failure in one line: the plugin's own message, if it had one.
    pub fn headline(&self) -> &str {
        if let Some(panic) = &self.panic {
            return panic;
        }
        if let Some(limit) = &self.limit {
            return limit;
        }
        match self.trace.as_slice() {
            [first, .., last] if first.starts_with(TRACEBACK) => last.trim_start(),
            // A JavaScript error with its location: the message is the first line.
            [first, ..] if self.function.is_none() && self.reason.starts_with(first.as_str()) => first,
            _ => &self.reason,
        }
    }

    /// Returns the location, line by line, without the line that is the headline.
    pub fn places(&self) -> Vec<String> {
        let headline = self.headline();
        self.trace.iter().filter(|line| line.trim_start() != headline).cloned().collect()
    }

    /// Returns the headline, with plugin and request.
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
        // Functions that were running are not a message.
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
