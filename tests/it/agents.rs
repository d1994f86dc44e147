//! Agents: direct calls and queued tasks, their charges, and proofs that anyone can
//! check.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, Server, eventually, manifest, worker, worker_manifest};

/// A server with the bridge `echo` at 5 p and the agent `worker` at 20 p, which calls the
/// bridge; the two have different owners. New accounts get `credit` pounds.
pub(crate) struct Shop {
    pub(crate) folder: Folder,
    pub(crate) server: Server,
    /// The owner of the agent.
    owner: Client,
    /// The owner of the bridge that `worker` calls.
    below: Client,
}

impl Shop {
    pub(crate) async fn open(credit: &str) -> Result<Self> {
        Self::with_time(credit, 1_000).await
    }

    /// Opens a shop whose agent has the given time limit for a task.
    async fn with_time(credit: &str, time_ms: u32) -> Result<Self> {
        Self::with(credit, time_ms, "").await
    }

    /// Opens a shop with additional configuration.
    pub(crate) async fn with(credit: &str, time_ms: u32, config: &str) -> Result<Self> {
        let folder = Folder::new(&format!("[payments]\nsandbox_credit = \"{credit}\"\n{config}"))?;
        let (account, key) = folder.key()?;
        folder.run(&["publisher", "new", "maker", "--account", &account, "--trust"])?;
        folder.publish(&manifest("echo", "1.0.0", "0.05"), &tollbridge_tests::guest::echo("1.0.0")?)?;
        let text = worker_manifest("maker", "worker", "0.20", "echo", time_ms);
        let published = folder.try_publish("maker", &folder.registry(), &text, &worker("echo")?)?;
        ensure!(published.status.success(), "{}", String::from_utf8_lossy(&published.stderr));
        let server = folder.serve().await?;
        let owner = server.client().with_key(&key);
        let below = server.client().with_key(&folder.developer);
        Ok(Self { folder, server, owner, below })
    }

    pub(crate) async fn caller(&self, name: &str) -> Result<Client> {
        self.server.client().signed_up(&format!("{name}@example.com")).await
    }
}

async fn invoke(client: &Client, body: &Value) -> Result<Reply> {
    client.post("/v1/agents/worker/invoke", body).await
}

/// Returns the account's available earnings and its credit, in pence.
pub(crate) async fn money(client: &Client) -> Result<(i64, i64)> {
    let reply = client.get("/v1/balance").await?.must(200)?;
    let credit = reply.json["credit_gbp"].as_str().context("no credit")?.trim_start_matches('£').to_owned();
    let pounds: f64 = credit.parse()?;
    Ok((reply.json["balance_pence"].as_i64().context("no balance")?, (pounds * 100.0).round() as i64))
}

#[tokio::test]
async fn a_task_is_answered_paid_and_proven() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let reply = invoke(&caller, &json!({ "task": "hello", "input": { "b": 1.5, "a": "é" } })).await?.must(200)?;
    let task = reply.json["task_id"].as_str().context("no task_id")?.to_owned();
    ensure!(
        reply.json["status"] == "completed" && reply.json["output"] == json!({ "b": 1.5, "a": "é" }),
        "{}",
        reply.text
    );
    let seal = reply.header("x-worm-seal").context("no seal")?.to_owned();
    let proof = &reply.json["proof"];
    ensure!(proof["algorithm"] == "Ed25519" && proof["task_id"] == *task, "{proof}");
    ensure!(proof["statement"]["worm_seal"] == *seal && proof["statement"]["slug"] == "worker", "{proof}");
    ensure!(
        money(&caller).await? == (0, 980) && money(&shop.owner).await?.0 == 16,
        "the task must cost 20 p, of which 16 p are earned"
    );
    let public = shop.server.client().get(&format!("/v1/workforce/proof/{task}/public")).await?.must(200)?;
    for member in ["signature", "signed", "public_key", "key_id", "statement"] {
        ensure!(public.json[member] == proof[member], "{member} differs: {}", public.text);
    }
    ensure!(public.json["inclusion"]["tree_size"].is_u64() && !public.text.contains("é"), "{}", public.text);
    let keys = shop.server.client().get("/.well-known/jwks.json").await?.must(200)?;
    let listed = keys.json["keys"].as_array().into_iter().flatten().any(|key| key["kid"] == proof["key_id"]);
    ensure!(listed, "the key is not in the key set: {}", keys.text);
    let shown = caller.get(&format!("/v1/tasks/{task}")).await?.must(200)?;
    ensure!(shown.json["status"] == "completed" && shown.json["output"] == reply.json["output"], "{}", shown.text);
    shop.owner.get(&format!("/v1/tasks/{task}")).await?.must_be(404, "E012")?;
    let offline = shop.folder.run_json(&["ledger", "proof", &task])?;
    ensure!(offline["signature"] == proof["signature"], "{offline}");
    stock_tools_agree(&shop.folder, &public.json)?;
    shop.folder.verify()?;
    Ok(())
}

#[tokio::test]
async fn a_proof_outlives_its_key() -> Result<()> {
    let mut shop = Shop::open("10.00").await?;
    let key = shop.caller("a").await?.key().context("no key")?.to_owned();
    let mut proofs: Vec<Value> = Vec::new();
    let mut cards = Vec::new();
    // Rotates the key twice: once while the server runs, once while it is stopped.
    for stopped in [false, true] {
        let caller = shop.server.client().with_key(&key);
        let reply = invoke(&caller, &json!({ "task": "hello" })).await?.must(200)?;
        proofs.push(reply.json["proof"].clone());
        cards.push(shop.server.client().get("/.well-known/agent-card.json").await?.must(200)?.json);
        let old = proofs.last().map(|proof| proof["key_id"].clone());
        if stopped {
            shop.server.stop().await?;
            rotate(&shop.folder, old)?;
            shop.server = shop.folder.serve().await?;
        } else {
            rotate(&shop.folder, old)?;
        }
    }
    let keys = shop.server.client().get("/.well-known/jwks.json").await?.must(200)?;
    let kids: Vec<&Value> = keys.json["keys"].as_array().into_iter().flatten().map(|key| &key["kid"]).collect();
    for old in proofs.clone() {
        let task = old["task_id"].as_str().context("no task_id")?;
        let again = shop.server.client().get(&format!("/v1/workforce/proof/{task}/public")).await?.must(200)?;
        ensure!(again.json["key_id"] != old["key_id"] && again.json["statement"] == old["statement"], "{}", again.text);
        ensure!(kids.contains(&&old["key_id"]) && kids.contains(&&again.json["key_id"]), "{}", keys.text);
        stock_tools_agree(&shop.folder, &old)?;
        stock_tools_agree(&shop.folder, &again.json)?;
    }
    ensure!(proofs[0]["key_id"] != proofs[1]["key_id"], "the running server signs with the old key");
    cards.push(shop.server.client().get("/.well-known/agent-card.json").await?.must(200)?.json);
    ensure!(cards[0]["signatures"] != cards[1]["signatures"] && cards[1]["signatures"] != cards[2]["signatures"]);
    shop.folder.verify()?;
    Ok(())
}

/// Rotates the signing key of proofs and cards; `old` is the key of the last proof.
fn rotate(folder: &Folder, old: Option<Value>) -> Result<()> {
    let rotated = folder.run_json(&["signing", "rotate", "proofs"])?;
    ensure!(Some(&rotated["retired_key_id"]) == old.as_ref(), "{rotated}");
    folder.run(&["signing", "rotate", "cards"]).map(drop)
}

/// Checks that Python's `cryptography` verifies the proof and rejects any changed byte.
fn stock_tools_agree(folder: &Folder, proof: &Value) -> Result<()> {
    let file = folder.path().join("proof.json");
    std::fs::write(&file, proof.to_string())?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = tollbridge_tests::workspace().join("docs/verify_task.py");
    let check = |what: &str| -> Result<std::process::Output> {
        std::fs::write(&file, what)?;
        Command::new(&python).arg(&script).arg(&file).output().context("cannot run Python; set PYTHON")
    };
    openssl_agrees(folder, proof)?;
    let good = check(&proof.to_string())?;
    ensure!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));
    let signed = proof["signed"].as_str().context("no signed")?;
    let signature = proof["signature"].as_str().context("no signature")?;
    for (member, text) in [("signed", signed), ("signature", signature)] {
        for at in (0..text.len()).step_by(text.len() / 12 + 1) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            let mut changed = proof.clone();
            changed[member] = String::from_utf8(bytes)?.into();
            ensure!(!check(&changed.to_string())?.status.success(), "{member} changed at {at} went unnoticed");
        }
    }
    for (name, value) in [("output_sha256", "00".repeat(32)), ("version", "9.9.9".to_owned())] {
        let mut changed = proof.clone();
        changed["statement"][name] = value.into();
        ensure!(!check(&changed.to_string())?.status.success(), "a changed {name} went unnoticed");
    }
    Ok(())
}

/// Verifies a proof with openssl, as docs/proofs.md describes.
fn openssl_agrees(folder: &Folder, proof: &Value) -> Result<()> {
    use base64::Engine as _;
    let text = |name: &str| proof[name].as_str().with_context(|| format!("no {name}"));
    let bytes = |digits: &str| -> Result<Vec<u8>> {
        let pairs =
            digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).map(|pair| u8::from_str_radix(pair, 16)));
        Ok(pairs.collect::<Result<Result<Vec<u8>, _>, _>>()??)
    };
    let key = bytes(&format!("302a300506032b6570032100{}", text("public_key")?))?;
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("key.der"), key)?;
    std::fs::write(path("signature.bin"), bytes(text("signature")?)?)?;
    std::fs::write(path("signed.bin"), base64::engine::general_purpose::STANDARD.decode(text("signed")?)?)?;
    let arguments = "pkeyutl -verify -pubin -inkey key.der -keyform DER -rawin -in signed.bin -sigfile signature.bin";
    let run = Command::new("openssl").args(arguments.split(' ')).current_dir(folder.path()).output()?;
    ensure!(run.status.success(), "openssl: {}", String::from_utf8_lossy(&run.stderr));
    Ok(())
}

#[tokio::test]
async fn a_repeat_costs_nothing_and_gets_the_same_proof() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let ask = |task: &'static str| {
        let request = caller.request(reqwest::Method::POST, "/v1/agents/worker/invoke");
        caller.send(request.header("Idempotency-Key", "once").json(&json!({ "task": task })))
    };
    let (first, again) = (ask("x").await?.must(200)?, ask("x").await?.must(200)?);
    ensure!(first.json == again.json && again.header("idempotent-replayed") == Some("true"), "{}", again.text);
    ask("y").await?.must_be(422, "E023")?;
    ensure!(money(&caller).await?.1 == 980, "the task was charged twice");
    Ok(())
}

#[tokio::test]
async fn errors_are_reported_before_any_money_moves() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    caller.post("/v1/agents/missing/invoke", &json!({ "task": "x" })).await?.must_be(404, "E007")?;
    shop.server.client().post("/v1/agents/worker/invoke", &json!({ "task": "x" })).await?.must_be(401, "E001")?;
    invoke(&caller, &json!({})).await?.must_be(400, "E011")?;
    invoke(&caller, &json!({ "task": "x", "prompt": "y" })).await?.must_be(400, "E011")?;
    invoke(&caller, &json!({ "task": "x", "split": 1 })).await?.must_be(403, "E008")?;
    invoke(&caller, &json!({ "task": "x", "max_cost_gbp": "0.19" })).await?.must_quote(Some("above_max_cost"))?;
    invoke(&caller, &json!({ "task": "x", "wait_ms": 1e9 })).await?.must_be(400, "E011")?;
    // An invalid request is refused immediately, even if the caller does not wait.
    invoke(&caller, &json!({ "task": false, "wait_ms": 0 })).await?.must_be(400, "E011")?;
    invoke(&caller, &json!({ "task": "fail" })).await?.must_be(502, "E017")?;
    invoke(&caller, &json!({ "task": "spin" })).await?.must_be(504, "E018")?;
    ensure!(money(&caller).await? == (0, 1_000), "a failed task was charged");
    shop.folder.run(&["plugin", "disable", "agents/worker"])?;
    invoke(&caller, &json!({ "task": "x" })).await?.must_be(404, "E007")?;
    shop.folder.run(&["plugin", "enable", "agents/worker"])?;
    invoke(&caller, &json!({ "task": "x" })).await?.must(200)?;
    Ok(())
}

#[tokio::test]
async fn an_intent_for_an_agent_pays_for_it_alone() -> Result<()> {
    let shop = Shop::open("0.00").await?;
    // A bridge with the agent's name, for a penny.
    shop.folder.publish(&manifest("worker", "1.0.0", "0.01"), &tollbridge_tests::guest::echo("1.0.0")?)?;
    let caller = shop.caller("a").await?;
    let quote = invoke(&caller, &json!({ "task": "x" })).await?.must_quote(Some("insufficient_credit"))?;
    ensure!(quote.json["payment"]["amount_pence"] == 20, "{}", quote.text);
    let pay = |intent: String| {
        let request = caller.request(reqwest::Method::POST, "/v1/agents/worker/invoke");
        caller.send(request.header("X-Payment-Intent-Id", intent).json(&json!({ "task": "x" })))
    };
    let cheap = || async { Ok(caller.paid_intent("worker").await.ok()) };
    let (cheap, _) = eventually("the bridge is loaded", 20, cheap).await?;
    pay(cheap).await?.must_quote(Some("other_bridge"))?;
    let intent = tollbridge_tests::intent_of(&quote)?;
    caller.send(caller.request(reqwest::Method::POST, &format!("/pay/{intent}"))).await?.must(200)?;
    pay(intent.clone()).await?.must(200)?;
    pay(intent).await?.must_be(409, "E010")?;
    Ok(())
}

#[tokio::test]
async fn a_nested_call_is_paid_out_of_the_parents_price() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let reply = invoke(&caller, &json!({ "task": "nest" })).await?.must(200)?;
    ensure!(reply.json["output"]["version"] == "1.0.0", "the bridge's answer is missing: {}", reply.text);
    // Charged 20 p: 5 for the bridge (4 to its owner), 15 for the agent (12 to its owner).
    ensure!(money(&caller).await? == (0, 980), "{:?}", money(&caller).await?);
    ensure!(money(&shop.owner).await? == (12, 1_000), "{:?}", money(&shop.owner).await?);
    ensure!(money(&shop.below).await?.0 == 4, "{:?}", money(&shop.below).await?);
    // The agent fails after the bridge has answered: the caller, not the owner, pays.
    let failed = invoke(&caller, &json!({ "task": "m" })).await?.must_be(502, "E017")?;
    ensure!(failed.json["charged_gbp"] == "0.05" && failed.header("x-charged-gbp") == Some("0.05"), "{}", failed.text);
    ensure!(money(&caller).await? == (0, 975), "{:?}", money(&caller).await?);
    ensure!(money(&shop.owner).await? == (12, 1_000), "{:?}", money(&shop.owner).await?);
    ensure!(money(&shop.below).await?.0 == 8, "{:?}", money(&shop.below).await?);
    // The bridge owner's reputation counts both answers of the bridge, including the one
    // to the failed call.
    let reputation = async |of: &Client| Ok::<_, anyhow::Error>(of.get("/api/v1/reputation").await?.must(200)?.json);
    let (below, owner) = (reputation(&shop.below).await?, reputation(&shop.owner).await?);
    ensure!(below["totals"]["calls"] == 2 && below["totals"]["earned_millipence"] == 8_000, "{below}");
    ensure!(below["records"].as_array().is_some_and(|all| all.len() == 2), "{below}");
    ensure!(owner["totals"]["calls"] == 1 && owner["totals"]["earned_millipence"] == 12_000, "{owner}");
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn a_failed_queued_task_costs_only_its_nested_answers() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let task = enqueue(&caller, "m").await?;
    let failed = ended(&caller, &task).await?;
    ensure!(failed["status"] == "failed" && failed["error"]["charged_gbp"] == "0.05", "{failed}");
    ensure!(money(&caller).await? == (0, 995), "{:?}", money(&caller).await?);
    ensure!(money(&shop.owner).await? == (0, 1_000) && money(&shop.below).await?.0 == 4, "the owner was charged");
    both_verifiers_agree(&shop.folder)
}

/// The owner of a free agent pays for the agent's nested calls. The daily limit prevents
/// a caller who owns the called bridge from draining the agent owner's credit.
#[tokio::test]
async fn one_caller_costs_an_owner_at_most_a_daily_limit() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let free = worker_manifest("maker", "giver", "0.00", "echo", 1_000);
    let published = shop.folder.try_publish("maker", &shop.folder.registry(), &free, &worker("echo")?)?;
    ensure!(published.status.success(), "{}", String::from_utf8_lossy(&published.stderr));
    let caller = shop.caller("a").await?;
    let nest = json!({ "task": "nest" });
    let give = || caller.post("/v1/agents/giver/invoke", &nest);
    let serves = || async { Ok((give().await?.status == 200).then_some(())) };
    eventually("the free agent serves", 20, serves).await?;
    for _ in 1..20 {
        give().await?.must(200)?;
    }
    let refused = give().await?.must_be(502, "E017")?;
    ensure!(refused.text.contains("daily limit for one caller"), "{}", refused.text);
    ensure!(money(&shop.owner).await? == (0, 900), "{:?}", money(&shop.owner).await?);
    let other = shop.caller("b").await?;
    other.post("/v1/agents/giver/invoke", &json!({ "task": "nest" })).await?.must(200)?;
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn a_parent_cannot_spend_what_its_owner_does_not_have() -> Result<()> {
    let shop = Shop::open("0.00").await?;
    let caller = shop.folder.funded(&shop.server, "rich@example.com", "5.00").await?;
    // The bridge's new price is higher than that of the agent that calls it.
    shop.folder.publish(&manifest("echo", "1.0.1", "0.50"), &tollbridge_tests::guest::echo("1.0.1")?)?;
    let dearer = || async { Ok((caller.call("echo", &json!({}), &[]).await?.text.contains("0.50")).then_some(())) };
    eventually("the new price is quoted", 20, dearer).await?;
    let refused = invoke(&caller, &json!({ "task": "nest" })).await?.must_be(502, "E017")?;
    ensure!(refused.text.contains("credit of this plugin's owner"), "{}", refused.text);
    ensure!(money(&caller).await? == (0, 500) && money(&shop.below).await?.0 == 0, "money was moved");
    both_verifiers_agree(&shop.folder)
}

pub(crate) fn both_verifiers_agree(folder: &Folder) -> Result<()> {
    folder.verify()?;
    let file = folder.path().join("export.jsonl").display().to_string();
    folder.run(&["ledger", "export", "-o", &file])?;
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = tollbridge_tests::workspace().join("docs/verify.py");
    let output = Command::new(python).arg(script).args(["export", &file]).output()?;
    ensure!(output.status.success(), "docs/verify.py: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Queues a task for the agent `worker`; returns its id.
pub(crate) async fn enqueue(client: &Client, task: &str) -> Result<String> {
    let reply = client.post("/v1/agents/enqueue", &json!({ "agent": "worker", "task": task })).await?.must(202)?;
    Ok(reply.json["task_id"].as_str().context("no task_id")?.to_owned())
}

/// Waits for the end of a task; returns the task as its caller sees it.
pub(crate) async fn ended(client: &Client, task: &str) -> Result<Value> {
    let path = format!("/v1/tasks/{task}");
    let look = || async {
        let json = client.get(&path).await?.must(200)?.json;
        Ok((!matches!(json["status"].as_str(), Some("queued" | "working"))).then_some(json))
    };
    Ok(eventually("the task has ended", 60, look).await?.0)
}

#[tokio::test]
async fn queued_tasks_end_once_and_are_paid_when_answered() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let good = enqueue(&caller, "hello").await?;
    let done = ended(&caller, &good).await?;
    ensure!(done["status"] == "completed" && done["output"] == json!({ "done": true }), "{done}");
    ensure!(done["proof"]["statement"]["task_id"] == *good, "{done}");
    ensure!(money(&caller).await? == (0, 980) && money(&shop.owner).await?.0 == 16);
    let bad = enqueue(&caller, "fail").await?;
    ensure!(money(&caller).await?.1 == 960, "the task's price is not reserved");
    let failed = ended(&caller, &bad).await?;
    ensure!(failed["status"] == "failed" && failed["error"]["code"] == "E017", "{failed}");
    ensure!(failed["failed_attempts"].as_i64() >= Some(3), "the task was not retried: {failed}");
    ensure!(money(&caller).await?.1 == 980, "a failed task was charged");
    caller.post(&format!("/v1/tasks/{good}/cancel"), &json!({})).await?.must_be(409, "E028")?;
    shop.owner.post(&format!("/v1/tasks/{good}/cancel"), &json!({})).await?.must_be(404, "E012")?;
    let long = enqueue(&caller, "spin").await?;
    let canceled = caller.post(&format!("/v1/tasks/{long}/cancel"), &json!({})).await?.must(200)?;
    ensure!(canceled.json["status"] == "canceled", "{}", canceled.text);
    ensure!(ended(&caller, &long).await?["status"] == "canceled" && money(&caller).await?.1 == 980);
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn a_task_outlives_the_patience_of_its_caller() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let reply = invoke(&caller, &json!({ "task": "wait", "wait_ms": 1 })).await?.must(202)?;
    let task = reply.json["task_id"].as_str().context("no task_id")?.to_owned();
    ensure!(reply.header("location") == Some(format!("/v1/tasks/{task}").as_str()), "{reply:?}");
    let done = ended(&caller, &task).await?;
    ensure!(done["status"] == "completed" && money(&caller).await?.1 == 980, "{done}");
    both_verifiers_agree(&shop.folder)
}

#[tokio::test]
async fn a_capability_is_routed_to_the_cheapest_approved_agent() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let (maker, caller) = (shop.caller("maker").await?, shop.caller("a").await?);
    // This agent is cheaper, but the operator has not approved it.
    maker
        .post("/api/v1/agents/deploy", &crate::marketplace::deployment(&json!({ "price_gbp": "0.01" }))?)
        .await?
        .must(201)?;
    let reply = caller.post("/v1/route", &json!({ "capability": "testing", "task": "x" })).await?.must(200)?;
    ensure!(
        reply.header("x-agent") == Some("worker") && reply.json["proof"]["statement"]["slug"] == "worker",
        "{reply:?}"
    );
    let dear = json!({ "capability": "testing", "task": "x", "max_cost_gbp": "0.05" });
    caller.post("/v1/route", &dear).await?.must_quote(Some("above_max_cost"))?;
    caller.post("/v1/route", &json!({ "capability": "flying", "task": "x" })).await?.must_be(404, "E007")?;
    let greedy = json!({ "capability": "testing", "task": "x", "dream_tax_pence": 0 });
    let refused = caller.post("/v1/route", &greedy).await?.must_be(403, "E008")?;
    ensure!(refused.text.contains("dream_tax_pence"), "{}", refused.text);
    Ok(())
}

/// A repeat under the same key is not a second sale, even if another agent is cheaper now.
#[tokio::test]
async fn a_repeat_of_a_routed_task_is_not_routed_again() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let caller = shop.caller("a").await?;
    let text = worker_manifest("maker", "cheap", "0.10", "echo", 1_000);
    let published = shop.folder.try_publish("maker", &shop.folder.registry(), &text, &worker("echo")?)?;
    ensure!(published.status.success(), "{}", String::from_utf8_lossy(&published.stderr));
    let ask = async |key: &str| {
        let request = caller.request(reqwest::Method::POST, "/v1/route").header("idempotency-key", key);
        caller.send(request.json(&json!({ "capability": "testing", "task": "x" }))).await
    };
    let serves = || async {
        let listed = shop.server.client().get("/api/v1/agents/cheap").await?;
        Ok((listed.json["status"] == "deployed").then_some(()))
    };
    eventually("the second agent serves", 20, serves).await?;
    let first = ask("once").await?.must(200)?;
    ensure!(first.header("x-agent") == Some("cheap") && money(&caller).await?.1 == 990, "{first:?}");
    shop.folder.run(&["plugin", "disable", "agents/cheap"])?;
    let again = ask("once").await?.must(200)?;
    ensure!(
        again.header("idempotent-replayed") == Some("true") && again.header("x-agent") == Some("cheap"),
        "{again:?}"
    );
    ensure!(again.header("x-transaction-id") == first.header("x-transaction-id"), "a different transaction");
    ensure!(again.json == first.json && money(&caller).await?.1 == 990, "the task was charged twice");
    let other = ask("twice").await?.must(200)?;
    ensure!(other.header("x-agent") == Some("worker") && money(&caller).await?.1 == 970, "{other:?}");

    // A repeat succeeds even if no agent meets the price limit now, or all are disabled.
    shop.folder.run(&["plugin", "enable", "agents/cheap"])?;
    eventually("the agent serves again", 20, serves).await?;
    let capped = async || {
        let request = caller.request(reqwest::Method::POST, "/v1/route").header("idempotency-key", "capped");
        let wish = json!({ "capability": "testing", "task": "x", "max_cost_gbp": "0.10" });
        caller.send(request.json(&wish)).await
    };
    let first = capped().await?.must(200)?;
    ensure!(first.header("x-agent") == Some("cheap") && money(&caller).await?.1 == 960, "{first:?}");
    for gone in ["agents/cheap", "agents/worker"] {
        shop.folder.run(&["plugin", "disable", gone])?;
        let again = capped().await?.must(200)?;
        ensure!(again.header("idempotent-replayed") == Some("true"), "{again:?}");
        ensure!(again.json == first.json && money(&caller).await?.1 == 960, "{}", again.text);
    }
    ask("thrice").await?.must_be(404, "E007")?;
    both_verifiers_agree(&shop.folder)
}

fn rounds() -> usize {
    if std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1") { 10 } else { 2 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_loses_no_task_and_charges_none_twice() -> Result<()> {
    // Many tasks run at once, perhaps on a busy machine, so the time limit is generous.
    let mut shop = Shop::with_time("1000.00", 30_000).await?;
    let mut accepted = Vec::new();
    let key = shop.caller("a").await?.key().context("no key")?.to_owned();
    for round in 0..rounds() {
        let caller = shop.server.client().with_key(&key);
        for number in 0..50 {
            let task = if number % 5 == 0 { "wait" } else { "hello" };
            accepted.push(enqueue(&caller, task).await?);
        }
        tokio::time::sleep(Duration::from_millis(29 * round as u64 % 97)).await;
        shop.server.kill().await?;
        shop.server = shop.folder.serve().await?;
    }
    let caller = shop.server.client().with_key(&key);
    for task in &accepted {
        let done = ended(&caller, task).await?;
        ensure!(done["status"] == "completed" && done["proof"]["signature"].is_string(), "{done}");
    }
    let spent = 20 * i64::try_from(accepted.len())?;
    ensure!(money(&caller).await?.1 == 100_000 - spent, "{:?} after {} tasks", money(&caller).await?, accepted.len());
    let owner = shop.server.client().with_key(shop.owner.key().context("no key")?);
    ensure!(money(&owner).await?.0 == spent * 8 / 10, "{:?}", money(&owner).await?);
    both_verifiers_agree(&shop.folder)
}
