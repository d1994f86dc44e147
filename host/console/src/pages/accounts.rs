//! Accounts: their data, balances, keys and webhooks, and actions on them.

use tollbridge_operator::{
    AccountView, KeyView, LimitsChange, LimitsView, OperatorError, PaymentFilter, WebhookRow, command,
};

use super::payments;
use crate::page::{Cell, Field, Form, Page, Section, encoded, facts};
use crate::page_context::{PageContext, account_cell};

pub(super) async fn list(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let search = Form {
        search: Some("/console/accounts"),
        fields: vec![Field {
            name: "name",
            label: "Account",
            hint: "account id, or the e-mail address used to sign up",
            required: true,
            value: context.query("name").unwrap_or_default(),
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    };
    let mut sections = vec![Section { forms: vec![search], ..Section::default() }];
    if let Some(name) = context.query("name") {
        let found = context.ask(command::AccountShow { id: name }).await?;
        sections.push(table(&[found.account]));
    } else {
        let answer = context.ask(command::AccountList { after: context.query("after") }).await?;
        let mut section = table(&answer.accounts);
        if let (Some(last), true) = (answer.accounts.last(), section.rows.len() == 100) {
            section.older = format!("/console/accounts?after={}", encoded(&last.account_id));
        }
        sections.push(section);
    }
    Ok(Page { title: "Accounts".to_owned(), tab: "/console/accounts", sections, ..Page::default() })
}

fn table(accounts: &[AccountView]) -> Section {
    let cells = accounts.iter().map(|row| {
        let suspended = Cell::of(&row.suspended).class(if row.suspended { "bad" } else { "" });
        vec![account_cell(&row.account_id), Cell::of(&row.email), Cell::of(&row.tier), suspended]
    });
    Section {
        head: vec!["Account", "E-mail", "Tier", "Suspended"],
        rows: cells.collect(),
        empty: "There are no accounts.",
        ..Section::default()
    }
}

pub(super) async fn show(context: &PageContext<'_>, id: &str) -> Result<Page, OperatorError> {
    let account = context.ask(command::AccountShow { id: id.to_owned() }).await?;
    let id = account.account.account_id.clone();
    let limits = context.ask(command::AccountLimits { id: id.clone(), change: LimitsChange::Keep }).await?;
    let keys = context.ask(command::KeyList { account: id.clone() }).await?;
    let webhooks = context.ask(command::WebhookList { account: id.clone() }).await?;
    let filter = PaymentFilter { account: Some(id.clone()), ..PaymentFilter::default() };
    let history = context.ask(command::PaymentList { filter: Box::new(filter) }).await?;
    let mut about = facts(&account);
    about.extend(facts(&limits).into_iter().filter(|(name, _)| name.starts_with("per ")));
    let sections = vec![
        Section {
            heading: "Current state".to_owned(),
            facts: about,
            forms: forms(&account.account, &limits, context.sandbox),
            ..Section::default()
        },
        key_table(&id, &keys.keys),
        webhook_table(&webhooks.webhooks),
        Section { heading: "Money".to_owned(), ..payments::table(&history.payments) },
    ];
    Ok(Page { title: format!("Account {id}"), tab: "/console/accounts", sections, ..Page::default() })
}

fn forms(account: &AccountView, limits: &LimitsView, sandbox: bool) -> Vec<Form> {
    let id = || vec![("id", account.account_id.clone())];
    let suspended = account.suspended;
    let suspend = Form {
        title: if suspended { "Reinstate" } else { "Suspend" },
        command: "account-suspend",
        hidden: [id(), vec![("suspended", if suspended { "no" } else { "yes" }.to_owned())]].concat(),
        button: if suspended { "Reinstate the account" } else { "Suspend the account and all of its keys" },
        danger: !suspended,
        ..Form::default()
    };
    let tier = Field {
        name: "tier",
        label: "Tier",
        options: vec!["free", "pro", "enterprise"],
        value: account.tier.clone(),
        ..Field::default()
    };
    let tier = Form {
        title: "Tier",
        command: "account-tier",
        hidden: id(),
        fields: vec![tier],
        button: "Change",
        ..Form::default()
    };
    let number = |name: &'static str, label: &'static str, limit: u32| Field {
        name,
        label,
        value: limit.to_string(),
        required: true,
        ..Field::default()
    };
    let limits = Form {
        title: "Limits (enterprise tier)",
        command: "account-limits",
        hidden: id(),
        fields: vec![
            number("per_minute", "Calls a minute", limits.per_minute),
            number("per_hour", "Calls an hour", limits.per_hour),
        ],
        button: "Set",
        ..Form::default()
    };
    let mut all = vec![suspend, tier, limits, goodwill(id())];
    if sandbox {
        all.push(Form {
            title: "Give test credit (sandbox)",
            command: "account-credit",
            hidden: id(),
            fields: vec![pounds_field()],
            button: "Give",
            ..Form::default()
        });
    }
    all
}

fn pounds_field() -> Field {
    Field { name: "amount_gbp", label: "Pounds", required: true, ..Field::default() }
}

/// Returns the form that gives an account credit at the platform's expense (goodwill).
fn goodwill(id: Vec<(&'static str, String)>) -> Form {
    let reason = Field {
        name: "reason",
        label: "Reason",
        required: true,
        hint: "a short code, such as late_answers",
        ..Field::default()
    };
    let from = Field {
        name: "own_money",
        label: "From your own money",
        options: vec!["no", "yes"],
        value: "no".to_owned(),
        hint: "instead of the house's earnings",
        ..Field::default()
    };
    Form {
        title: "Give credit from the house's money",
        command: "credit-give",
        hidden: id,
        fields: vec![pounds_field(), reason, from],
        button: "Give credit",
        danger: true,
        ..Form::default()
    }
}

fn key_table(id: &str, keys: &[KeyView]) -> Section {
    let cells = keys.iter().map(|row| {
        let class = if row.revoked { "bad" } else { "" };
        vec![Cell::of(&row.id), Cell::of(&row.label), Cell::of(&row.revoked).class(class)]
    });
    let live: Vec<&KeyView> = keys.iter().filter(|row| !row.revoked).collect();
    // The key is preselected only if there is just one.
    let only = if let [only] = live.as_slice() { only.id.clone() } else { String::new() };
    let key = Field { name: "key", label: "Key", value: only, required: true, ..Field::default() };
    let revoke = Form {
        command: "key-revoke",
        hidden: vec![("id", id.to_owned())],
        fields: vec![key],
        button: "Revoke",
        danger: true,
        ..Form::default()
    };
    let forms = if live.is_empty() { Vec::new() } else { vec![revoke] };
    Section {
        heading: "Keys".to_owned(),
        head: vec!["Key", "Label", "Revoked"],
        rows: cells.collect(),
        empty: "The account has no keys.",
        forms,
        ..Section::default()
    }
}

fn webhook_table(webhooks: &[WebhookRow]) -> Section {
    let cells = webhooks.iter().map(|row| {
        let id = Cell::of(&row.id).link(format!("/console/webhooks/{}", encoded(&row.id)));
        vec![id, Cell::of(&row.url), Cell::of(&row.events), Cell::of(&row.disabled_because)]
    });
    Section {
        heading: "Webhooks".to_owned(),
        head: vec!["Endpoint", "Address", "Events", "Disabled because"],
        rows: cells.collect(),
        empty: "The account has no webhooks.",
        ..Section::default()
    }
}
