//! Payments: search, and the timeline of one payment.

use tollbridge_operator::{OperatorError, PaymentFilter, RecordView, command};

use crate::page::{Cell, Field, Form, Page, Section, encoded, facts, readable_value};
use crate::page_context::{PageContext, account_cell, older, pounds, time_cell};

const SEARCHED: [&str; 6] = ["account", "email", "plugin", "kind", "since", "until"];
const KINDS: [&str; 11] =
    ["", "payment", "purchase", "route", "inference", "refund", "dispute", "topup", "goodwill", "transfer", "withdraw"];

pub(super) async fn list(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let query = |name: &str| context.query(name);
    let filter = PaymentFilter {
        account: query("account"),
        email: query("email"),
        plugin: query("plugin"),
        kind: query("kind"),
        since: query("since"),
        until: query("until"),
        before: context.number("before"),
        limit: None,
    };
    let answer = context.ask(command::PaymentList { filter: Box::new(filter) }).await?;
    let field = |name: &'static str, label: &'static str, hint: &'static str| Field {
        name,
        label,
        hint,
        value: query(name).unwrap_or_default(),
        ..Field::default()
    };
    let search = Form {
        search: Some("/console/payments"),
        fields: vec![
            field("email", "E-mail", ""),
            field("account", "Account", ""),
            field("plugin", "Bridge, agent or model", ""),
            Field { options: KINDS.to_vec(), ..field("kind", "Kind", "") },
            field("since", "Since", "7d, 24h or 2026-11-23"),
            field("until", "Until", ""),
        ],
        button: "Search",
        ..Form::default()
    };
    let by_name = Form {
        search: Some("/console/payments/show"),
        fields: vec![Field {
            name: "name",
            label: "One payment",
            required: true,
            hint: "intent, seal, transaction, request id or the processor's id",
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    };
    let older = older("/console/payments", context, &SEARCHED, answer.next);
    let sections = vec![
        Section { forms: vec![by_name, search], ..Section::default() },
        Section { older, ..table(&answer.payments) },
    ];
    Ok(Page { title: "Payments".to_owned(), tab: "/console/payments", sections, ..Page::default() })
}

pub(super) async fn show(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let name = context.query("name").ok_or_else(|| OperatorError::Refused("`name` is missing".to_owned()))?;
    let answer = context.ask(command::PaymentShow { intent: name.clone() }).await?;
    let head = Section { facts: facts(&answer.payment), ..Section::default() };
    let timeline = Section { heading: "Timeline".to_owned(), ..table(&answer.events) };
    let mut sections = vec![head, timeline];
    if let (Some(intent), Some(paid)) = (&answer.payment.intent, &answer.payment.paid)
        && !matches!(paid.refundable_gbp.as_str(), "0" | "0.00" | "")
    {
        sections.push(refund(intent, &paid.refundable_gbp));
    }
    Ok(Page {
        title: format!("Payment {}", readable_value(&answer.payment.intent)),
        tab: "/console/payments",
        sections,
        ..Page::default()
    })
}

fn refund(intent: &str, left: &str) -> Section {
    let form = Form {
        command: "payment-refund",
        hidden: vec![("intent", intent.to_owned())],
        fields: vec![
            Field { name: "amount_gbp", label: "Pounds", hint: "empty for the whole remainder", ..Field::default() },
            Field {
                name: "reason",
                label: "Reason",
                required: true,
                hint: "a short code, such as goodwill",
                ..Field::default()
            },
            Field { name: "to", label: "To", options: vec!["card", "credit"], ..Field::default() },
        ],
        button: "Refund",
        danger: true,
        ..Form::default()
    };
    Section {
        heading: "Refund".to_owned(),
        note: format!("£{left} remains. A refund cannot be undone."),
        forms: vec![form],
        ..Section::default()
    }
}

/// Returns the link to the payment of a record.
fn href(row: &RecordView) -> String {
    format!("/console/payments/show?name={}", encoded(row.intent.as_ref().unwrap_or(&row.transaction_id)))
}

/// Returns the table of records about money.
pub(super) fn table(payments: &[RecordView]) -> Section {
    let cells = payments.iter().map(|row| {
        let kind = match row.kind.as_str() {
            "route" => "call",
            "inference" => "model",
            other => other,
        };
        let kind = row.stage.as_ref().map_or_else(|| kind.to_owned(), |stage| format!("{kind}, {stage}"));
        vec![
            time_cell(&row.at),
            Cell::text(kind).link(href(row)),
            Cell::of(&row.sold),
            pounds(&row.amount_gbp),
            account_cell(&row.account_id),
            Cell::of(&row.reference).class("id"),
            Cell::of(&row.request_id).class("id"),
        ]
    });
    Section {
        head: vec!["When (UTC)", "Kind", "Sold", "Amount", "Account", "Processor's name", "Request"],
        rows: cells.collect(),
        empty: "No payments found.",
        ..Section::default()
    }
}
