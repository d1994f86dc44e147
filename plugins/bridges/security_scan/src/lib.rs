//! Security scan: secrets, dangerous patterns and risky dependencies in source text.
//!
//! Invariants: the same files give the same answer; no secret is shown in an answer; the work of a call is bounded;
//! no input panics. Code is never run; of its grammar no more is read than comments, strings, calls and imports.

mod calls;
mod excerpt;
mod hidden;
mod hit;
mod input;
mod language;
mod lexer;
mod literals;
mod manifest;
mod output;
mod patterns;
mod rule;
mod rules;
mod scan;
mod secret;
mod source;
mod suppress;
mod window;

use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
pub use output::Output;
use output::RuleSet;
use source::Source;

const METHOD: &str = "comments and strings are told apart for each language, then patterns are tried on the code; \
in Python and JavaScript each call is looked at with its own arguments and the full name that imports give it; secrets are looked for everywhere, by format, checksum and entropy; manifests are read by their structure";

/// Scans the source that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let ids = &*scan::IDS;
    if let Some((field, text)) = input.rules.unknown(ids) {
        return Err(Error::invalid(field, text));
    }
    if input.max_findings.is_some_and(|most| !(1..=input::MOST_LISTED).contains(&most)) {
        return Err(Error::invalid("/max_findings", "must lie between 1 and 500"));
    }
    let sources = Source::read(call, &input)?;
    let result = scan::scan(&sources, &input);
    let limitations = limitations(&sources, &result);
    let data = RuleSet {
        name: "tollbridge security rules",
        version: rules::VERSION,
        as_of: rules::DATE,
        rules: ids.len(),
        license: "Apache-2.0",
    };
    Ok(Output { result, method: METHOD, data, limitations })
}

fn limitations(sources: &[Source], result: &output::Findings) -> Vec<String> {
    let mut notes = vec![
        "patterns show where to look; no finding does not mean that there is no vulnerability".to_owned(),
        "no data flow is followed, and dependencies are not compared with lists of known vulnerabilities".to_owned(),
    ];
    let plain = sources.iter().filter(|source| source.language == language::Language::Text).count();
    if plain > 0 {
        notes.push(format!(
            "{plain} of {} files are in no language known here; only secrets were looked for in them",
            sources.len()
        ));
    }
    if !result.complete {
        notes.push(
            "the work for one call was used up before everything was looked at; scan fewer files at once".to_owned(),
        );
    }
    if result.findings.len() < result.summary.total() {
        notes.push(format!(
            "only the {} most severe of {} findings are listed",
            result.findings.len(),
            result.summary.total()
        ));
    }
    notes
}

/// Compiles the patterns of all rules, and the search for their literals.
fn prepare() {
    scan::IDS.prepare();
    rules::prepare();
    secret::LITERALS.prepare();
    let of_rules = rules::all().flat_map(|rule| [rule.pattern, rule.unless]);
    patterns::prepare(of_rules.chain(secret::patterns()).filter(|pattern| !pattern.is_empty()));
}

bridge! { handle: handle, init: prepare, examples: ["../cases/sql_injection.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
