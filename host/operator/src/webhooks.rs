//! Webhooks of the operator: its own, which receive events about the whole server, and those of any
//! account.

use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_core::time::{rfc3339, rfc3339_millis};
use tollbridge_webhooks::{Attempt, EndpointView, Registration, Replay, WebhookError, Webhooks};

use super::error::OperatorError;
use super::payments::moment;
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

    /// Lists the endpoints of all accounts and of the operator, with their progress.
    pub(super) async fn webhook_list_all(&self) -> Result<Value, OperatorError> {
        let all = self.serving()?.all().await;
        Ok(json!({ "webhooks": all.iter().map(endpoint_view).collect::<Vec<_>>() }))
    }

    /// Shows one endpoint, with its latest deliveries, the newest first.
    pub(super) async fn webhook_show(&self, id: &str) -> Result<Value, OperatorError> {
        let shown = self.serving()?.show(&self.owner_of_webhook(id)?, id).await?;
        let mut view = endpoint_view(&shown);
        if let Some(members) = view.as_object_mut() {
            let deliveries: Vec<Value> = shown.progress.attempts.iter().rev().map(attempt_view).collect();
            members.insert("created_at".to_owned(), rfc3339(shown.endpoint.created_ms).into());
            members.insert("deliveries".to_owned(), deliveries.into());
        }
        Ok(view)
    }

    /// Sends one event again, or all that died since a time.
    pub(super) async fn webhook_replay(
        &self,
        id: &str,
        event: Option<String>,
        failed_since: Option<&str>,
    ) -> Result<Value, OperatorError> {
        let what = match (event, failed_since) {
            (Some(event), None) => Replay::Event(event),
            (None, Some(since)) => Replay::DeadSince(moment("failed_since", since, (self.now_ms)())?),
            _ => {
                let why = "name one event, or the time since which dead events are sent again; not both";
                return Err(OperatorError::Refused(why.to_owned()));
            }
        };
        let queued = self.serving()?.replay(&self.owner_of_webhook(id)?, id, &what).await?;
        Ok(json!({ "id": id, "queued": queued }))
    }

    /// Enables an endpoint that was disabled because its receiver answered 410.
    pub(super) async fn webhook_enable(&self, id: &str) -> Result<Value, OperatorError> {
        self.serving()?.enable(&self.owner_of_webhook(id)?, id).await?;
        Ok(json!({ "id": id, "state": "enabled" }))
    }

    pub(super) async fn webhook_delete(&self, account: &str, id: &str) -> Result<Value, OperatorError> {
        self.serving()?.delete(account, id).await?;
        Ok(json!({ "deleted": id }))
    }

    fn owner_of_webhook(&self, id: &str) -> Result<String, OperatorError> {
        let unknown = || WebhookError::NoWebhook(id.chars().take(64).collect());
        Ok(self.serving()?.owner_of(id).ok_or_else(unknown)?)
    }

    fn serving(&self) -> Result<&Arc<Webhooks>, OperatorError> {
        let stopped = || OperatorError::Refused("only a running server manages webhooks; start it first".to_owned());
        self.webhooks.as_ref().ok_or_else(stopped)
    }
}

/// Returns the state of an endpoint, in a word.
pub(super) fn state_of(view: &EndpointView) -> &'static str {
    match (view.endpoint.disabled.is_some(), view.progress.failing > 0) {
        (true, _) => "disabled",
        (false, true) => "failing",
        (false, false) => "enabled",
    }
}

fn endpoint_view(view: &EndpointView) -> Value {
    let EndpointView { endpoint, progress, missed } = view;
    let last = progress.attempts.back();
    json!({
        "id": endpoint.id,
        "account_id": endpoint.account,
        "url": endpoint.url,
        "events": endpoint.events,
        "state": state_of(view),
        "disabled_because": endpoint.disabled,
        "delivered": progress.delivered,
        "failed_since_success": progress.failing,
        "waiting": progress.waiting,
        "given_up": progress.dead,
        "missed": missed,
        "last_at": last.map(|last| rfc3339(last.time_ms)),
        "last_result": last.map(result),
    })
}

/// Returns the response of a receiver, or the error.
fn result(attempt: &Attempt) -> String {
    match (attempt.status, &attempt.error) {
        (_, Some(error)) => error.clone(),
        (Some(status), None) => format!("HTTP {status}"),
        (None, None) => String::new(),
    }
}

fn attempt_view(attempt: &Attempt) -> Value {
    json!({
        "at": rfc3339_millis(attempt.time_ms),
        "event_id": attempt.event_id,
        "event": attempt.event,
        "attempt": attempt.number,
        "status": attempt.status,
        "result": result(attempt),
        "ok": attempt.error.is_none(),
        "took_ms": attempt.duration_ms,
        "next_at": attempt.next_ms.map(rfc3339),
    })
}

impl From<WebhookError> for OperatorError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Submit(error) => error.into(),
            WebhookError::NoWebhook(_) | WebhookError::NoEvent(_) => Self::NotFound(error.to_string()),
            WebhookError::Store(_) | WebhookError::NoRandomness => Self::Failed(error.to_string()),
            other => Self::Refused(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(status: Option<u16>, error: Option<&str>) -> Attempt {
        Attempt {
            event_id: "evt_1".to_owned(),
            event: "billing.split".to_owned(),
            number: 1,
            time_ms: 0,
            duration_ms: 7,
            status,
            error: error.map(str::to_owned),
            next_ms: Some(60_000),
        }
    }

    #[test]
    fn a_delivery_says_what_came_back() {
        let failed = attempt_view(&attempt(Some(503), Some("HTTP 503")));
        assert_eq!((&failed["result"], &failed["ok"]), (&json!("HTTP 503"), &json!(false)));
        assert_eq!(failed["next_at"], "1970-01-01T00:01:00Z");
        assert_eq!(attempt_view(&attempt(Some(204), None))["result"], "HTTP 204");
        assert_eq!(result(&attempt(None, Some("it timed out"))), "it timed out");
    }
}
