//! Input of a call, as given on the command line.

use anyhow::{Context, Result};
use serde_json::Value;

/// Reads JSON given as text, in a file (`@FILE`) or on standard input (`-`).
pub fn read_input(input: &str) -> Result<Value> {
    let text = match (input, input.strip_prefix('@')) {
        ("-", _) => std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?,
        (_, Some(path)) => std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?,
        (text, None) => text.to_owned(),
    };
    serde_json::from_str(&text).with_context(|| format!("the input is not JSON: {text}"))
}
