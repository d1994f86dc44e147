//! Webhooks of all accounts: their state and deliveries, and resending events.

use serde_json::Value;
use tollbridge_operator::{OperatorError, command};

use crate::making::{Making, account_cell, when};
use crate::page::{Cell, Field, Form, Members as _, Page, Section, encoded, facts, rows, said};

const TAB: &str = "/console/webhooks";

pub(super) async fn list(making: &Making<'_>) -> Result<Page, OperatorError> {
    let answer = making.ask(command::WebhookListAll {}).await?;
    let asked = making.query("account");
    let meant = |row: &&Value| asked.as_ref().is_none_or(|account| said(row.at("account_id")) == *account);
    let cells = rows(&answer, "webhooks").filter(meant).map(|row| {
        let id = Cell::member(row, "id");
        let href = format!("{TAB}/{}", encoded(&id.text));
        let last = said(row.at("last_at"));
        vec![
            id.link(href),
            owner(row),
            state(row),
            Cell::member(row, "delivered").class("number"),
            Cell::member(row, "waiting").class("number"),
            Cell::member(row, "given_up").class("number"),
            Cell::text(last.get(..19).unwrap_or_default().replace('T', " ")).class("when"),
            Cell::member(row, "last_result"),
            Cell::member(row, "url"),
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

/// Returns the account of an endpoint; the operator's own has no link.
fn owner(row: &Value) -> Cell {
    let account = said(row.at("account_id"));
    if account.starts_with("acct_") { account_cell(row.at("account_id")) } else { Cell::text(account) }
}

fn state(row: &Value) -> Cell {
    let state = Cell::member(row, "state");
    let class = if state.text == "enabled" { "" } else { "bad" };
    state.class(class)
}

pub(super) async fn show(making: &Making<'_>, id: &str) -> Result<Page, OperatorError> {
    let answer = making.ask(command::WebhookShow { id: id.to_owned() }).await?;
    let mut about = facts(&answer);
    about.push(("Events".to_owned(), Cell::member(&answer, "events")));
    let sections = vec![
        Section { heading: "Current state".to_owned(), facts: about, forms: forms(&answer), ..Section::default() },
        deliveries(&answer),
    ];
    Ok(Page { title: format!("Webhook {}", said(answer.at("id"))), tab: TAB, sections, ..Page::default() })
}

fn forms(answer: &Value) -> Vec<Form> {
    let id = || vec![("id", said(answer.at("id")))];
    let mut forms = Vec::new();
    if said(answer.at("state")) == "disabled" {
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
        title: "Resend events that were given up",
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

fn deliveries(answer: &Value) -> Section {
    let cells = rows(answer, "deliveries").map(|row| {
        let result = Cell::member(row, "result");
        let class = if *row.at("ok") == true { "" } else { "bad" };
        let next = said(row.at("next_at"));
        vec![
            when(row.at("at")),
            Cell::member(row, "event"),
            Cell::member(row, "event_id"),
            Cell::member(row, "attempt").class("number"),
            result.class(class),
            Cell::member(row, "took_ms").class("number"),
            Cell::text(next.get(..19).unwrap_or_default().replace('T', " ")).class("when"),
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
            let forms = forms(&json!({ "id": "wh_1", "state": state }));
            forms.iter().map(|form| form.command).collect::<Vec<_>>()
        };
        assert_eq!(commands("failing"), ["webhook-replay", "webhook-replay"]);
        assert_eq!(commands("disabled"), ["webhook-enable", "webhook-replay", "webhook-replay"]);
    }

    #[test]
    fn the_operators_own_leads_to_no_account() {
        assert!(owner(&json!({ "account_id": "operator" })).href.is_empty());
        assert_eq!(owner(&json!({ "account_id": "acct_1" })).href, "/console/accounts/acct_1");
        let failed = json!({ "deliveries": [{ "at": "2026-11-26T10:00:00.000Z", "result": "HTTP 503", "ok": false }] });
        assert_eq!(deliveries(&failed).rows[0][4].class, "bad");
    }
}
