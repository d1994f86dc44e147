//! Disputes: their stage, the money they took, and where to answer them.

use tollbridge_operator::{DisputeShown, OperatorError, command};

use super::payments;
use crate::page::{Cell, Field, Form, Page, Section, encoded, facts};
use crate::page_context::{PageContext, account_cell, pounds, time_cell};

const TAB: &str = "/console/disputes";

pub(super) async fn list(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let answer = context.ask(command::DisputeList { limit: None, ask: true }).await?;
    let cells = answer.disputes.iter().map(|row| {
        let (booked, case) = (row.booked.clone().unwrap_or_default(), row.case.clone().unwrap_or_default());
        let id = Cell::of(&row.dispute_id);
        let href = format!("{TAB}/{}", encoded(&id.text));
        let stage = Cell::of(&row.stage);
        let class = if stage.text == "open" { "bad" } else { "" };
        vec![
            id.link(href),
            stage.class(class),
            pounds(&booked.amount_gbp),
            time_cell(&booked.opened_at),
            time_cell(&case.evidence_due_at),
            Cell::of(&case.reason),
            account_cell(&booked.account_id),
            Cell::of(&row.what_to_do),
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
    let waiting: Vec<Vec<Cell>> = answer
        .not_in_the_books
        .iter()
        .map(|id| vec![Cell::text(id).link(format!("{TAB}/{}", encoded(id))).class("bad")])
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

/// Returns the form to show a dispute by its id, because the list lacks some, such as
/// inquiries.
fn by_id() -> Form {
    Form {
        search: Some("/console/disputes/show"),
        fields: vec![Field {
            name: "id",
            label: "One dispute",
            hint: "the processor's id, dp_…; works for inquiries too",
            required: true,
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    }
}

pub(super) async fn show(context: &PageContext<'_>, id: &str) -> Result<Page, OperatorError> {
    let id = match id {
        "show" => context.query("id").ok_or_else(|| OperatorError::Refused("`id` is missing".to_owned()))?,
        id => id.to_owned(),
    };
    let answer = context.ask(command::DisputeShow { id }).await?;
    let mut sections = vec![about(&answer), taken(&answer), timeline(&answer)];
    if let Some(payment) = answer.payment.iter().flatten().next() {
        sections.push(Section {
            heading: "Payment and calls".to_owned(),
            note: "Sealed records of calls are evidence of delivery: tollbridge ledger proof SEAL.".to_owned(),
            ..payments::table(&payment.events)
        });
    }
    Ok(Page { title: format!("Dispute {}", answer.dispute.dispute_id), tab: TAB, sections, ..Page::default() })
}

fn about(answer: &DisputeShown) -> Section {
    let links = answer.dispute.case.iter().filter_map(|case| case.dashboard.as_ref());
    let links = links.map(|href| Cell::text("Answer it in the processor's dashboard").link(href.clone()));
    // Leave out the dashboard link, which is shown below, and the next step, which is
    // shown above.
    let facts = facts(answer).into_iter().filter(|(name, _)| name != "Dashboard" && name != "What to do");
    Section {
        note: answer.dispute.what_to_do.clone(),
        facts: facts.collect(),
        links: links.collect(),
        ..Section::default()
    }
}

fn taken(answer: &DisputeShown) -> Section {
    let taken = answer.dispute.booked.iter().flat_map(|booked| &booked.taken);
    let cells = taken.map(|row| vec![Cell::of(&row.from), account_cell(&row.account_id), pounds(&row.amount_gbp)]);
    Section {
        heading: "Amounts taken".to_owned(),
        head: vec!["From", "Account", "Amount"],
        rows: cells.collect(),
        empty: "Nothing was taken.",
        ..Section::default()
    }
}

fn timeline(answer: &DisputeShown) -> Section {
    let cells = answer.events.iter().map(|row| {
        let stage = match row.stage.as_deref().unwrap_or_default() {
            "opened" => "opened: the amount was taken",
            "relieved" => "relieved: returned money covers a part",
            "won" => "won: all amounts were returned",
            other => other,
        };
        vec![time_cell(&row.at), Cell::text(stage), pounds(&row.amount_gbp), Cell::of(&row.worm_seal).class("id")]
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
        let answer = serde_json::from_value(json!({
            "dispute_id": "dp_1", "stage": "open", "amount_gbp": "5.00", "what_to_do": "Answer it",
            "dashboard": "https://dashboard.stripe.com/payments/pi_1",
            "taken": [{ "from": "the house (written off)", "account_id": null, "amount_gbp": "5.00" }],
            "events": [{ "at": "2026-11-26T10:00:00.000Z", "stage": "opened", "amount_gbp": "5.00" }],
        }))
        .unwrap();
        let section = about(&answer);
        assert_eq!(
            (section.note.as_str(), section.links[0].href.as_str()),
            ("Answer it", "https://dashboard.stripe.com/payments/pi_1")
        );
        assert!(section.facts.iter().all(|(name, _)| name != "Dashboard"));
        assert_eq!(taken(&answer).rows[0][2].text, "£5.00");
        assert!(timeline(&answer).rows[0][1].text.starts_with("opened"));
        assert!(about(&serde_json::from_value(json!({ "stage": "inquiry" })).unwrap()).links.is_empty());
    }
}
