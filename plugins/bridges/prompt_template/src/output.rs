//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{input::Message, lint::Finding, shorten::Change, text::Size};

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// The optimised prompt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The optimised prompt with its values, where values were given and the prompt is one message.
    pub prompt: Option<String>,
    /// The same as messages for a chat completion, where values were given.
    pub messages: Option<Vec<Message>>,
    /// The optimised template, to store and render again.
    pub optimised: Vec<Message>,
    /// Every change in order, at most 200, each with its reason.
    pub changes: Vec<Change>,
    /// All changes, listed or not.
    pub changes_count: usize,
    /// What is suspicious, the most severe first.
    pub findings: Vec<Finding>,
    /// Variables asked for and given.
    pub variables: Variables,
    /// Length of the template before and after.
    pub template_size: Sizes,
    /// Length of the rendered prompt before and after, where values were given.
    pub rendered_size: Option<Sizes>,
}

/// Length before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sizes {
    /// Of what was sent.
    pub before: Size,
    /// Of what came out.
    pub after: Size,
}

/// Variables asked for and given.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Variables {
    /// Variables of the prompt, in order.
    pub needed: Vec<String>,
    /// Those without a value.
    pub missing: Vec<String>,
    /// Values that the prompt does not use.
    pub unused: Vec<String>,
}
