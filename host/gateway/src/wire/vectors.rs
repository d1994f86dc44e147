//! Base64 encoding of embedding vectors, which OpenAI's clients request by default.
//!
//! Not every provider supports base64, so all providers are asked for numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

/// Encodes every vector of an answer as base64 of 32-bit little-endian floats. A vector
/// that is already a string is left unchanged.
pub(crate) fn as_base64(body: Bytes) -> Bytes {
    let Ok(mut answer) = serde_json::from_slice::<Value>(&body) else { return body };
    for item in answer.get_mut("data").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(vector) = item.get_mut("embedding") else { continue };
        if let Some(numbers) = vector.as_array() {
            // The loss of precision does not matter, because providers compute with 32
            // bits or fewer.
            #[allow(clippy::cast_possible_truncation)]
            let bytes = numbers.iter().flat_map(|number| (number.as_f64().unwrap_or(0.0) as f32).to_le_bytes());
            *vector = STANDARD.encode(bytes.collect::<Vec<u8>>()).into();
        }
    }
    answer.to_string().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_become_bytes_and_text_stays() {
        let body =
            json!({"object": "list", "data": [{"index": 0, "embedding": [0.5, -2, 0.1]}, {"embedding": "AAAA"}]});
        let answer: Value = serde_json::from_slice(&as_base64(body.to_string().into())).unwrap();
        let bytes = STANDARD.decode(answer["data"][0]["embedding"].as_str().unwrap()).unwrap();
        let (numbers, rest) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        assert!(rest.is_empty() && numbers == [0.5, -2.0, 0.1], "{numbers:?}");
        assert_eq!((&answer["data"][1]["embedding"], &answer["object"]), (&json!("AAAA"), &json!("list")));
    }
}
