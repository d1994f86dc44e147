//! Reads a provider's stream as it arrives.
//!
//! Invariants: nothing of a stream is passed on before its first content arrives, so
//! until then another provider can answer instead; a stream that breaks off before the
//! answer is complete is an error, never a short answer.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tollbridge_core::config::ProviderKind;

use super::client_format::responses::native;
use super::client_format::{NativeHead, messages};
use super::pricing::TokenUsage;
use super::provider_client::{HttpResponse, next_chunk};
use super::provider_error::ProviderError;
use super::sse::EventSplitter;
use super::wire::anthropic::AnswerSource;
use super::wire::{anthropic_answer, openai};
use crate::limits::{INFERENCE_EVENT_BYTES_MAX, INFERENCE_RESPONSE_BYTES_MAX};

/// Maximum number of bytes of a stream that are buffered until the stream has content.
const INFERENCE_PREAMBLE_BYTES_MAX: usize = 256 << 10;

/// Options for reading a stream.
#[derive(Clone, Debug)]
pub(crate) struct StreamOptions {
    pub kind: ProviderKind,
    /// The client's format, if the provider uses it.
    pub native: Option<NativeHead>,
    pub wants_usage: bool,
    pub source: AnswerSource,
    /// The maximum pause between two pieces of the stream.
    pub idle: Duration,
    /// Creation time to report to the client, Unix time in seconds.
    pub created: u64,
}

/// A provider's stream that is being read.
#[derive(Debug)]
pub(crate) struct ProviderStream {
    response: HttpResponse,
    splitter: EventSplitter,
    reader: StreamParser,
    options: StreamOptions,
    eof: bool,
    /// A failure to report after the bytes that were already returned.
    failure: Option<ProviderError>,
}

#[derive(Debug)]
enum StreamParser {
    OpenAi(openai::StreamParser),
    Anthropic(Box<anthropic_answer::StreamParser>),
    Responses(Box<native::StreamParser>),
    Messages(messages::native::StreamParser),
}

impl ProviderStream {
    /// Reads up to the first content; returns the stream and the bytes read.
    pub(crate) async fn begin(response: HttpResponse, options: StreamOptions) -> Result<(Self, Bytes), ProviderError> {
        // In the Responses API, the first and last events repeat instructions and tools,
        // so they may be long.
        let (longest_event, longest_preamble) = match options.native {
            Some(NativeHead::Responses(_)) => (INFERENCE_RESPONSE_BYTES_MAX, INFERENCE_RESPONSE_BYTES_MAX),
            _ => (INFERENCE_EVENT_BYTES_MAX, INFERENCE_PREAMBLE_BYTES_MAX),
        };
        let reader = match (options.native.clone(), options.kind) {
            (Some(NativeHead::Responses(head)), _) => {
                StreamParser::Responses(Box::new(native::StreamParser::new(*head)))
            }
            (Some(NativeHead::Messages), _) => StreamParser::Messages(messages::native::StreamParser::default()),
            (None, ProviderKind::OpenAi) => StreamParser::OpenAi(openai::StreamParser::default()),
            (None, ProviderKind::Anthropic) => {
                StreamParser::Anthropic(Box::new(anthropic_answer::StreamParser::new(options.source, options.created)))
            }
        };
        let splitter = EventSplitter::with_limit(longest_event);
        let mut live = Self { response, splitter, reader, options, eof: false, failure: None };
        let mut held = BytesMut::new();
        loop {
            match live.step(&mut held).await {
                Ok(true) => return Ok((live, held.freeze())),
                Ok(false) if live.ended() => return Err(ProviderError::EmptyStream),
                Ok(false) if held.len() > longest_preamble => return Err(ProviderError::EmptyStream),
                Ok(false) => {}
                Err(ProviderError::Truncated) if live.output_bytes() == 0 => return Err(ProviderError::EmptyStream),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Returns the next bytes for the client; `None` at the regular end of the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, ProviderError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut out = BytesMut::new();
        loop {
            if self.ended() {
                return Ok((!out.is_empty()).then(|| out.freeze()));
            }
            match self.step(&mut out).await {
                Ok(_) if out.is_empty() => {}
                Ok(_) => return Ok(Some(out.freeze())),
                Err(failure) if out.is_empty() => return Err(failure),
                Err(failure) => {
                    self.failure = Some(failure);
                    return Ok(Some(out.freeze()));
                }
            }
        }
    }

    /// Returns the usage, if the provider has reported it.
    pub(crate) fn usage(&self) -> Option<TokenUsage> {
        match &self.reader {
            StreamParser::OpenAi(reader) => reader.usage,
            StreamParser::Anthropic(reader) => reader.usage(),
            StreamParser::Responses(reader) => reader.usage,
            StreamParser::Messages(reader) => reader.usage(),
        }
    }

    /// Returns whether the provider uses the client's format.
    pub(crate) const fn is_native(&self) -> bool {
        self.options.native.is_some()
    }

    /// Returns the parser of a Responses API stream, which also builds the client's last
    /// events.
    pub(crate) fn native(&mut self) -> Option<&mut native::StreamParser> {
        if let StreamParser::Responses(reader) = &mut self.reader { Some(reader) } else { None }
    }

    /// Returns whether the model has finished; the usage may still follow.
    pub(crate) fn has_finished(&self) -> bool {
        match &self.reader {
            StreamParser::OpenAi(reader) => reader.finished || reader.done,
            StreamParser::Anthropic(reader) => reader.finished || reader.done,
            StreamParser::Responses(reader) => reader.done,
            StreamParser::Messages(reader) => reader.finished || reader.done,
        }
    }

    /// Returns the bytes of content so far.
    pub(crate) fn output_bytes(&self) -> usize {
        match &self.reader {
            StreamParser::OpenAi(reader) => reader.output_bytes,
            StreamParser::Anthropic(reader) => reader.output_bytes,
            StreamParser::Responses(reader) => reader.output_bytes,
            StreamParser::Messages(reader) => reader.output_bytes,
        }
    }

    /// Returns the usage event, unless the client does not want it or has already
    /// received it.
    pub(crate) fn usage_event(&self, usage: &TokenUsage) -> Option<Bytes> {
        if !self.options.wants_usage {
            return None;
        }
        match &self.reader {
            StreamParser::OpenAi(reader) if reader.usage.is_some() => None,
            StreamParser::OpenAi(_) => {
                Some(anthropic_answer::StreamParser::new(AnswerSource::Text, self.options.created).usage_event(usage))
            }
            StreamParser::Anthropic(reader) => Some(reader.usage_event(usage)),
            // In these formats, the last events contain the usage.
            StreamParser::Responses(_) | StreamParser::Messages(_) => None,
        }
    }

    /// Processes the buffered events, or waits for more bytes; returns whether there was
    /// content.
    async fn step(&mut self, out: &mut BytesMut) -> Result<bool, ProviderError> {
        let mut content = false;
        let mut events = false;
        while !self.ended() {
            let Some(event) = self.splitter.next().map_err(|_| ProviderError::Malformed("an oversized event"))? else {
                break;
            };
            events = true;
            content |= self.event(event, out)?;
        }
        if events || self.ended() {
            return Ok(content);
        }
        if self.eof {
            // The last event may lack the empty line at its end.
            let rest = self.splitter.rest();
            let content = rest.map_or(Ok(false), |rest| self.event(rest, out))?;
            return if self.ended() { Ok(content) } else { Err(ProviderError::Truncated) };
        }
        let chunk = tokio::time::timeout(self.options.idle, next_chunk(&mut self.response));
        match chunk.await {
            Ok(Ok(Some(chunk))) => self.splitter.push(&chunk),
            Ok(Ok(None)) => self.eof = true,
            Ok(Err(error)) => return Err(error),
            Err(_) => return Err(ProviderError::TimedOut),
        }
        Ok(false)
    }

    fn event(&mut self, event: Bytes, out: &mut BytesMut) -> Result<bool, ProviderError> {
        let piece = match &mut self.reader {
            StreamParser::OpenAi(reader) => reader.event(event, self.options.wants_usage)?,
            StreamParser::Anthropic(reader) => reader.event(&event)?,
            StreamParser::Responses(reader) => reader.event(event)?,
            StreamParser::Messages(reader) => reader.event(event)?,
        };
        out.extend_from_slice(&piece.bytes);
        Ok(piece.content)
    }

    /// Returns whether the stream has ended regularly. Some providers omit the last event
    /// and only close the connection.
    fn ended(&self) -> bool {
        let (done, finished) = match &self.reader {
            StreamParser::OpenAi(reader) => (reader.done, reader.finished),
            StreamParser::Anthropic(reader) => (reader.done, reader.finished),
            StreamParser::Responses(reader) => (reader.done, reader.done),
            StreamParser::Messages(reader) => (reader.done, reader.finished),
        };
        done || (self.eof && finished && self.splitter.is_empty())
    }
}
