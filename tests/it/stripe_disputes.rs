//! Disputes, with a server that behaves like Stripe: how much money they take, from which
//! accounts, and how much is returned.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::stripe::{Fault, Stripe};
use tollbridge_tests::{Client, Folder, Server, eventually, worker, worker_manifest};

use crate::stripe::{open, paid, quote, the_other_verifier_agrees, with_stripe};

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_takes_what_is_left_and_may_be_won() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, session) = paid(&stripe, &client).await?;
    let payment = session["payment_intent"].as_str().context("no payment")?;
    let remaining = async || -> Result<Value> {
        let reply = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
        Ok(reply.json["remaining_pence"].clone())
    };
    let inquiry = stripe.dispute(payment, "warning_needs_response")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &inquiry).await? == 200, "not accepted");
    ensure!(remaining().await? == 490, "an inquiry took money");
    let opened = stripe.dispute(payment, "needs_response")?;
    for kind in ["charge.dispute.funds_withdrawn", "charge.dispute.created", "charge.dispute.created"] {
        ensure!(stripe.send_event(&server.url, kind, &opened).await? == 200, "not accepted");
    }
    ensure!(remaining().await? == 0, "{:?}", remaining().await);
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    let export = folder.run(&["ledger", "export"])?;
    ensure!(export.contains("{\"account\":\"write_off\",\"millipence\":-10000}"), "the shortfall is not written off");
    let won = stripe.dispute(payment, "won")?;
    // The closing event arrives before the opening one.
    for (kind, object) in [("charge.dispute.closed", &won), ("charge.dispute.created", &opened)] {
        ensure!(stripe.send_event(&server.url, kind, object).await? == 200, "not accepted");
    }
    ensure!(remaining().await? == 490, "{:?}", remaining().await);
    client.call_with("echo", &intent).await?.must(200)?;
    let metrics = folder.metrics().await?;
    for stage in ["opened", "won"] {
        ensure!(metrics.contains(&format!("tollbridge_disputes_total{{stage=\"{stage}\"}} 1\n")), "{metrics}");
    }
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

/// Spent money is taken from earnings that are still on hold.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_takes_earnings_on_hold_before_it_is_a_loss() -> Result<()> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&stripe.config().replace("hold_days = 0", "hold_days = 7"))?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let developer = server.client().with_key(&folder.developer);
    let pending =
        async || -> Result<Value> { Ok(developer.get("/v1/balance").await?.must(200)?.json["pending_gbp"].clone()) };
    let (intent, session) = paid(&stripe, &client).await?;
    let (others, _) = paid(&stripe, &client).await?;
    for _ in 0..4 {
        client.call_with("echo", &intent).await?.must(200)?;
    }
    ensure!(pending().await? == "£0.48", "{}", pending().await?);
    let payment = session["payment_intent"].as_str().context("no payment")?;
    let opened = stripe.dispute(payment, "needs_response")?;
    for _ in 0..2 {
        ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? == 200, "not accepted");
    }
    // Five calls with the payment earned 8 p each; the remaining 10 p are written off.
    ensure!(pending().await? == "£0.08", "{}", pending().await?);
    let export = folder.run(&["ledger", "export"])?;
    ensure!(export.contains("{\"account\":\"write_off\",\"millipence\":-10000}"), "{export}");
    let page = developer.get("/v1/transactions?limit=1").await?.must(200)?.json;
    let newest = &page["transactions"][0];
    ensure!(newest["kind"] == "dispute" && newest["earnings_millipence"] == -40_000, "{page}");
    client.call_with("echo", &others).await?.must(200)?;
    let fees = folder.run(&["ledger", "statement", "processor:fees"])?;
    ensure!(fees.contains("-1500000") || fees.contains("-1528000") || fees.contains("-1556000"), "{fees}");

    let won = stripe.dispute(payment, "won")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.closed", &won).await? == 200, "not accepted");
    ensure!(pending().await? == "£0.56", "{}", pending().await?);
    client.call_with("echo", &intent).await?.must(200)?;
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(&folder).await
}

/// If the disputed payment was converted to credit, the unspent part is taken from the
/// credit, and the spent part from those who earned it.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_follows_money_that_became_credit() -> Result<()> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&stripe.config().replace("hold_days = 0", "hold_days = 7"))?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let developer = server.client().with_key(&folder.developer);
    let member = async |of: &Client, name: &str| -> Result<Value> {
        Ok(of.get("/v1/balance").await?.must(200)?.json[name].clone())
    };
    let (intent, session) = paid(&stripe, &client).await?;
    client.post(&format!("/v1/payments/{intent}/credit"), &json!({})).await?.must(200)?;
    client.call_on_credit("echo").await?.must(200)?;
    ensure!(member(&client, "credit_gbp").await? == "£4.80", "not all became credit");
    ensure!(member(&developer, "pending_gbp").await? == "£0.16", "two calls earn 16 p");

    let payment = session["payment_intent"].as_str().context("no payment")?;
    let opened = stripe.dispute(payment, "needs_response")?;
    for _ in 0..2 {
        ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? == 200, "not accepted");
    }
    ensure!(member(&client, "credit_gbp").await? == "£0.00", "disputed credit remains");
    ensure!(member(&developer, "pending_gbp").await? == "£0.00", "disputed earnings remain");
    let export = folder.run(&["ledger", "export"])?;
    ensure!(export.contains("{\"account\":\"write_off\",\"millipence\":-4000}"), "{export}");
    client.call_on_credit("echo").await?.must_be(402, "E003")?;
    the_other_verifier_agrees(&folder).await?;

    let won = stripe.dispute(payment, "won")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.closed", &won).await? == 200, "not accepted");
    ensure!(member(&client, "credit_gbp").await? == "£4.80", "not returned");
    client.call_on_credit("echo").await?.must(200)?;
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(&folder).await
}

/// Starts a server with a fake Stripe, earnings on hold, the agent `worker`, and an
/// account that converted a payment of £5.00 to credit, except for 10 p spent on a call.
async fn with_credit(price_gbp: &str) -> Result<(Stripe, Folder, Server, Client, String)> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&stripe.config().replace("hold_days = 0", "hold_days = 7"))?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&worker_manifest("tester", "worker", price_gbp, "echo", 60_000), &worker("echo")?)?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let (intent, session) = paid(&stripe, &client).await?;
    client.post(&format!("/v1/payments/{intent}/credit"), &json!({})).await?.must(200)?;
    let payment = session["payment_intent"].as_str().context("no payment")?.to_owned();
    Ok((stripe, folder, server, client, payment))
}

/// A dispute also takes credit reserved for queued tasks.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_gives_up_tasks_that_wait() -> Result<()> {
    let (stripe, folder, server, client, payment) = with_credit("1.00").await?;
    let credit =
        async || -> Result<Value> { Ok(client.get("/v1/balance").await?.must(200)?.json["credit_gbp"].clone()) };
    let mut tasks = Vec::new();
    for _ in 0..3 {
        // The task computes until its time limit.
        let queued = json!({ "agent": "worker", "task": "spin" });
        let queued = client.post("/v1/agents/enqueue", &queued).await?.must(202)?;
        tasks.push(queued.json["task_id"].as_str().context("no task")?.to_owned());
    }
    ensure!(credit().await? == "£1.90", "{}", credit().await?);
    let opened = stripe.dispute(&payment, "needs_response")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? == 200, "not accepted");
    ensure!(credit().await? == "£0.00", "{}", credit().await?);
    for task in &tasks {
        let shown = client.get(&format!("/v1/tasks/{task}")).await?.must(200)?.json;
        ensure!(shown["status"] == "failed" && shown["error"]["code"] == "E003", "{shown}");
        client.post(&format!("/v1/tasks/{task}/cancel"), &json!({})).await?.must_be(409, "E028")?;
    }
    let export = folder.run(&["ledger", "export"])?;
    // The 8 p earned from the one call are still on hold.
    ensure!(export.contains("{\"account\":\"write_off\",\"millipence\":-2000}"), "{export}");
    ensure!(!export.contains("{\"account\":\"held:"), "{export}");
    ensure!(credit().await? == "£0.00", "{}", credit().await?);
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(&folder).await
}

/// A dispute also takes the money reserved by a call in flight: the call gets no answer
/// and is not charged, and no balance becomes negative.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_credit_is_disputed_gets_no_answer() -> Result<()> {
    let (stripe, folder, server, client, payment) = with_credit("2.50").await?;
    let invoke =
        async |task: &str| client.post("/v1/agents/worker/invoke", &json!({ "task": task, "wait_ms": 60_000 })).await;
    let disputed = async {
        // The credit covers only one call, so a refusal of a second proves that the first
        // has begun.
        let busy = async || Ok((invoke("fail").await?.status == 409).then_some(()));
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        eventually("the call runs", 10, busy).await?;
        let opened = stripe.dispute(&payment, "needs_response")?;
        ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? == 200, "not accepted");
        Ok(())
    };
    let (reply, disputed) = tokio::join!(invoke("long"), disputed);
    disputed?;
    reply?.must_quote(Some("taken_back"))?;
    invoke("hello").await?.must_quote(Some("insufficient_credit"))?;
    let balance = client.get("/v1/balance").await?.must(200)?.json;
    ensure!(balance["credit_gbp"] == "£0.00", "{balance}");
    let export = folder.run(&["ledger", "export"])?;
    ensure!(export.contains("{\"account\":\"write_off\",\"millipence\":-2000}"), "{export}");
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(&folder).await
}

/// Stripe reports a dispute by one event and then does not answer look-ups: the dispute
/// is still recorded in the ledger later.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_that_cannot_be_looked_up_is_booked_later() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (_, token) = quote(&client).await?;
    let session = stripe.pay(&open(&stripe, &client, &token).await?)?;
    let opened = stripe.dispute(session["payment_intent"].as_str().context("no payment")?, "needs_response")?;
    stripe.fail("GET", "/v1/disputes", &vec![Fault::ErrorBefore; 1_000]);
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? >= 500, "no resend was requested");
    let id = opened["id"].as_str().context("no id")?;
    let unbooked = || -> Result<Value> { Ok(folder.run_json(&["payment", "reconcile"])?["disputes_unbooked"].clone()) };
    ensure!(unbooked()? == json!([id]), "{}", unbooked()?);
    stripe.clear_faults();
    eventually("the dispute is booked", 20, async || Ok((unbooked()? == json!([])).then_some(()))).await?;
    ensure!(folder.run(&["ledger", "export"])?.contains(id), "the dispute is not in the ledger");
    // The payment can be looked up by the id that Stripe's dashboard shows.
    let shown = folder.run_json(&["payment", "show", session["payment_intent"].as_str().context("no payment")?])?;
    ensure!(shown["state"] == "disputed" && shown["refundable_gbp"] == "0.00", "{shown}");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

/// A dispute that cannot be recorded in the ledger yet is reported, remembered, and
/// recorded automatically later.
#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_that_cannot_be_booked_is_booked_later() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (_, token) = quote(&client).await?;
    let session = open(&stripe, &client, &token).await?;
    // The payment is not known yet, and Stripe does not answer.
    stripe.fail("GET", "/v1/checkout/sessions", &vec![Fault::ErrorBefore; 1_000]);
    let session = stripe.pay(&session)?;
    let opened = stripe.dispute(session["payment_intent"].as_str().context("no payment")?, "needs_response")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? >= 500, "no resend was requested");
    let id = opened["id"].as_str().context("no id")?;
    let unbooked = || -> Result<Value> { Ok(folder.run_json(&["payment", "reconcile"])?["disputes_unbooked"].clone()) };
    ensure!(unbooked()? == json!([id]), "{}", unbooked()?);
    let metrics = folder.metrics().await?;
    ensure!(metrics.contains("tollbridge_disputes_unbooked_total "), "the metric is missing");
    ensure!(!metrics.contains("tollbridge_disputes_unbooked_total 0"), "the dispute is not counted");
    stripe.clear_faults();
    eventually("the dispute is booked", 20, async || Ok((unbooked()? == json!([])).then_some(()))).await?;
    let export = folder.run(&["ledger", "export"])?;
    ensure!(export.contains(id) && !export.contains("{\"account\":\"unearned:"), "{export}");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}
