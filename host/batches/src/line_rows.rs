//! The result of a line: its text, and the rows that store it.
//!
//! Invariant: a line gets one result. One change writes the line's mark, its result and,
//! if there is an answer, the bill; the change fails if the mark already exists.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollbridge_store::{Collection, Expect, Put};

use super::batch::Batch;
use super::host::LineRefusal;
use super::line_outcome::LineOutcome;
use super::stored_file::{line_key, put};

/// The mark of a line that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LineMark {
    pub(super) outcome: LineOutcome,
    /// The size of the result in bytes.
    pub(super) size: u64,
}

/// A line of a batch, with the ids needed to build the rows that store its result.
#[derive(Clone, Debug)]
pub(crate) struct LineRows {
    account: String,
    batch: String,
    /// The ids of the files for answers and for errors.
    output: String,
    refused: String,
    number: u64,
    custom_id: String,
    is_message: bool,
}

impl LineRows {
    pub(super) fn new(account: &str, batch: &Batch, number: u64, custom_id: String) -> Self {
        Self {
            account: account.to_owned(),
            batch: batch.id.clone(),
            output: batch.output.clone(),
            refused: batch.refused.clone(),
            number,
            custom_id,
            is_message: batch.is_of_messages(),
        }
    }

    /// Returns the request id of the line, as used in its result and in the ledger
    /// record.
    pub(super) fn request_id(&self) -> String {
        let digits = self.batch.rsplit('_').next().unwrap_or_default();
        format!("batch_req_{digits}_{}", self.number)
    }

    /// Returns the line's idempotency key, which is the same for every attempt.
    pub(super) fn idempotency_key(&self) -> String {
        format!("{}:{}", self.batch, self.number)
    }

    /// Returns the rows that store an answer.
    pub(crate) fn answered(&self, body: &[u8]) -> Vec<Put> {
        let text = one_line(body);
        let body = serde_json::from_str::<&RawValue>(&text).map_or_else(
            // A client also pays for an answer that is not JSON, so the answer is stored
            // as a string.
            |_| serde_json::to_string(&text).unwrap_or_default(),
            |body| body.get().to_owned(),
        );
        let (id, custom_id) = (self.request_id(), Value::from(self.custom_id.as_str()));
        let line = if self.is_message {
            format!(r#"{{"custom_id":{custom_id},"result":{{"type":"succeeded","message":{body}}}}}"#)
        } else {
            format!(
                r#"{{"id":"{id}","custom_id":{custom_id},"response":{{"status_code":200,"request_id":"{id}","body":{body}}},"error":null}}"#
            )
        };
        self.rows(LineOutcome::Succeeded, line)
    }

    /// Returns the rows that store a refusal.
    pub(super) fn refused(&self, refusal: &LineRefusal) -> Vec<Put> {
        let LineRefusal { status, body } = refusal;
        let id = self.request_id();
        let line = if self.is_message {
            json!({ "custom_id": self.custom_id, "result": { "type": "errored", "error": body } })
        } else {
            json!({ "id": id, "custom_id": self.custom_id, "error": null,
                "response": { "status_code": status, "request_id": id, "body": body } })
        };
        self.rows(LineOutcome::Errored, line.to_string())
    }

    /// Returns the rows that store the result of a line that was not sent.
    pub(super) fn not_sent(&self, outcome: LineOutcome) -> Vec<Put> {
        let (kind, code, message) = match outcome {
            LineOutcome::Cancelled => {
                ("canceled", "batch_cancelled", "the batch was cancelled before this line was sent")
            }
            LineOutcome::Expired => (
                "expired",
                "batch_expired",
                "the completion window of the batch had ended before this line was answered",
            ),
            LineOutcome::Errored | LineOutcome::Succeeded => (
                "errored",
                "batch_results_too_large",
                "the results of this batch have reached their size limit; send the remaining lines in another batch",
            ),
        };
        let line = match (self.is_message, kind) {
            (true, "errored") => {
                let error =
                    json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } });
                json!({ "custom_id": self.custom_id, "result": { "type": kind, "error": error } })
            }
            (true, _) => json!({ "custom_id": self.custom_id, "result": { "type": kind } }),
            (false, _) => json!({ "id": self.request_id(), "custom_id": self.custom_id, "response": null,
                "error": { "code": code, "message": message } }),
        };
        self.rows(outcome, line.to_string())
    }

    fn rows(&self, outcome: LineOutcome, mut line: String) -> Vec<Put> {
        line.push('\n');
        let size = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let file = if outcome == LineOutcome::Succeeded { &self.output } else { &self.refused };
        // Serializing two members of plain types cannot fail.
        let mark = serde_json::to_vec(&LineMark { outcome, size }).unwrap_or_default();
        vec![
            Put {
                collection: Collection::Batches,
                key: mark_key(&self.batch, self.number),
                value: Some(mark),
                expect: Expect::Absent,
            },
            put(line_key(&self.account, file, self.number), Some(line.into_bytes())),
        ]
    }
}

/// Returns the key of a line's mark, which shows that the line has a result:
/// `m/{batch}/{line}`.
pub(super) fn mark_key(batch: &str, number: u64) -> String {
    format!("m/{batch}/{number:08}")
}

/// Puts a JSON text on one line. Its value stays the same, because JSON has line breaks only
/// between tokens.
pub(super) fn one_line(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.trim().chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::batch;
    use super::*;

    fn rows(endpoint: super::super::endpoint::BatchEndpoint) -> LineRows {
        LineRows::new("acct_a", &batch(endpoint), 7, "a \"b\"".to_owned())
    }

    fn written(puts: &[Put]) -> (String, Value, LineMark) {
        let text = String::from_utf8(puts[1].value.clone().unwrap()).unwrap();
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let mark: LineMark = serde_json::from_slice(puts[0].value.as_deref().unwrap()).unwrap();
        assert_eq!((puts[0].expect.clone(), mark.size), (Expect::Absent, text.len() as u64));
        (puts[1].key.clone(), serde_json::from_str(&text).unwrap(), mark)
    }

    #[test]
    fn an_answer_keeps_its_bytes_and_fits_a_line() {
        use super::super::endpoint::BatchEndpoint::{ChatCompletions, Messages};
        let body = "{\n  \"n\": 1.0e5,\r\n \"t\": \"a\\nb\"}\n";
        let puts = rows(ChatCompletions).answered(body.as_bytes());
        let (key, line, mark) = written(&puts);
        assert_eq!((key.as_str(), mark.outcome), ("l/acct_a/file-out/00000007", LineOutcome::Succeeded));
        assert!(String::from_utf8_lossy(puts[1].value.as_ref().unwrap()).contains("1.0e5"));
        assert_eq!((&line["custom_id"], &line["error"]), (&json!("a \"b\""), &Value::Null));
        assert_eq!(line["response"]["body"], json!({"n": 1.0e5, "t": "a\nb"}));
        assert_eq!(line["response"]["request_id"], line["id"]);
        let (_, line, _) = written(&rows(Messages).answered(b"{\"id\":1}"));
        assert_eq!(line, json!({"custom_id": "a \"b\"", "result": {"type": "succeeded", "message": {"id": 1}}}));
        let (_, line, _) = written(&rows(ChatCompletions).answered(b"no json\n"));
        assert_eq!(line["response"]["body"], "no json");
    }

    #[test]
    fn errors_go_to_their_own_file() {
        use super::super::endpoint::BatchEndpoint::{ChatCompletions, Messages};
        let refusal = LineRefusal { status: 402, body: json!({"error": {"message": "no"}}) };
        let (key, line, mark) = written(&rows(ChatCompletions).refused(&refusal));
        assert_eq!((key.as_str(), mark.outcome), ("l/acct_a/file-err/00000007", LineOutcome::Errored));
        assert_eq!((&line["response"]["status_code"], &line["error"]), (&json!(402), &Value::Null));
        let (_, line, mark) = written(&rows(ChatCompletions).not_sent(LineOutcome::Expired));
        assert_eq!((&line["response"], &line["error"]["code"]), (&Value::Null, &json!("batch_expired")));
        assert_eq!(mark.outcome, LineOutcome::Expired);
        let (_, line, _) = written(&rows(Messages).not_sent(LineOutcome::Cancelled));
        assert_eq!(line["result"], json!({"type": "canceled"}));
    }
}
