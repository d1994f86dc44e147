//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines, an empty line, then the values with their names on one line (`Mon 12, Tue 11, Wed 40`), in the person's order. Where none of these asks what the person asks, `task` is null.\n\
- Which values are unusual?\n\
- Which values are outside 10 to 20?\n\
- Which values are above 30?\n\
- Is any value an outlier?\n\
- Which days stand out?\n\
- Where does the level change?";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use serde_json::json;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "Mon 12, Tue 11, Wed 13, Thu 12, Fri 40, Sat 12, Sun 13";
    /// What no rule reads.
    const TASK: &str = "The goats gave 12 litres on Monday, the same the next day and the day after, 40 on Thursday, and on Friday and Saturday what they gave on Monday. Did the sensor hiccup?";
    /// The same in words that the rules read.
    const WORDS: &str = "Which values are unusual?\n\nMon 12, Tue 12, Wed 12, Thu 40, Fri 12, Sat 12";

    fn doubles() -> Doubles {
        Doubles::new()
            .bridge("anomaly_detection", |_| Ok(json!({ "result": { "anomalies": [] }, "method": { "name": "robust", "why": "short" }, "limitations": [] })))
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
        assert!(answer.summary.contains("40"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in [
            Some("Which values are unusual?\n\nMon 12, Tue 12, Wed 12, Thu 400, Fri 12, Sat 12"),
            Some("no form at all"),
            None,
        ] {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("Which values do you mean?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "Which values do you mean?"));
    }

    #[test]
    fn what_is_not_done_at_all_is_not_asked_of_a_model() {
        let reply = r#"{"missing":null,"task":"..."}"#;
        let task = "Why was Thursday so high? Mon 12, Tue 11, Wed 13, Thu 40, Fri 12";
        let (answer, recorded) = doubles().completion(reply).run(|| crate::run(&Call::default(), task, None));
        assert!(matches!(answer, Err(Error::InvalidInput { .. })), "{answer:?}");
        assert!(recorded.prompts.is_empty());
    }
}
