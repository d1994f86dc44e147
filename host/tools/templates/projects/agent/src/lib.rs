//! Identifies the language and the topics of a message, with the help of two bridges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, bridges};

/// Maximum length of a message, in bytes.
const BYTES_MAX: usize = 20_000;
const TOPICS: u32 = 5;
const TOPICS_MAX: u32 = 20;

/// Optional input for programs, in place of the task or in addition to it.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The message, at most 20,000 bytes; by default the task itself.
    text: Option<String>,
    /// Maximum number of topics (1 to 20; default 5).
    #[schemars(range(min = 1, max = 20))]
    topics: Option<u32>,
}

/// Language and topics of the message.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The ISO 639-1 code of the message's language.
    language: String,
    /// The topics of the message, the most significant phrase first.
    topics: Vec<String>,
    /// One sentence for a reader.
    summary: String,
}

// The members of the bridges' answers that this agent uses.

#[derive(Deserialize)]
struct Answer<T> {
    result: T,
}

#[derive(Deserialize)]
struct Languages {
    texts: Vec<Detected>,
}

#[derive(Deserialize)]
struct Detected {
    language: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Keywords {
    phrases: Vec<Phrase>,
}

#[derive(Deserialize)]
struct Phrase {
    text: String,
}

/// Works on one task; an error costs the caller nothing, unless a bridge has already answered.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    let text = input.text.as_deref().unwrap_or(task).trim();
    if text.is_empty() {
        return Err(Error::invalid("/text", "write the message as the task, or give it as `text`"));
    }
    if text.len() > BYTES_MAX {
        return Err(Error::invalid("/text", format!("{} bytes are more than {BYTES_MAX}", text.len())));
    }
    let topics = input.topics.unwrap_or(TOPICS);
    if !(1..=TOPICS_MAX).contains(&topics) {
        return Err(Error::invalid("/topics", format!("must be 1 to {TOPICS_MAX}")));
    }
    let found: Answer<Languages> = bridges::call("language_detection", &json!({ "text": text }))?;
    let Some(Detected { language: Some(language), name }) = found.result.texts.into_iter().next() else {
        return Err(Error::invalid("/text", "is in no recognised language"));
    };
    let words = json!({ "text": text, "max_phrases": topics });
    let found: Answer<Keywords> = bridges::call("keyword_extraction", &words)?;
    let topics: Vec<String> = found.result.phrases.into_iter().map(|phrase| phrase.text).collect();
    let name = name.as_deref().unwrap_or(&language);
    let summary = format!("A message in {name} about {}", topics.join(", "));
    Ok(Output { language, topics, summary })
}

tollbridge_sdk::agent! { run: run, examples: ["../cases/german.json"] }
tollbridge_sdk::test_cases!(agent run);
