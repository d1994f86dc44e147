//! Phrases of an instruction, as whole words.

use agent_common::columns;

/// Whether one of the phrases stands in the instruction.
pub fn says(instruction: &str, texts: &[&str]) -> bool {
    let folded = format!(" {} ", columns::fold(instruction).replace(|c: char| !c.is_alphanumeric(), " "));
    texts.iter().any(|text| folded.contains(&format!(" {text} ")))
}
