//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines, an empty line, then the captions or the transcript, word for word. Where none of these asks what the person asks, `task` is null.\n\
- Check these captions\n\
- How many captions are there?\n\
- How long is the longest gap?\n\
- How many words per minute are spoken?\n\
- How many characters per second is the fastest caption?\n\
- How often is \"bread\" said?\n\
- Which caption mentions \"bread\"?\n\
- When does the last caption end?";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use serde_json::json;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "1\n00:00:00,000 --> 00:00:03,000\nFresh bread every day.\n\n2\n00:00:05,500 --> 00:00:08,000\nCome and see us.\n";
    /// What no rule reads.
    const TASK: &str = "my gran dozes off whenever nobody talks. how bad does that get for her at worst?\n\n1\n00:00:00,000 --> 00:00:03,000\nFresh bread every day.\n\n2\n00:00:05,500 --> 00:00:08,000\nCome and see us.\n";
    /// The same in words that the rules read.
    const WORDS: &str = "How long is the longest gap?\n\n1\n00:00:00,000 --> 00:00:03,000\nFresh bread every day.\n\n2\n00:00:05,500 --> 00:00:08,000\nCome and see us.\n";

    fn doubles() -> Doubles {
        Doubles::new()
            .bridge("media_probe", |_| Ok(json!({ "result": { "media": null, "captions": {}, "issues": [], "issue_counts": {} }, "limitations": [] })))
            .bridge("summarization", |_| Ok(json!({ "result": { "summary": "Fresh bread." }, "limitations": [] })))
            .bridge("sentiment_feed", |_| Ok(json!({ "result": { "index": { "value": 0.2 } }, "limitations": [] })))
    }

    fn run(doubles: Doubles, task: &str) -> Result<Output, Error> {
        doubles.run(|| crate::run(&Call::default(), task, None)).0
    }

    fn with(missing: Option<&str>, words: Option<&str>) -> Result<Output, Error> {
        let reply = json!({ "missing": missing, "task": words });
        run(doubles().completion(&reply.to_string()), TASK)
    }

    #[test]
    fn the_rules_read_every_form() {
        let forms = FORMS.lines().filter_map(|line| line.strip_prefix("- "));
        for form in forms {
            let task = format!("{form}\n\n{MATERIAL}");
            let answer = run(doubles(), &task);
            assert!(answer.is_ok(), "{task}: {answer:?}");
        }
    }

    #[test]
    fn a_task_in_a_models_words_is_answered_by_the_rules() {
        let answer = with(None, Some(WORDS)).expect("an answer");
        assert!(answer.summary.contains("2.5"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in [
            Some(
                "How long is the longest gap?\n\n1\n00:00:00,000 --> 00:00:03,000\nFresh bread every day.\n\n2\n00:00:35,500 --> 00:00:38,000\nCome and see us.\n",
            ),
            Some("no form at all"),
            None,
        ] {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("Which word?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "Which word?"));
    }

    #[test]
    fn what_is_not_done_at_all_is_not_asked_of_a_model() {
        let reply = r#"{"missing":null,"task":"..."}"#;
        let task = "How many views will my video get in the first week? 45 seconds, 1080x1920.";
        let (answer, recorded) = doubles().completion(reply).run(|| crate::run(&Call::default(), task, None));
        assert!(matches!(answer, Err(Error::InvalidInput { .. })), "{answer:?}");
        assert!(recorded.prompts.is_empty());
    }
}
