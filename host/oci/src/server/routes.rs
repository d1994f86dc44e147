//! The routes of the registry. One route matches all paths, because `path` parses them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use serde_json::json;
use tollbridge_access::{Admission, Scope};
use tollbridge_registry::{Digest, PluginId};

use super::answer::{CONTENT_DIGEST, empty, finished, with};
use super::path::{Part, Place, repository};
use super::refusal::Refusal;
use super::service::PluginRegistry;
use crate::digest::text_of;
use crate::manifest::{INDEX, MANIFEST};

/// Maximum number of tags in one list; no plugin has more versions.
const TAGS_MAX: usize = 1_000;

/// Returns the routes below `/v2`. Requests must already be admitted: their extensions
/// contain the principal if they have a key.
pub fn routes<S: Clone + Send + Sync + 'static>(registry: Arc<PluginRegistry>) -> Router<S> {
    let answer = move |request: Request| {
        let registry = registry.clone();
        async move { Box::pin(answered(registry, request)).await }
    };
    Router::new().route("/v2", any(answer.clone())).route("/v2/", any(answer.clone())).route("/v2/{*path}", any(answer))
}

async fn answered(registry: Arc<PluginRegistry>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    finished(registry.answer(&head, body).await.unwrap_or_else(Refusal::into_response))
}

/// Returns the account whose key sent a request.
fn account_of(head: &Parts) -> Result<String, Refusal> {
    let principal = head.extensions.get::<Admission>().and_then(|admission| admission.principal.as_ref());
    match principal {
        None => Err(Refusal::unauthorized()),
        Some(principal) if principal.scopes.allow(Scope::Manage) => Ok(principal.account_id.clone()),
        Some(_) => Err(Refusal::denied("this key lacks the scope `manage`; use a key that has it")),
    }
}

/// Returns a query parameter of a request.
pub(super) fn parameter(head: &Parts, name: &str) -> Option<String> {
    let query = head.uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

impl PluginRegistry {
    async fn answer(self: Arc<Self>, head: &Parts, body: Body) -> Result<Response, Refusal> {
        let account = account_of(head)?;
        let reads = matches!(head.method, Method::GET | Method::HEAD);
        let (id, part) = match Place::of(head.uri.path()) {
            Place::Base if reads => {
                let kind = [(header::CONTENT_TYPE, "application/json".to_owned())];
                return Ok(with(StatusCode::OK, &kind, Body::from("{}")));
            }
            Place::In(id, part) => (id, part),
            Place::OtherRepository => return Err(Refusal::unknown_name()),
            Place::Base | Place::Nothing => {
                return Err(Refusal::new(StatusCode::NOT_FOUND, "UNSUPPORTED", "this registry has no such path"));
            }
        };
        match (part, &head.method) {
            (Part::Uploads, &Method::POST) => self.begin_upload(&account, &id, head, body).await,
            (Part::Upload(upload), &Method::PATCH) => self.continue_upload(&account, &id, &upload, head, body).await,
            (Part::Upload(upload), &Method::PUT) => self.finish_upload(&account, &id, &upload, head, body).await,
            (Part::Upload(upload), &Method::GET) => self.show_upload(&account, &id, &upload),
            (Part::Upload(upload), &Method::DELETE) => {
                self.staging.cancel(&upload, &account)?;
                Ok(empty(StatusCode::NO_CONTENT, &[]))
            }
            (Part::Blob(digest), _) if reads => self.show_blob(account, id, digest, head).await,
            (Part::Tag(tag), &Method::PUT) => self.put_manifest(account, id, Err(tag), head, body).await,
            (Part::Manifest(digest), &Method::PUT) => self.put_manifest(account, id, Ok(digest), head, body).await,
            (Part::Tag(tag), _) if reads => self.show_manifest(account, id, Err(tag)).await,
            (Part::Manifest(digest), _) if reads => self.show_manifest(account, id, Ok(digest)).await,
            (Part::Tags, _) if reads => self.show_tags(account, id, head).await,
            (Part::Referrers(_), _) if reads => Ok(referrers()),
            (_, method) => Err(Refusal::unsupported(format!("this path does not support {method}"))),
        }
    }

    async fn show_manifest(
        self: Arc<Self>,
        account: String,
        id: PluginId,
        reference: Result<Digest, String>,
    ) -> Result<Response, Refusal> {
        let found = blocking(move || match reference {
            Err(tag) => match self.tagged(&account, &id, &tag)? {
                Some(stored) => Ok(self.artifacts(&stored)?.into_iter().next().map(|artifact| artifact.manifest)),
                None => Ok(None),
            },
            Ok(digest) => self.find_version(&account, &id, |stored| {
                let manifests = self.artifacts(&stored)?.into_iter().map(|artifact| artifact.manifest);
                Ok(manifests.into_iter().find(|manifest| Digest::of(manifest) == digest))
            }),
        })
        .await?;
        let manifest = found.ok_or_else(Refusal::unknown_manifest)?;
        let headers = [
            (header::CONTENT_TYPE, MANIFEST.to_owned()),
            (header::CONTENT_LENGTH, manifest.len().to_string()),
            (CONTENT_DIGEST, text_of(Digest::of(&manifest))),
        ];
        Ok(with(StatusCode::OK, &headers, Body::from(manifest)))
    }

    async fn show_tags(self: Arc<Self>, account: String, id: PluginId, head: &Parts) -> Result<Response, Refusal> {
        let name = repository(&id);
        let mut tags = blocking(move || self.tags(&account, &id)).await?;
        if tags.is_empty() {
            return Err(Refusal::unknown_name());
        }
        // The specification requires lexical order.
        tags.sort_unstable();
        let after = parameter(head, "last").unwrap_or_default();
        let count = parameter(head, "n").and_then(|count| count.parse().ok()).unwrap_or(TAGS_MAX);
        let mut left = tags.into_iter().filter(|tag| *tag > after);
        let page: Vec<String> = left.by_ref().take(count).collect();
        let mut headers = vec![(header::CONTENT_TYPE, "application/json".to_owned())];
        if let (Some(last), Some(_)) = (page.last(), left.next()) {
            headers.push((header::LINK, format!("</v2/{name}/tags/list?n={count}&last={last}>; rel=\"next\"")));
        }
        Ok(with(StatusCode::OK, &headers, Body::from(json!({ "name": name, "tags": page }).to_string())))
    }
}

/// Returns an empty list: signatures are part of the manifest, so no artifact is attached
/// to another.
fn referrers() -> Response {
    let kind = [(header::CONTENT_TYPE, INDEX.to_owned())];
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [] });
    with(StatusCode::OK, &kind, Body::from(index.to_string()))
}

/// Runs blocking file work on threads that do not serve calls.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::internal(&error))?
}
