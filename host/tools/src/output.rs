//! Output of commands: data to standard output, everything else to standard error. The output is
//! understandable without colour.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use serde_json::Value;

use super::explained::ExplainedError;

/// The choice of when to colour the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// Colour on a terminal only
    #[default]
    Auto,
    /// Always use colour
    Always,
    /// Never use colour
    Never,
}

/// Prints the results and messages of a command.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
    quiet: bool,
    color: bool,
}

impl Output {
    /// Creates the output: with `json`, results are JSON for programs; with `quiet`, hints and
    /// progress are omitted.
    pub fn new(json: bool, quiet: bool, color: ColorChoice) -> Self {
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Self { json, quiet, color }
    }

    /// Returns whether results are printed as JSON.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result of a command: as JSON if requested, otherwise as text.
    pub fn result(&self, value: &Value, text: impl FnOnce() -> String) {
        let line = if self.json { serde_json::to_string_pretty(value).unwrap_or_default() } else { text() };
        // If the reader has closed the pipe, nothing needs to be printed.
        let _ = writeln!(std::io::stdout().lock(), "{}", line.trim_end());
    }

    /// Prints one line to standard output, unchanged.
    pub fn line(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    /// Prints a progress message; omitted with `-q`.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// Shows progress on a terminal, replacing the previous progress text; writes no newline.
    pub fn progress(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        if !self.quiet && err.is_terminal() {
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    /// Prints a success message.
    pub fn success(&self, text: &str) {
        self.note(&self.paint("32", text));
    }

    /// Prints a warning message.
    pub fn warning(&self, text: &str) {
        let text = text.strip_prefix("warning: ").unwrap_or(text);
        let _ = writeln!(std::io::stderr().lock(), "{} {text}", self.paint("33", "warning:"));
    }

    /// Prints a hint on what to do next.
    pub fn hint(&self, text: &str) {
        self.note(&format!("\n{} {text}", self.paint("36", "hint:")));
    }

    /// Prints an error and its causes, except causes that the error's own text already includes.
    pub fn error(&self, error: &anyhow::Error) {
        let mut err = std::io::stderr().lock();
        let explained = error.chain().find_map(|cause| cause.downcast_ref::<ExplainedError>());
        if let (Some(explained), true) = (explained, self.json) {
            let _ = writeln!(err, "{}", explained.object);
            return;
        }
        if self.json {
            let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
            let object = serde_json::json!({ "error": error.to_string(), "because": causes });
            let _ = writeln!(err, "{object}");
            return;
        }
        let mut said = error.to_string();
        let _ = writeln!(err, "{} {said}", self.paint("31", "error:"));
        for cause in error.chain().skip(1).map(ToString::to_string) {
            if !said.contains(&cause) {
                let _ = writeln!(err, "  because: {cause}");
            }
            said = cause;
        }
        for line in explained.into_iter().flat_map(|explained| &explained.lines) {
            let _ = writeln!(err, "  {line}");
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Formats a table with aligned columns, for people.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.len()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&mut head.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}
