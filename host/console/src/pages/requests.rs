//! Recent requests, and the audit log of operators.

use tollbridge_operator::{OperatorError, RequestQuery, command};

use crate::page::{Cell, Field, Form, Page, Section};
use crate::page_context::{PageContext, account_cell, older, time_cell};

pub(super) async fn page(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let query = RequestQuery {
        id: context.query("id"),
        account: context.query("account"),
        path: context.query("path"),
        status: context.number("status"),
        code: context.query("code"),
        since: context.query("since"),
        limit: Some(200),
    };
    let answer = context.ask(command::RequestList { filter: Box::new(query) }).await?;
    let field = |name: &'static str, label: &'static str, hint: &'static str| Field {
        name,
        label,
        hint,
        value: context.query(name).unwrap_or_default(),
        ..Field::default()
    };
    let search = Form {
        search: Some("/console/requests"),
        fields: vec![
            field("id", "Request id", ""),
            field("account", "Account", ""),
            field("path", "Path begins with", ""),
            field("status", "Status", "402, or 4 or 5 for a class"),
            field("code", "Code", "such as E011"),
            field("since", "Since", "1h, 30m"),
        ],
        button: "Search",
        ..Form::default()
    };
    let cells = answer.requests.iter().map(|row| {
        let status = Cell::of(&row.status);
        let class = if status.text.starts_with('5') { "bad" } else { "" };
        vec![
            time_cell(&row.at),
            Cell::of(&row.request_id).class("id"),
            Cell::of(&row.method),
            Cell::of(&row.path),
            status.class(class),
            Cell::of(&row.code),
            Cell::of(&row.message),
            Cell::of(&row.micros).class("number"),
            account_cell(&row.account_id),
        ]
    });
    let table = Section {
        note: "The last 20,000 requests of this host since it started.".to_owned(),
        head: vec!["When (UTC)", "Request", "Method", "Path", "Status", "Code", "Why", "µs", "Account"],
        rows: cells.collect(),
        empty: "No requests found.",
        ..Section::default()
    };
    let sections = vec![Section { forms: vec![search], ..Section::default() }, table];
    Ok(Page { title: "Requests".to_owned(), tab: "/console/requests", sections, ..Page::default() })
}

pub(super) async fn audit(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let answer = context.ask(command::AuditList { before: context.number("before"), limit: Some(100) }).await?;
    let cells = answer.acts.iter().map(|row| {
        vec![
            time_cell(&row.at),
            Cell::of(&row.operator),
            Cell::of(&row.role),
            Cell::of(&row.command),
            Cell::of(&row.target),
            Cell::of(&row.worm_seal).class("id"),
        ]
    });
    let section = Section {
        note: "Every operator command, sealed in the ledger before it ran.".to_owned(),
        head: vec!["When (UTC)", "Operator", "Role", "Command", "Of", "Seal"],
        rows: cells.collect(),
        empty: "There are no entries yet.",
        older: older("/console/audit", context, &[], answer.next),
        ..Section::default()
    };
    Ok(Page { title: "Audit log".to_owned(), tab: "/console/audit", sections: vec![section], ..Page::default() })
}
