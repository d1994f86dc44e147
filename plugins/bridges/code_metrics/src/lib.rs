//! Code metrics: complexity, length, nesting and duplicates of source code, by a tokenizer for eleven languages.
//!
//! Invariants: the same files give the same answer; code is never run; the work of a call is linear in the source, but
//! for bounded looks ahead; no input panics.

mod complexity;
mod duplicate;
mod function;
mod input;
mod language;
mod measure;
mod output;
mod token;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::input::{LONGEST_PATH, MOST_BYTES, MOST_FILES, MOST_LISTED, MOST_TOKENS};
use crate::language::Language;
use crate::measure::File;

const METHOD: &str = "a tokenizer for each language drops comments and finds functions; cyclomatic complexity after McCabe \
(1976), cognitive after Campbell (SonarSource 2018); duplicates are equal tokens, with any text or number taken as equal";

/// Measures the source that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    check(&input)?;
    let files = files(call, &input)?;
    let field = match (&input.files, &input.source) {
        (Some(_), _) => "/files",
        (None, Some(_)) => "/source",
        (None, None) => "/resource_id",
    };
    let too_many = || Error::invalid(field, format!("more than {MOST_TOKENS} tokens; send a part"));
    let result = measure::metrics(&files, &input).ok_or_else(too_many)?;
    let mut limitations = vec![
        "no grammar is applied: macros, preprocessor branches and unusual code can be misread".to_owned(),
        "unnamed closures count for the function around them, nested functions for themselves; control structures without braces do not deepen the nesting".to_owned(),
    ];
    if result.functions.len() < result.totals.functions {
        limitations.push(format!(
            "only the {} most complex of {} functions are listed",
            result.functions.len(),
            result.totals.functions
        ));
    }
    Ok(Report::new(result, METHOD, limitations))
}

fn check(input: &Input) -> Result<(), Error> {
    let bounds = [
        ("/cyclomatic_max", input.cyclomatic_max, 1, 1_000),
        ("/cognitive_max", input.cognitive_max, 1, 1_000),
        ("/lines_max", input.lines_max, 1, 10_000),
        ("/duplicate_tokens", input.duplicate_tokens, 20, 1_000),
        ("/max_listed", input.max_listed, 1, MOST_LISTED),
    ];
    for (field, value, low, high) in bounds {
        if value.is_some_and(|value| !(low..=high).contains(&value)) {
            return Err(Error::invalid(field, format!("must lie between {low} and {high}")));
        }
    }
    Ok(())
}

fn files(call: &Call, input: &Input) -> Result<Vec<File>, Error> {
    let given = [input.files.is_some(), input.source.is_some(), input.resource_id.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(Error::invalid("/files", "give one of `files`, `source` and `resource_id` (a stored text file)"));
    }
    let Some(files) = &input.files else {
        let (text, field) = match &input.source {
            Some(text) => (text.clone(), "/source"),
            None => (call.stored()?.text()?.to_owned(), "/resource_id"),
        };
        let path = input.path.clone().unwrap_or_default();
        if path.len() > LONGEST_PATH || text.len() > MOST_BYTES {
            return Err(Error::invalid(
                field,
                format!("at most {MOST_BYTES} bytes of source and {LONGEST_PATH} of path"),
            ));
        }
        let language = input.language.or_else(|| Language::of(&path, &text));
        let language =
            language.ok_or_else(|| Error::invalid("/language", "cannot be told from path or text; name it"))?;
        return Ok(vec![File { path, text, language }]);
    };
    if input.language.is_some() || input.path.is_some() {
        return Err(Error::invalid(
            "/files",
            "each file has its own path and language; leave `path` and `language` out",
        ));
    }
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    if files.is_empty() || files.len() > MOST_FILES || bytes > MOST_BYTES {
        return Err(Error::invalid("/files", format!("give 1 to {MOST_FILES} files of {MOST_BYTES} bytes in all")));
    }
    let mut read = Vec::new();
    for (place, file) in files.iter().enumerate() {
        if file.path.is_empty() || file.path.len() > LONGEST_PATH {
            return Err(Error::invalid(format!("/files/{place}/path"), format!("must have 1 to {LONGEST_PATH} bytes")));
        }
        let unknown = || {
            Error::invalid(
                format!("/files/{place}/path"),
                "tells no language known here (Python, JavaScript, TypeScript, Java, C#, Kotlin, Go, Rust, C, C++, PHP); leave the file out",
            )
        };
        let language = Language::of(&file.path, &file.content).ok_or_else(unknown)?;
        read.push(File { path: file.path.clone(), text: file.content.clone(), language });
    }
    Ok(read)
}

bridge! { handle: handle, examples: ["../cases/sum_of_primes.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
