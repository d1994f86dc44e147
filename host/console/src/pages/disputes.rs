//! Disputes: their stage, the money they took, and where to answer them.

use serde_json::Value;
use tollbridge_operator::{OperatorError, command};

use super::payments;
use crate::making::{Making, account_cell, pounds, when};
use crate::page::{Cell, Field, Form, Members as _, Page, Section, encoded, facts, rows, said};

const TAB: &str = "/console/disputes";

pub(super) async fn list(making: &Making<'_>) -> Result<Page, OperatorError> {
    let answer = making.ask(command::DisputeList { limit: None, ask: true }).await?;
    let cells = rows(&answer, "disputes").map(|row| {
        let id = Cell::member(row, "dispute_id");
        let href = format!("{TAB}/{}", encoded(&id.text));
        let stage = Cell::member(row, "stage");
        let class = if stage.text == "open" { "bad" } else { "" };
        vec![
            id.link(href),
            stage.class(class),
            pounds(row, "amount_gbp"),
            Cell::text(day_and_time(row, "opened_at")).class("when"),
            Cell::text(day_and_time(row, "evidence_due_at")).class("when"),
            Cell::member(row, "reason"),
            account_cell(row),
            Cell::member(row, "what_to_do"),
        ]
    });
    let mut sections = vec![Section {
        note: "The books are updated automatically. Answer disputes in the processor's dashboard; Tollbridge \
            cannot upload evidence. Only the processor reports that a dispute was lost."
            .to_owned(),
        head: vec![
            "Dispute",
            "Stage",
            "Amount",
            "Opened (UTC)",
            "Evidence until (UTC)",
            "Reason",
            "Account",
            "What to do",
        ],
        rows: cells.collect(),
        empty: "There are no disputes.",
        ..Section::default()
    }];
    let waiting: Vec<Vec<Cell>> = rows(&answer, "not_in_the_books")
        .map(|id| vec![Cell::text(said(id)).link(format!("{TAB}/{}", encoded(&said(id)))).class("bad")])
        .collect();
    if !waiting.is_empty() {
        sections.push(Section {
            heading: "Not in the books".to_owned(),
            note: "These are retried automatically. Comparing the books retries at once; the log has the reason \
                for the failure."
                .to_owned(),
            head: vec!["Dispute"],
            rows: waiting,
            links: vec![Cell::text("Compare the books").link("/console/money".to_owned())],
            ..Section::default()
        });
    }
    sections.push(Section { forms: vec![by_id()], ..Section::default() });
    Ok(Page { title: "Disputes".to_owned(), tab: TAB, sections, ..Page::default() })
}

/// Returns the form for a dispute that is not in the list, such as an inquiry.
fn by_id() -> Form {
    Form {
        search: Some("/console/disputes/show"),
        fields: vec![Field {
            name: "id",
            label: "One dispute",
            hint: "the processor's id, dp_…; also of inquiries",
            required: true,
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    }
}

fn day_and_time(row: &Value, name: &str) -> String {
    said(row.at(name)).get(..19).unwrap_or_default().replace('T', " ")
}

pub(super) async fn show(making: &Making<'_>, id: &str) -> Result<Page, OperatorError> {
    let id = match id {
        "show" => making.query("id").ok_or_else(|| OperatorError::Refused("`id` is missing".to_owned()))?,
        id => id.to_owned(),
    };
    let answer = making.ask(command::DisputeShow { id }).await?;
    let mut sections = vec![about(&answer), taken(&answer), timeline(&answer)];
    let payment = answer.at("payment");
    if payment.is_object() {
        let events = serde_json::json!({ "payments": payment.at("events") });
        sections.push(Section {
            heading: "Payment and calls".to_owned(),
            note: "Sealed records of calls are evidence of delivery: tollbridge ledger proof SEAL.".to_owned(),
            ..payments::table(&events)
        });
    }
    Ok(Page { title: format!("Dispute {}", said(answer.at("dispute_id"))), tab: TAB, sections, ..Page::default() })
}

fn about(answer: &Value) -> Section {
    let links = answer.at("dashboard").as_str().into_iter();
    let links = links.map(|href| Cell::text("Answer it in the processor's dashboard").link(href.to_owned()));
    // The dashboard link is shown below, and the next step above.
    let facts = facts(answer).into_iter().filter(|(name, _)| name != "Dashboard" && name != "What to do");
    Section {
        note: said(answer.at("what_to_do")),
        facts: facts.collect(),
        links: links.collect(),
        ..Section::default()
    }
}

fn taken(answer: &Value) -> Section {
    let cells =
        rows(answer, "taken").map(|row| vec![Cell::member(row, "from"), account_cell(row), pounds(row, "amount_gbp")]);
    Section {
        heading: "Amounts taken".to_owned(),
        head: vec!["From", "Account", "Amount"],
        rows: cells.collect(),
        empty: "Nothing was taken.",
        ..Section::default()
    }
}

fn timeline(answer: &Value) -> Section {
    let cells = rows(answer, "events").map(|row| {
        let stage = match said(row.at("stage")).as_str() {
            "opened" => "opened: the amount was taken".to_owned(),
            "relieved" => "relieved: returned money covers a part".to_owned(),
            "won" => "won: all amounts were returned".to_owned(),
            other => other.to_owned(),
        };
        vec![when(row), Cell::text(stage), pounds(row, "amount_gbp"), Cell::member(row, "worm_seal").class("id")]
    });
    Section {
        heading: "Timeline".to_owned(),
        head: vec!["When (UTC)", "What", "Amount", "Seal"],
        rows: cells.collect(),
        empty: "The books have no entries for it.",
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_says_what_to_do_and_where() {
        let answer = json!({
            "dispute_id": "dp_1", "stage": "open", "amount_gbp": "5.00", "what_to_do": "Answer it",
            "dashboard": "https://dashboard.stripe.com/payments/pi_1",
            "taken": [{ "from": "the house (written off)", "account_id": null, "amount_gbp": "5.00" }],
            "events": [{ "at": "2026-11-26T10:00:00.000Z", "stage": "opened", "amount_gbp": "5.00" }],
        });
        let section = about(&answer);
        assert_eq!(
            (section.note.as_str(), section.links[0].href.as_str()),
            ("Answer it", "https://dashboard.stripe.com/payments/pi_1")
        );
        assert!(section.facts.iter().all(|(name, _)| name != "Dashboard"));
        assert_eq!(taken(&answer).rows[0][2].text, "£5.00");
        assert!(timeline(&answer).rows[0][1].text.starts_with("opened"));
        assert!(about(&json!({ "stage": "inquiry" })).links.is_empty());
    }
}
