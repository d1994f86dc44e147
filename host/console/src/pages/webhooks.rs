//! Webhooks of all accounts: their state and deliveries, and resending events.

use tollbridge_operator::{DeliveryView, OperatorError, WebhookView, command};

use crate::page::{Cell, Field, Form, Page, Section, encoded, facts};
use crate::page_context::{PageContext, account_cell, time_cell};

const TAB: &str = "/console/webhooks";

pub(super) async fn list(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let answer = context.ask(command::WebhookListAll {}).await?;
    let asked = context.query("account");
    let meant = |row: &&WebhookView| asked.as_ref().is_none_or(|account| row.account_id == *account);
    let cells = answer.webhooks.iter().filter(meant).map(|row| {
        vec![
            Cell::of(&row.id).link(format!("{TAB}/{}", encoded(&row.id))),
            owner(&row.account_id),
            state(row),
            Cell::of(&row.delivered).class("number"),
            Cell::of(&row.waiting).class("number"),
            Cell::of(&row.given_up).class("number"),
            time_cell(&row.last_at),
            Cell::of(&row.last_result),
            Cell::of(&row.url),
        ]
    });
    let search = Form {
        search: Some(TAB),
        fields: vec![Field {
            name: "account",
            label: "Account",
            value: asked.clone().unwrap_or_default(),
            hint: "empty for all accounts",
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    };
    let table = Section {
        note: "Endpoints of all accounts and of the operator. Only the leader delivers, so other hosts show no \
            deliveries."
            .to_owned(),
        head: vec![
            "Endpoint",
            "Account",
            "State",
            "Delivered",
            "Waiting",
            "Given up",
            "Last (UTC)",
            "Last result",
            "Address",
        ],
        rows: cells.collect(),
        empty: "There are no webhooks.",
        ..Section::default()
    };
    let sections = vec![Section { forms: vec![search], ..Section::default() }, table];
    Ok(Page { title: "Webhooks".to_owned(), tab: TAB, sections, ..Page::default() })
}

/// Returns a cell with the account of an endpoint; the operator's own endpoints have no
/// account page to link to.
fn owner(account: &String) -> Cell {
    if account.starts_with("acct_") { account_cell(account) } else { Cell::text(account) }
}

fn state(row: &WebhookView) -> Cell {
    Cell::of(&row.state).class(if row.state == "enabled" { "" } else { "bad" })
}

pub(super) async fn show(context: &PageContext<'_>, id: &str) -> Result<Page, OperatorError> {
    let answer = context.ask(command::WebhookShow { id: id.to_owned() }).await?;
    let webhook = &answer.webhook.webhook;
    let mut about = facts(&answer.webhook);
    about.push(("Events".to_owned(), Cell::of(&webhook.events)));
    let sections = vec![
        Section { heading: "Current state".to_owned(), facts: about, forms: forms(webhook), ..Section::default() },
        deliveries(&answer.deliveries),
    ];
    Ok(Page { title: format!("Webhook {}", webhook.id), tab: TAB, sections, ..Page::default() })
}

fn forms(webhook: &WebhookView) -> Vec<Form> {
    let id = || vec![("id", webhook.id.clone())];
    let mut forms = Vec::new();
    if webhook.state == "disabled" {
        forms.push(Form {
            title: "Enable",
            command: "webhook-enable",
            hidden: id(),
            button: "Resume deliveries",
            ..Form::default()
        });
    }
    let since = Field {
        name: "failed_since",
        label: "Given up since",
        value: "1d".to_owned(),
        required: true,
        hint: "1h, 2d or 2026-11-23T10:00:00Z; at most 1,000 events",
        ..Field::default()
    };
    forms.push(Form {
        title: "Resend events that ran out of attempts",
        command: "webhook-replay",
        hidden: id(),
        fields: vec![since],
        button: "Resend",
        ..Form::default()
    });
    let event = Field {
        name: "event",
        label: "Event",
        required: true,
        hint: "its id, evt_…, from the table below or from the account",
        ..Field::default()
    };
    forms.push(Form {
        title: "Resend one event",
        command: "webhook-replay",
        hidden: id(),
        fields: vec![event],
        button: "Resend",
        ..Form::default()
    });
    forms
}

fn deliveries(deliveries: &[DeliveryView]) -> Section {
    let cells = deliveries.iter().map(|row| {
        let result = Cell::of(&row.result);
        let class = if row.ok { "" } else { "bad" };
        vec![
            time_cell(&row.at),
            Cell::of(&row.event),
            Cell::of(&row.event_id),
            Cell::of(&row.attempt).class("number"),
            result.class(class),
            Cell::of(&row.took_ms).class("number"),
            time_cell(&row.next_at),
        ]
    });
    Section {
        heading: "Latest deliveries".to_owned(),
        note: "The last 50 attempts, newest first. Waiting events are retried automatically.".to_owned(),
        head: vec!["At (UTC)", "Event", "Id", "Attempt", "Result", "ms", "Next attempt (UTC)"],
        rows: cells.collect(),
        empty: "No deliveries yet.",
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_off_is_enabled() {
        let commands = |state: &str| {
            let forms = forms(&serde_json::from_value(json!({ "id": "wh_1", "state": state })).unwrap());
            forms.iter().map(|form| form.command).collect::<Vec<_>>()
        };
        assert_eq!(commands("failing"), ["webhook-replay", "webhook-replay"]);
        assert_eq!(commands("disabled"), ["webhook-enable", "webhook-replay", "webhook-replay"]);
    }

    #[test]
    fn the_operators_own_leads_to_no_account() {
        assert!(owner(&"operator".to_owned()).href.is_empty());
        assert_eq!(owner(&"acct_1".to_owned()).href, "/console/accounts/acct_1");
        let failed = json!([{ "at": "2026-11-26T10:00:00.000Z", "result": "HTTP 503", "ok": false }]);
        assert_eq!(deliveries(&serde_json::from_value::<Vec<_>>(failed).unwrap()).rows[0][4].class, "bad");
    }
}
