//! Fuzz tests of batch files.

use serde::de::IgnoredAny;
use tollbridge_core::fuzzing::Fuzzer;

use super::endpoint::BatchEndpoint;
use super::line::{BatchLine, LineChecker};
use super::line_rows::LineRows;
use super::testing::batch;
use crate::limits::BATCH_ERRORS_MAX;

#[test]
fn a_file_is_taken_whole_or_refused() {
    let endpoint = BatchEndpoint::ChatCompletions;
    Fuzzer::of("batch-lines").run(|bytes| {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let mut checker = LineChecker::new(endpoint);
        for (number, text) in (1..).zip(&lines) {
            if !checker.add(number, text) {
                break;
            }
        }
        match checker.finish() {
            Err(errors) => assert!((1..=BATCH_ERRORS_MAX + 1).contains(&errors.len())),
            Ok(last) => {
                for (number, text) in (1..=last).zip(lines) {
                    let line = BatchLine::read(text, endpoint).unwrap();
                    assert!(String::from_utf8_lossy(text).contains(line.body), "a body was changed");
                    let rows = LineRows::new("acct_a", &batch(endpoint), number, line.custom_id);
                    let written = rows.answered(line.body.as_bytes()).pop().unwrap().value.unwrap();
                    assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
                    assert!(serde_json::from_slice::<IgnoredAny>(&written).is_ok());
                }
            }
        }
    });
}
