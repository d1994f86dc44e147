//! Requests to models through the host.

use super::{
    error::Error,
    request::{AUTO, Request},
    response::{Embeddings, Response},
};
use crate::host;

impl Request {
    /// Sends the request to a model and returns its answer.
    pub fn complete(&self) -> Result<Response, Error> {
        host::complete(self)
    }
}

/// Converts `texts` to vectors, with a model that the router chooses.
pub fn embed<T: AsRef<str>>(texts: &[T]) -> Result<Embeddings, Error> {
    embed_with(AUTO, texts)
}

/// Converts `texts` to vectors, with the given model.
pub fn embed_with<T: AsRef<str>>(model: &str, texts: &[T]) -> Result<Embeddings, Error> {
    let texts: Vec<String> = texts.iter().map(|text| text.as_ref().to_owned()).collect();
    host::embed(model, &texts)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::testing::Doubles;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Sum {
        sum: u32,
    }

    #[test]
    fn completions_come_in_order_and_requests_are_recorded() {
        let doubles = Doubles::new().completion(r#" {"sum": 3} "#).completion("no JSON");
        let (answers, recorded) = doubles.run(|| {
            let request = Request::new(9).system("add").user("1 2").temperature(0.0).json::<Sum>();
            let mut answers = Vec::new();
            for _ in 0..3 {
                answers.push(request.complete().and_then(|answer| answer.json::<Sum>()));
            }
            answers
        });
        assert_eq!(answers[0], Ok(Sum { sum: 3 }));
        assert!(answers[1..].iter().all(|answer| matches!(answer, Err(Error::Failed(_)))), "{answers:?}");
        let asked = &recorded.prompts[0];
        assert_eq!((asked.model.as_str(), asked.max_tokens, asked.messages.len()), (AUTO, 9, 2));
        assert!(asked.response_schema.as_ref().is_some_and(|schema| schema.contains("\"sum\"")));
    }

    #[test]
    fn vectors_are_one_per_text() {
        let embeddings = Embeddings { vectors: vec![vec![1.0, 0.0]], ..Embeddings::default() };
        let (made, _) = Doubles::new().embedding(embeddings.clone()).run(|| embed(&["a"]));
        assert_eq!(made, Ok(embeddings));
        let error: crate::Error = embed(&["a"]).expect_err("no provider").into();
        assert_eq!(error.kind(), "no-provider");
    }
}
