//! The format of the answer that a client gets, and the rows that are stored together
//! with the bill.

use bytes::Bytes;
use serde_json::Value;
use tollbridge_store::Put;

use super::completions::completion;
use super::messages::{self, MessageHead};
use super::responses::{self, ResponseHead};
use crate::error::GatewayError;
use crate::pricing::TokenUsage;
use crate::stored_response_writer::{ResponseRows, ResponseWriter};

/// The format in which a client gets the answer.
#[derive(Debug)]
pub(crate) enum AnswerFormat {
    /// A chat completion, which is the gateway's internal format.
    Chat,
    /// A legacy completion of a prompt.
    Completions,
    /// A response of the Responses API, which may be stored.
    Responses(Box<ResponseHead>, Box<ResponseWriter>),
    /// A message of Anthropic's Messages API.
    Messages(MessageHead),
}

/// A complete answer in the client's format.
#[derive(Debug)]
pub(crate) struct FinishedAnswer {
    pub(crate) body: Bytes,
    pub(crate) rows: AnswerRows,
}

/// Rows to write in the same change as the bill, so that an answer marked as stored
/// really is stored.
#[derive(Debug, Default)]
pub(crate) struct AnswerRows(Option<(Box<ResponseWriter>, ResponseRows)>);

impl AnswerRows {
    pub(crate) const fn new(writer: Box<ResponseWriter>, rows: ResponseRows) -> Self {
        Self(Some((writer, rows)))
    }

    /// Returns the rows; first removes older stored responses to make room for them.
    pub(crate) async fn take(self) -> Result<Vec<Put>, GatewayError> {
        let Some((writer, rows)) = self.0 else { return Ok(Vec::new()) };
        writer.make_room(&rows).await?;
        Ok(rows.puts)
    }
}

impl AnswerFormat {
    /// Converts a provider's complete answer; `is_native` if the provider used the
    /// client's format.
    pub(crate) fn convert(
        self,
        body: Bytes,
        is_native: bool,
        usage: &TokenUsage,
    ) -> Result<FinishedAnswer, GatewayError> {
        // Parsing cannot fail: the body was parsed when it was received from the
        // provider.
        let parse = || serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let (head, mut writer) = match self {
            Self::Chat => return Ok(FinishedAnswer { body, rows: AnswerRows::default() }),
            Self::Completions => {
                let body = completion(&parse()).to_string().into();
                return Ok(FinishedAnswer { body, rows: AnswerRows::default() });
            }
            Self::Messages(head) => {
                let mut message = parse();
                if is_native {
                    messages::native::fill_usage(&mut message, usage);
                } else {
                    message = messages::message_from_chat(&message, head, usage);
                }
                return Ok(FinishedAnswer { body: message.to_string().into(), rows: AnswerRows::default() });
            }
            Self::Responses(head, writer) => (head, writer),
        };
        let mut response = parse();
        if is_native {
            responses::native::fill_usage(&mut response, usage);
        } else {
            response = responses::response_from_chat(&response, *head, usage);
        }
        let rows = writer.rows(&mut response)?;
        Ok(FinishedAnswer { body: response.to_string().into(), rows: AnswerRows::new(writer, rows) })
    }
}
