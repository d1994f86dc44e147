//! Converts a Messages API request to a request that any provider of the model can
//! answer.

use std::sync::Arc;

use bytes::Bytes;

use super::chat_facts::caches_for_an_hour;
use super::client_format::messages::{ChatForm, MessageHead, MessagesRequest, native};
use super::client_format::{AnswerFormat, NativeForm, NativeHead};
use super::error::GatewayError;
use super::request::ModelRequest;

/// Parses the request and determines the format of its answer.
pub(super) fn read(body: &Bytes) -> Result<(ModelRequest, AnswerFormat), GatewayError> {
    let request = convert(&MessagesRequest::read(body)?, body.len())?;
    let head = MessageHead::new(&request.model)?;
    Ok((request, AnswerFormat::Messages(head)))
}

/// Parses a request whose tokens are to be counted, with the members that Anthropic
/// accepts for counting.
pub(super) fn read_to_count(body: &Bytes) -> Result<ModelRequest, GatewayError> {
    let request = MessagesRequest::read_to_count(body)?;
    let mut counted = convert(&request, body.len())?;
    counted.native = Some(Arc::new(NativeForm::new(request.counted(), NativeHead::Messages, None)));
    Ok(counted)
}

fn convert(request: &MessagesRequest, body_bytes: usize) -> Result<ModelRequest, GatewayError> {
    let ChatForm { members, native_only, unconverted_bytes } = request.chat()?;
    let mut converted = ModelRequest::converted_chat(members, body_bytes)?;
    // Members that only Anthropic reads may also cost tokens, so their bytes are counted
    // too.
    let unconverted = if native_only.is_some() { request.text_bytes() } else { unconverted_bytes };
    converted.max_input_tokens =
        converted.max_input_tokens.saturating_add(u64::try_from(unconverted).unwrap_or(u64::MAX));
    converted.caches_for_an_hour = caches_for_an_hour(&request.members);
    converted.native = Some(Arc::new(NativeForm::new(native::members(request), NativeHead::Messages, native_only)));
    Ok(converted)
}
