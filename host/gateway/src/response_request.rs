//! Converts a Responses API request, and the stored responses that it continues, to a
//! request that any provider of the model can answer.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::client_format::responses::{
    ChatForm, ResponseHead, ResponsesRequest, is_too_long, native, new_response_id, stored_input,
};
use super::client_format::{AnswerFormat, NativeForm, NativeHead};
use super::error::GatewayError;
use super::json_text::text_bytes_in;
use super::request::ModelRequest;
use super::stored_response::StoredResponses;
use super::stored_response_writer::ResponseWriter;

/// Parses an account's request and determines the format of its answer.
pub(super) fn read(
    stored: &Arc<StoredResponses>,
    account: &str,
    body: &Bytes,
    now_ms: u64,
) -> Result<(ModelRequest, AnswerFormat), GatewayError> {
    let mut request = ResponsesRequest::read(body)?;
    request.input = stored.resolve(account, std::mem::take(&mut request.input), now_ms)?;
    let mut items = match &request.previous {
        Some(previous) => stored.history(account, previous, now_ms)?,
        None => Vec::new(),
    };
    let own = items.len();
    items.extend_from_slice(&request.input);
    if is_too_long(&items) {
        return Err(GatewayError::Invalid {
            field: "/input".to_owned(),
            message: "input: the request and the responses that it continues are too large; send less".to_owned(),
        });
    }
    let ChatForm { members, native_only, unconverted_bytes } = request.chat(&items, own)?;
    let before: usize = items.iter().take(own).map(text_bytes_in).sum();
    let mut converted = ModelRequest::converted_chat(members, body.len().saturating_add(before))?;
    let members = native::members(&request, &items);
    // If only a provider with the Responses API can answer, count the text of all
    // members, because any of them may cost tokens there.
    let mut unconverted = unconverted_bytes;
    if native_only.is_some() {
        unconverted = members.values().map(text_bytes_in).fold(unconverted, usize::saturating_add);
    }
    converted.max_input_tokens =
        converted.max_input_tokens.saturating_add(u64::try_from(unconverted).unwrap_or(u64::MAX));
    let head = ResponseHead::new(&request, new_response_id(now_ms)?, now_ms);
    converted.native =
        Some(Arc::new(NativeForm::new(members, NativeHead::Responses(Box::new(head.clone())), native_only)));
    let input: Option<Vec<Value>> = request.allows_storing().then(|| stored_input(&request.input, &head));
    let writer = ResponseWriter::new(stored.clone(), account.to_owned(), head.id.clone(), input, now_ms);
    Ok((converted, AnswerFormat::Responses(Box::new(head), Box::new(writer))))
}
