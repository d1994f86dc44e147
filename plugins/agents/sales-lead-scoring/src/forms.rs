//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines, an empty line, then a line for each lead: its name first, then what the person said of it, after commas (`Ann Bee, CFO, 200 employees, asked for a demo`). Where none of these asks what the person asks, `task` is null.\n\
- Rank these leads, best first\n\
- Which lead is better?\n\
- Score these leads\n\
- Score these leads: asked for a demo +30, CFO +25\n\
- Rank these leads and merge doubles";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use serde_json::json;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str =
        "Ann Bee, CFO, 200 employees, asked for a demo\nCarl Dee, student, no budget, wanted a sticker";
    /// What no rule reads.
    const TASK: &str = "Met two at the fair. Bola Okoro buys for 300 people and begged for a quote; then this Ida Lind came by with her rucksack, studies history, wanted a sticker. Ring whom?";
    /// The same in words that the rules read.
    const WORDS: &str = "Which lead is better?\n\nBola Okoro, head of purchasing, 300 employees, asked for a quote\nIda Lind, student, wanted a sticker";

    fn doubles() -> Doubles {
        Doubles::new()
            .bridge("entity_match", |_| Ok(json!({ "result": { "groups": [] }, "limitations": [] })))
            .bridge("lead_score", |_| Ok(json!({ "result": { "score": 50.0, "grade": "B", "known": 1.0, "contributions": [] }, "limitations": [] })))
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
        assert!(answer.summary.contains("1. Bola Okoro"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in [
            Some(
                "Which lead is better?\n\nBola Okoro, head of purchasing, 3000 employees, asked for a quote\nIda Lind, student, wanted a sticker",
            ),
            Some("no form at all"),
            None,
        ] {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("What did Bola Okoro want?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "What did Bola Okoro want?"));
    }

    #[test]
    fn what_is_not_done_at_all_is_not_asked_of_a_model() {
        let reply = r#"{"missing":null,"task":"..."}"#;
        let task = "Look them up and rank them: Ann Bee, Carl Dee";
        let (answer, recorded) = doubles().completion(reply).run(|| crate::run(&Call::default(), task, None));
        assert!(matches!(answer, Err(Error::InvalidInput { .. })), "{answer:?}");
        assert!(recorded.prompts.is_empty());
    }
}
