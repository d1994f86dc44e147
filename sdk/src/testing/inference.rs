//! A test double of inference that returns, in order, the answers that a test specifies.

use std::collections::VecDeque;

use serde::Deserialize;

use crate::inference::{
    error::Error,
    response::{Embeddings, Response},
};

/// The models' answers that a test specifies. Without any, the double behaves like a host
/// without a provider.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Inference {
    completions: VecDeque<Response>,
    embeddings: VecDeque<Embeddings>,
    #[serde(skip)]
    answered: bool,
}

impl Inference {
    pub(crate) fn push_completion(&mut self, response: Response) {
        self.completions.push_back(response);
    }

    pub(crate) fn push_embedding(&mut self, embeddings: Embeddings) {
        self.embeddings.push_back(embeddings);
    }

    /// Returns the next specified completion.
    pub fn complete(&mut self) -> Result<Response, Error> {
        let next = self.completions.pop_front();
        self.answered |= next.is_some();
        next.ok_or_else(|| self.nothing("completion"))
    }

    /// Returns the next specified vectors; fails if their number differs from the number
    /// of texts.
    pub fn embed(&mut self, texts: usize) -> Result<Embeddings, Error> {
        let next = self.embeddings.pop_front();
        self.answered |= next.is_some();
        match next {
            Some(made) if made.vectors.len() == texts => Ok(made),
            Some(made) => {
                let stated = made.vectors.len();
                Err(Error::Failed(format!("{texts} texts were given, but the test states {stated} vectors")))
            }
            None => Err(self.nothing("embedding")),
        }
    }

    fn nothing(&self, what: &str) -> Error {
        if self.answered || !self.completions.is_empty() || !self.embeddings.is_empty() {
            return Error::Failed(format!("the test states no further {what}"));
        }
        Error::NoProvider("no inference provider is configured; the test states no answers".into())
    }
}
