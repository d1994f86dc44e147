//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

/// Bytes of a text or an answer.
const TEXT_MAX: usize = 32 << 10;
/// Length of a namespace or a model's name.
const NAME_MAX: usize = 128;
/// How long things are kept unless the caller says otherwise: a day.
const TTL_S: u64 = 86_400;
/// … and at most: thirty days.
const TTL_MAX_S: u64 = 2_592_000;
/// Least cosine of a near match unless the caller says otherwise.
const THRESHOLD: f64 = 0.7;

/// A text, and what to do with it. Give `text`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | resource_id"))]
pub struct Input {
    /// Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key; alone it
    /// means: embed this text.
    pub resource_id: Option<String>,
    /// The text or question, 1 byte to 32 KiB. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 32768))]
    pub text: Option<String>,
    /// What to do. Default: embed.
    #[serde(default)]
    pub op: Op,
    /// put only: the answer to keep, 1 byte to 32 KiB. Give it with put alone.
    #[schemars(length(min = 1, max = 32768))]
    pub answer: Option<String>,
    /// embed only: `auto` (the provider's choice; default), or the id of a provider's model.
    #[schemars(length(min = 1, max = 128))]
    pub model: Option<String>,
    /// get only: least cosine of the vectors of a near match, 0.5 to 1 (default 0.7). The words must agree all the same.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub threshold: Option<f64>,
    /// get only: only exactly the same question. Default: false.
    #[serde(default)]
    pub exact_only: bool,
    /// put, and embed by a provider: seconds to keep, 60 to 2,592,000 (default 86,400).
    #[schemars(range(min = 60, max = 2_592_000))]
    pub ttl_s: Option<u64>,
    /// get, put, forget: answers of different namespaces never meet (model, language, user, …). Default: `default`.
    #[schemars(length(min = 1, max = 128))]
    pub namespace: Option<String>,
}

/// What to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Give the embedding of the text.
    #[default]
    Embed,
    /// Find a kept answer to the question.
    Get,
    /// Keep an answer to the question.
    Put,
    /// Forget the answer to exactly this question.
    Forget,
}

impl Input {
    /// The text.
    pub fn subject(&self, call: &Call) -> Result<String, Error> {
        let missing = "give a text in `text`, or a stored one in `resource_id`";
        let (text, field) =
            text_input::either(call, "/text", self.text.as_deref(), self.resource_id.as_deref(), missing)?;
        bounded(field, text, TEXT_MAX)?;
        if text.trim().is_empty() {
            return Err(Error::invalid(field, "the text has white space only"));
        }
        Ok(text.to_owned())
    }

    /// Refuses members that do not go with the operation, and those out of bounds.
    pub fn check(&self, call: &Call) -> Result<(), Error> {
        let is = |ops: &[Op]| ops.contains(&self.op);
        let given = [
            ("answer", self.answer.is_some(), is(&[Op::Put])),
            ("model", self.model.is_some(), is(&[Op::Embed])),
            ("threshold", self.threshold.is_some(), is(&[Op::Get])),
            ("exact_only", self.exact_only, is(&[Op::Get])),
            ("ttl_s", self.ttl_s.is_some(), is(&[Op::Put, Op::Embed])),
            ("namespace", self.namespace.is_some(), is(&[Op::Get, Op::Put, Op::Forget])),
        ];
        if let Some((name, _, _)) = given.iter().find(|(_, given, fits)| *given && !fits) {
            return Err(Error::invalid(*name, "does not go with this `op`; leave it out"));
        }
        for (field, text) in [("/model", &self.model), ("/namespace", &self.namespace)] {
            text.as_deref().map(|text| bounded(field, text, NAME_MAX)).transpose()?;
        }
        if self.op != Op::Embed && call.caller.is_none() {
            return Err(Error::invalid("/op", "answers are kept for an account: call with its key"));
        }
        Ok(())
    }

    /// The answer to keep.
    pub fn answer(&self) -> Result<&str, Error> {
        let answer = self.answer.as_deref().ok_or_else(|| Error::invalid("/answer", "give the answer to keep"))?;
        bounded("/answer", answer, TEXT_MAX)?;
        Ok(answer)
    }

    pub fn ttl_ms(&self) -> Result<u64, Error> {
        let ttl = self.ttl_s.unwrap_or(TTL_S);
        if !(60..=TTL_MAX_S).contains(&ttl) {
            return Err(Error::invalid("/ttl_s", format!("give 60 to {TTL_MAX_S}")));
        }
        Ok(ttl.saturating_mul(1_000))
    }

    /// The least cosine of a near match; none when only the same question counts.
    pub fn threshold(&self) -> Result<Option<f64>, Error> {
        let threshold = self.threshold.unwrap_or(THRESHOLD);
        if !(0.5..=1.0).contains(&threshold) {
            return Err(Error::invalid("/threshold", "give 0.5 to 1"));
        }
        Ok((!self.exact_only).then_some(threshold))
    }

    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
}

fn bounded(field: &str, text: &str, most: usize) -> Result<(), Error> {
    if text.is_empty() || text.len() > most {
        return Err(Error::invalid(field, format!("give 1 to {most} bytes")));
    }
    Ok(())
}
