//! The operator's console in a browser without scripts, and handling a customer's
//! complaint with commands.

use anyhow::{Context, Result, ensure};
use reqwest::header::{LOCATION, SET_COOKIE};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, eventually};

/// A browser, signed in or not.
pub struct Browser {
    http: reqwest::Client,
    base: String,
    cookie: Option<String>,
}

pub struct ConsoleView {
    pub status: u16,
    pub text: String,
    pub location: Option<String>,
}

impl Browser {
    pub async fn of(folder: &Folder, name: &str, role: &str) -> Result<Self> {
        let made = folder.run_json(&["console", "--as", name, "--role", role])?;
        let link = made["url"].as_str().context("no link")?;
        let http = tollbridge_tests::http().build()?;
        let base = link.split("/console/").next().unwrap_or_default().to_owned();
        let entered = http.get(link).send().await?;
        ensure!(entered.status() == 200, "{}", entered.status());
        let cookie = entered.headers().get(SET_COOKIE).context("no cookie")?.to_str()?.to_owned();
        ensure!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let again = http.get(link).send().await?;
        ensure!(again.status() == 401, "the link works twice");
        let cookie = cookie.split(';').next().map(str::to_owned);
        Ok(Self { http, base, cookie })
    }

    pub async fn get(&self, path: &str) -> Result<ConsoleView> {
        self.send(self.http.get(format!("{}{path}", self.base))).await
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Result<ConsoleView> {
        self.send(self.http.post(format!("{}{path}", self.base)).form(fields)).await
    }

    pub async fn act(&self, fields: &[(String, String)]) -> Result<ConsoleView> {
        self.send(self.http.post(format!("{}/console/act", self.base)).form(fields)).await
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Result<ConsoleView> {
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let response = request.send().await?;
        let location = response.headers().get(LOCATION).map(|to| to.to_str().map(str::to_owned)).transpose()?;
        Ok(ConsoleView { status: response.status().as_u16(), text: response.text().await?, location })
    }

    /// Returns the CSRF token in the forms of this session.
    pub async fn form_token(&self) -> Result<String> {
        let page = self.get("/console").await?;
        ensure!(page.status == 200, "{}: {}", page.status, page.text);
        let (_, rest) = page.text.split_once("name=\"form_token\" value=\"").context("no form")?;
        Ok(rest.split('"').next().unwrap_or_default().to_owned())
    }
}

const PAGES: [&str; 14] = [
    "/console",
    "/console/payments",
    "/console/accounts",
    "/console/plugins",
    "/console/plugins/bridges/echo",
    "/console/plugins/bridges/echo/logs",
    "/console/plugins/bridges/echo/logs?follow=yes",
    "/console/inference",
    "/console/webhooks",
    "/console/disputes",
    "/console/withdrawals",
    "/console/money",
    "/console/requests",
    "/console/audit",
];

async fn shop() -> Result<(Folder, Server, Client, String)> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let customer = client.signed_up("ada@example.com").await?;
    let intent = customer.paid_intent("echo").await?;
    customer.call_with("echo", &intent).await?.must(200)?;
    let account = folder.run_json(&["account", "show", "ada@example.com"])?;
    let account = account["account_id"].as_str().context("no account")?.to_owned();
    Ok((folder, server, customer, account))
}

#[tokio::test]
async fn every_page_requires_a_signed_in_operator() -> Result<()> {
    let (folder, server, _customer, account) = shop().await?;
    let browser = Browser::of(&folder, "ada", "read").await?;
    let stranger = Browser { cookie: None, http: browser.http.clone(), base: browser.base.clone() };
    let of_account = format!("/console/accounts/{account}");
    for path in PAGES.into_iter().chain([of_account.as_str()]) {
        let page = browser.get(path).await?;
        ensure!(page.status == 200 && page.text.contains("<h1>"), "{path}: {} {}", page.status, page.text);
        ensure!(!page.text.contains("<script"), "{path} has a script");
        ensure!(stranger.get(path).await?.status == 401, "{path} is shown without a session");
        let public = server.client().get(path).await?;
        ensure!(public.status == 404, "{path} is on the public listener");
    }
    ensure!(browser.get("/console/none").await?.status == 404, "no such page");
    ensure!(browser.get("/console/payments?since=never").await?.status == 400, "no such time");
    let page = browser.get("/console/accounts?name=missing@example.com").await?;
    ensure!(page.status == 404 && page.text.contains("missing@example.com"), "{}", page.text);
    let token = browser.form_token().await?;
    let left = browser.post("/console/leave", &[("form_token", token.as_str())]).await?;
    ensure!(left.status == 401 && browser.get("/console").await?.status == 401, "still signed in");
    Ok(())
}

#[tokio::test]
async fn a_role_does_what_it_may_and_all_of_it_is_sealed() -> Result<()> {
    let (folder, _server, customer, account) = shop().await?;
    let (reader, admin) = (Browser::of(&folder, "eve", "read").await?, Browser::of(&folder, "bob", "admin").await?);
    let act = [("command", "account-suspend"), ("id", account.as_str()), ("suspended", "yes")];
    let with = |token: &str| -> Vec<(String, String)> {
        let own = [("form_token".to_owned(), token.to_owned())];
        own.into_iter().chain(act.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))).collect()
    };
    let records = folder.records()?;
    let (own, others) = (reader.form_token().await?, admin.form_token().await?);
    let refused = reader.act(&with(&own)).await?;
    ensure!(refused.status == 400 && refused.text.contains("needs the role support"), "{}", refused.text);
    for token in ["", "00", own.as_str()] {
        let forged = admin.act(&with(token)).await?;
        ensure!(forged.status == 400 && forged.text.contains("belongs to another session"), "{}", forged.text);
    }
    ensure!(folder.records()? == records, "a refused command left a record");
    customer.get("/v1/balance").await?.must(200)?;
    let done = admin.act(&with(&others)).await?;
    ensure!(done.status == 303 && done.location == Some(format!("/console/accounts/{account}")), "{}", done.text);
    let refused = customer.get("/v1/balance").await?;
    ensure!(refused.status == 403 || refused.status == 401, "{refused:?}");
    let page = admin.get(&format!("/console/accounts/{account}")).await?;
    ensure!(page.text.contains("Done: account suspend") && page.text.contains("Reinstate"), "{}", page.text);
    let acts = folder.run_json(&["audit"])?;
    let last = &acts["acts"][0];
    let expected = ["bob", "admin", "account-suspend", account.as_str()];
    for (name, value) in ["operator", "role", "command", "target"].into_iter().zip(expected) {
        ensure!(last[name] == value, "{name}: {last}");
    }
    ensure!(admin.get("/console/audit").await?.text.contains("bob"), "not in the audit log");
    folder.verify().map(drop)
}

/// Credit that the operator gives away is paid from the platform's earnings, up to their
/// amount, or from the operator's own money.
#[tokio::test]
async fn support_gives_credit_by_a_form() -> Result<()> {
    let (folder, _server, _customer, account) = shop().await?;
    let support = Browser::of(&folder, "eve", "support").await?;
    let page = support.get(&format!("/console/accounts/{account}")).await?;
    ensure!(page.text.contains("Give credit from the house"), "{}", page.text);
    let token = support.form_token().await?;
    let give = async |amount: &str, own_money: &str| {
        let fields = [
            ("form_token", token.as_str()),
            ("command", "credit-give"),
            ("id", account.as_str()),
            ("amount_gbp", amount),
            ("reason", "late_answers"),
            ("own_money", own_money),
        ];
        support.act(&fields.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    };
    // The platform has earned 1.75 p from a call at 10 p; after this gift of 1 p, 0.75 p
    // are left.
    let given = give("0.01", "no").await?;
    ensure!(given.status == 303, "{}", given.text);
    let refused = give("5.00", "no").await?;
    ensure!(refused.status == 400 && refused.text.contains("the house has earned £0.0075"), "{}", refused.text);
    ensure!(give("5.00", "yes").await?.status == 303, "the owner's money");
    let statement = folder.run(&["ledger", "statement", &format!("credit:{account}")])?;
    ensure!(statement.contains(",goodwill,2,501000,5.01"), "{statement}");
    let acts = folder.run_json(&["audit", "--limit", "3"])?;
    let by_eve = acts["acts"].as_array().context("no acts")?.iter().filter(|act| act["operator"] == "eve");
    ensure!(by_eve.filter(|act| act["target"] == account.as_str()).count() == 3, "{acts}");
    folder.verify().map(drop)
}

/// A customer complains about a call by e-mail: support finds the call and the reason,
/// and refunds it.
#[tokio::test]
async fn a_complaint_is_found_and_refunded_by_commands() -> Result<()> {
    let (folder, _server, customer, account) = shop().await?;
    let intent = customer.paid_intent("echo").await?;
    customer.call_with("echo", &intent).await?.must(200)?;
    // A second intent was paid and never used.
    customer.paid_intent("echo").await?;
    let refused = customer.post("/v1/oracle/echo", &json!([1])).await?;
    ensure!(refused.status == 400 || refused.status == 402, "{refused:?}");
    let request = refused.header("x-request-id").context("no request id")?.to_owned();
    // The complaint names the request id.
    let found = folder.run_json(&["request", "list", "--id", &request])?;
    let line = &found["requests"][0];
    ensure!(line["status"] == refused.status && line["account_id"] == account, "{found}");
    // Lists the payments of that customer.
    let paid = folder.run_json(&["payment", "list", "--email", "ADA@example.com", "--since", "1h"])?;
    let rows = paid["payments"].as_array().context("no rows")?;
    let calls = rows.iter().filter(|row| row["kind"] == "route").count();
    let payment = rows.iter().find(|row| row["kind"] == "payment").context("no payment")?;
    ensure!(calls == 2 && payment["account_id"] == account, "{paid}");
    let handle = payment["intent"].as_str().context("no intent")?;
    // The same payment is found by each of its ids.
    let by_handle = folder.run_json(&["payment", "show", handle])?;
    for name in ["transaction_id", "worm_seal", "reference"] {
        let Some(name) = payment[name].as_str() else { continue };
        let shown = folder.run_json(&["payment", "show", name])?;
        ensure!(shown == by_handle, "{name}: {shown} is not {by_handle}");
    }
    ensure!(by_handle["state"] == "paid", "{by_handle}");
    let left = by_handle["refundable_gbp"].as_str().context("nothing is left")?.to_owned();
    let dry = folder.run_json(&["payment", "refund", handle, "--amount", "0.01", "--dry-run"])?;
    ensure!(dry["amount_gbp"] == "0.01" && dry["refundable_gbp"] == left.as_str(), "{dry}");
    let too_much = folder.try_run(&["payment", "refund", handle, "--amount", "1000"])?;
    ensure!(!too_much.status.success(), "more than the remaining amount was refunded");
    let part = folder.run_json(&["payment", "refund", handle, "--amount", "0.01", "--reason", "goodwill"])?;
    ensure!(part["amount_gbp"] == "0.01", "{part}");
    let rest = folder.run_json(&["payment", "refund", handle])?;
    let after = folder.run_json(&["payment", "show", handle])?;
    ensure!(after["state"] == "refunded" && after["refundable_gbp"] != left.as_str(), "{rest} {after}");
    let refunds = after["events"].as_array().context("no events")?.iter().filter(|row| row["kind"] == "refund").count();
    ensure!(refunds >= 2, "{after}");
    // The customer sees the refund, too, and the books agree.
    let page = customer.get("/v1/transactions").await?.must(200)?.json;
    let mine = page["transactions"].as_array().context("no transactions")?;
    let row = mine.iter().find(|row| row["intent"] == handle && row["kind"] == "payment").context("no payment")?;
    let refunded = left.parse::<f64>()? * 100_000.0;
    ensure!(row["refunded_millipence"].as_f64() == Some(refunded.round()), "{page} does not show the refund of {left}");
    let report = folder.run_json(&["report", "revenue", "--by", "plugin,account"])?;
    ensure!(report["rows"][0]["plugin"] == "echo" && report["total"]["sales"] == 2, "{report}");
    let acts: Value = folder.run_json(&["audit"])?;
    let refunds = acts["acts"].as_array().context("no acts")?.iter().filter(|act| act["command"] == "payment-refund");
    ensure!(refunds.clone().count() == 3 && refunds.clone().all(|act| act["target"] == handle), "{acts}");
    folder.verify().map(drop)
}

/// A plugin's page replays stored inputs, and shows the result.
#[tokio::test]
async fn inputs_are_replayed_by_a_form() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[plugins.echo]\nkeep_inputs = 5\n").await?;
    folder.run_json(&["plugin", "pin", "echo", "1.0.0"])?;
    folder.publish_echo("1.0.1", "0.10")?;
    let inspect = || folder.run_json(&["plugin", "inspect", "echo"]);
    let known = || async { Ok(inspect()?.to_string().contains("1.0.1").then_some(())) };
    eventually("the new version is listed", 20, known).await?;
    let customer = client.signed_up("ada@example.com").await?;
    let intent = customer.paid_intent("echo").await?;
    customer.call_with("echo", &intent).await?.must(200)?;
    let admin = Browser::of(&folder, "bob", "admin").await?;
    let (path, token) = ("/console/plugins/bridges/echo", admin.form_token().await?);
    let page = admin.get(path).await?;
    ensure!(page.text.contains("Replay kept inputs"), "{}", page.text);
    let act = async |command: &str| {
        let fields = [
            ("form_token", token.as_str()),
            ("command", command),
            ("plugin", "bridges/echo"),
            ("version", "1.0.1"),
            ("last", "5"),
        ];
        let done = admin.post("/console/act", &fields).await?;
        ensure!(done.status == 303 && done.location.as_deref() == Some(path), "{}", done.text);
        admin.get(path).await
    };
    let page = act("plugin-replay").await?;
    ensure!(page.text.contains("1.0.1 compared with 1.0.0 on 1 inputs: 0 same, 1 changed"), "{}", page.text);
    ensure!(page.text.contains("/version"), "{}", page.text);
    let page = act("plugin-forget-inputs").await?;
    ensure!(page.text.contains("Done: plugin forget inputs"), "{}", page.text);
    Ok(())
}
