//! Responses with the headers of the distribution specification; bodies are whole files
//! or byte ranges.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use tokio::io::AsyncReadExt;
use tollbridge_registry::Digest;

use super::refusal::Refusal;
use crate::digest::text_of;

/// Header with the digest of the content.
pub(super) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("docker-content-digest");
/// Header with the id of an upload.
pub(super) const UPLOAD_ID: HeaderName = HeaderName::from_static("docker-upload-uuid");
/// Header by which clients recognise a registry.
const API_VERSION: HeaderName = HeaderName::from_static("docker-distribution-api-version");
/// Number of bytes read from a file at once.
const PIECE_BYTES: u64 = 64 << 10;

/// The file or buffer that holds a blob.
pub(super) enum Source {
    File(File, u64),
    Bytes(Vec<u8>),
}

/// Returns a response without a body.
pub(super) fn empty(status: StatusCode, headers: &[(HeaderName, String)]) -> Response {
    with(status, headers, Body::empty())
}

/// Returns a response.
pub(super) fn with(status: StatusCode, headers: &[(HeaderName, String)], body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name.clone(), value);
        }
    }
    response
}

/// Adds the version header that every response of a registry has.
pub(super) fn finished(mut response: Response) -> Response {
    response.headers_mut().insert(API_VERSION, HeaderValue::from_static("registry/2.0"));
    response
}

/// Returns a response with a blob or the requested range of it; without a body for HEAD
/// requests.
pub(super) fn blob(asked: &HeaderMap, is_head: bool, digest: Digest, source: Source) -> Result<Response, Refusal> {
    let size = match &source {
        Source::File(_, size) => *size,
        Source::Bytes(bytes) => bytes.len() as u64,
    };
    let range = asked.get(header::RANGE).and_then(|range| range.to_str().ok());
    let (status, from, length) = match range.map(|range| read_range(range, size)) {
        None | Some(Range::Ignored) => (StatusCode::OK, 0, size),
        Some(Range::Part(from, length)) => (StatusCode::PARTIAL_CONTENT, from, length),
        Some(Range::Unsatisfiable) => {
            let headers = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
            return Ok(empty(StatusCode::RANGE_NOT_SATISFIABLE, &headers));
        }
    };
    let mut headers = vec![
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (CONTENT_DIGEST, text_of(digest)),
    ];
    if status == StatusCode::PARTIAL_CONTENT {
        let last = from.saturating_add(length).saturating_sub(1);
        headers.push((header::CONTENT_RANGE, format!("bytes {from}-{last}/{size}")));
    }
    let body = if is_head { Body::empty() } else { body_of(source, from, length)? };
    Ok(with(status, &headers, body))
}

fn body_of(source: Source, from: u64, length: u64) -> Result<Body, Refusal> {
    let mut file = match source {
        Source::File(file, _) => file,
        Source::Bytes(bytes) => {
            let skipped = usize::try_from(from).unwrap_or(usize::MAX);
            let taken = usize::try_from(length).unwrap_or(usize::MAX);
            let part: Vec<u8> = bytes.into_iter().skip(skipped).take(taken).collect();
            return Ok(Body::from(part));
        }
    };
    file.seek(SeekFrom::Start(from)).map_err(|error| Refusal::internal(&error))?;
    let file = tokio::fs::File::from_std(file);
    let pieces = stream::try_unfold((file, length), |(mut file, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let mut piece = vec![0; usize::try_from(left.min(PIECE_BYTES)).unwrap_or_default()];
        let read = file.read(&mut piece).await?;
        if read == 0 {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof));
        }
        piece.truncate(read);
        Ok(Some((Bytes::from(piece), (file, left.saturating_sub(read as u64)))))
    });
    Ok(Body::from_stream(pieces))
}

#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// First byte and length of the requested range.
    Part(u64, u64),
    /// A range outside the blob.
    Unsatisfiable,
    /// An unsupported range header; the whole blob is sent.
    Ignored,
}

fn read_range(text: &str, size: u64) -> Range {
    let Some((from, to)) = text.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Range::Ignored;
    };
    let last = size.saturating_sub(1);
    let to = if to.is_empty() { Ok(last) } else { to.parse::<u64>().map(|to| to.min(last)) };
    match (from.parse::<u64>(), to) {
        (Ok(from), Ok(_)) if from >= size => Range::Unsatisfiable,
        (Ok(from), Ok(to)) if from <= to => Range::Part(from, to.saturating_sub(from).saturating_add(1)),
        _ => Range::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn ranges_are_those_of_http() {
        for (text, range) in [
            ("bytes=0-0", Range::Part(0, 1)),
            ("bytes=2-", Range::Part(2, 8)),
            ("bytes=2-99", Range::Part(2, 8)),
            ("bytes=10-", Range::Unsatisfiable),
            ("bytes=3-2", Range::Ignored),
            ("bytes=-5", Range::Ignored),
            ("bytes=1-2,4-5", Range::Ignored),
            ("lines=1-2", Range::Ignored),
        ] {
            assert_eq!(read_range(text, 10), range, "{text}");
        }
    }

    #[tokio::test]
    async fn a_blob_comes_whole_or_in_part_out_of_a_file_or_memory() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let digest = Digest::of(b"0123456789");
        for (range, wanted) in [(None, "0123456789"), (Some("bytes=3-5"), "345")] {
            for source in [Source::File(file.try_clone().unwrap(), 10), Source::Bytes(b"0123456789".to_vec())] {
                let mut asked = HeaderMap::new();
                if let Some(range) = range {
                    asked.insert(header::RANGE, range.parse().unwrap());
                }
                let answer = blob(&asked, false, digest, source).unwrap();
                assert_eq!(answer.status().as_u16(), if range.is_some() { 206 } else { 200 });
                assert_eq!(answer.headers()[header::CONTENT_LENGTH], wanted.len().to_string());
                let body = axum::body::to_bytes(answer.into_body(), 99).await.unwrap();
                assert_eq!(body, wanted);
            }
        }
    }
}
