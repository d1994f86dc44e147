//! Fuzzing of request bodies of the A2A protocol.

use serde_json::Value;
use tollbridge_core::fuzzing::Fuzzer;

use super::message::{SendParams, task_query};
use super::rpc::read;
use super::v1;
use super::version::ProtocolVersion;
use crate::limits::A2A_PARTS_MAX;

#[test]
fn a_body_is_read_or_refused_with_the_id_it_came_with() {
    Fuzzer::of("a2a").run(|bytes| match read(bytes, ProtocolVersion::V0_3) {
        Ok(request) => {
            assert!(matches!(request.id, Value::Null | Value::String(_) | Value::Number(_)));
            let _ = task_query(&request.params);
            if let Ok(send) = SendParams::read(request.params) {
                assert!((1..=A2A_PARTS_MAX).contains(&send.message.parts.len()));
                assert!(send.message.text.len() <= bytes.len());
            }
        }
        Err((id, error)) => {
            let response = error.response(&id);
            assert_eq!(response["id"], id);
            assert!(response["error"]["code"].is_i64());
            assert!(response.to_string().len() < 4_096 + 2 * bytes.len());
        }
    });
}

#[test]
fn a_body_of_version_1_is_read_or_refused_with_what_every_error_has() {
    Fuzzer::of("a2a_v1").run(|bytes| match read(bytes, ProtocolVersion::V1) {
        Ok(request) => {
            let params = v1::names::with_json_names(request.params);
            let _ = v1::requests::list(&params);
            if let Ok(send) = v1::requests::send(params).and_then(SendParams::read) {
                assert!((1..=A2A_PARTS_MAX).contains(&send.message.parts.len()));
            }
        }
        Err((id, error)) => {
            let response = v1::errors::response(&error, &id);
            assert_eq!(response["id"], id);
            assert!(response["error"]["code"].is_i64() && response["error"]["data"].is_array());
        }
    });
}
