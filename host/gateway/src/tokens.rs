//! Token counts that do not come from a provider: an upper bound before a request is
//! sent, and an estimate for an answer without reported usage.

use serde_json::Value;

use super::chat_facts::Attachments;
use super::json_text::text_bytes_in;
use crate::limits::INFERENCE_ATTACHMENT_TOKENS_MAX;

/// Returns an upper bound of the tokens that a provider can count for a request.
///
/// Every vocabulary in use falls back to single bytes for unknown text (byte-level BPE
/// has nothing below bytes; SentencePiece has 256 byte tokens), and no token represents
/// less than one byte. So a text has at most as many tokens as bytes: bytes of the text
/// that the model reads, not of its JSON, which may write `é` with six bytes and a line
/// break with two. A tighter bound cannot be guaranteed without the provider's own
/// vocabulary: ordinary words have about a quarter as many tokens as bytes, random
/// characters nearly as many. Each provider formats structure, such as tools and their
/// schemas, in its own way, so some bytes are added for each member; templates add a few
/// tokens to each message. A picture's bytes are not read as text. `prompt_bytes` is the
/// number of bytes in the members that a model may read.
pub(super) fn input_token_bound(prompt_bytes: usize, messages: usize, attached: &Attachments) -> u64 {
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let text =
        wide(prompt_bytes.saturating_sub(attached.picture_bytes)).saturating_add(wide(messages).saturating_mul(16));
    text.saturating_add(wide(attached.parts).saturating_mul(INFERENCE_ATTACHMENT_TOKENS_MAX))
}

/// Estimates the output tokens of a complete chat answer.
pub(super) fn estimate_output(body: &[u8]) -> u64 {
    u64::try_from(output_bytes(body).div_ceil(4)).unwrap_or(u64::MAX)
}

/// Counts the bytes of the text that the model wrote, in a complete answer.
fn output_bytes(body: &[u8]) -> usize {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let list = |name: &str| answer.get(name).and_then(Value::as_array).into_iter().flatten();
    let messages = list("choices").filter_map(|choice| choice.get("message"));
    // Responses API answers have `output` items instead of choices; Messages API answers
    // have `content` blocks.
    messages.chain(list("output")).chain(list("content")).map(text_bytes_in).sum()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::super::request::ModelRequest;
    use super::*;

    #[test]
    fn tokens_count_text_and_not_json_escapes() {
        let of = |text: &str, more: &str| {
            let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]{more}}}"#);
            ModelRequest::chat(&Bytes::from(body)).unwrap().max_input_tokens
        };
        let plain = of(&"é\\n".repeat(1_000), "");
        assert_eq!(plain, of(&"\\u00e9\\n".repeat(1_000), ""));
        assert_eq!(plain, of(&"é\\n".repeat(1_000), r#","max_cost_gbp":"1.00""#));
        assert!((3_000..3_200).contains(&plain), "{plain}");
        assert!(of("", "") + 3_000 <= plain);
    }

    #[test]
    fn a_picture_counts_as_one_and_its_bytes_as_nothing() {
        let inside = |part: Value| {
            let body = json!({"model": "m", "messages": [{"role": "user", "content": [part]}]});
            ModelRequest::chat(&Bytes::from(body.to_string())).unwrap().max_input_tokens
        };
        let bytes = "A".repeat(300_000);
        let picture = inside(json!({"type": "image_url", "image_url": {"url": bytes}}));
        assert!((INFERENCE_ATTACHMENT_TOKENS_MAX..INFERENCE_ATTACHMENT_TOKENS_MAX + 300).contains(&picture));
        let file = inside(json!({"type": "file", "file": {"file_data": bytes}}));
        assert!(file >= INFERENCE_ATTACHMENT_TOKENS_MAX + 300_000);
    }

    #[test]
    fn tokens_that_are_numbers_count_little_more_than_one_byte_each() {
        let of = |input: Value| {
            let body = json!({"model": "m", "input": input});
            ModelRequest::embeddings(&Bytes::from(body.to_string())).unwrap().max_input_tokens
        };
        assert!((3_000..4_000).contains(&of(json!(vec![7; 1_000]))));
        assert!(of(json!(["é".repeat(500)])) >= 1_000);
    }
}
