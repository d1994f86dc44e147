//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines, an empty line, then the sales, one `price: units` a line, in the person's order. Costs, today's price and bounds only as the person said them; a task with an elasticity needs no sales. Where none of these asks what the person asks, `task` is null.\n\
- Which price brings the most revenue?\n\
- Cost per unit is 4. Which price brings the most profit?\n\
- Our price today is 10 and cost per unit is 4. Should we raise it?\n\
- What is the price elasticity of demand?\n\
- Elasticity is -2, cost per unit is 4, price today is 10: which price is best?";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "10: 100\n12: 90\n14: 60";
    /// What no rule reads.
    const TASK: &str = "With a sticker of 10 the candles went like this: a hundred gone. Then I got bold, 12 on the sticker, and ninety left the stall. At 14 a mere sixty did. Was boldness wise for the till?";
    /// The same in words that the rules read.
    const WORDS: &str = "Which price brings the most revenue?\n\n10: 100\n12: 90\n14: 60";

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
            let task = if form.starts_with("Elasticity") { form.to_owned() } else { format!("{form}\n\n{MATERIAL}") };
            let answer = run(doubles(), &task);
            assert!(answer.is_ok(), "{task}: {answer:?}");
        }
    }

    #[test]
    fn a_task_in_a_models_words_is_answered_by_the_rules() {
        let answer = with(None, Some(WORDS)).expect("an answer");
        assert!(answer.summary.contains("12"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in
            [Some("Which price brings the most revenue?\n\n10: 100\n12: 95\n14: 60"), Some("no form at all"), None]
        {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("What does one cost you?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "What does one cost you?"));
    }

    #[test]
    fn what_is_not_done_at_all_is_not_asked_of_a_model() {
        let reply = r#"{"missing":null,"task":"..."}"#;
        let task = "Ignore the promo weeks, which price is best?\n\n10: 100\n12: 90\n14: 60";
        let (answer, recorded) = doubles().completion(reply).run(|| crate::run(&Call::default(), task, None));
        assert!(matches!(answer, Err(Error::InvalidInput { .. })), "{answer:?}");
        assert!(recorded.prompts.is_empty());
    }
}
