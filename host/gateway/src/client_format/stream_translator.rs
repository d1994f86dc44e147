//! Converts a stream for a client that uses another format than chat.
//!
//! Invariants: comments are passed on, because they keep connections open; the last event
//! is not sent until it is known whether the response was stored.

use bytes::Bytes;
use serde_json::Value;

use super::answer_format::{AnswerFormat, AnswerRows};
use super::completions::completion;
use super::messages::{MessageBuilder, error_event, stop_event};
use super::responses::{ResponseBuilder, native};
use crate::error::GatewayError;
use crate::limits::INFERENCE_RESPONSE_BYTES_MAX;
use crate::pricing::TokenUsage;
use crate::provider_error::ProviderError;
use crate::sse::{self, EventSplitter};
use crate::stored_response_writer::ResponseWriter;

/// Converts the events of one stream to the client's format.
#[derive(Debug)]
pub(crate) enum StreamTranslator {
    /// The client uses the chat format, so events are passed on.
    Chat,
    /// Chunks of a chat become chunks of a completion.
    Completions(EventSplitter),
    /// The provider uses the client's format, so events are passed on.
    Native(Option<Box<ResponseWriter>>),
    /// Chunks of a chat become events of a response.
    Responses(Box<ResponseBuilder>, EventSplitter, Option<Box<ResponseWriter>>),
    /// The client uses the Messages API and Anthropic answers, so events are passed on.
    NativeMessages,
    /// Chunks of a chat become events of a message.
    Messages(Box<MessageBuilder>, EventSplitter),
}

impl StreamTranslator {
    /// Creates the translator; `is_native` if the provider uses the client's format.
    pub(crate) fn new(format: AnswerFormat, is_native: bool) -> Self {
        match format {
            AnswerFormat::Chat => Self::Chat,
            AnswerFormat::Completions => Self::Completions(EventSplitter::default()),
            AnswerFormat::Responses(_, writer) if is_native => Self::Native(Some(writer)),
            AnswerFormat::Responses(head, writer) => {
                Self::Responses(Box::new(ResponseBuilder::new(*head)), EventSplitter::default(), Some(writer))
            }
            AnswerFormat::Messages(_) if is_native => Self::NativeMessages,
            AnswerFormat::Messages(head) => {
                Self::Messages(Box::new(MessageBuilder::new(head)), EventSplitter::default())
            }
        }
    }

    /// Returns whether the stream ends with `[DONE]`.
    pub(crate) const fn ends_with_done(&self) -> bool {
        matches!(self, Self::Chat | Self::Completions(_))
    }

    /// Converts complete events to bytes for the client.
    pub(crate) fn push(&mut self, bytes: Bytes) -> Result<Bytes, ProviderError> {
        let (encoder, splitter): (&mut dyn ChunkEncoder, _) = match self {
            Self::Responses(builder, splitter, _) => (builder.as_mut(), splitter),
            Self::Messages(builder, splitter) => (builder.as_mut(), splitter),
            Self::Completions(splitter) => (&mut CompletionEncoder, splitter),
            Self::Chat | Self::Native(_) | Self::NativeMessages => return Ok(bytes),
        };
        splitter.push(&bytes);
        let mut out = String::new();
        while let Some(event) = splitter.next().map_err(|_| ProviderError::Malformed("an oversized event"))? {
            let data = sse::data(&event);
            if data.is_empty() {
                out.push_str(&String::from_utf8_lossy(&event));
                continue;
            }
            // The parser has already checked the data, so every chunk is valid JSON.
            out.push_str(&encoder.encode(&serde_json::from_slice::<Value>(&data).unwrap_or_default()));
        }
        if encoder.text_bytes() > INFERENCE_RESPONSE_BYTES_MAX {
            return Err(ProviderError::Malformed("an oversized answer"));
        }
        Ok(out.into())
    }

    /// Returns the last events of a stream that ended regularly, and the rows to write
    /// with the bill. `parser` is given if the provider uses the client's format.
    pub(crate) fn finish(
        &mut self,
        usage: &TokenUsage,
        parser: Option<&mut native::StreamParser>,
    ) -> Result<(Bytes, AnswerRows), GatewayError> {
        match (self, parser) {
            (Self::Responses(builder, _, writer), _) => {
                let mut response = builder.close(usage);
                let rows = answer_rows(writer, &mut response)?;
                builder.completed(&response);
                Ok((builder.take_events().into(), rows))
            }
            (Self::Native(writer), Some(parser)) => {
                let Some(mut response) = parser.close(usage) else { return Ok(Default::default()) };
                let rows = answer_rows(writer, &mut response)?;
                Ok((parser.completed(&response).into(), rows))
            }
            (Self::NativeMessages, _) => Ok((stop_event(), AnswerRows::default())),
            (Self::Messages(builder, _), _) => {
                builder.close(usage);
                let events = [builder.take_events().into_bytes(), stop_event().to_vec()].concat();
                Ok((events.into(), AnswerRows::default()))
            }
            _ => Ok(Default::default()),
        }
    }

    /// Returns the last events of a stream that broke off; `None` for the chat format.
    pub(crate) fn fail(&mut self, message: &str, code: &str, parser: Option<&native::StreamParser>) -> Option<Bytes> {
        match (self, parser) {
            (Self::Responses(builder, ..), _) => {
                builder.fail(message, code);
                Some(builder.take_events().into())
            }
            (Self::Native(_), Some(parser)) => Some(parser.fail(message, code).into()),
            (Self::Messages(..) | Self::NativeMessages, _) => Some(error_event(message, code)),
            _ => None,
        }
    }
}

/// A converter from the chunks of a chat to the events of another format.
trait ChunkEncoder {
    /// Returns the events for a chunk.
    fn encode(&mut self, chunk: &Value) -> String;
    /// Returns the number of bytes of text that the converter holds until the end.
    fn text_bytes(&self) -> usize;
}

impl ChunkEncoder for ResponseBuilder {
    fn encode(&mut self, chunk: &Value) -> String {
        self.push(chunk);
        self.take_events()
    }

    fn text_bytes(&self) -> usize {
        Self::text_bytes(self)
    }
}

impl ChunkEncoder for MessageBuilder {
    fn encode(&mut self, chunk: &Value) -> String {
        self.push(chunk);
        self.take_events()
    }

    fn text_bytes(&self) -> usize {
        Self::text_bytes(self)
    }
}

/// A converter from each chunk of a chat to a chunk of a legacy completion; it keeps no
/// state.
struct CompletionEncoder;

impl ChunkEncoder for CompletionEncoder {
    fn encode(&mut self, chunk: &Value) -> String {
        format!("data: {}\n\n", completion(chunk))
    }

    fn text_bytes(&self) -> usize {
        0
    }
}

fn answer_rows(writer: &mut Option<Box<ResponseWriter>>, response: &mut Value) -> Result<AnswerRows, GatewayError> {
    let Some(mut writer) = writer.take() else { return Ok(AnswerRows::default()) };
    let rows = writer.rows(response)?;
    Ok(AnswerRows::new(writer, rows))
}
