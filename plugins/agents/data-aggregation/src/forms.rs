//! Ways of saying a task that the rules read: a model puts others into these words.

/// How the material stands, and a form a line.
pub(crate) const FORMS: &str = "One of these lines with the names of the person's own columns, an empty line, then the table as CSV with a header (lists and sentences of values become such a table). Where none of these asks what the person asks, `task` is null.\n\
- total units by region\n\
- average price by product\n\
- average price by region, only 2023\n\
- sum of units where region is north\n\
- count of rows by product\n\
- highest price by region\n\
- total of price * units\n\
- share of units by region\n\
- top 2 products by units\n\
- sort by price, highest first";

#[cfg(test)]
mod tests {
    use agent_common::model::CONFIDENCE;
    use tollbridge_sdk::testing::Doubles;
    use tollbridge_sdk::{Call, Error};

    use super::FORMS;
    use crate::Output;

    const MATERIAL: &str = "region,product,year,price,units\nnorth,tea,2023,4,10\nnorth,milk,2023,2,30\nsouth,tea,2024,5,20\nsouth,bread,2023,3,15";
    /// What no rule reads.
    const TASK: &str = "which mill should be proud of itself? all shifts thrown together, mind\n\nmill,shift,tonnes\nOld,1,14\nNew,1,21\nOld,2,19\nNew,2,8";
    /// The same in words that the rules read.
    const WORDS: &str = "total tonnes by mill\n\nmill,shift,tonnes\nOld,1,14\nNew,1,21\nOld,2,19\nNew,2,8";

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
        assert!(answer.summary.contains("Old 33; New 29"), "{}", answer.summary);
        assert!(answer.confidence <= CONFIDENCE, "{}", answer.confidence);
        assert!(answer.limitations.iter().any(|limit| limit.contains("put the task into other words")));
    }

    #[test]
    fn without_a_model_or_with_what_it_makes_up_the_rules_refuse() {
        let refusal = run(doubles(), TASK).expect_err(TASK);
        assert!(matches!(refusal, Error::InvalidInput { .. }), "{refusal:?}");
        for words in
            [Some("total tonnes by mill\n\nmill,shift,tonnes\nOld,1,140\nNew,1,21"), Some("no form at all"), None]
        {
            assert_eq!(with(None, words).err().as_ref(), Some(&refusal), "{words:?}");
        }
    }

    #[test]
    fn what_is_missing_is_asked() {
        let asked = with(Some("Proud of what: the tonnes?"), None).expect_err("a question");
        assert_eq!(asked, Error::invalid("/task", "Proud of what: the tonnes?"));
    }
}
