//! Withdrawals in the sandbox: what prevents a withdrawal, what restores the balance, and
//! that no withdrawal is paid twice.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Receiver, Reply, Server, eventually, guest, manifest};

/// The developer's earnings from one call at £8.00, in pence.
const EARNED_PENCE: i64 = 640;

/// Creates a folder whose developer has earned £6.40 from each of `calls` calls.
async fn with_earnings(calls: usize) -> Result<(Folder, Server, Client)> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"100.00\"\nfollow_every = \"100ms\"")?;
    folder.publish_echo("1.0.0", "8.00")?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    for _ in 0..calls {
        payer.call_on_credit("echo").await?.must(200)?;
    }
    let developer = server.client().with_key(&folder.developer);
    Ok((folder, server, developer))
}

/// Connects a sandbox payout account; returns the link that was used.
async fn connect(developer: &Client, code: &str) -> Result<String> {
    let away = developer.get("/account/connect").await?.must(303)?;
    let place = away.header("location").context("no location")?;
    let state = place.split("state=").nth(1).context("no state")?;
    let page = developer.get(&format!("/sandbox/connect?state={state}")).await?.must(200)?;
    ensure!(page.text.contains(code) && page.text.contains(state), "{}", page.text);
    let back = format!("/account/connect/callback?state={state}&code={code}");
    developer.get(&back).await?.must(200)?;
    Ok(back)
}

async fn withdraw(developer: &Client, key: Option<&str>) -> Result<Reply> {
    let request = developer.request(Method::POST, "/v1/withdraw");
    let request = match key {
        Some(key) => request.header("idempotency-key", key),
        None => request,
    };
    developer.send(request).await
}

async fn balance(developer: &Client) -> Result<i64> {
    let reply = developer.get("/v1/balance").await?.must(200)?;
    reply.json["balance_pence"].as_i64().with_context(|| reply.text.clone())
}

async fn only_withdrawal(developer: &Client) -> Result<Value> {
    let listed = developer.get("/v1/withdrawals").await?.must(200)?.json;
    let all = listed["withdrawals"].as_array().context("no list")?;
    ensure!(all.len() == 1, "{listed}");
    Ok(all[0].clone())
}

#[tokio::test]
async fn it_takes_five_pounds_and_a_connected_account() -> Result<()> {
    let (folder, server, developer) = with_earnings(0).await?;
    withdraw(&developer, None).await?.must_be(409, "E019")?;
    server.client().post("/v1/withdraw", &json!({})).await?.must_be(401, "E001")?;
    let payer = server.client().with_key(&folder.key()?.1);
    payer.call_on_credit("echo").await?.must(200)?;
    let eligible = developer.get("/v1/balance").await?.must(200)?.json;
    ensure!(eligible["withdrawal_eligible"] == true && eligible["connected"] == false, "{eligible}");
    withdraw(&developer, None).await?.must_be(409, "E020")?;
    developer.post("/v1/withdraw", &json!({ "amount": 1 })).await?.must_be(400, "E011")?;

    let link = connect(&developer, "ac_test_ok").await?;
    developer.get(&link).await?.must_be(400, "E011")?;
    for wrong in ["", "?state=x&code=ac_test_ok", "?state=acct_x.00&code=y", "?code=ac_test_ok"] {
        developer.get(&format!("/account/connect/callback{wrong}")).await?.must_be(400, "E011")?;
    }
    developer.get("/account/connect/callback?error=access_denied").await?.must_be(409, "E020")?;

    let done = withdraw(&developer, None).await?.must(200)?;
    ensure!(done.json["success"] == true && done.json["withdrawn_gbp"] == "£6.40", "{}", done.text);
    ensure!(done.json["settlement"].as_str().is_some_and(|text| !text.is_empty()), "{}", done.text);
    ensure!(balance(&developer).await? == 0, "the balance is not zero");
    withdraw(&developer, None).await?.must_be(409, "E019")?;
    let listed = only_withdrawal(&developer).await?;
    ensure!(listed["state"] == "settled" && listed["amount_pence"] == EARNED_PENCE, "{listed}");
    ensure!(listed["transfer"].as_str().is_some_and(|name| name.starts_with("tr_test_")), "{listed}");
    let history = developer.get("/v1/transactions?limit=2").await?.must(200)?.json;
    let kinds: Vec<&str> =
        history["transactions"].as_array().context("no list")?.iter().filter_map(|one| one["kind"].as_str()).collect();
    ensure!(kinds == ["withdraw", "withdraw"], "{history}");
    let path = format!("/v1/transactions?before={}", history["next"]);
    let older = developer.get(&path).await?.must(200)?.json;
    ensure!(older["transactions"][0]["kind"] == "route", "{older}");
    ensure!(older["transactions"][0]["earnings_millipence"] == EARNED_PENCE * 1000, "{older}");
    developer.get("/v1/transactions?before=x").await?.must_be(400, "E011")?;
    // Another account does not see the withdrawal.
    let others = payer.get("/v1/withdrawals").await?.must(200)?.json;
    ensure!(others["withdrawals"] == json!([]), "{others}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn every_record_of_an_account_is_listed_once() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let (account, key) = folder.key()?;
    let (caller, other) = (client.with_key(&key), client.with_key(&folder.key()?.1));
    let mut called = Vec::new();
    for round in 0..9 {
        let call = caller.call_on_credit("echo").await?.must(200)?;
        called.push(call.header("x-worm-seal").context("no seal")?.to_owned());
        other.call_on_credit("echo").await?.must(200)?;
        // Reading the list in between makes the index catch up, so it is built in several
        // steps.
        if round % 4 == 0 {
            caller.get("/v1/transactions?limit=1").await?.must(200)?;
        }
    }
    let listed = async |client: &Client| -> Result<Vec<(String, String)>> {
        let (mut all, mut path) = (Vec::new(), "/v1/transactions?limit=4".to_owned());
        loop {
            let page = client.get(&path).await?.must(200)?.json;
            let lines = page["transactions"].as_array().context("no list")?;
            for line in lines {
                let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
                all.push((text("kind"), text("worm_seal")));
            }
            let Some(next) = page["next"].as_u64() else { return Ok(all) };
            ensure!(lines.len() == 4, "a short page in the middle: {page}");
            path = format!("/v1/transactions?limit=4&before={next}");
        }
    };
    let all = listed(&caller).await?;
    let calls: Vec<String> = all.iter().filter(|(kind, _)| kind == "route").map(|(_, seal)| seal.clone()).collect();
    called.reverse();
    ensure!(calls == called, "listed calls {calls:?}, made calls {called:?}");
    ensure!(all.last().is_some_and(|(kind, _)| kind == "grant") && all.len() == 10, "{all:?}");
    // The list survives a kill: a new process returns the same list.
    server.kill().await?;
    let server = folder.serve().await?;
    ensure!(listed(&server.client().with_key(&key)).await? == all, "the list differs after a kill");
    let export = folder.run(&["ledger", "export"])?;
    let own = export.lines().filter(|line| line.contains(&account) && line.contains("\\\"tx\\\"")).count();
    ensure!(own == all.len(), "{own} records name the account, {} were listed", all.len());
    Ok(())
}

#[tokio::test]
async fn a_repeat_is_the_same_withdrawal() -> Result<()> {
    let (folder, _server, developer) = with_earnings(1).await?;
    connect(&developer, "ac_test_ok").await?;
    let first = withdraw(&developer, Some("w-1")).await?.must(200)?;
    let again = withdraw(&developer, Some("w-1")).await?.must(200)?;
    ensure!(again.header("idempotent-replayed") == Some("true") && again.json == first.json, "{again:?}");
    let empty = developer.request(Method::POST, "/v1/withdraw").header("idempotency-key", "w-1").json(&json!({}));
    developer.send(empty).await?.must_be(422, "E023")?;
    withdraw(&developer, Some("w-2")).await?.must_be(409, "E019")?;
    withdraw(&developer, Some("two words")).await?.must_be(400, "E011")?;
    only_withdrawal(&developer).await?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn many_at_once_are_one() -> Result<()> {
    let (folder, _server, developer) = with_earnings(2).await?;
    connect(&developer, "ac_test_ok").await?;
    let mut calls = Vec::new();
    for _ in 0..16 {
        let developer = developer.clone();
        calls.push(tokio::spawn(async move { withdraw(&developer, None).await }));
    }
    let (mut done, mut refused) = (0, 0);
    for call in calls {
        let reply = call.await??;
        match (reply.status, reply.code()) {
            (200, _) => done += 1,
            (409, "E019" | "E028") => refused += 1,
            _ => anyhow::bail!("{}: {}", reply.status, reply.text),
        }
    }
    ensure!((done, refused) == (1, 15), "{done} were done, {refused} refused");
    let listed = only_withdrawal(&developer).await?;
    ensure!(listed["amount_pence"] == 2 * EARNED_PENCE, "{listed}");
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_refused_transfer_restores_the_balance() -> Result<()> {
    let (folder, _server, developer) = with_earnings(1).await?;
    connect(&developer, "ac_test_refuses").await?;
    let refused = withdraw(&developer, Some("w-1")).await?.must_be(409, "E020")?;
    ensure!(refused.text.contains("account_closed"), "{}", refused.text);
    ensure!(balance(&developer).await? == EARNED_PENCE, "the balance was not restored");
    ensure!(only_withdrawal(&developer).await?["state"] == "failed", "the withdrawal did not fail");
    // The same key still refers to the first withdrawal, which has failed.
    withdraw(&developer, Some("w-1")).await?.must_be(409, "E020")?;
    // After the payout account is replaced, withdrawals wait for a day.
    connect(&developer, "ac_test_ok").await?;
    let waiting = withdraw(&developer, None).await?.must_be(409, "E020")?;
    let wait: u64 = waiting.header("retry-after").context("no Retry-After")?.parse()?;
    ensure!((86_000..=86_401).contains(&wait), "{wait}");
    ensure!(balance(&developer).await? == EARNED_PENCE, "money was paid out");
    folder.verify().map(drop)
}

/// Every payout event, and the event for low credit, arrives with all its members and a
/// provable seal.
#[tokio::test(flavor = "multi_thread")]
async fn money_movements_are_notified() -> Result<()> {
    let folder = Folder::new(
        "[payments]\nsandbox_credit = \"8.50\"\nfollow_every = \"100ms\"\n[risk]\npayouts_per_day = 1\n\
         [webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n",
    )?;
    folder.publish_echo("1.0.0", "8.00")?;
    let server = folder.serve().await?;
    let (account, key) = folder.key()?;
    let (developer, payer) = (server.client().with_key(&folder.developer), server.client().with_key(&key));
    let receiver = Receiver::start().await?;
    let hook = json!({ "url": receiver.url, "events": ["*"], "secret": "a-secret-of-enough-bytes" });
    for client in [&developer, &payer] {
        client.post("/v1/webhooks", &hook).await?.must(201)?;
    }
    let reported = async |event: &str| -> Result<Value> {
        let reported = receiver.wait_for(event, 1, 20).await?[0].json();
        let seal = reported["data"]["worm_seal"].as_str().context("no seal")?;
        server.client().get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
        Ok(reported["data"].clone())
    };
    payer.call_on_credit("echo").await?.must(200)?;
    let low = reported("credit.low").await?;
    ensure!(low["user_id"] == account && low["credit_pence"] == 50 && low["threshold_pence"] == 100, "{low}");
    connect(&developer, "ac_test_ok").await?;
    let made = withdraw(&developer, None).await?.must(200)?.json;
    let initiated = reported("withdrawal.initiated").await?;
    ensure!(initiated["amount_pence"] == EARNED_PENCE, "{initiated}");
    ensure!(initiated["stripe_transfer"] == only_withdrawal(&developer).await?["transfer"], "{initiated}");
    let paid = reported("payout.completed").await?;
    ensure!(paid["payout_id"] == made["withdrawal_id"] && paid["worm_sealed"] == true, "{paid}");
    // The developer gets 80 % and the treasury 2.5 %.
    ensure!((&paid["amount_gbp"], &paid["earn_rate"]) == (&json!(6.4), &json!(0.8)), "{paid}");
    ensure!(paid["dream_tax_pence"] == 20, "{paid}");

    server.client().with_key(&folder.key()?.1).call_on_credit("echo").await?.must(200)?;
    let stopped = withdraw(&developer, None).await?.must_be(403, "E022")?;
    let blocked = reported("fraud.blocked").await?;
    ensure!(blocked["reason"] == "velocity" && blocked["risk_level"] == "medium", "{blocked}");
    ensure!(blocked["user_id"] == initiated["user_id"], "{blocked}");
    let id = stopped.json["withdrawal_id"].as_str().context("no id")?;
    folder.run(&["withdrawal", "reject", id, "--reason", "not_today"])?;
    let failed = reported("withdrawal.failed").await?;
    ensure!(failed["error"] == "not_today" && failed["record_id"].is_string(), "{failed}");
    ensure!(balance(&developer).await? == EARNED_PENCE, "the balance was not restored");
    folder.verify().map(drop)
}

/// If an agent's owner pays for its calls, the owner and the operator get the event
/// `fraud.detected`, which contains the client's address.
#[tokio::test]
async fn an_agent_that_its_owner_pays_is_reported() -> Result<()> {
    let folder = Folder::new(
        "[payments]\nsandbox_credit = \"100.00\"\nfollow_every = \"100ms\"\n\
         [webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n[risk]\nself_dealing_from_gbp = \"6.00\"\n",
    )?;
    folder.publish_echo("1.0.0", "0.05")?;
    let server = folder.serve().await?;
    let owner = server.client().with_key(&folder.key()?.1);
    let agent = crate::marketplace::deployment(&json!({ "price_gbp": "2.00" }))?;
    let deployed = owner.post("/api/v1/agents/deploy", &agent).await?.must(201)?.json;
    let slug = deployed["agent_id"].as_str().context("no agent_id")?;
    let (own, operators) = (Receiver::start().await?, Receiver::start().await?);
    let secret = "a-secret-of-enough-bytes";
    let hook = json!({ "url": own.url, "events": ["fraud.detected"], "secret": secret });
    owner.post("/v1/webhooks", &hook).await?.must(201)?;
    folder.run(&["webhooks", "add", &operators.url, "--events", "fraud.detected", "--secret", secret])?;
    // Two direct and two queued calls, all paid with the same money.
    for _ in 0..2 {
        owner.post(&format!("/v1/agents/{slug}/invoke"), &json!({ "task": "x" })).await?.must(200)?;
        owner.post("/v1/agents/enqueue", &json!({ "agent": slug, "task": "x" })).await?.must(202)?;
    }
    let earned = async || Ok((balance(&owner).await? == 640).then_some(()));
    eventually("all four have ended", 20, earned).await?;
    connect(&owner, "ac_test_ok").await?;
    let stopped = withdraw(&owner, None).await?.must_be(403, "E022")?;
    ensure!(stopped.text.contains("self_dealing"), "{}", stopped.text);
    for receiver in [&own, &operators] {
        let reported = receiver.wait_for("fraud.detected", 1, 20).await?[0].json();
        let data = &reported["data"];
        ensure!(
            reported["timestamp"].is_u64() && data["agent_id"] == slug && data["action"] == "blocked",
            "{reported}"
        );
        ensure!(data["risk_score"] == json!(1.0) && data["ip"] == "127.0.0.1", "{reported}");
        let seal = data["worm_seal"].as_str().context("no seal")?;
        server.client().get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    }
    folder.verify().map(drop)
}

/// A bridge scores the client's address, and the operator decides about the blocked
/// withdrawal.
#[tokio::test]
async fn a_payout_to_a_bad_address_waits_for_the_operator() -> Result<()> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"100.00\"\nfollow_every = \"100ms\"")?;
    // Append to the section `[server]`, which the configuration already has.
    let text = std::fs::read_to_string(folder.config())?;
    let text = text.replace("[data]", "trusted_proxies = [\"127.0.0.1/32\"]\n[data]");
    std::fs::write(folder.config(), format!("{text}\n[risk]\nsignal_bridge = \"watch\"\nsignal_time = \"2s\"\n"))?;
    folder.publish_echo("1.0.0", "8.00")?;
    let watch = guest::judge("203.0.113.66", &json!({ "score": 60 }), &json!({ "result": { "score": 59 } }))?;
    folder.publish(&manifest("watch", "1.0.0", "0.02"), &watch)?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    for _ in 0..2 {
        payer.call_on_credit("echo").await?.must(200)?;
    }
    let developer = server.client().with_key(&folder.developer);
    connect(&developer, "ac_test_ok").await?;
    let from = async |address: &str| {
        let request = developer.request(Method::POST, "/v1/withdraw").header("x-forwarded-for", address);
        developer.send(request).await
    };
    let blocked = from("203.0.113.66").await?.must_be(403, "E022")?;
    ensure!(blocked.text.contains("watch scores the address 60; scores below 60 pass"), "{}", blocked.text);
    ensure!(balance(&developer).await? == 0, "the blocked amount is not reserved");
    let listed = folder.run_json(&["withdrawal", "list"])?;
    let waiting = &listed["withdrawals"][0];
    ensure!(
        waiting["state"] == "blocked" && waiting["reason"].as_str().is_some_and(|why| why.starts_with("address: "))
    );
    // The ledger does not contain the client's address.
    ensure!(
        !folder.run(&["ledger", "export"])?.contains("203.0.113"),
        "the ledger must not contain the client's address"
    );
    let id = waiting["withdrawal_id"].as_str().context("no id")?;
    folder.run(&["withdrawal", "reject", id, "--reason", "stolen"])?;
    ensure!(balance(&developer).await? == 1_280, "the balance was not restored");
    from("203.0.113.7").await?.must(200)?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_lost_answer_is_looked_up() -> Result<()> {
    for code in ["ac_test_lost_after", "ac_test_lost_before"] {
        let (folder, _server, developer) = with_earnings(1).await?;
        connect(&developer, code).await?;
        let unclear = withdraw(&developer, None).await?.must(202)?;
        ensure!(unclear.json["success"] == true && unclear.json["settlement"] == "being confirmed", "{}", unclear.text);
        ensure!(balance(&developer).await? == 0, "the amount was released while its outcome is unknown");
        let state = async || Ok((only_withdrawal(&developer).await?["state"] == "settled").then_some(()));
        eventually("settled", 20, state).await?;
        folder.verify()?;
    }
    Ok(())
}

#[tokio::test]
async fn credit_and_tiers_are_bought() -> Result<()> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"0.00\"\n[tiers.pro]\nprice_gbp = \"20.00\"\ndays = 30")?;
    folder.publish_echo("1.0.0", "0.10")?;
    let server = folder.serve().await?;
    let client = server.client();
    let payer = client.with_key(&folder.key()?.1);
    let buy = async |body: Value| payer.post("/api/v1/checkout/session", &body).await;
    client.post("/api/v1/checkout/session", &json!({ "product": "credit" })).await?.must_be(401, "E001")?;
    for wrong in [
        json!({ "product": "yacht" }),
        json!({ "product": "tier:enterprise" }),
        json!({ "product": "agent:missing", "quantity": 3 }),
        json!({ "product": "credit", "quantity": 0 }),
        json!({ "product": "credit", "quantity": 100_000 }),
        json!({ "product": "credit", "quantity": -1 }),
        json!({ "quantity": 1 }),
        json!({ "product": "credit", "price": 100 }),
    ] {
        buy(wrong).await?.must_be(400, "E011")?;
    }
    buy(json!({ "product": "credit", "developer_pct": 100 })).await?.must_be(403, "E008")?;
    let session = buy(json!({ "product": "credit", "quantity": 5 })).await?.must(201)?.json;
    ensure!(session["amount_gbp"] == "5.00" && session["session_id"].is_string(), "{session}");
    let url = session["url"].as_str().context("no url")?;
    let page = url.strip_prefix(&server.url).context("the link leads to another server")?;
    payer.get(page).await?.must(200)?;
    payer.call_on_credit("echo").await?.must_quote(Some("insufficient_credit"))?;
    client.post(page, &json!({})).await?.must(200)?;
    // Paying the same page twice charges once.
    let again = client.post(page, &json!({})).await?.must(200)?;
    ensure!(again.json["already_paid"] == true, "{}", again.text);
    ensure!(payer.get("/v1/balance").await?.json["credit_pence"] == 500, "no credit");
    let intent = session["payment_intent_id"].as_str().context("no intent")?;
    let state = payer.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    ensure!(state.json["state"] == "paid", "{}", state.text);
    payer.call_with("echo", intent).await?.must_quote(Some("other_bridge"))?;
    payer.call_on_credit("echo").await?.must(200)?;

    let limit = async || {
        Ok::<_, anyhow::Error>(payer.get("/v1/balance").await?.header("x-ratelimit-limit-minute").map(str::to_owned))
    };
    ensure!(limit().await?.as_deref() != Some("1000"), "already Pro");
    let session = buy(json!({ "product": "tier:pro" })).await?.must(201)?.json;
    ensure!(session["amount_gbp"] == "20.00", "{session}");
    let page = session["url"].as_str().and_then(|url| url.strip_prefix(&server.url)).context("no url")?;
    client.post(page, &json!({})).await?.must(200)?;
    ensure!(limit().await?.as_deref() == Some("1000"), "not Pro: {:?}", limit().await?);
    folder.verify().map(drop)
}

#[tokio::test]
async fn the_remainder_of_a_payment_becomes_credit() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("[payments]\nminimum_charge = \"1.00\"").await?;
    let (owner, other) = (client.with_key(&folder.key()?.1), client.with_key(&folder.key()?.1));
    let intent = owner.paid_intent("echo").await?;
    owner.call_with("echo", &intent).await?.must(200)?;
    let path = format!("/v1/payments/{intent}/credit");
    client.post(&path, &json!({})).await?.must_be(401, "E001")?;
    other.post(&path, &json!({})).await?.must_be(404, "E012")?;
    let moved = owner.post(&path, &json!({})).await?.must(200)?;
    ensure!(moved.json["credited_pence"] == 90 && moved.json["credit_pence"] == 1090, "{}", moved.text);
    owner.post(&path, &json!({})).await?.must_be(409, "E010")?;
    other.post(&path, &json!({})).await?.must_be(404, "E012")?;
    let used = owner.call_with("echo", &intent).await?.must_be(409, "E010")?;
    let answer = used.json["answer"].as_str().context("no answer")?;
    owner.get(answer).await?.must(200)?;
    // If a payment bought no answer, the error has no link to an answer.
    let unused = owner.paid_intent("echo").await?;
    owner.post(&format!("/v1/payments/{unused}/credit"), &json!({})).await?.must(200)?;
    let used = owner.call_with("echo", &unused).await?.must_be(409, "E010")?;
    ensure!(used.json["answer"].is_null() && used.text.contains("became credit"), "{}", used.text);
    owner.get(&format!("/v1/payments/{unused}/answer")).await?.must_be(404, "E012")?;

    // The operator refunds the unspent remainder of a different payment.
    let intent = client.paid_intent("echo").await?;
    client.call_with("echo", &intent).await?.must(200)?;
    let refund = folder.run_json(&["payment", "refund", &intent])?;
    ensure!(refund["amount_gbp"] == "0.90" && refund["state"] == "paid", "{refund}");
    ensure!(!folder.try_run(&["payment", "refund", &intent])?.status.success(), "refunded twice");
    client.call_with("echo", &intent).await?.must_be(409, "E010")?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_backup_of_a_running_server_can_be_continued() -> Result<()> {
    let (folder, server, developer) = with_earnings(1).await?;
    connect(&developer, "ac_test_ok").await?;
    let before = folder.records()?;
    let copy = folder.path().join("copy");
    let copy = copy.to_str().context("no path")?;
    let made = folder.run_json(&["backup", copy])?;
    ensure!(made["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{made}");
    ensure!(!folder.try_run(&["backup", copy])?.status.success(), "a backup was overwritten");
    let code = std::path::Path::new(copy).join("compiled").read_dir()?;
    ensure!(code.count() > 0, "the copy lacks compiled code");
    withdraw(&developer, None).await?.must(200)?;
    server.stop().await?;

    let restored = Server::start(&folder, &["--data", copy]).await?;
    let checked = folder.run_json(&["ledger", "verify", "--data", copy])?;
    // The copy's ledger has one more record, at its end: the audit log's record of the
    // backup command.
    ensure!(checked["ok"] == true && checked["report"]["records"] == before + 1, "{checked}, {before} before");
    let developer = Client::new(&restored.url).with_key(&folder.developer);
    ensure!(balance(&developer).await? == EARNED_PENCE, "the balance differs");
    // The copy is a normal data folder: keys, accounts and money work.
    withdraw(&developer, None).await?.must(200)?;
    restored.stop().await
}
