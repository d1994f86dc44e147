//! Blobs: existence checks and downloads.

use std::sync::Arc;

use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use tollbridge_registry::{Digest, PluginId};

use super::answer;
use super::refusal::Refusal;
use super::routes::blocking;
use super::service::PluginRegistry;

impl PluginRegistry {
    pub(super) async fn show_blob(
        self: Arc<Self>,
        account: String,
        id: PluginId,
        digest: Digest,
        head: &Parts,
    ) -> Result<Response, Refusal> {
        let found = blocking(move || self.find_blob(&account, &id, digest)).await?;
        let source = found.ok_or_else(Refusal::unknown_blob)?;
        answer::blob(&head.headers, head.method == Method::HEAD, digest, source)
    }
}
