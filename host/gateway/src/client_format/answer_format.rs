//! The format of an answer to its client, and the rows that are written with its bill.

use bytes::Bytes;
use serde_json::Value;
use tollbridge_store::Put;

use super::completions::completion;
use super::messages::{self, MessageHead};
use super::responses::{self, ResponseHead};
use crate::error::GatewayError;
use crate::pricing::TokenUsage;
use crate::stored_response_keeper::{KeptResponse, ResponseKeeper};

/// The format of one answer.
#[derive(Debug)]
pub(crate) enum AnswerFormat {
    /// A chat, which is the gateway's internal format.
    Chat,
    /// A completion of a prompt.
    Completions,
    /// A response, which may be stored.
    Responses(Box<ResponseHead>, Box<ResponseKeeper>),
    /// A message of Anthropic's API.
    Messages(MessageHead),
}

/// A whole answer in its client's format.
#[derive(Debug)]
pub(crate) struct FinishedAnswer {
    pub(crate) body: Bytes,
    pub(crate) kept: KeptRows,
}

/// Rows to write in the same change as the bill, so that an answer that claims to be stored is.
#[derive(Debug, Default)]
pub(crate) struct KeptRows(Option<(Box<ResponseKeeper>, KeptResponse)>);

impl KeptRows {
    pub(crate) const fn new(keeper: Box<ResponseKeeper>, rows: KeptResponse) -> Self {
        Self(Some((keeper, rows)))
    }

    /// Returns the rows, after making room for them by removing older ones.
    pub(crate) async fn take(self) -> Result<Vec<Put>, GatewayError> {
        let Some((keeper, rows)) = self.0 else { return Ok(Vec::new()) };
        keeper.make_room(&rows).await?;
        Ok(rows.puts)
    }
}

impl AnswerFormat {
    /// Converts a provider's whole answer; `is_native` if the provider spoke the client's format.
    pub(crate) fn whole(
        self,
        body: Bytes,
        is_native: bool,
        usage: &TokenUsage,
    ) -> Result<FinishedAnswer, GatewayError> {
        // The reader of the provider's answer has parsed it before.
        let parse = || serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let (head, mut keeper) = match self {
            Self::Chat => return Ok(FinishedAnswer { body, kept: KeptRows::default() }),
            Self::Completions => {
                let body = completion(&parse()).to_string().into();
                return Ok(FinishedAnswer { body, kept: KeptRows::default() });
            }
            Self::Messages(head) => {
                let mut message = parse();
                if is_native {
                    messages::native::fill_usage(&mut message, usage);
                } else {
                    message = messages::whole(&message, head, usage);
                }
                return Ok(FinishedAnswer { body: message.to_string().into(), kept: KeptRows::default() });
            }
            Self::Responses(head, keeper) => (head, keeper),
        };
        let mut response = parse();
        if is_native {
            responses::native::fill_usage(&mut response, usage);
        } else {
            response = responses::whole(&response, *head, usage);
        }
        let rows = keeper.keep(&mut response)?;
        Ok(FinishedAnswer { body: response.to_string().into(), kept: KeptRows::new(keeper, rows) })
    }
}
