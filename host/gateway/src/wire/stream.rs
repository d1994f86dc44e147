//! A stream of a provider, read as it comes.
//!
//! Invariants: nothing of a stream is given away before it has content, so
//! until then another provider can take over; a stream that ends without
//! having finished is an error, never a short answer.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use tollbridge_core::config::ProviderKind;
use tollbridge_core::limits::INFERENCE_PREAMBLE_BYTES_MAX;

use super::{anthropic_answer, openai};
use crate::pricing::TokenUsage;
use crate::provider_error::ProviderError;
use crate::sse::EventSplitter;

/// How a stream is to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamOptions {
    pub kind: ProviderKind,
    pub wants_usage: bool,
    pub by_tool: bool,
    /// Longest silence.
    pub idle: Duration,
    /// Unix time, seconds.
    pub created: u64,
}

/// A stream under way.
#[derive(Debug)]
pub(crate) struct ProviderStream {
    response: Response,
    splitter: EventSplitter,
    reader: StreamParser,
    reading: StreamOptions,
    eof: bool,
    /// What went wrong behind what was already given away.
    failure: Option<ProviderError>,
}

#[derive(Debug)]
enum StreamParser {
    OpenAi(openai::StreamParser),
    Anthropic(Box<anthropic_answer::StreamParser>),
}

impl ProviderStream {
    /// Reads until there is content: what came until then.
    pub(crate) async fn begin(response: Response, reading: StreamOptions) -> Result<(Self, Bytes), ProviderError> {
        let reader = match reading.kind {
            ProviderKind::OpenAi => StreamParser::OpenAi(openai::StreamParser::default()),
            ProviderKind::Anthropic => {
                StreamParser::Anthropic(Box::new(anthropic_answer::StreamParser::new(reading.by_tool, reading.created)))
            }
        };
        let mut live =
            Self { response, splitter: EventSplitter::default(), reader, reading, eof: false, failure: None };
        let mut held = BytesMut::new();
        loop {
            match live.step(&mut held).await {
                Ok(true) => return Ok((live, held.freeze())),
                Ok(false) if live.ended() => return Err(ProviderError::EmptyStream),
                Ok(false) if held.len() > INFERENCE_PREAMBLE_BYTES_MAX => return Err(ProviderError::EmptyStream),
                Ok(false) => {}
                Err(ProviderError::Truncated) if live.output_bytes() == 0 => return Err(ProviderError::EmptyStream),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// The next bytes for the client; `None` at the proper end.
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

    /// What was used, if the provider has said so.
    pub(crate) fn usage(&self) -> Option<TokenUsage> {
        match &self.reader {
            StreamParser::OpenAi(reader) => reader.usage,
            StreamParser::Anthropic(reader) => reader.usage(),
        }
    }

    /// Bytes of content so far.
    pub(crate) fn output_bytes(&self) -> usize {
        match &self.reader {
            StreamParser::OpenAi(reader) => reader.output_bytes,
            StreamParser::Anthropic(reader) => reader.output_bytes,
        }
    }

    /// The usage event, if the client wants one and has not got it.
    pub(crate) fn usage_event(&self, usage: &TokenUsage) -> Option<Bytes> {
        if !self.reading.wants_usage {
            return None;
        }
        match &self.reader {
            StreamParser::OpenAi(reader) if reader.usage.is_some() => None,
            StreamParser::OpenAi(_) => {
                Some(anthropic_answer::StreamParser::new(false, self.reading.created).usage_event(usage))
            }
            StreamParser::Anthropic(reader) => Some(reader.usage_event(usage)),
        }
    }

    /// Reads what is there, or waits for more; whether there was content.
    async fn step(&mut self, out: &mut BytesMut) -> Result<bool, ProviderError> {
        let mut content = false;
        let mut events = false;
        while !self.ended() {
            let Some(event) =
                self.splitter.next().map_err(|_| ProviderError::Malformed("an event that is too long"))?
            else {
                break;
            };
            events = true;
            content |= self.event(event, out)?;
        }
        if events || self.ended() {
            return Ok(content);
        }
        if self.eof {
            // The last event may lack its empty line.
            let rest = self.splitter.rest();
            let content = rest.map_or(Ok(false), |rest| self.event(rest, out))?;
            return if self.ended() { Ok(content) } else { Err(ProviderError::Truncated) };
        }
        let chunk = tokio::time::timeout(self.reading.idle, self.response.chunk());
        match chunk.await {
            Ok(Ok(Some(chunk))) => self.splitter.push(&chunk),
            Ok(Ok(None)) => self.eof = true,
            Ok(Err(_)) => return Err(ProviderError::Truncated),
            Err(_) => return Err(ProviderError::TimedOut),
        }
        Ok(false)
    }

    fn event(&mut self, event: Bytes, out: &mut BytesMut) -> Result<bool, ProviderError> {
        let piece = match &mut self.reader {
            StreamParser::OpenAi(reader) => reader.event(event, self.reading.wants_usage)?,
            StreamParser::Anthropic(reader) => reader.event(&event)?,
        };
        out.extend_from_slice(&piece.bytes);
        Ok(piece.content)
    }

    /// Whether the stream has come to its proper end. Some providers omit the
    /// last event and just close.
    fn ended(&self) -> bool {
        let (done, finished) = match &self.reader {
            StreamParser::OpenAi(reader) => (reader.done, reader.finished),
            StreamParser::Anthropic(reader) => (reader.done, reader.finished),
        };
        done || (self.eof && finished && self.splitter.is_empty())
    }
}
