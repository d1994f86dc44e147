//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines, an empty line, then the values with their times on one line, the oldest first (`Jan 10, Feb 12, Mar 13`), or without times where none are told. Where none of these asks what the person asks, `task` is null.\n\
- Forecast the next month\n\
- Forecast the next 3 months\n\
- Forecast until August\n\
- What will June be?\n\
- Forecast June and July";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "Jan 10, Feb 12, Mar 13, Apr 15, May 16";
    /// What no rule reads.
    const TASK: &str = "Counting back from this morning's 52 eggs: 49 the day before, 47 before that, then 44, and it all began with 41. I want tomorrow's basket ready.";
    /// The same in words that the rules read.
    const WORDS: &str = "Forecast the next day\n\n41, 44, 47, 49, 52";

    fn doubles() -> Doubles {
        Doubles::new()
    }

    fn run(doubles: Doubles, task: &str) -> Result<Output, Error> {
        doubles.run(|| crate::run(&Call::default(), task, None)).0
    }

    fn with(missing: Option<&str>, words: Option<&str>) -> Result<Output, Error> {
        let reply = serde_json::json!({ "missing": missing, "task": words });
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
        assert!(answer.summary.contains("54"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in [Some("Forecast the next day\n\n41, 44, 47, 49, 520"), Some("no form at all"), None] {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("Do you want tomorrow only?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "Do you want tomorrow only?"));
    }

    #[test]
    fn what_is_not_done_at_all_is_not_asked_of_a_model() {
        let reply = r#"{"missing":null,"task":"..."}"#;
        let task = "Which lottery numbers come on Saturday? Last draws: 3, 17, 22, 28, 41, 44.";
        let (answer, recorded) = doubles().completion(reply).run(|| crate::run(&Call::default(), task, None));
        assert!(matches!(answer, Err(Error::InvalidInput { .. })), "{answer:?}");
        assert!(recorded.prompts.is_empty());
    }
}
