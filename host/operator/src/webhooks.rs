//! Webhooks that the operator keeps: its own, which hear what concerns the
//! whole server, and those of any account.

use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_webhooks::{Registration, WebhookError, Webhooks};

use super::error::OperatorError;
use super::service::OperatorService;

impl OperatorService {
    pub(super) async fn webhook_add(&self, account: &str, wish: Registration) -> Result<Value, OperatorError> {
        let (endpoint, secret) = self.serving()?.register(account, wish).await?;
        Ok(
            json!({ "id": endpoint.id, "account": account, "url": endpoint.url, "events": endpoint.events, "secret": secret }),
        )
    }

    pub(super) fn webhook_list(&self, account: &str) -> Result<Value, OperatorError> {
        let all = self.serving()?.of(account);
        let views = all
            .iter()
            .map(|one| json!({ "id": one.id, "url": one.url, "events": one.events, "disabled_because": one.disabled }));
        Ok(json!({ "account": account, "webhooks": views.collect::<Vec<_>>() }))
    }

    pub(super) async fn webhook_delete(&self, account: &str, id: &str) -> Result<Value, OperatorError> {
        self.serving()?.delete(account, id).await?;
        Ok(json!({ "deleted": id }))
    }

    fn serving(&self) -> Result<&Arc<Webhooks>, OperatorError> {
        let stopped = || OperatorError::Refused("webhooks are kept by a running server; start it first".to_owned());
        self.webhooks.as_ref().ok_or_else(stopped)
    }
}

impl From<WebhookError> for OperatorError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Submit(error) => error.into(),
            WebhookError::NoWebhook(_) => Self::NotFound(error.to_string()),
            WebhookError::Store(_) | WebhookError::NoRandomness => Self::Failed(error.to_string()),
            other => Self::Refused(other.to_string()),
        }
    }
}
