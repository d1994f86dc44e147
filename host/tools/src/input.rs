//! Reads the JSON input of a call from the command line.

use anyhow::{Context, Result};
use serde_json::Value;

/// Reads JSON from an argument: the text itself, a file (`@FILE`) or standard input (`-`).
pub fn read_input(input: &str) -> Result<Value> {
    let text = match (input, input.strip_prefix('@')) {
        ("-", _) => std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?,
        (_, Some(path)) => std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?,
        (text, None) => text.to_owned(),
    };
    serde_json::from_str(&text).with_context(|| format!("the input is not JSON: {text}"))
}
