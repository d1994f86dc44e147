//! Blob uploads: started with POST, continued with PATCH and ended with PUT, or sent
//! completely in a single POST or PUT.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};
use tollbridge_core::limits::{BODY_BYTES_PER_S_MIN, BODY_MS_MAX};
use tollbridge_registry::{Digest, PluginId};

use super::answer::{CONTENT_DIGEST, UPLOAD_ID, empty};
use super::path::repository;
use super::refusal::Refusal;
use super::routes::{blocking, parameter};
use super::service::PluginRegistry;
use super::staging::Session;
use crate::digest::{read, text_of};

impl PluginRegistry {
    pub(super) async fn begin_upload(
        self: Arc<Self>,
        account: &str,
        id: &PluginId,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let (registry, owner) = (self.clone(), account.to_owned());
        let is_publisher = blocking(move || registry.has_publisher(&owner)).await?;
        // Blobs of other repositories are not mounted; the client then uploads the blob.
        let upload = self.staging.begin(account, is_publisher).await?;
        match digest_of(head)? {
            None => Ok(under_way(StatusCode::ACCEPTED, id, &upload, 0)),
            Some(digest) => self.end_upload(account, id, &upload, digest, body).await,
        }
    }

    pub(super) async fn continue_upload(
        self: Arc<Self>,
        account: &str,
        id: &PluginId,
        upload: &str,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let session = self.staging.take(upload, account)?;
        if !follows(&head.headers, session.received) {
            let received = session.received;
            session.pause().await?;
            return Ok(under_way(StatusCode::RANGE_NOT_SATISFIABLE, id, upload, received));
        }
        let session = receive(session, body).await?;
        let received = session.received;
        session.pause().await?;
        Ok(under_way(StatusCode::ACCEPTED, id, upload, received))
    }

    pub(super) async fn finish_upload(
        self: Arc<Self>,
        account: &str,
        id: &PluginId,
        upload: &str,
        head: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let digest = digest_of(head)?;
        let digest = digest.ok_or_else(|| Refusal::unfit_digest("end an upload with `?digest=sha256:…`"))?;
        let received = self.staging.received(upload, account)?;
        if !follows(&head.headers, received) {
            return Ok(under_way(StatusCode::RANGE_NOT_SATISFIABLE, id, upload, received));
        }
        self.end_upload(account, id, upload, digest, body).await
    }

    async fn end_upload(
        &self,
        account: &str,
        id: &PluginId,
        upload: &str,
        digest: Digest,
        body: Body,
    ) -> Result<Response, Refusal> {
        let session = self.staging.take(upload, account)?;
        receive(session, body).await?.finish(digest).await?;
        let place = format!("/v2/{}/blobs/{}", repository(id), text_of(digest));
        Ok(empty(StatusCode::CREATED, &[(header::LOCATION, place), (CONTENT_DIGEST, text_of(digest))]))
    }

    pub(super) fn show_upload(&self, account: &str, id: &PluginId, upload: &str) -> Result<Response, Refusal> {
        let received = self.staging.received(upload, account)?;
        Ok(under_way(StatusCode::NO_CONTENT, id, upload, received))
    }
}

fn digest_of(head: &Parts) -> Result<Option<Digest>, Refusal> {
    let Some(text) = parameter(head, "digest") else { return Ok(None) };
    read(&text).map(Some).ok_or_else(|| Refusal::unfit_digest("the digest must be sha256: and 64 hexadecimal digits"))
}

/// Returns a response with the progress of an upload and the URL to continue it.
fn under_way(status: StatusCode, id: &PluginId, upload: &str, received: u64) -> Response {
    let headers = [
        (header::LOCATION, format!("/v2/{}/blobs/uploads/{upload}", repository(id))),
        (header::RANGE, format!("0-{}", received.saturating_sub(1))),
        (UPLOAD_ID, upload.to_owned()),
    ];
    empty(status, &headers)
}

/// Returns whether a chunk starts where the received bytes end; always true for a chunk
/// that does not state its start.
fn follows(headers: &HeaderMap, received: u64) -> bool {
    let Some(range) = headers.get(header::CONTENT_RANGE) else { return true };
    let range = range.to_str().unwrap_or_default();
    let range = range.strip_prefix("bytes ").unwrap_or(range);
    range.split(['-', '/']).next().and_then(|from| from.trim().parse().ok()) == Some(received)
}

/// Writes a request body into an upload as it arrives.
async fn receive(mut session: Session, mut body: Body) -> Result<Session, Refusal> {
    let (began, mut received) = (Instant::now(), 0_u64);
    loop {
        let seconds = received / BODY_BYTES_PER_S_MIN;
        let until = began + Duration::from_millis(BODY_MS_MAX).saturating_add(Duration::from_secs(seconds));
        let frame = timeout_at(until, body.frame()).await.map_err(|_| {
            let what = format!("the body came too slowly; send {BODY_BYTES_PER_S_MIN} bytes a second or more");
            Refusal::unfit_upload(StatusCode::REQUEST_TIMEOUT, what)
        })?;
        let ended = |_| Refusal::unfit_upload(StatusCode::BAD_REQUEST, "the body ended early");
        match frame.transpose().map_err(ended)? {
            None => return Ok(session),
            // Trailers are ignored.
            Some(frame) => {
                if let Ok(piece) = frame.into_data() {
                    received = received.saturating_add(piece.len() as u64);
                    session.write(&piece).await?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_begins_where_the_last_one_ended() {
        let follows = |range: &str, received: u64| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_RANGE, range.parse().unwrap());
            super::follows(&headers, received)
        };
        assert!(follows("0-9", 0) && follows("10-19", 10) && follows("bytes 10-19/*", 10));
        assert!(!follows("10-19", 0) && !follows("0-9", 10) && !follows("x", 0));
        assert!(super::follows(&HeaderMap::new(), 7));
    }
}
