//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines for each rule, with the names of the person's own columns, an empty line, then the table as CSV with a header, its rows in the person's order. Where none of these asks what the person asks, `task` is null.\n\
- every row must have a customer\n\
- age between 18 and 99\n\
- age at least 18\n\
- status must be open, pending or closed\n\
- total = quantity * price\n\
- email must be unique\n\
- start must be before end\n\
- quantity must be a whole number\n\
- email must be a valid email address";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "customer,age,status,quantity,price,total,email,start,end\nAnn,30,open,2,3,6,ann@example.org,2024-01-01,2024-01-05\nBob,17,done,1,4,5,bob@example.org,2024-02-01,2024-01-05";
    /// What no rule reads.
    const TASK: &str = "Bouncer's list for tonight. We serve, so mind the law; where we are that means 18.\n\nguest,age\nIda,22\nTom,17\nUwe,45";
    /// The same in words that the rules read.
    const WORDS: &str = "age at least 18\n\nguest,age\nIda,22\nTom,17\nUwe,45";

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
        assert!(answer.summary.contains("row 2, age"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in [Some("age at least 21\n\nguest,age\nIda,22\nTom,17\nUwe,45"), Some("no form at all"), None] {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("Which age does the law ask for?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "Which age does the law ask for?"));
    }
}
