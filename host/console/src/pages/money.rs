//! Withdrawals, the day's revenue, the processor's books, and the head of the ledger.

use tollbridge_operator::{OperatorError, RevenueRow, command};

use crate::page::{Cell, Field, Form, Page, Section, facts};
use crate::page_context::{PageContext, account_cell, pounds};

pub(super) async fn withdrawals(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let answer = context.ask(command::WithdrawalList {}).await?;
    let cells = answer.withdrawals.iter().map(|row| {
        let state = Cell::of(&row.state);
        let class = if state.text == "blocked" { "bad" } else { "" };
        vec![
            Cell::of(&row.withdrawal_id),
            account_cell(&row.account_id),
            pounds(&row.amount_gbp),
            state.class(class),
            Cell::of(&row.reason),
            Cell::of(&row.destination),
        ]
    });
    let blocked = answer.withdrawals.iter().filter(|row| row.state == "blocked");
    let forms = blocked.flat_map(|row| decide(row.withdrawal_id.clone()));
    let section = Section {
        note: "Open withdrawals. Blocked ones wait for a decision.".to_owned(),
        head: vec!["Withdrawal", "Account", "Amount", "State", "Why", "To"],
        rows: cells.collect(),
        empty: "There are no open withdrawals.",
        forms: forms.collect(),
        ..Section::default()
    };
    Ok(Page {
        title: "Withdrawals".to_owned(),
        tab: "/console/withdrawals",
        sections: vec![section],
        ..Page::default()
    })
}

fn decide(id: String) -> [Form; 2] {
    let field = |name, label, required| Field { name, label, required, ..Field::default() };
    let id_field = |value: String| Field { name: "id", label: "Withdrawal", value, required: true, ..Field::default() };
    [
        Form {
            command: "withdrawal-release",
            fields: vec![id_field(id.clone())],
            button: "Release",
            ..Form::default()
        },
        Form {
            command: "withdrawal-reject",
            fields: vec![id_field(id), field("reason", "Reason", true)],
            button: "Reject",
            danger: true,
            ..Form::default()
        },
    ]
}

pub(super) async fn page(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let head = context.ask(command::LedgerHead {}).await?;
    let since = Some("1d".to_owned());
    let by = vec!["plugin".to_owned()];
    let today = context.ask(command::ReportRevenue { by, since, until: None }).await?;
    let cells = today.rows.iter().map(|RevenueRow { sums, by }| {
        vec![
            Cell::text(by.values().cloned().collect::<String>()),
            Cell::of(&sums.sales).class("number"),
            pounds(&sums.gross_gbp),
            pounds(&sums.developer_gbp),
            pounds(&sums.platform_gbp),
            pounds(&sums.treasury_gbp),
        ]
    });
    let revenue = Section {
        heading: "Sold in the last 24 hours".to_owned(),
        facts: facts(&today.total),
        head: vec!["Sold", "Sales", "Paid", "Developers", "Platform", "Treasury"],
        rows: cells.collect(),
        empty: "Nothing was sold.",
        ..Section::default()
    };
    let days =
        Field { name: "days", label: "Days to look back", value: "3".to_owned(), required: true, ..Field::default() };
    let compare = Section {
        heading: "The processor's books".to_owned(),
        note: "Records the processor's fees, and compares its balance with the ledger. The residual should be zero."
            .to_owned(),
        forms: vec![Form {
            command: "payment-reconcile",
            fields: vec![days],
            button: "Compare now",
            ..Form::default()
        }],
        ..Section::default()
    };
    let ledger = Section {
        heading: "Ledger".to_owned(),
        facts: facts(&head).into_iter().filter(|(name, _)| name != "checkpoint").collect(),
        text: head.checkpoint,
        note: "The command tollbridge ledger verify checks the whole ledger.".to_owned(),
        ..Section::default()
    };
    Ok(Page {
        title: "Money and ledger".to_owned(),
        tab: "/console/money",
        sections: vec![revenue, compare, ledger],
        ..Page::default()
    })
}
