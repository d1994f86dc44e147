//! Late outcomes at Stripe: refunds that fail after they were paid, and transfers that
//! are reversed in parts. The results are compared with the fake Stripe's own books.

use anyhow::{Context, Result, ensure};
use futures_util::future::{join, try_join_all};
use serde_json::{Value, json};
use tollbridge_tests::stripe::{Fault, Gate, Stripe};
use tollbridge_tests::{Client, Folder, Server, eventually};

use super::stripe::{paid, the_other_verifier_agrees, with_stripe};
use super::stripe_payouts::{EARNED_PENCE, Shop, available, newest, shop, withdraw};

/// The remainder of £5.00 after one call.
const LEFT_PENCE: i64 = 490;

/// A payment of which 490 p were refunded; the server still believes that the refund
/// succeeded.
struct Refunded {
    stripe: Stripe,
    folder: Folder,
    server: Server,
    client: Client,
    intent: String,
    payment: String,
    refund: Value,
}

async fn refunded() -> Result<Refunded> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, session) = paid(&stripe, &client).await?;
    let payment = session["payment_intent"].as_str().context("no payment")?.to_owned();
    let made = folder.run_json(&["payment", "refund", &intent])?;
    ensure!(made["state"] == "paid" && made["amount_gbp"] == "4.90", "{made}");
    let refund = stripe.all("refunds").pop().context("no refund")?;
    Ok(Refunded { stripe, folder, server, client, intent, payment, refund })
}

impl Refunded {
    async fn remaining(&self) -> Result<Value> {
        let reply = self.client.get(&format!("/v1/payments/{}", self.intent)).await?.must(200)?;
        Ok(reply.json["remaining_pence"].clone())
    }

    fn refund_id(&self) -> Result<&str> {
        self.refund["id"].as_str().context("no id")
    }

    /// Checks that, once all fees are recorded, the ledger agrees with the balance at
    /// Stripe and both verifiers accept the ledger.
    async fn agrees(&self) -> Result<()> {
        agree(&self.stripe, &self.folder, 0).await
    }
}

/// Checks that the processor's balance matches the ledger, except for a manual
/// deposit.
async fn agree(stripe: &Stripe, folder: &Folder, deposited: i64) -> Result<()> {
    let compare = async || {
        let compared = folder.run_json(&["payment", "reconcile"])?;
        Ok((compared["difference_pence"] == deposited).then_some(()))
    };
    eventually("both books agree", 20, compare).await?;
    stripe.must_have_no_violations()?;
    folder.verify()?;
    the_other_verifier_agrees(folder).await
}

fn written_off(folder: &Folder) -> Result<i64> {
    let export = folder.run(&["ledger", "export"])?;
    let line = export.lines().find_map(|line| line.strip_prefix("{\"account\":\"write_off\",\"millipence\":"));
    line.map_or(Ok(0), |rest| Ok(rest.trim_end_matches('}').parse()?))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_fails_after_it_was_paid_is_the_payers_again() -> Result<()> {
    let shop = refunded().await?;
    let (stripe, url) = (&shop.stripe, &shop.server.url);
    shop.client.call_with("echo", &shop.intent).await?.must_be(409, "E010")?;
    // An event only triggers a look-up, and Stripe does not confirm this one.
    let mut lie = shop.refund.clone();
    lie["status"] = "failed".into();
    ensure!(stripe.send_event(url, "refund.failed", &lie).await? == 200, "not accepted");
    ensure!(shop.remaining().await? == 0, "an event was trusted");

    let failed = stripe.fail_refund(shop.refund_id()?, "expired_or_canceled_card")?;
    stripe.fail("GET", "/v1/refunds/", &[Fault::Missing]);
    ensure!(stripe.send_event(url, "refund.failed", &failed).await? == 503, "no resend was requested");
    // The events arrive twice each, followed by older ones.
    for (kind, object) in [
        ("refund.failed", &failed),
        ("charge.refund.updated", &failed),
        ("refund.updated", &shop.refund),
        ("refund.created", &shop.refund),
    ] {
        ensure!(stripe.send_event(url, kind, object).await? == 200, "not accepted");
        ensure!(shop.remaining().await? == LEFT_PENCE, "{kind}: {}", shop.remaining().await?);
    }
    let metrics = shop.folder.metrics().await?;
    for step in ["owed", "paid", "failed"] {
        ensure!(metrics.contains(&format!("tollbridge_refunds_total{{step=\"{step}\"}} 1\n")), "{metrics}");
    }
    shop.agrees().await?;
    // The returned money can pay for calls, and can be refunded in another way.
    shop.client.call_with("echo", &shop.intent).await?.must(200)?;
    let credited = shop.folder.run_json(&["payment", "refund", &shop.intent, "--to-credit"])?;
    ensure!(credited["state"] == "credited" && credited["amount_gbp"] == "4.80", "{credited}");
    shop.agrees().await
}

/// The event is lost: the server checks again automatically.
#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_fails_is_found_without_an_event() -> Result<()> {
    let mut shop = refunded().await?;
    shop.stripe.fail_refund(shop.refund_id()?, "lost_or_stolen_card")?;
    // A refund that was checked recently is next checked much later, but a restart checks
    // immediately.
    shop.server.stop().await?;
    shop.server = shop.folder.serve().await?;
    shop.client = shop.server.client().with_key(shop.client.key().context("no key")?);
    eventually("the failure is found", 20, async || Ok((shop.remaining().await? == LEFT_PENCE).then_some(()))).await?;
    shop.agrees().await
}

/// The refund fails after the buyer got the money through a dispute: the returned refund
/// covers the write-off, and the buyer is not paid twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_fails_after_a_dispute_relieves_the_dispute() -> Result<()> {
    let shop = refunded().await?;
    let (stripe, url) = (&shop.stripe, &shop.server.url);
    let disputed = stripe.dispute(&shop.payment, "needs_response")?;
    ensure!(stripe.send_event(url, "charge.dispute.created", &disputed).await? == 200, "not accepted");
    ensure!(written_off(&shop.folder)? == -500_000, "{}", written_off(&shop.folder)?);
    let failed = stripe.fail_refund(shop.refund_id()?, "charge_for_pending_refund_disputed")?;
    for kind in ["refund.failed", "refund.updated", "charge.dispute.created"] {
        let object = if kind.starts_with("refund") { &failed } else { &disputed };
        ensure!(stripe.send_event(url, kind, object).await? == 200, "not accepted");
        ensure!(shop.remaining().await? == 0, "{kind}: the buyer was paid twice");
        ensure!(written_off(&shop.folder)? == -10_000, "{kind}: {}", written_off(&shop.folder)?);
    }
    shop.agrees().await?;
    let won = stripe.dispute(&shop.payment, "won")?;
    for _ in 0..2 {
        ensure!(stripe.send_event(url, "charge.dispute.closed", &won).await? == 200, "not accepted");
    }
    ensure!(shop.remaining().await? == LEFT_PENCE && written_off(&shop.folder)? == 0, "not returned");
    shop.client.call_with("echo", &shop.intent).await?.must(200)?;
    shop.agrees().await
}

/// A refund is still pending at the bank when the dispute is opened, and fails days
/// later.
#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_waited_through_a_dispute_may_fail() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (intent, session) = paid(&stripe, &client).await?;
    stripe.slow_refunds(true);
    let made = folder.run_json(&["payment", "refund", &intent])?;
    ensure!(made["state"] == "owed", "{made}");
    let payment = session["payment_intent"].as_str().context("no payment")?;
    let disputed = stripe.dispute(payment, "needs_response")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &disputed).await? == 200, "not accepted");
    ensure!(written_off(&folder)? == -500_000, "{}", written_off(&folder)?);
    let refund = stripe.all("refunds").pop().context("no refund")?;
    let failed = stripe.fail_refund(refund["id"].as_str().context("no id")?, "charge_for_pending_refund_disputed")?;
    ensure!(stripe.send_event(&server.url, "refund.failed", &failed).await? == 200, "not accepted");
    let left = client.get(&format!("/v1/payments/{intent}")).await?.must(200)?.json;
    ensure!(left["remaining_pence"] == 0 && written_off(&folder)? == -10_000, "{left}");
    agree(&stripe, &folder, 0).await
}

/// Parts of a transfer are reversed: once with an event, once with a late event, and once
/// without any.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_transfer_that_come_back_add_up() -> Result<()> {
    let Shop { stripe, folder, server, developer } = shop().await?;
    withdraw(&developer).await?.must(200)?;
    let transfer = stripe.all("transfers")[0].clone();
    let id = transfer["id"].as_str().context("no id")?;
    // An event claims a reversal, but nothing was reversed.
    let mut lie = transfer.clone();
    (lie["reversed"], lie["amount_reversed"]) = (true.into(), EARNED_PENCE.into());
    ensure!(stripe.send_event(&server.url, "transfer.reversed", &lie).await? == 200, "not accepted");
    ensure!(available(&developer).await? == 0, "an event was trusted");

    let first = stripe.reverse(id, 200)?;
    // Concurrent deliveries of one event look up the transfer at the same time.
    let gates = [(); 8].map(|()| Gate::default());
    let held: Vec<Fault> = gates.iter().map(|gate| Fault::WaitAfter(gate.clone())).collect();
    stripe.fail("GET", "/v1/transfers", &held);
    let open = async {
        for gate in &gates {
            gate.reached().await;
        }
        gates.iter().for_each(Gate::open);
    };
    let send = |_| stripe.send_event(&server.url, "transfer.reversed", &first);
    let (answers, ()) = join(try_join_all((0..gates.len()).map(send)), open).await;
    let answers = answers?;
    ensure!(answers.iter().all(|status| *status == 200), "not accepted: {answers:?}");
    ensure!(available(&developer).await? == 200, "{}", available(&developer).await?);
    ensure!(stripe.send_event(&server.url, "transfer.reversed", &first).await? == 200, "not accepted");
    ensure!(available(&developer).await? == 200, "{}", available(&developer).await?);
    let shown = newest(&developer).await?;
    ensure!(shown["state"] == "settled" && shown["returned_pence"] == 200, "{shown}");
    // Two more reversals are made, but only the first event is repeated.
    stripe.reverse(id, 100)?;
    stripe.reverse(id, 40)?;
    ensure!(stripe.send_event(&server.url, "transfer.reversed", &first).await? == 200, "not accepted");
    ensure!(available(&developer).await? == 340, "{}", available(&developer).await?);
    agree(&stripe, &folder, 100_000).await?;

    // Another reversal is made, without an event.
    stripe.reverse(id, 60)?;
    server.stop().await?;
    let server = folder.serve().await?;
    let developer = Client::new(&server.url).with_key(&folder.developer);
    eventually("the reversal is found", 20, async || Ok((available(&developer).await? == 400).then_some(()))).await?;
    let last = stripe.reverse(id, EARNED_PENCE - 400)?;
    for event in [&last, &first, &last] {
        ensure!(stripe.send_event(&server.url, "transfer.reversed", event).await? == 200, "not accepted");
    }
    ensure!(available(&developer).await? == EARNED_PENCE, "{}", available(&developer).await?);
    let shown = newest(&developer).await?;
    ensure!(shown["state"] == "returned" && shown["returned_pence"] == EARNED_PENCE, "{shown}");
    // The returned money belongs to the developer again, and can be withdrawn again.
    withdraw(&developer).await?.must(200)?;
    agree(&stripe, &folder, 100_000).await
}

/// The answer to a transfer request is lost, and the transfer is reversed before the
/// server finds it.
#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_may_come_back_before_it_is_known() -> Result<()> {
    let Shop { stripe, folder, server, developer } = shop().await?;
    stripe.fail("POST", "/v1/transfers", &[Fault::LostAfter]);
    stripe.fail("GET", "/v1/transfers", &vec![Fault::TooMany; 1_000]);
    withdraw(&developer).await?.must(202)?;
    let transfer = stripe.all("transfers")[0].clone();
    let reversed = stripe.reverse(transfer["id"].as_str().context("no id")?, 150)?;
    ensure!(stripe.send_event(&server.url, "transfer.reversed", &reversed).await? >= 500, "no resend was requested");
    ensure!(available(&developer).await? == 0, "restored on a guess");
    stripe.clear_faults();
    let reported =
        async || Ok((stripe.send_event(&server.url, "transfer.reversed", &reversed).await? == 200).then_some(()));
    eventually("the event is accepted", 20, reported).await?;
    ensure!(available(&developer).await? == 150, "{}", available(&developer).await?);
    ensure!(newest(&developer).await?["state"] == "settled", "{}", newest(&developer).await?);
    let other = json!({ "id": "tr_of_somebody_else", "object": "transfer" });
    ensure!(
        stripe.send_event(&server.url, "transfer.reversed", &other).await? >= 500,
        "an event about an unknown transfer was accepted"
    );
    agree(&stripe, &folder, 100_000).await
}
