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

use bridge_common::{
    Report,
    code::{Code, CodeFile},
};
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;

use crate::input::{LONGEST_PATH, MOST_LISTED, MOST_TOKENS};
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
    match Code::read(call, input.files.as_deref(), input.source.as_deref(), input.resource_id.as_deref())? {
        Code::Files(files) => each(files, input),
        Code::Text { text, field } => single(text, field, input).map(|file| vec![file]),
    }
}

fn single(text: &str, field: &str, input: &Input) -> Result<File, Error> {
    let path = input.path.clone().unwrap_or_default();
    if path.len() > LONGEST_PATH {
        return Err(Error::invalid(field, format!("its `path` is longer than {LONGEST_PATH} bytes")));
    }
    let language = input.language.or_else(|| Language::of(&path, text));
    let language = language.ok_or_else(|| Error::invalid("/language", "cannot be told from path or text; name it"))?;
    Ok(File { path, text: text.to_owned(), language })
}

fn each(files: &[CodeFile<LONGEST_PATH>], input: &Input) -> Result<Vec<File>, Error> {
    if input.language.is_some() || input.path.is_some() {
        return Err(Error::invalid(
            "/files",
            "each file has its own path and language; leave `path` and `language` out",
        ));
    }
    let measured = |(index, file): (usize, &CodeFile<LONGEST_PATH>)| {
        let unknown = || {
            Error::invalid(
                format!("/files/{index}/path"),
                "its language is not supported (Python, JavaScript, TypeScript, Java, C#, Kotlin, Go, Rust, C, C++, PHP); leave the file out",
            )
        };
        let language = Language::of(&file.path, &file.content).ok_or_else(unknown)?;
        Ok(File { path: file.path.clone(), text: file.content.clone(), language })
    };
    files.iter().enumerate().map(measured).collect()
}

bridge! { handle: handle, examples: ["../cases/sum_of_primes.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
