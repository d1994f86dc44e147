//! Webhooks end to end: signatures verified by third-party code, retries, replay, and
//! misbehaving receivers.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tollbridge_tests::{Client, Folder, Hook, Reaction, Receiver, eventually, workspace};

/// Allows deliveries to this machine, with short retries.
const LOCAL: &str = "[payments]\nsandbox_credit = \"5000.00\"\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n\
                     retries = [\"200ms\", \"300ms\", \"400ms\"]\n";
const SECRET: &str = "a-secret-of-enough-bytes";

fn long() -> bool {
    std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1")
}

async fn register(client: &Client, url: &str, events: &[&str]) -> Result<String> {
    let body = json!({ "url": url, "events": events, "secret": SECRET });
    let made = client.post("/v1/webhooks", &body).await?.must(201)?;
    ensure!(made.json["secret"] == SECRET && made.json["status"] == "enabled", "{}", made.text);
    Ok(made.json["id"].as_str().context("no id")?.to_owned())
}

async fn buy(caller: &Client, calls: usize) -> Result<()> {
    for _ in 0..calls {
        caller.call_on_credit("echo").await?.must(200)?;
    }
    Ok(())
}

/// Runs a Python script that reads the received hooks as JSON from standard input; the
/// script must exit with 0.
async fn python(script: &str, hooks: &[Hook], secret: &str) -> Result<()> {
    let python = std::env::var("PYTHON").context("PYTHON must name an interpreter with tests/requirements.txt")?;
    let hooks: Vec<Value> = hooks
        .iter()
        .map(|hook| json!({ "headers": hook.headers, "body": String::from_utf8_lossy(&hook.body) }))
        .collect();
    let mut child = tokio::process::Command::new(python)
        .arg(workspace().join("tests").join(script))
        .arg(secret)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    stdin.write_all(json!(hooks).to_string().as_bytes()).await?;
    drop(stdin);
    let output = child.wait_with_output().await?;
    ensure!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_call_notifies_owner_caller_and_operator() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let receiver = Receiver::start().await?;
    let caller = client.signed_up("caller@example.com").await?;
    register(&developer, &receiver.url, &["billing.split"]).await?;
    let (callers, operators) = (Receiver::start().await?, Receiver::start().await?);
    register(&caller, &callers.url, &["billing.split"]).await?;
    folder.run(&["webhooks", "add", &operators.url, "--events", "billing.split", "--secret", SECRET])?;
    // Another account's endpoint does not get the event.
    let other = Receiver::start().await?;
    register(&client.signed_up("other@example.com").await?, &other.url, &["*"]).await?;
    let answer = caller.call_on_credit("echo").await?.must(200)?;
    let hooks = receiver.wait_for("billing.split", 1, 20).await?;
    let event = hooks[0].json();
    let data = &event["data"];
    for (name, value) in [("gross_pence", 10), ("agent_pence", 8), ("platform_pence", 2), ("dt_pence", 0)] {
        ensure!(data[name] == value, "{name} of {event}");
    }
    ensure!(data["dt_millipence"] == 250 && data["platform_millipence"] == 1_750, "{event}");
    ensure!(data["worm_seal"].as_str() == answer.header("x-worm-seal"), "{event}");
    ensure!(data["record_id"].as_str() == answer.header("x-transaction-id"), "{event}");
    let rules = client.get("/v1/platform-rules").await?;
    ensure!(rules.text.contains(data["constitution"].as_str().context("no constitution")?), "{event}");
    ensure!(event["timestamp"].as_u64().is_some_and(|seconds| seconds > 1_700_000_000), "{event}");
    python("check_webhooks.py", &hooks, SECRET).await?;
    for receiver in [&callers, &operators] {
        let reported = receiver.wait_for("billing.split", 1, 20).await?[0].json();
        ensure!(reported["data"] == *data, "{reported}");
    }
    ensure!([&receiver, &callers, &operators].iter().all(|one| one.count() == 1), "an event arrived twice");
    ensure!(other.hooks().is_empty(), "{:?}", other.hooks());
    server.stop().await
}

/// An event that was delivered or in flight when the server stopped is not delivered
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_repeats_nothing() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let slow = |number: usize| Reaction {
        after: Duration::from_millis(if number == 1 { 1_000 } else { 0 }),
        ..Reaction::status(200)
    };
    let receiver = Receiver::with(slow).await?;
    let caller = client.signed_up("caller@example.com").await?;
    register(&developer, &receiver.url, &["billing.split"]).await?;
    for reported in [1, 2] {
        buy(&caller, 1).await?;
        receiver.wait_for("billing.split", reported, 20).await?;
    }
    // The receiver has got the second event, but has not answered it yet.
    server.stop().await?;
    let server = folder.serve().await?;
    let caller = Client::new(&server.url).with_key(caller.key().context("the caller has no key")?);
    for reported in [3, 4] {
        buy(&caller, 1).await?;
        receiver.wait_for("billing.split", reported, 20).await?;
    }
    let ids: BTreeSet<String> = receiver.hooks().iter().map(|hook| hook.header("webhook-id").to_owned()).collect();
    ensure!(receiver.count() == 4 && ids.len() == 4, "{} deliveries of {} events", receiver.count(), ids.len());
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn tests_secrets_and_signatures() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    developer.post("/api/v1/webhooks/test", &json!({})).await?.must_be(404, "E012")?;
    let receiver = Receiver::start().await?;
    let id = register(&developer, &receiver.url, &["earn.completed"]).await?;
    let sent = developer.post("/api/v1/webhooks/test", &json!({})).await?.must(202)?;
    let hooks = receiver.wait_for("webhook.test", 1, 20).await?;
    ensure!(hooks[0].header("webhook-id") == sent.json["event_id"], "{} {:?}", sent.text, hooks[0]);
    ensure!(hooks[0].header("content-type") == "application/json", "{:?}", hooks[0]);
    // An event without a transaction has a separate record with its own seal.
    let seal = hooks[0].json()["data"]["worm_seal"].as_str().context("no seal")?.to_owned();
    client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    // After the secret is rolled, deliveries are signed with both the old and the new
    // secret.
    let rolled = developer.post(&format!("/v1/webhooks/{id}/secret"), &json!({})).await?.must(200)?;
    let new = rolled.json["secret"].as_str().context("no secret")?.to_owned();
    ensure!(new.starts_with("whsec_"), "{new}");
    developer.post("/v1/webhooks/test", &json!({})).await?.must(202)?;
    let hooks = receiver.wait_for("webhook.test", 2, 20).await?;
    python("check_webhooks.py", &hooks[1..], &new).await?;
    let mut before = hooks[1].clone();
    let previous = before.header("x-service-signature-previous").to_owned();
    before.headers.insert("x-service-signature".to_owned(), previous);
    python("check_webhooks.py", &[before], SECRET).await?;
    // A receiver can ask the server to verify a signature.
    let path = format!("/v1/webhooks/{id}/verify");
    let verify = |signature: &str| {
        let body = hooks[1].body.clone();
        developer.request("POST".parse().unwrap_or_default(), &path).header("x-service-signature", signature).body(body)
    };
    developer.send(verify(hooks[1].header("x-service-signature"))).await?.must(200)?;
    developer.send(verify(&"0".repeat(64))).await?.must_be(400, "E006")?;
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_tried_again_then_kept_and_replayed() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let caller = client.signed_up("caller@example.com").await?;
    // The first two requests fail, and so do all from the fifth on.
    let receiver = Receiver::with(|number| match number {
        0 | 1 => Reaction::status(500),
        4..=7 => Reaction { status: 302, headers: "location: http://127.0.0.1:1/\r\n", ..Reaction::status(302) },
        _ => Reaction::status(200),
    })
    .await?;
    let id = register(&developer, &receiver.url, &["billing.split"]).await?;
    buy(&caller, 1).await?;
    let hooks = receiver.wait_for("billing.split", 3, 20).await?;
    let ids: BTreeSet<&str> = hooks.iter().map(|hook| hook.header("webhook-id")).collect();
    ensure!(ids.len() == 1 && hooks[0].body == hooks[2].body, "{hooks:?}");
    ensure!(hooks[1].at - hooks[0].at >= Duration::from_millis(150), "retried too soon");
    let path = format!("/v1/webhooks/{id}");
    let settled = eventually("the attempts", 20, async || {
        let shown = developer.get(&path).await?.must(200)?;
        Ok((shown.json["deliveries"]["delivered"] == 1).then_some(shown))
    });
    settled.await?;
    let attempts = developer.get(&format!("{path}/attempts")).await?.must(200)?;
    let all = attempts.json["attempts"].as_array().context("no attempts")?.clone();
    let numbers: Vec<_> = all.iter().map(|one| (one["attempt"].clone(), one["status"].clone())).collect();
    ensure!(numbers == [(json!(3), json!(200)), (json!(2), json!(500)), (json!(1), json!(500))], "{}", attempts.text);
    // A failed delivery is kept, and can be replayed.
    buy(&caller, 2).await?;
    let dead = eventually("a dead delivery", 30, async || {
        let shown = developer.get(&path).await?.must(200)?;
        Ok((shown.json["deliveries"]["dead"].as_u64() > Some(0)).then_some(shown))
    });
    dead.await?;
    let before = receiver.hooks().len();
    let queued = developer.post(&format!("{path}/replay"), &json!({ "dead": true })).await?.must(202)?;
    ensure!(queued.json["queued"] == 1, "{}", queued.text);
    let again = receiver.wait_for("billing.split", before + 1, 20).await?;
    ensure!(again[before].header("webhook-id") == again[before - 1].header("webhook-id"), "a different id");
    // Replays one event by its id.
    let event = again[0].header("webhook-id").to_owned();
    developer.post(&format!("{path}/replay"), &json!({ "event_id": event })).await?.must(202)?;
    let last = receiver.wait_for("billing.split", before + 2, 20).await?;
    ensure!(last[before + 1].body == last[0].body, "a different body");
    for bad in [json!({}), json!({ "dead": true, "since_ms": 1 })] {
        developer.post(&format!("{path}/replay"), &bad).await?.must_be(400, "E011")?;
    }
    let unknown = json!({ "event_id": "evt_1-1-00000000" });
    developer.post(&format!("{path}/replay"), &unknown).await?.must_be(404, "E012")?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_receivers_delay_no_other_receiver() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let caller = client.signed_up("caller@example.com").await?;
    let good = Receiver::start().await?;
    register(&developer, &good.url, &["billing.split"]).await?;
    let delays = async |expect: usize| -> Result<Duration> {
        let mut delays = Vec::new();
        for number in 0..20 {
            let began = Instant::now();
            buy(&caller, 1).await?;
            good.wait_for("billing.split", expect + number + 1, 20).await?;
            delays.push(began.elapsed());
        }
        delays.sort();
        Ok(delays[10])
    };
    let alone = delays(0).await?;
    let slow = Receiver::with(|_| Reaction { after: Duration::from_secs(30), ..Reaction::status(200) }).await?;
    register(&developer, &slow.url, &["billing.split"]).await?;
    register(&developer, "http://127.0.0.1:9/dead", &["billing.split"]).await?;
    buy(&caller, 30).await?;
    good.wait_for("billing.split", 50, 20).await?;
    let beside = delays(50).await?;
    ensure!(!slow.hooks().is_empty(), "the slow receiver must get a request");
    let most = alone * 3 + Duration::from_millis(100);
    ensure!(beside < most, "median delay: {alone:?} without bad receivers, {beside:?} with them");
    server.stop().await
}

/// Queued events survive a power cut: each arrives at least once, always with the same id
/// and the same body.
#[tokio::test(flavor = "multi_thread")]
async fn queued_events_survive_a_power_cut() -> Result<()> {
    const PATIENT: &str = "[payments]\nsandbox_credit = \"5000.00\"\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n\
                           retries = [\"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\"]\n";
    let (events, callers) = if long() { (10_000, 50) } else { (600, 20) };
    let (folder, server, client) = Folder::with_echo(PATIENT).await?;
    let developer = client.with_key(&folder.developer);
    let caller = client.signed_up("caller@example.com").await?;
    // This receiver gets requests but never answers, so nothing counts as
    // delivered.
    let mute = Receiver::with(|_| Reaction { after: Duration::from_secs(3_600), ..Reaction::status(200) }).await?;
    let address = mute.url.trim_start_matches("http://").trim_end_matches("/hook").to_owned();
    register(&developer, &mute.url, &["billing.split"]).await?;
    let buying: Vec<_> = (0..callers)
        .map(|_| {
            let caller = caller.clone();
            tokio::spawn(async move { buy(&caller, events / callers).await })
        })
        .collect();
    for one in buying {
        one.await??;
    }
    server.kill().await?;
    drop(mute);
    let receiver = eventually("the port of the receiver", 20, async || {
        Ok(Receiver::at(&address, |_| Reaction::status(200)).await.ok())
    });
    let (receiver, _) = receiver.await?;
    let server = folder.serve().await?;
    let arrived = eventually("every event", 300, async || {
        if receiver.count() < events {
            return Ok(None);
        }
        let ids: BTreeSet<String> = receiver.hooks().iter().map(|hook| hook.header("webhook-id").to_owned()).collect();
        Ok((ids.len() >= events).then_some(ids))
    });
    let (ids, _) = arrived.await?;
    ensure!(ids.len() == events, "{} ids for {events} events", ids.len());
    let mut bodies: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for hook in receiver.hooks() {
        let known = bodies.entry(hook.header("webhook-id").to_owned()).or_insert_with(|| hook.body.clone());
        ensure!(*known == hook.body, "one id was delivered with two different bodies");
    }
    let seals: BTreeSet<String> =
        receiver.hooks().iter().map(|hook| hook.json()["data"]["worm_seal"].to_string()).collect();
    ensure!(seals.len() == events, "{} seals for {events} events", seals.len());
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_and_the_referrer_hear_of_sign_ups() -> Result<()> {
    let folder = Folder::new(LOCAL)?;
    let server = folder.serve().await?;
    let client = server.client();
    let receiver = Receiver::start().await?;
    let made =
        folder.run_json(&["webhooks", "add", &receiver.url, "--events", "signup.created", "--secret", SECRET])?;
    ensure!(made["secret"] == SECRET && made["account"] == "operator", "{made}");
    let referrer = client.post("/v1/signup", &json!({ "email": "ann@example.com" })).await?.must(201)?;
    let first = receiver.wait_for("signup.created", 1, 20).await?;
    ensure!(first[0].json()["data"]["user_id"] == referrer.json["user_id"], "{:?}", first[0].json());
    let ann = client.with_key(referrer.json["api_key"].as_str().context("no key")?);
    let own = Receiver::start().await?;
    register(&ann, &own.url, &["signup.created"]).await?;
    let code = referrer.json["referral_code"].clone();
    let body = json!({ "email": "bob@example.com", "referral_code": code });
    let referred = client.post("/v1/signup", &body).await?.must(201)?;
    let heard = own.wait_for("signup.created", 1, 20).await?;
    let data = &heard[0].json()["data"];
    ensure!(data["user_id"] == referred.json["user_id"] && data["referral_code"] == code, "{data}");
    let listed = folder.run_json(&["webhooks", "list"])?;
    let id = listed["webhooks"][0]["id"].as_str().context("no id")?.to_owned();
    folder.run(&["webhooks", "delete", &id])?;
    ensure!(folder.run_json(&["webhooks", "list"])?["webhooks"] == json!([]), "the webhook still exists");
    folder.verify()?;
    server.stop().await
}

/// `webhooks listen` accepts the events that `webhooks trigger` sends.
#[tokio::test(flavor = "multi_thread")]
async fn examples_can_be_sent_and_received_locally() -> Result<()> {
    let folder = Folder::new(LOCAL)?;
    let receiver = Receiver::start().await?;
    let url = receiver.url.clone();
    for event in ["earn.completed", "billing.split", "fraud.detected"] {
        folder.run(&["webhooks", "trigger", event, "--url", &url, "--secret", SECRET])?;
    }
    let hooks = receiver.hooks();
    ensure!(hooks.len() == 3, "{hooks:?}");
    python("check_webhooks.py", &hooks, SECRET).await?;
    ensure!(!folder.try_run(&["webhooks", "trigger", "no.such", "--url", &url])?.status.success(), "unknown event");
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let mut listening = tokio::process::Command::new(tollbridge_tests::binary())
        .args(["--json", "webhooks", "listen", "--listen", &port, "--secret", SECRET])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let url = format!("http://{port}/");
    let sent = eventually("a listener", 20, async || {
        let args = ["webhooks", "trigger", "earn.completed", "--url", &url, "--secret", SECRET];
        Ok(folder.try_run(&args)?.status.success().then_some(()))
    });
    sent.await?;
    let wrong = ["webhooks", "trigger", "earn.completed", "--url", &url, "--secret", "another-secret-altogether"];
    ensure!(!folder.try_run(&wrong)?.status.success(), "a wrong signature was accepted");
    listening.start_kill()?;
    let output = listening.wait_with_output().await?;
    let text = String::from_utf8(output.stdout)?;
    ensure!(text.contains("\"signature_valid\": true") || text.contains("\"signature_valid\":true"), "{text}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_refused() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("[webhooks]\nretries = [\"100ms\"]\n").await?;
    let developer = client.with_key(&folder.developer);
    for url in [
        "http://127.0.0.1:9/",
        "https://127.0.0.1/",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://0x7f000001/",
        "https://2130706433/",
        "http://example.com/",
        "https://user:pass@example.com/",
        "https://example.com/#part",
        "ftp://example.com/",
        "example.com",
        "",
    ] {
        let body = json!({ "url": url, "events": ["*"], "secret": SECRET });
        let refused = developer.post("/v1/webhooks", &body).await?.must_be(400, "E011")?;
        ensure!(refused.json["details"]["field"] == "/url", "{url}: {}", refused.text);
    }
    // A host name that resolves to this machine is refused after the DNS look-up, without
    // a retry.
    let id = register(&developer, "https://localhost/hook", &["*"]).await?;
    developer.post("/v1/webhooks/test", &json!({})).await?.must(202)?;
    let attempts = eventually("the refusal", 20, async || {
        let shown = developer.get(&format!("/v1/webhooks/{id}/attempts")).await?.must(200)?;
        Ok(shown.json["attempts"].as_array().is_some_and(|all| !all.is_empty()).then_some(shown))
    });
    let (attempts, _) = attempts.await?;
    let first = &attempts.json["attempts"][0];
    ensure!(first["next_at"].is_null() && first["error"].to_string().contains("private"), "{}", attempts.text);
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_refused_and_writes_nothing() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let url = "http://127.0.0.1:9/";
    for (body, field) in [
        (json!({ "url": url, "events": [], "secret": SECRET }), "/events"),
        (json!({ "url": url, "events": ["earn.complete"], "secret": SECRET }), "/events"),
        (json!({ "url": url, "events": ["*"], "secret": "short" }), "/secret"),
        (json!({ "url": url, "events": ["*"], "secret": "whsec_not base64!!" }), "/secret"),
        (json!({ "url": url, "events": ["*"], "secret": SECRET, "extra": 1 }), "/extra"),
        (json!({ "url": 7, "events": ["*"] }), "/url"),
    ] {
        let refused = developer.post("/v1/webhooks", &body).await?.must_be(400, "E011")?;
        ensure!(refused.json["details"]["field"] == field, "{}", refused.text);
    }
    let listed = developer.get("/v1/webhooks").await?.must(200)?;
    ensure!(listed.json["webhooks"] == json!([]), "{}", listed.text);
    client.post("/v1/webhooks", &json!({})).await?.must_be(401, "E001")?;
    // Another account's endpoint is treated as nonexistent.
    let id = register(&developer, url, &["*"]).await?;
    let stranger = client.signed_up("stranger@example.com").await?;
    for path in ["", "/attempts"] {
        stranger.get(&format!("/v1/webhooks/{id}{path}")).await?.must_be(404, "E012")?;
    }
    stranger.post(&format!("/v1/webhooks/{id}/secret"), &json!({})).await?.must_be(404, "E012")?;
    for _ in 1..20 {
        register(&developer, url, &["*"]).await?;
    }
    let body = json!({ "url": url, "events": ["*"], "secret": SECRET });
    developer.post("/v1/webhooks", &body).await?.must_be(409, "E010")?;
    let path = format!("/v1/webhooks/{id}");
    developer.send(developer.request("DELETE".parse()?, &path)).await?.must(204)?;
    developer.get(&path).await?.must_be(404, "E012")?;
    server.stop().await
}
