//! Batches of Anthropic's API: their requests arrive in one body, and are stored as the
//! lines of a file that clients cannot see.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::batch::{Batch, RequestMark};
use super::endpoint::BatchEndpoint;
use super::line::LineChecker;
use super::line_rows::one_line;
use super::service::{Batches, BatchesError, NewBatch};
use super::stored_file::FilePurpose;
use super::stored_files::NewFile;
use crate::limits::{BATCH_ERRORS_MAX, FILE_KEPT_MS, FILE_LINES_MAX};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBatch<'t> {
    #[serde(borrow)]
    requests: Vec<WrittenRequest<'t>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRequest<'t> {
    custom_id: String,
    #[serde(borrow)]
    params: &'t RawValue,
}

impl Batches {
    /// Creates a batch of Messages API requests and starts it. The batch is durable on
    /// return.
    pub async fn create_of_messages(
        self: &Arc<Self>,
        account: &str,
        body: &[u8],
        key: String,
        mark: RequestMark,
        now_ms: u64,
    ) -> Result<Batch, BatchesError> {
        let content = lines(body).map_err(|(field, message)| BatchesError::Invalid { field, message })?;
        let endpoint = BatchEndpoint::Messages;
        // Check before storing the lines; `create` repeats both checks under the lock.
        if let Some(earlier) = self.earlier(account, endpoint, &mark, now_ms)? {
            return Ok(earlier);
        }
        self.check_open(account)?;
        let new = NewFile { name: "requests".to_owned(), purpose: FilePurpose::MessageBatch, kept_ms: FILE_KEPT_MS };
        let file = self.files.create(account, new, &content, now_ms).await?;
        let new = NewBatch {
            input_file_id: file.id.clone(),
            endpoint,
            metadata: std::collections::BTreeMap::new(),
            results_kept_ms: FILE_KEPT_MS,
            key,
            mark,
        };
        let created = self.create(account, new, now_ms).await;
        // The input file is unused: either the batch was refused, or an earlier copy of
        // the request has created the batch.
        if created.as_ref().map_or(true, |batch| batch.input_file_id != file.id) {
            self.remove_file(account, &file.id).await?;
        }
        created
    }
}

/// Converts a body to lines. An error consists of the member's JSON pointer and a
/// message.
fn lines(body: &[u8]) -> Result<Vec<u8>, (String, String)> {
    let batch: WrittenBatch<'_> =
        serde_json::from_slice(body).map_err(|error| (String::new(), format!("invalid body: {error}")))?;
    let most = usize::try_from(FILE_LINES_MAX).unwrap_or(usize::MAX);
    if batch.requests.is_empty() || batch.requests.len() > most {
        return Err((
            "/requests".to_owned(),
            format!("requests must contain 1 to {most} requests; send more in several batches"),
        ));
    }
    let (mut content, mut checker) = (Vec::with_capacity(body.len()), LineChecker::new(BatchEndpoint::Messages));
    for (number, request) in (1..).zip(batch.requests) {
        let custom_id = Value::from(request.custom_id);
        let params = one_line(request.params.get().as_bytes());
        let line = format!(r#"{{"custom_id":{custom_id},"method":"POST","url":"/v1/messages","body":{params}}}"#);
        if !checker.add(number, line.as_bytes()) {
            break;
        }
        content.extend_from_slice(line.as_bytes());
        content.push(b'\n');
    }
    match checker.finish() {
        Ok(_) => Ok(content),
        Err(errors) => {
            let first = errors.into_iter().take(BATCH_ERRORS_MAX).next();
            let at = first.as_ref().and_then(|error| error.line).unwrap_or(1).saturating_sub(1);
            let member = first.as_ref().and_then(|error| error.param.as_deref()).unwrap_or_default();
            // The error refers to the line's member `body`, which the client knows as
            // `params`.
            let member = member.replace("body", "params").replace('.', "/");
            let message = first.map(|error| error.message.replace("body", "params")).unwrap_or_default();
            Err((format!("/requests/{at}/{member}").trim_end_matches('/').to_owned(), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::BatchLine;
    use super::*;

    #[test]
    fn requests_become_lines_with_their_bytes() {
        let body = "{\"requests\": [{\"custom_id\": \"a\\\"\", \"params\": {\n \"temperature\": 1.0e0}},\
                    {\"custom_id\": \"b\", \"params\": {}}]}";
        let content = String::from_utf8(lines(body.as_bytes()).unwrap()).unwrap();
        let all: Vec<&str> = content.lines().collect();
        assert_eq!(all.len(), 2);
        let line = BatchLine::read(all[0].as_bytes(), BatchEndpoint::Messages).unwrap();
        assert_eq!((line.custom_id.as_str(), line.body), ("a\"", "{  \"temperature\": 1.0e0}"));
    }

    #[test]
    fn errors_name_the_invalid_request() {
        for (body, field) in [
            ("[]", ""),
            (r#"{"requests":[]}"#, "/requests"),
            (r#"{"requests":[{"custom_id":"a"}]}"#, ""),
            (r#"{"requests":[{"custom_id":"a","params":[]}]}"#, "/requests/0/params"),
            (r#"{"requests":[{"custom_id":"a","params":{}},{"custom_id":"a","params":{}}]}"#, "/requests/1/custom_id"),
            (r#"{"requests":[{"custom_id":"a","params":{"stream":true}}]}"#, "/requests/0/params/stream"),
        ] {
            assert_eq!(lines(body.as_bytes()).unwrap_err().0, field, "{body}");
        }
    }
}
