//! The context of a request: the stored responses that it continues, and the stored items
//! to which it refers by id.
//!
//! Invariant: the number and size of the responses read for one request are limited.

use std::collections::HashMap;

use serde_json::Value;

use super::client_format::responses::kind;
use super::error::GatewayError;
use super::json_text::text_bytes_in;
use super::stored_response::{StoredResponse, StoredResponses};
use crate::limits::{INFERENCE_BODY_BYTES_MAX, RESPONSE_CHAIN_MAX};

impl StoredResponses {
    /// Returns the inputs and outputs of a response and its predecessors, oldest first.
    pub(crate) fn history(&self, account: &str, last: &str, now_ms: u64) -> Result<Vec<Value>, GatewayError> {
        let (mut exchanges, mut bytes) = (Vec::new(), 0_usize);
        let mut next = Some(last.to_owned());
        while let Some(id) = next {
            let found = self.find(account, &id, now_ms)?;
            let StoredResponse { input, response } = found.ok_or_else(|| missing(&id, last))?;
            next = response.get("previous_response_id").and_then(Value::as_str).map(str::to_owned);
            let output = response.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
            let exchange: Vec<Value> = input.into_iter().chain(output).collect();
            bytes = exchange.iter().map(text_bytes_in).fold(bytes, usize::saturating_add);
            exchanges.push(exchange);
            if exchanges.len() > RESPONSE_CHAIN_MAX || bytes > INFERENCE_BODY_BYTES_MAX {
                return Err(too_long());
            }
        }
        Ok(exchanges.into_iter().rev().flatten().collect())
    }

    /// Replaces references in the items by the stored items to which they refer.
    pub(crate) fn resolve(&self, account: &str, items: Vec<Value>, now_ms: u64) -> Result<Vec<Value>, GatewayError> {
        if !items.iter().any(|item| kind(item) == "item_reference") {
            return Ok(items);
        }
        let (mut read, mut bytes) = (HashMap::<String, Vec<Value>>::new(), 0_usize);
        let mut resolved = Vec::with_capacity(items.len());
        for item in items {
            if kind(&item) != "item_reference" {
                resolved.push(item);
                continue;
            }
            let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
            let response = self.response_of(account, id)?.ok_or_else(|| unknown_item(id))?;
            if !read.contains_key(&response) {
                let stored = self.find(account, &response, now_ms)?.ok_or_else(|| unknown_item(id))?;
                let output = stored.response.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
                read.insert(response.clone(), output);
                if read.len() > RESPONSE_CHAIN_MAX {
                    return Err(too_long());
                }
            }
            let is_it = |item: &&Value| item.get("id").and_then(Value::as_str) == Some(id);
            let found = read.get(&response).and_then(|output| output.iter().find(is_it));
            let found = found.ok_or_else(|| unknown_item(id))?;
            bytes = bytes.saturating_add(text_bytes_in(found));
            if bytes > INFERENCE_BODY_BYTES_MAX {
                return Err(too_long());
            }
            resolved.push(found.clone());
        }
        Ok(resolved)
    }
}

fn missing(id: &str, last: &str) -> GatewayError {
    let message = if id == last {
        format!(
            "previous_response_id: this account keeps no response `{id}`; it may have expired, been deleted, or never been stored"
        )
    } else {
        format!(
            "previous_response_id: `{last}` continues `{id}`, which is no longer stored; send the conversation itself in `input`"
        )
    };
    GatewayError::Invalid { field: "/previous_response_id".to_owned(), message }
}

fn unknown_item(id: &str) -> GatewayError {
    let message = format!("input: this account keeps no item `{id}`; send the item itself in place of the reference");
    GatewayError::Invalid { field: "/input".to_owned(), message }
}

fn too_long() -> GatewayError {
    GatewayError::Invalid {
        field: "/previous_response_id".to_owned(),
        message: format!(
            "previous_response_id: a request continues from at most {RESPONSE_CHAIN_MAX} responses and \
             {INFERENCE_BODY_BYTES_MAX} bytes; send the parts that still matter in `input`"
        ),
    }
}
