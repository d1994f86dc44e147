//! Payouts, with a server that behaves like Stripe: a withdrawal leads to only one
//! transfer, whatever is lost or killed. The results are compared with the fake Stripe's
//! list of transfers.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;
use tollbridge_tests::stripe::{Fault, Gate, Stripe};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually};

use super::stripe::{quote, with_stripe};

/// The developer's share of calls worth £8.00, in pence.
pub const EARNED_PENCE: i64 = 640;

pub struct Shop {
    pub stripe: Stripe,
    pub folder: Folder,
    pub server: Server,
    pub developer: Client,
}

/// Starts a shop with a developer who has earned £6.40 and connected a payout account.
pub async fn shop() -> Result<Shop> {
    let (stripe, folder, server, payer) = with_stripe().await?;
    stripe.deposit(100_000);
    for _ in 0..2 {
        let (intent, token) = quote(&payer).await?;
        let opened = payer.post(&format!("/pay/{token}"), &serde_json::json!({})).await?.must(200)?;
        let session = stripe.session_at(opened.json["url"].as_str().context("no url")?)?;
        let paid = stripe.pay(&session)?;
        ensure!(stripe.send_event(&server.url, "checkout.session.completed", &paid).await? == 200, "not heard");
        for _ in 0..40 {
            payer.call_with("echo", &intent).await?.must(200)?;
        }
    }
    let developer = server.client().with_key(&folder.developer);
    connect(&stripe, &developer, &server.url).await?;
    ensure!(available(&developer).await? == EARNED_PENCE, "earned {}", available(&developer).await?);
    Ok(Shop { stripe, folder, server, developer })
}

/// Connects a payout account through the OAuth pages, as a browser would.
async fn connect(stripe: &Stripe, developer: &Client, url: &str) -> Result<()> {
    let away = developer.get("/account/connect").await?.must(303)?;
    let place = away.header("location").context("no location")?.to_owned();
    let stripes = Client::new(&stripe.url());
    let path = place.strip_prefix(&stripe.url()).with_context(|| format!("not to Stripe: {place}"))?;
    let back = stripes.get(path).await?.must(303)?;
    let back = back.header("location").context("no location")?;
    let path =
        back.strip_prefix(url).with_context(|| format!("the redirect does not lead back to this server: {back}"))?;
    Client::new(url).get(path).await?.must(200)?;
    Client::new(url).get(path).await?.must_be(400, "E011")?;
    Ok(())
}

pub async fn withdraw(developer: &Client) -> Result<Reply> {
    developer.send(developer.request(Method::POST, "/v1/withdraw")).await
}

pub async fn available(developer: &Client) -> Result<i64> {
    let reply = developer.get("/v1/balance").await?.must(200)?;
    reply.json["balance_pence"].as_i64().context("no balance")
}

pub async fn newest(developer: &Client) -> Result<Value> {
    let listed = developer.get("/v1/withdrawals").await?.must(200)?.json;
    Ok(listed["withdrawals"][0].clone())
}

async fn settled(developer: &Client) -> Result<()> {
    let look = async || Ok((newest(developer).await?["state"] == "settled").then_some(()));
    eventually("settled", 30, look).await.map(drop)
}

/// Checks that Stripe has made exactly one transfer, of all earnings.
fn one_transfer(stripe: &Stripe) -> Result<()> {
    let all = stripe.all("transfers");
    ensure!(all.len() == 1 && all[0]["amount"] == EARNED_PENCE, "{all:#?}");
    stripe.must_have_no_violations()
}

#[tokio::test(flavor = "multi_thread")]
async fn earnings_go_to_the_connected_account() -> Result<()> {
    let Shop { stripe, folder, server, developer } = shop().await?;
    let done = withdraw(&developer).await?.must(200)?;
    ensure!(done.json["withdrawn_gbp"] == "£6.40", "{}", done.text);
    one_transfer(&stripe)?;
    let transfer = stripe.all("transfers")[0].clone();
    ensure!(transfer["transfer_group"] == done.json["withdrawal_id"], "{transfer}");
    ensure!(newest(&developer).await?["transfer"] == transfer["id"], "a different reference");
    withdraw(&developer).await?.must_be(409, "E019")?;
    // The whole transfer is reversed: the developer gets the money back once.
    let reversed = stripe.reverse(transfer["id"].as_str().context("no id")?, EARNED_PENCE)?;
    for _ in 0..2 {
        ensure!(stripe.send_event(&server.url, "transfer.reversed", &reversed).await? == 200, "not accepted");
    }
    ensure!(available(&developer).await? == EARNED_PENCE, "not restored");
    ensure!(newest(&developer).await?["state"] == "returned", "{}", newest(&developer).await?);
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_lost_there_is_one_transfer() -> Result<()> {
    let faults = [Fault::LostBefore, Fault::LostAfter, Fault::ErrorAfter, Fault::Conflict, Fault::TooMany];
    for fault in faults {
        let Shop { stripe, folder, developer, server: _server } = shop().await?;
        stripe.fail("POST", "/v1/transfers", &[fault]);
        let unclear = withdraw(&developer).await?.must(202)?;
        ensure!(unclear.json["settlement"] == "being confirmed", "{}", unclear.text);
        settled(&developer).await?;
        one_transfer(&stripe)?;
        folder.verify()?;
    }
    Ok(())
}

/// The transfer is made, but its answer is lost, and then Stripe refuses look-ups: a
/// refused look-up must not count as a refused transfer.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_look_up_never_restores_the_balance() -> Result<()> {
    let Shop { stripe, folder, developer, server: _server } = shop().await?;
    stripe.fail("POST", "/v1/transfers", &[Fault::LostAfter]);
    stripe.fail("GET", "/v1/transfers", &[Fault::Missing, Fault::Missing]);
    withdraw(&developer).await?.must(202)?;
    let asked = async || Ok((stripe.asked("GET", "/v1/transfers") >= 2).then_some(()));
    eventually("looked up twice", 20, asked).await?;
    withdraw(&developer).await?.must_be(409, "E019")?;
    settled(&developer).await?;
    ensure!(available(&developer).await? == 0, "paid out and restored");
    one_transfer(&stripe)?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unclear_payout_is_never_released() -> Result<()> {
    let Shop { stripe, folder, developer, server: _server } = shop().await?;
    // Stripe fails, stores its 500 under the key and repeats it.
    stripe.fail("POST", "/v1/transfers", &[Fault::ErrorBefore]);
    withdraw(&developer).await?.must(202)?;
    eventually("Stripe is retried", 20, async || Ok((stripe.asked("POST", "/v1/transfers") > 3).then_some(()))).await?;
    ensure!(newest(&developer).await?["state"] == "being_confirmed", "{}", newest(&developer).await?);
    ensure!(available(&developer).await? == 0, "the money was released");
    withdraw(&developer).await?.must_be(409, "E019")?;
    let listed = folder.run_json(&["withdrawal", "list"])?;
    let id = listed["withdrawals"][0]["withdrawal_id"].as_str().context("not listed")?;
    for act in ["release", "reject"] {
        let output = folder.try_run(&["withdrawal", act, id])?;
        ensure!(!output.status.success(), "{act} of a withdrawal that Stripe still processes must fail");
    }
    // Stripe forgets the idempotency key. The transfer is now made, and only once.
    stripe.forget_keys();
    settled(&developer).await?;
    one_transfer(&stripe)?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clear_no_restores_the_balance() -> Result<()> {
    let Shop { stripe, folder, developer, server: _server } = shop().await?;
    stripe.deposit(-stripe.balance());
    let refused = withdraw(&developer).await?.must_be(503, "E026")?;
    ensure!(refused.text.contains("balance_insufficient"), "{}", refused.text);
    ensure!(available(&developer).await? == EARNED_PENCE && stripe.all("transfers").is_empty(), "not restored");
    stripe.deposit(100_000);
    // Another attempt by the developer is a new withdrawal.
    withdraw(&developer).await?.must(200)?;
    one_transfer(&stripe)?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_at_any_point_makes_one_transfer() -> Result<()> {
    // Two moments for the kill: the withdrawal is reserved but Stripe has not received
    // the request; Stripe has made the transfer but not answered.
    type Point = (&'static str, fn(Gate) -> Fault);
    let points: [Point; 2] = [("before the transfer", Fault::WaitBefore), ("before its answer", Fault::WaitAfter)];
    for (name, point) in points {
        let Shop { stripe, folder, developer, server } = shop().await?;
        let gate = Gate::default();
        stripe.fail("POST", "/v1/transfers", &[point(gate.clone())]);
        let asking = tokio::spawn({
            let developer = developer.clone();
            async move { withdraw(&developer).await }
        });
        gate.reached().await;
        server.kill().await?;
        gate.open();
        ensure!(asking.await?.is_err(), "answered {name}");
        ensure!(stripe.all("transfers").len() <= 1, "{name}: {:?}", stripe.all("transfers"));
        let server = folder.serve().await?;
        let developer = Client::new(&server.url).with_key(&folder.developer);
        settled(&developer).await.with_context(|| name.to_owned())?;
        ensure!(available(&developer).await? == 0, "{name}");
        one_transfer(&stripe).with_context(|| name.to_owned())?;
        folder.verify()?;
        // Killed again, after the withdrawal was settled.
        server.kill().await?;
        let server = folder.serve().await?;
        let developer = Client::new(&server.url).with_key(&folder.developer);
        ensure!(newest(&developer).await?["state"] == "settled", "{name}");
        one_transfer(&stripe)?;
    }
    Ok(())
}
