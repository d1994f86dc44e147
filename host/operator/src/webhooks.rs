//! Commands for webhooks: the operator's own, which receive events about the whole
//! server, and those of any account.

use std::sync::Arc;

use tollbridge_core::time::{now_ms, rfc3339, rfc3339_millis};
use tollbridge_webhooks::{Attempt, EndpointView, Registration, Replay, WebhookEndpoint, WebhookError, Webhooks};

use super::answers::answers;
use super::error::OperatorError;
use super::payments::moment;

answers! {
    /// A new endpoint with its signing secret.
    NewWebhook { id: String, account: String, url: String, events: Vec<String>, secret: String }
    /// The endpoints of an account.
    AccountWebhooks { account: String, webhooks: Vec<WebhookRow> }
    /// An endpoint of an account.
    WebhookRow { id: String, url: String, events: Vec<String>, disabled_because: Option<String> }
    /// The endpoints of all accounts and of the operator.
    AllWebhooks { webhooks: Vec<WebhookView> }
    /// An endpoint with its progress.
    WebhookView {
        id: String, account_id: String, url: String, events: Vec<String>, state: String,
        disabled_because: Option<String>, delivered: u64, failed_since_success: u64, waiting: u64, given_up: u64,
        missed: u64, last_at: Option<String>, last_result: Option<String>,
    }
    /// An endpoint with its latest deliveries, the newest first.
    WebhookShown { #[serde(flatten)] webhook: DatedWebhook, deliveries: Vec<DeliveryView> }
    /// An endpoint and the time at which it was registered.
    DatedWebhook { #[serde(flatten)] webhook: WebhookView, created_at: String }
    /// One attempt to deliver an event.
    DeliveryView {
        at: String, event_id: String, event: String, attempt: u32, status: Option<u16>, result: String, ok: bool,
        took_ms: u64, next_at: Option<String>,
    }
    /// The number of events that are sent again.
    WebhookReplayed { id: String, queued: usize }
    /// An endpoint and its new state.
    WebhookEnabled { id: String, state: String }
    /// The id of a deleted endpoint.
    WebhookDeleted { deleted: String }
}

/// The commands for webhooks.
pub(super) struct WebhookCommands {
    pub(super) webhooks: Option<Arc<Webhooks>>,
}

impl WebhookCommands {
    pub(super) async fn add(&self, account: &str, wish: Registration) -> Result<NewWebhook, OperatorError> {
        let (WebhookEndpoint { id, url, events, .. }, secret) = self.serving()?.register(account, wish).await?;
        Ok(NewWebhook { id, account: account.to_owned(), url, events, secret })
    }

    pub(super) fn list(&self, account: &str) -> Result<AccountWebhooks, OperatorError> {
        let all = self.serving()?.of(account);
        let rows = all.iter().map(|one| WebhookRow {
            id: one.id.clone(),
            url: one.url.clone(),
            events: one.events.clone(),
            disabled_because: one.disabled.clone(),
        });
        Ok(AccountWebhooks { account: account.to_owned(), webhooks: rows.collect() })
    }

    /// Lists the endpoints of all accounts and of the operator, with their progress.
    pub(super) async fn list_all(&self) -> Result<AllWebhooks, OperatorError> {
        let all = self.serving()?.all().await;
        Ok(AllWebhooks { webhooks: all.iter().map(endpoint_view).collect() })
    }

    /// Shows one endpoint, with its latest deliveries, the newest first.
    pub(super) async fn show(&self, id: &str) -> Result<WebhookShown, OperatorError> {
        let shown = self.serving()?.show(&self.owner_of(id)?, id).await?;
        let created_at = rfc3339(shown.endpoint.created_ms);
        Ok(WebhookShown {
            webhook: DatedWebhook { webhook: endpoint_view(&shown), created_at },
            deliveries: shown.progress.attempts.iter().rev().map(attempt_view).collect(),
        })
    }

    /// Queues for delivery either one event, or all dead events since a time. A dead
    /// event has no attempts left.
    pub(super) async fn replay(
        &self,
        id: &str,
        event: Option<String>,
        failed_since: Option<&str>,
    ) -> Result<WebhookReplayed, OperatorError> {
        let what = match (event, failed_since) {
            (Some(event), None) => Replay::Event(event),
            (None, Some(since)) => Replay::DeadSince(moment("failed_since", since, now_ms())?),
            _ => {
                let why = "name one event, or the time since which dead events are sent again; not both";
                return Err(OperatorError::Refused(why.to_owned()));
            }
        };
        let queued = self.serving()?.replay(&self.owner_of(id)?, id, &what).await?;
        Ok(WebhookReplayed { id: id.to_owned(), queued })
    }

    /// Enables an endpoint that was disabled because its receiver answered 410.
    pub(super) async fn enable(&self, id: &str) -> Result<WebhookEnabled, OperatorError> {
        self.serving()?.enable(&self.owner_of(id)?, id).await?;
        Ok(WebhookEnabled { id: id.to_owned(), state: "enabled".to_owned() })
    }

    pub(super) async fn delete(&self, account: &str, id: &str) -> Result<WebhookDeleted, OperatorError> {
        self.serving()?.delete(account, id).await?;
        Ok(WebhookDeleted { deleted: id.to_owned() })
    }

    fn owner_of(&self, id: &str) -> Result<String, OperatorError> {
        let unknown = || WebhookError::NoWebhook(id.chars().take(64).collect());
        Ok(self.serving()?.owner_of(id).ok_or_else(unknown)?)
    }

    fn serving(&self) -> Result<&Arc<Webhooks>, OperatorError> {
        let stopped = || OperatorError::Refused("only a running server manages webhooks; start it first".to_owned());
        self.webhooks.as_ref().ok_or_else(stopped)
    }
}

/// Returns the state of an endpoint as one word.
pub(super) fn state_of(view: &EndpointView) -> &'static str {
    match (view.endpoint.disabled.is_some(), view.progress.failing > 0) {
        (true, _) => "disabled",
        (false, true) => "failing",
        (false, false) => "enabled",
    }
}

fn endpoint_view(view: &EndpointView) -> WebhookView {
    let EndpointView { endpoint, progress, missed } = view;
    let last = progress.attempts.back();
    WebhookView {
        id: endpoint.id.clone(),
        account_id: endpoint.account.clone(),
        url: endpoint.url.clone(),
        events: endpoint.events.clone(),
        state: state_of(view).to_owned(),
        disabled_because: endpoint.disabled.clone(),
        delivered: progress.delivered,
        failed_since_success: progress.failing,
        waiting: progress.waiting,
        given_up: progress.dead,
        missed: *missed,
        last_at: last.map(|last| rfc3339(last.time_ms)),
        last_result: last.map(result),
    }
}

/// Returns the response of a receiver, or the error.
fn result(attempt: &Attempt) -> String {
    match (attempt.status, &attempt.error) {
        (_, Some(error)) => error.clone(),
        (Some(status), None) => format!("HTTP {status}"),
        (None, None) => String::new(),
    }
}

fn attempt_view(attempt: &Attempt) -> DeliveryView {
    DeliveryView {
        at: rfc3339_millis(attempt.time_ms),
        event_id: attempt.event_id.clone(),
        event: attempt.event.clone(),
        attempt: attempt.number,
        status: attempt.status,
        result: result(attempt),
        ok: attempt.error.is_none(),
        took_ms: attempt.duration_ms,
        next_at: attempt.next_ms.map(rfc3339),
    }
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
        assert_eq!((failed.result.as_str(), failed.ok), ("HTTP 503", false));
        assert_eq!(failed.next_at.as_deref(), Some("1970-01-01T00:01:00Z"));
        assert_eq!(attempt_view(&attempt(Some(204), None)).result, "HTTP 204");
        assert_eq!(result(&attempt(None, Some("it timed out"))), "it timed out");
    }
}
