//! Incoming payments, with a server that behaves like Stripe: payment pages, look-ups,
//! events, refunds, and failures in between.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::stripe::{EVENT_SECRET, Fault, Stripe, event, now_s, signature};
use tollbridge_tests::{Client, Folder, Person, Server, eventually, intent_of};

/// Starts a server that accepts payments through a fake Stripe, with the bridge `echo` at
/// 10 p and a client with a key.
pub async fn with_stripe() -> Result<(Stripe, Folder, Server, Client)> {
    let stripe = Stripe::start().await?;
    let folder = Folder::new(&stripe.config())?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let key = folder.key()?.1;
    ensure!(key.starts_with("tb_live_"), "the server must create live keys: {key}");
    let client = server.client().with_key(&key);
    Ok((stripe, folder, server, client))
}

/// Requests a quote; returns its intent and the token of its payment link.
pub async fn quote(client: &Client) -> Result<(String, String)> {
    let quote = client.call("echo", &json!({}), &[]).await?.must(402)?;
    let link = quote.json["payment"]["payment_link"].as_str().context("no link")?;
    ensure!(quote.json["payment"]["charge_pence"] == 500, "{}", quote.text);
    Ok((intent_of(&quote)?, link.rsplit('/').next().context("no token")?.to_owned()))
}

/// Opens the payment page of a quote; returns the checkout session at Stripe.
pub async fn open(stripe: &Stripe, client: &Client, token: &str) -> Result<String> {
    let opened = client.post(&format!("/pay/{token}"), &json!({})).await?.must(200)?;
    ensure!(opened.json["status"] == "open", "{}", opened.text);
    stripe.session_at(opened.json["url"].as_str().context("no url")?)
}

/// Returns a paid intent and its checkout session.
pub async fn paid(stripe: &Stripe, client: &Client) -> Result<(String, Value)> {
    let (intent, token) = quote(client).await?;
    let session = open(stripe, client, &token).await?;
    let session = stripe.pay(&session)?;
    client.call_with("echo", &intent).await?.must(200)?;
    Ok((intent, session))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_pays_for_many_calls() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, token) = quote(&client).await?;
    client.call_with("echo", &intent).await?.must_quote(Some("unpaid"))?;
    ensure!(stripe.asked("GET", "/v1/") == 0, "a session was looked up before any was opened");
    let session = open(&stripe, &client, &token).await?;
    ensure!(open(&stripe, &client, &token).await? == session, "opening the page again must return the same session");
    ensure!(stripe.all("sessions").len() == 1, "{:?}", stripe.all("sessions"));
    stripe.pay(&session)?;
    // The server got no event about the payment; a call discovers the payment once the
    // next look-up is due.
    let called = eventually("paid", 20, async || {
        let reply = client.call_with("echo", &intent).await?;
        ensure!(matches!((reply.status, reply.code()), (200, _) | (503, "E026")), "{}: {}", reply.status, reply.text);
        Ok((reply.status == 200).then_some(reply))
    });
    let first = called.await?.0;
    ensure!(first.header("x-payment-remaining") == Some("4.90"), "{first:?}");
    for _ in 0..49 {
        client.call_with("echo", &intent).await?.must(200)?;
    }
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    let page = server.client().get(&format!("/pay/{token}")).await?.must(200)?;
    ensure!(page.text.contains("Paid") && !page.text.contains("sandbox"), "{}", page.text);
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_is_led_to_the_page_of_the_processor() -> Result<()> {
    let (stripe, _folder, server, client) = with_stripe().await?;
    let (_, token) = quote(&client).await?;
    let mut person = Person::new(&server.client());
    let path = format!("/pay/{token}");
    person.visit(&path).await?.must(200)?;
    // The server sends a page instead of a redirect, because the form's content security
    // policy forbids targets on other sites.
    let leaving = person.send(&path, &[]).await?.must(200)?;
    let url = leaving.header("refresh").and_then(|value| value.strip_prefix("0; url=")).context("no next page")?;
    let session = stripe.session_at(url)?;
    ensure!(leaving.text.contains("Calls to echo") && leaving.text.contains(&session), "{}", leaving.text);
    stripe.pay(&session)?;
    let back = person.send(&path, &[]).await?.must(303)?;
    ensure!(back.header("location") == Some(&path), "{back:?}");
    ensure!(person.visit(&path).await?.must(200)?.text.contains("Payment received"), "not paid");

    // A developer without earnings connects an account and sees Stripe's own page.
    person.sign_in(client.key().context("no key")?).await?;
    let leaving = person.fill("/account/money", "/account/money/connect", &[]).await?.must(200)?;
    let url = leaving.header("refresh").context("no next page")?;
    ensure!(url.contains("/oauth/authorize?") && url.contains("state="), "{url}");
    let small = person.fill("/account/money", "/account/money/top-up", &[("pounds", "2")]).await?.must(400)?;
    ensure!(small.text.contains("at least £5.00"), "{}", small.text);
    let leaving = person.fill("/account/money", "/account/money/top-up", &[("pounds", "9")]).await?.must(200)?;
    let url = leaving.header("refresh").and_then(|value| value.strip_prefix("0; url=")).context("no next page")?;
    stripe.pay(&stripe.session_at(url)?)?;
    stripe.must_have_no_violations()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_may_come_late_twice_and_in_any_order() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, token) = quote(&client).await?;
    let session = open(&stripe, &client, &token).await?;
    let unpaid = stripe.all("sessions")[0].clone();
    // The outdated event only triggers a look-up.
    ensure!(stripe.send_event(&server.url, "checkout.session.completed", &unpaid).await? == 200, "not accepted");
    client.call_with("echo", &intent).await?.must_quote(Some("unpaid"))?;
    let paid = stripe.pay(&session)?;
    for kind in ["checkout.session.completed", "checkout.session.completed", "checkout.session.expired"] {
        ensure!(stripe.send_event(&server.url, kind, &paid).await? == 200, "not accepted");
    }
    let looks = stripe.asked("GET", "/v1/checkout/sessions");
    client.call_with("echo", &intent).await?.must(200)?;
    ensure!(stripe.asked("GET", "/v1/checkout/sessions") == looks, "a payment that was already recorded was looked up");
    ensure!(stripe.send_event(&server.url, "checkout.session.completed", &unpaid).await? == 200, "not accepted");
    // Events about objects of other systems, and of unknown types.
    let foreign = json!({ "id": "cs_other", "client_reference_id": "order-7", "object": "checkout.session" });
    ensure!(stripe.send_event(&server.url, "checkout.session.completed", &foreign).await? == 200, "not accepted");
    ensure!(
        stripe.send_event(&server.url, "customer.created", &json!({ "id": "cus_1" })).await? == 200,
        "not accepted"
    );
    let remaining = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    ensure!(remaining.json["remaining_pence"] == 490, "{}", remaining.text);
    // The look-up at Stripe fails, so the server must make Stripe resend the event.
    let (_, token) = quote(&client).await?;
    let session = open(&stripe, &client, &token).await?;
    // Background look-ups happen at any time, so let them fail, too.
    stripe.fail("GET", "/v1/checkout/sessions", &vec![Fault::ErrorBefore; 100]);
    let paid = stripe.pay(&session)?;
    ensure!(
        stripe.send_event(&server.url, "checkout.session.completed", &paid).await? == 503,
        "no resend was requested"
    );
    stripe.clear_faults();
    ensure!(stripe.send_event(&server.url, "checkout.session.completed", &paid).await? == 200, "not accepted");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_must_be_signed_and_fresh() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, token) = quote(&client).await?;
    let session = open(&stripe, &client, &token).await?;
    // The session stays unpaid, because the server would find a payment even without an
    // event.
    let body = event("checkout.session.completed", &stripe.all("sessions")[0]);
    let before = folder.records()?;
    for signature in [
        String::new(),
        "t=1,v1=00".to_owned(),
        signature("whsec_other", &body, now_s()),
        signature(EVENT_SECRET, "{}", now_s()),
        signature(EVENT_SECRET, &body, now_s() - 301),
        signature(EVENT_SECRET, &body, now_s() + 400),
    ] {
        let status = stripe.send_signed_event(&server.url, &body, &signature).await?;
        ensure!(status == 400, "{signature} was accepted: {status}");
    }
    let bare = server.client().post("/v1/payments/stripe/events", &json!({})).await?;
    bare.must_be(400, "E006")?;
    ensure!(folder.records()? == before, "a refused event changed something");
    stripe.pay(&session)?;
    let good = signature(EVENT_SECRET, &body, now_s() - 200);
    ensure!(stripe.send_signed_event(&server.url, &body, &good).await? == 200, "not accepted");
    client.call_with("echo", &intent).await?.must(200)?;
    let nonsense = "not json";
    let signed = signature(EVENT_SECRET, nonsense, now_s());
    ensure!(stripe.send_signed_event(&server.url, nonsense, &signed).await? == 400, "nonsense was accepted");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_payment_is_taken_twice_while_stripe_is_silent() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, token) = quote(&client).await?;
    let path = format!("/pay/{token}");
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Conflict, Fault::TooMany] {
        stripe.fail("POST", "/v1/checkout/sessions", &[fault]);
        let unclear = client.post(&path, &json!({})).await?.must_be(503, "E026")?;
        ensure!(unclear.header("retry-after").is_some(), "{unclear:?}");
    }
    let session = open(&stripe, &client, &token).await?;
    ensure!(stripe.all("sessions").len() == 1, "an order has two sessions: {:?}", stripe.all("sessions"));
    stripe.pay(&session)?;
    stripe.fail("GET", "/v1/checkout/sessions", &vec![Fault::LostBefore; 1000]);
    for _ in 0..3 {
        let unclear = client.call_with("echo", &intent).await?.must_be(503, "E026")?;
        ensure!(unclear.header("retry-after").is_some() && unclear.json["payment"].is_null(), "{}", unclear.text);
    }
    // A restart forgets look-ups, but not opened sessions.
    server.stop().await?;
    let server = folder.serve().await?;
    let client = Client::new(&server.url).with_key(client.key().context("no key")?);
    client.call_with("echo", &intent).await?.must_be(503, "E026")?;
    ensure!(stripe.all("sessions").len() == 1, "{:?}", stripe.all("sessions"));
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remainder_is_refunded_once() -> Result<()> {
    let (stripe, folder, _server, client) = with_stripe().await?;
    let (intent, _) = paid(&stripe, &client).await?;
    stripe.fail("POST", "/v1/refunds", &[Fault::LostAfter]);
    let refund = folder.run_json(&["payment", "refund", &intent])?;
    ensure!(refund["amount_gbp"] == "4.90", "{refund}");
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    // The answer was lost; the follow-up finds the refund instead of making a
    // second one.
    eventually("refunded", 20, async || {
        let text = folder.run(&["ledger", "export"])?;
        Ok(text.contains("\\\"stage\\\":\\\"paid\\\"").then_some(()))
    })
    .await?;
    ensure!(
        stripe.all("refunds").len() == 1 && stripe.all("refunds")[0]["amount"] == 490,
        "{:?}",
        stripe.all("refunds")
    );
    ensure!(!folder.try_run(&["payment", "refund", &intent])?.status.success(), "refunded twice");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

/// Checks that the independent verifier accepts the ledger.
pub async fn the_other_verifier_agrees(folder: &Folder) -> Result<()> {
    let file = folder.path().join("export.jsonl").display().to_string();
    folder.run(&["ledger", "export", "-o", &file])?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = tollbridge_tests::workspace().join("docs/verify.py");
    let output = tokio::process::Command::new(python).arg(script).args(["export", &file]).output().await?;
    ensure!(output.status.success(), "docs/verify.py: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Waits until the fee of the only payment is recorded automatically; returns the
/// statement of the ledger account for fees.
async fn fee_in_the_books(folder: &Folder) -> Result<String> {
    let fees = eventually("the fee is recorded automatically", 40, async || {
        let fees = folder.run(&["ledger", "statement", "processor:fees"]).unwrap_or_default();
        Ok(fees.contains(",fee,1,-28000,-0.28").then_some(fees))
    });
    Ok(fees.await?.0)
}

/// Stripe refunds some fees, and bills others as separate lines.
#[tokio::test(flavor = "multi_thread")]
async fn fees_that_come_back_and_fees_of_their_own_are_booked() -> Result<()> {
    let (stripe, folder, _server, client) = with_stripe().await?;
    paid(&stripe, &client).await?;
    fee_in_the_books(&folder).await?;
    stripe.line("adjustment", 0, -28);
    stripe.line("stripe_fee", -120, 0);
    stripe.line("tax_fee", -24, 0);
    stripe.line("stripe_fee", 20, 0);
    let first = folder.run_json(&["payment", "reconcile"])?;
    ensure!(first["fees_booked"] == 4 && first["difference_pence"] == 0, "{first}");
    let second = folder.run_json(&["payment", "reconcile"])?;
    ensure!(second["fees_booked"] == 0 && second["difference_pence"] == 0, "{second}");
    let statement = folder.run(&["ledger", "statement", "processor:fees"])?;
    ensure!(statement.contains(",fee,5,-124000,-1.24"), "{statement}");
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(&folder).await
}

#[tokio::test(flavor = "multi_thread")]
async fn both_books_agree_when_the_fees_are_in() -> Result<()> {
    let (stripe, folder, _server, client) = with_stripe().await?;
    let (intent, _) = paid(&stripe, &client).await?;
    folder.run(&["payment", "refund", &intent])?;
    let statement = fee_in_the_books(&folder).await?;
    ensure!(statement.starts_with("day,kind,records,millipence,gbp\n"), "{statement}");
    let first = folder.run_json(&["payment", "reconcile"])?;
    ensure!(first["fees_booked"] == 0 && first["difference_pence"] == 0, "{first}");
    ensure!(first["kinds"]["charge"]["fee_pence"] == 28 && first["kinds"]["refund"]["amount_pence"] == -490, "{first}");
    let second = folder.run_json(&["payment", "reconcile"])?;
    ensure!(second["fees_booked"] == 0 && second["difference_pence"] == 0, "{second}");
    // A manual transfer by the operator is not in the ledger, and is reported.
    stripe.deposit(1_234);
    let third = folder.run_json(&["payment", "reconcile"])?;
    ensure!(third["difference_pence"] == 1_234, "{third}");
    let statement = folder.run(&["ledger", "statement", "platform"])?;
    ensure!(statement.contains(",route,1,1750,0.01"), "{statement}");
    ensure!(
        !folder.try_run(&["ledger", "statement", "missing"])?.status.success(),
        "a statement of an unknown account must fail"
    );
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

/// Stripe's official client makes the same requests to the fake and understands its
/// answers.
#[tokio::test(flavor = "multi_thread")]
async fn the_fake_is_stripe_to_the_official_client() -> Result<()> {
    let stripe = Stripe::start().await?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = tollbridge_tests::workspace().join("tests/it/stripe_client.py");
    let url = stripe.url();
    let output = tokio::process::Command::new(python).arg(script).args([&url, EVENT_SECRET]).output().await?;
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success() && out.contains("agrees"), "{out}\n{errors}");
    ensure!(stripe.all("sessions").len() == 1, "the same key made two sessions");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_secret_key_nothing_can_be_paid() -> Result<()> {
    let folder = Folder::new("[payments]\nprocessor = \"stripe\"")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let client = server.client().with_key(&folder.key()?.1);
    let (intent, token) = quote(&client).await?;
    client.post(&format!("/pay/{token}"), &json!({})).await?.must_be(503, "E009")?;
    client.post("/v1/withdraw", &json!({})).await?.must_be(503, "E009")?;
    client.get("/account/connect").await?.must_be(503, "E009")?;
    client
        .post("/api/v1/checkout/session", &json!({ "product": "credit", "quantity": 5 }))
        .await?
        .must_be(503, "E009")?;
    client.call_with("echo", &intent).await?.must_quote(Some("unpaid"))?;
    // The mode (sandbox or live) of a data folder never changes.
    let text = std::fs::read_to_string(folder.config())?.replace("processor = \"stripe\"", "processor = \"sandbox\"");
    server.stop().await?;
    std::fs::write(folder.config(), text)?;
    let refused = folder.try_run(&["account", "list"])?;
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(!refused.status.success() && errors.contains("mode"), "{errors}");
    Ok(())
}
