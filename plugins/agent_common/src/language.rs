//! Languages of texts, by the bridge `language_detection`.

use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::Answer;

#[derive(Deserialize)]
struct Detections {
    texts: Vec<Detection>,
}

#[derive(Deserialize)]
struct Detection {
    language: Option<String>,
    reliable: bool,
}

/// Returns the ISO 639-1 code of a text's language; none if the bridge is not sure or there is no such code.
pub fn detect(text: &str) -> Result<Option<String>, Error> {
    Ok(ask(&json!({ "text": text }))?.into_iter().next().flatten())
}

/// Returns the languages of several texts like [`detect`].
pub fn detect_each(texts: &[String]) -> Result<Vec<Option<String>>, Error> {
    ask(&json!({ "texts": texts }))
}

fn ask(input: &Value) -> Result<Vec<Option<String>>, Error> {
    let answer: Answer<Detections> = bridges::call("language_detection", input)?;
    let reliable = |detection: Detection| detection.language.filter(|_| detection.reliable);
    Ok(answer.result.texts.into_iter().map(reliable).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_sdk::testing::Doubles;

    #[test]
    fn only_reliable_detections_count() {
        let answer = |_input: &Value| {
            let texts = [("de", true), ("en", false)].map(|(code, sure)| json!({ "language": code, "reliable": sure }));
            Ok(json!({ "result": { "texts": texts } }))
        };
        let doubles = Doubles::new().bridge("language_detection", answer);
        let (languages, _) = doubles.run(|| detect_each(&["Guten Tag".into(), "x".into()]));
        assert_eq!(languages, Ok(vec![Some("de".into()), None]));
    }
}
