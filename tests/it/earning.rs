//! Earnings other than from plugin calls: operator tasks, payments between agents, memory
//! items.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Receiver, Reply, Server, agents, guest, manifest};

const EXTRA: &str = "[earn]\nbudget_gbp = \"2.00\"\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n";

fn with_key(client: &Client, path: &str, body: &Value, key: &str) -> reqwest::RequestBuilder {
    client.request("POST".parse().unwrap_or_default(), path).header("idempotency-key", key).json(body)
}

fn put_up(folder: &Folder, id: &str, most: &str) -> Result<Value> {
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, r#"{"type":"object","required":["label"],"properties":{"label":{"enum":["cat","dog"]}}}"#)?;
    let schema = schema.display().to_string();
    let args = ["earn", "task", "add", id, "--description", "Say what it is", "--schema", &schema];
    folder.run_json(&[&args[..], &["--max-completions", most]].concat())
}

fn records(reply: &Reply) -> Result<&str> {
    reply.header("x-worm-seal").context("no seal")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_pays_once_and_within_its_budget() -> Result<()> {
    let folder = Folder::new(EXTRA)?;
    let server = folder.serve().await?;
    let client = server.client();
    put_up(&folder, "label-1", "10")?;
    put_up(&folder, "label-2", "1")?;
    ensure!(folder.run_json(&["earn", "budget", "show"])?["budget_gbp"] == "2.00", "the configured budget");
    let (ann, bob) = (client.signed_up("ann@example.com").await?, client.signed_up("bob@example.com").await?);
    let receiver = Receiver::start().await?;
    let hook = json!({ "url": receiver.url, "events": ["earn.completed"], "secret": "a-secret-of-enough-bytes" });
    ann.post("/v1/webhooks", &hook).await?.must(201)?;
    let listed = ann.get("/v1/earn/1").await?.must(200)?;
    ensure!(listed.json["tasks"].as_array().is_some_and(|all| all.len() == 2), "{}", listed.text);

    // An invalid result pays nothing.
    let before = folder.records()?;
    for (body, field) in [
        (json!({ "task": "label-1", "result": { "label": "cow" } }), "/result/label"),
        (json!({ "task": "label-1", "result": {} }), "/result/label"),
        (json!({ "task": "label-1" }), "/result"),
        (json!({ "task": "label-1", "result": {}, "more": 1 }), "/more"),
    ] {
        let refused = ann.post("/v1/earn/1", &body).await?.must_be(400, "E011")?;
        ensure!(refused.json["details"]["field"] == field, "{}", refused.text);
    }
    ann.post("/v1/earn/1", &json!({ "task": "nope", "result": 1 })).await?.must_be(404, "E012")?;
    ann.post("/v1/earn/1", &json!({ "split": 1, "task": "label-1", "result": 1 })).await?.must_be(403, "E008")?;
    client.post("/v1/earn/1", &json!({})).await?.must_be(401, "E001")?;
    ensure!(folder.records()? == before, "a refused claim was written");

    let good = json!({ "task": "label-1", "result": { "label": "cat" } });
    let paid = ann.send(with_key(&ann, "/v1/earn/1", &good, "k1")).await?.must(200)?;
    ensure!(paid.json["earned_pence"] == 78 && paid.json["earned_gbp"] == "£0.78", "{}", paid.text);
    client.get(&format!("/v1/ledger/proof/{}", records(&paid)?)).await?.must(200)?;
    let balance = ann.get("/v1/balance").await?.must(200)?;
    ensure!(balance.json["balance_pence"] == 78, "{}", balance.text);
    let hooks = receiver.wait_for("earn.completed", 1, 20).await?;
    let data = &hooks[0].json()["data"];
    ensure!(data["earned_pence"] == 78 && data["balance_pence"] == 78 && data["task"] == "label-1", "{data}");
    ensure!(data["worm_seal"].as_str() == paid.header("x-worm-seal"), "{data}");
    ensure!(data["record_id"] == paid.json["record_id"] && data["earned_gbp"] == "£0.78", "{data}");

    // A repeat under the same key gets the stored answer; under another key, it gets a
    // 409.
    let again = ann.send(with_key(&ann, "/v1/earn/1", &good, "k1")).await?.must(200)?;
    ensure!(again.text == paid.text && again.header("idempotent-replayed") == Some("true"), "{again:?}");
    ann.post("/v1/earn/1", &good).await?.must_be(409, "E010")?;
    ann.send(with_key(&ann, "/v1/earn/1", &good, "k2")).await?.must_be(409, "E010")?;

    // The first task has reached its maximum number of completions; the second task uses
    // up the budget.
    let second = json!({ "task": "label-2", "result": { "label": "dog" } });
    bob.post("/v1/earn/1", &second).await?.must(200)?;
    ann.post("/v1/earn/1", &second).await?.must_be(404, "E012")?;
    bob.post("/v1/earn/1", &good).await?.must_be(503, "E024")?;
    folder.run(&["earn", "budget", "add", "1.00"])?;
    bob.post("/v1/earn/1", &good).await?.must(200)?;
    ensure!(folder.run_json(&["earn", "budget", "show"])?["budget_gbp"] == "0.66", "what is left");
    folder.verify()?;
    server.stop().await?;
    // After a restart the configured budget is not added again.
    let server = folder.serve().await?;
    ensure!(folder.run_json(&["earn", "budget", "show"])?["budget_gbp"] == "0.66", "the budget was added twice");
    server.stop().await
}

/// Results can be judged by a bridge that the operator chooses, instead of by a schema.
#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_judges_a_result() -> Result<()> {
    let folder = Folder::new("[earn]\nbudget_gbp = \"10.00\"\n")?;
    let cats = guest::judge("\"output\":\"cat\"", &json!({ "valid": true }), &json!({ "valid": false }))?;
    folder.publish(&manifest("judge", "1.0.0", "0.10"), &cats)?;
    let nested = guest::judge("\"strict\":1", &json!({ "result": { "valid": true } }), &json!({ "result": {} }))?;
    folder.publish(&manifest("strict", "1.0.0", "0.10"), &nested)?;
    let server = folder.serve().await?;
    let put_up = |id: &str, bridge: &str, with: &str| {
        let args = ["earn", "task", "add", id, "--description", "Name a pet", "--bridge", bridge, "--with", with];
        folder.try_run(&args)
    };
    for (id, bridge, with) in [
        ("pet", "judge", "{}"),
        ("sure", "strict", r#"{"strict":1}"#),
        ("vague", "strict", "{}"),
        ("lost", "none", "{}"),
    ] {
        ensure!(put_up(id, bridge, with)?.status.success(), "{id}");
    }
    ensure!(!put_up("odd", "judge", "[]")?.status.success(), "a list for a bridge");
    let ann = server.client().with_key(&folder.key()?.1);
    let claim =
        async |task: &str, result: Value| ann.post("/v1/earn/1", &json!({ "task": task, "result": result })).await;
    let before = folder.records()?;
    let wrong = claim("pet", json!("cow")).await?.must_be(400, "E011")?;
    ensure!(wrong.json["details"]["field"] == "/result", "{}", wrong.text);
    // If the bridge gives no verdict or does not exist, nothing is paid.
    claim("vague", json!("cat")).await?.must_be(503, "E016")?;
    claim("lost", json!("cat")).await?.must_be(503, "E016")?;
    ensure!(folder.records()? == before, "a refused result was written");
    // The valid result is paid; the bridge that judged it earns nothing.
    claim("pet", json!("cat")).await?.must(200)?;
    claim("sure", json!("anything")).await?.must(200)?;
    claim("pet", json!("cat")).await?.must_be(409, "E010")?;
    ensure!(pence(&ann, "balance_pence").await? == 156, "not paid");
    let developer = server.client().with_key(&folder.developer);
    ensure!(pence(&developer, "balance_pence").await? == 0, "the judge was paid");
    folder.run(&["plugin", "disable", "judge"])?;
    let bob = server.client().with_key(&folder.key()?.1);
    bob.post("/v1/earn/1", &json!({ "task": "pet", "result": "cat" })).await?.must_be(503, "E016")?;
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_are_paid_as_often_as_the_task_says() -> Result<()> {
    let folder = Folder::new("[earn]\nbudget_gbp = \"100.00\"\n")?;
    let server = folder.serve().await?;
    put_up(&folder, "label-1", "7")?;
    let mut claims = Vec::new();
    for _ in 0..20 {
        let client = server.client().with_key(&folder.key()?.1);
        claims.push(tokio::spawn(async move {
            client.post("/v1/earn/1", &json!({ "task": "label-1", "result": { "label": "cat" } })).await
        }));
    }
    let mut paid = 0;
    for claim in claims {
        let reply = claim.await??;
        if reply.status == 200 {
            paid += 1;
        } else {
            reply.must_be(404, "E012")?;
        }
    }
    ensure!(paid == 7, "{paid} were paid");
    let listed = folder.run_json(&["earn", "task", "list"])?;
    ensure!(listed["tasks"][0]["completions"] == 7, "{listed}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_transfers_are_refused_and_write_nothing() -> Result<()> {
    let folder = Folder::new(EXTRA)?;
    let server = folder.serve().await?;
    let ann = server.client().signed_up("ann@example.com").await?;
    let before = folder.records()?;
    for (amount, field) in
        [("0.00", "/amount_gbp"), ("0.001", "/amount_gbp"), ("-1", "/amount_gbp"), ("x", "/amount_gbp")]
    {
        let body = json!({ "from_agent": "a", "to_agent": "b", "amount_gbp": amount });
        let refused = ann.post("/v1/a2a/settle", &body).await?.must_be(400, "E011")?;
        ensure!(refused.json["details"]["field"] == field, "{}", refused.text);
    }
    let body = json!({ "from_agent": "a", "to_agent": "b", "amount_gbp": "1.00" });
    ann.post("/v1/a2a/settle", &body).await?.must(404)?;
    let item = |key: &str, ttl: Value| json!({ "agent": "a", "key": key, "value": 1, "ttl_seconds": ttl });
    ann.post("/v1/memory/store", &item("bad key", Value::Null)).await?.must_be(400, "E011")?;
    ann.post("/v1/memory/store", &item("k", json!(0))).await?.must_be(400, "E011")?;
    ann.post("/v1/memory/store", &item("k", Value::Null)).await?.must(404)?;
    ann.get("/v1/memory/a/k").await?.must_be(404, "E012")?;
    ensure!(folder.records()? == before, "a refused transfer was written");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_noted_once() -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve().await?;
    let client = server.client();
    for email in ["ann@example.com", "ann@Example.com", "bob@example.com"] {
        let noted = client.post("/api/v1/notify", &json!({ "email": email })).await?.must(202)?;
        ensure!(noted.json == json!({ "status": "noted" }), "{}", noted.text);
    }
    for bad in [json!({ "email": "missing" }), json!({}), json!({ "email": "a@b.c", "x": 1 })] {
        client.post("/api/v1/notify", &bad).await?.must_be(400, "E011")?;
    }
    let listed = folder.run_json(&["account", "interested"])?;
    ensure!(listed["interested"].as_array().is_some_and(|all| all.len() == 2), "{listed}");
    server.stop().await
}

/// Every route with a body refuses members that only the platform may set, and writes
/// nothing.
#[tokio::test(flavor = "multi_thread")]
async fn no_account_can_set_the_split() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let caller = client.signed_up("caller@example.com").await?;
    let before = folder.records()?;
    for path in [
        "/v1/oracle/echo",
        "/v1/earn/1",
        "/v1/route",
        "/v1/agents/enqueue",
        "/v1/a2a/settle",
        "/v1/memory/store",
        "/v1/withdraw",
        "/api/v1/checkout/session",
        "/v1/inference/route",
        "/v1/webhooks",
        "/api/v1/agents/deploy",
    ] {
        for member in ["developer_pct", "split", "earnings_floor_pct", "platform_fee_pct", "dream_tax_pence"] {
            let refused = caller.post(path, &json!({ member: 100 })).await?.must_be(403, "E008")?;
            ensure!(refused.text.contains(member), "{path}: {}", refused.text);
        }
    }
    // A JSON array with the values in order is not accepted in place of an object.
    for path in ["/v1/earn/1", "/v1/a2a/settle", "/v1/memory/store"] {
        caller.post(path, &json!(["a", "b", "0.10", "d"])).await?.must_be(400, "E011")?;
    }
    ensure!(folder.records()? == before, "a refused request was recorded");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn reputation_can_be_checked() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let developer = client.with_key(&folder.developer);
    let own = developer.get("/api/v1/reputation").await?.must(200)?;
    let user = own.json["user_id"].as_str().context("no user_id")?.to_owned();
    ensure!(own.json["totals"]["calls"] == 0 && own.json["records"] == json!([]), "{}", own.text);
    let caller = client.signed_up("caller@example.com").await?;
    let mut seals = Vec::new();
    for _ in 0..5 {
        let answer = caller.call_on_credit("echo").await?.must(200)?;
        seals.push(answer.header("x-worm-seal").context("no seal")?.to_owned());
    }
    // Reputation is public and paginated, and a checkpoint covers every record.
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/api/v1/reputation?user_id={user}&limit=2{after}")).await?.must(200)?;
        let totals = &page.json["totals"];
        ensure!(totals["calls"] == 5 && totals["earned_millipence"] == 40_000, "{}", page.text);
        ensure!(page.json["checkpoint"].as_str().is_some_and(|note| note.contains("worm")), "{}", page.text);
        for record in page.json["records"].as_array().context("no records")? {
            let seal = record["worm_seal"].as_str().context("no seal")?.to_owned();
            let proof = client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
            ensure!(proof.json["inclusion"] == record["inclusion"] && proof.json["root"] == record["root"], "{record}");
            found.push(seal);
        }
        match page.json["next"].as_u64() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    ensure!(found == seals, "{found:?} are not {seals:?}");
    // A request with neither key nor account shows the platform's reputation: the total
    // of all calls, and the platform's share.
    let platform = client.get("/api/v1/reputation").await?.must(200)?.json;
    ensure!(platform["user_id"] == "platform" && platform["totals"]["calls"] == 5, "{platform}");
    ensure!(platform["totals"]["earned_millipence"] == 8_750, "{platform}");
    ensure!(platform["records"].as_array().map(Vec::len) == Some(5), "{platform}");
    ensure!(client.get("/api/v1/reputation?user_id=platform").await?.json["totals"] == platform["totals"]);
    client.get("/api/v1/reputation?user_id=acct_nobody").await?.must_be(404, "E012")?;
    client.get(&format!("/api/v1/reputation?user_id={user}&limit=x")).await?.must_be(400, "E011")?;
    server.stop().await
}

/// Starts a server with two agents: one belongs to the folder's developer, the other to
/// Ann.
async fn with_agents() -> Result<(Folder, Server, Client, Client)> {
    let folder = Folder::new(EXTRA)?;
    folder.publish(&agents::manifest("theirs", "0.10"), &agents::mirror()?)?;
    let (account, key) = folder.key()?;
    folder.run(&["publisher", "new", "ann", "--account", &account, "--trust"])?;
    let manifest = agents::manifest("mine", "0.10").replace("\"tester\"", "\"ann\"");
    let published = folder.try_publish("ann", &folder.registry(), &manifest, &agents::mirror()?)?;
    ensure!(published.status.success(), "not published: {}", String::from_utf8_lossy(&published.stderr));
    let server = folder.serve().await?;
    let (ann, developer) = (server.client().with_key(&key), server.client().with_key(&folder.developer));
    Ok((folder, server, ann, developer))
}

async fn pence(client: &Client, member: &str) -> Result<i64> {
    let balance = client.get("/v1/balance").await?.must(200)?;
    balance.json[member].as_i64().with_context(|| format!("no {member} in {}", balance.text))
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_pay_each_other() -> Result<()> {
    let (folder, server, ann, developer) = with_agents().await?;
    let receiver = Receiver::start().await?;
    let hook = json!({ "url": receiver.url, "events": ["billing.split"], "secret": "a-secret-of-enough-bytes" });
    developer.post("/v1/webhooks", &hook).await?.must(201)?;
    let wish = |from: &str, to: &str, amount: &str| json!({ "from_agent": from, "to_agent": to, "amount_gbp": amount });
    let good = wish("mine", "theirs", "1.00");
    let paid = ann.send(with_key(&ann, "/v1/a2a/settle", &good, "k1")).await?.must(200)?;
    ensure!(paid.json["status"] == "settled" && paid.json["amount_pence"] == 100, "{}", paid.text);
    ensure!((pence(&developer, "balance_pence").await?, pence(&ann, "credit_pence").await?) == (80, 900), "balances");
    let reported = receiver.wait_for("billing.split", 1, 20).await?[0].json();
    ensure!(reported["data"]["gross_pence"] == 100 && reported["data"]["agent_pence"] == 80, "{reported}");
    ensure!(reported["data"]["worm_seal"].as_str() == paid.header("x-worm-seal"), "{reported}");
    // A repeat under the same key does not pay again.
    let again = ann.send(with_key(&ann, "/v1/a2a/settle", &good, "k1")).await?.must(200)?;
    ensure!(again.text == paid.text && again.header("idempotent-replayed") == Some("true"), "{again:?}");
    let other = wish("mine", "theirs", "2.00");
    ann.send(with_key(&ann, "/v1/a2a/settle", &other, "k1")).await?.must_be(422, "E023")?;
    ensure!(pence(&ann, "credit_pence").await? == 900, "a repeat was paid");
    // An agent cannot pay with another account's money, pay its own account, or pay more
    // than the balance.
    let before = folder.records()?;
    ann.post("/v1/a2a/settle", &wish("theirs", "mine", "1.00")).await?.must_be(404, "E007")?;
    ann.post("/v1/a2a/settle", &wish("mine", "mine", "1.00")).await?.must_be(400, "E011")?;
    ann.post("/v1/a2a/settle", &wish("mine", "missing", "1.00")).await?.must_be(404, "E007")?;
    ann.post("/v1/a2a/settle", &wish("missing", "theirs", "1.00")).await?.must_be(404, "E007")?;
    let lost = json!({ "agent": "missing", "key": "k", "value": 1 });
    ann.post("/v1/memory/store", &lost).await?.must_be(404, "E007")?;
    // A key's daily limit covers settlements, too.
    let made = ann.post("/v1/keys", &json!({ "max_spend_gbp": "0.50" })).await?.must(201)?;
    let limited = ann.with_key(made.json["api_key"].as_str().context("no key")?);
    limited.post("/v1/a2a/settle", &wish("mine", "theirs", "0.51")).await?.must_be(402, "E003")?;
    ensure!(pence(&ann, "credit_pence").await? == 900, "a refused settlement was paid");
    ann.post("/v1/a2a/settle", &wish("mine", "theirs", "9.01")).await?.must_be(402, "E003")?;
    ensure!(folder.records()? == before, "a refused settlement was written");
    ann.post("/v1/a2a/settle", &wish("mine", "theirs", "9.00")).await?.must(200)?;
    ensure!((pence(&developer, "balance_pence").await?, pence(&ann, "credit_pence").await?) == (800, 0), "balances");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_are_kept_apart_and_paid_for() -> Result<()> {
    let (folder, server, ann, developer) = with_agents().await?;
    let item = |value: Value| json!({ "agent": "theirs", "key": "colour", "value": value, "ttl_seconds": 3600 });
    let stored = ann.post("/v1/memory/store", &item(json!({ "likes": "blue" }))).await?.must(200)?;
    ensure!(stored.json["status"] == "stored" && stored.header("x-worm-seal").is_some(), "{stored:?}");
    let read = ann.get("/v1/memory/theirs/colour").await?.must(200)?;
    ensure!(read.json["value"] == json!({ "likes": "blue" }), "{}", read.text);
    // Other accounts cannot read the item, not even the owner of the agent that stores
    // it.
    developer.get("/v1/memory/theirs/colour").await?.must_be(404, "E012")?;
    ann.get("/v1/memory/mine/colour").await?.must_be(404, "E012")?;
    ann.post("/v1/memory/store", &item(json!("red"))).await?.must(200)?;
    ensure!(ann.get("/v1/memory/theirs/colour").await?.json["value"] == "red", "not replaced");
    // Storing two items costs two pennies, of which the developer gets 1.6.
    ensure!((pence(&developer, "balance_pence").await?, pence(&ann, "credit_pence").await?) == (1, 998), "balances");
    let long = json!("x".repeat(70_000));
    ann.post("/v1/memory/store", &item(long)).await?.must_be(400, "E011")?;
    ann.send(ann.request("DELETE".parse()?, "/v1/memory/theirs/colour")).await?.must(204)?;
    ann.get("/v1/memory/theirs/colour").await?.must_be(404, "E012")?;
    ensure!(pence(&ann, "credit_pence").await? == 998, "forgetting was charged");
    folder.verify()?;
    server.stop().await
}
