//! A webhook receiver for local development: checks each signature and shows the event. Answers
//! 204, or 400 if the signature is wrong.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use tokio::net::TcpListener;
use tollbridge_web::body::RawBytes;
use tollbridge_webhooks::verifies;

/// A received webhook.
pub struct ReceivedWebhook {
    /// Header `webhook-id`.
    pub id: String,
    /// The body as text.
    pub body: String,
    /// Whether the signature matches the body.
    pub valid: bool,
}

struct Receiver<F> {
    header: String,
    secret: String,
    show: F,
}

/// Receives and shows webhooks until `stop` resolves.
pub async fn listen<F: Fn(&ReceivedWebhook) + Send + Sync + 'static>(
    listener: TcpListener,
    header: String,
    secret: String,
    show: F,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let receiver = Arc::new(Receiver { header, secret, show });
    let router = Router::new().fallback(receive::<F>).with_state(receiver);
    tollbridge_connections::serve(listener, router, stop).await;
}

async fn receive<F: Fn(&ReceivedWebhook) + Send + Sync + 'static>(
    State(receiver): State<Arc<Receiver<F>>>,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> StatusCode {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let valid = verifies(&receiver.secret, &body, text(&receiver.header));
    let received =
        ReceivedWebhook { id: text("webhook-id").to_owned(), body: String::from_utf8_lossy(&body).into_owned(), valid };
    (receiver.show)(&received);
    if valid { StatusCode::NO_CONTENT } else { StatusCode::BAD_REQUEST }
}
