//! Bodies of the A2A protocol at random.

use serde_json::Value;
use tollbridge_core::fuzzing::Fuzzer;
use tollbridge_core::limits::A2A_PARTS_MAX;

use super::message::{SendParams, task_query};
use super::rpc::read;

#[test]
fn a_body_is_read_or_refused_with_the_id_it_came_with() {
    Fuzzer::of("a2a").run(|bytes| match read(bytes) {
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
