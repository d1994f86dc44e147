//! Isolation of tenants: whatever an account deploys, calls or queues, it gets at most
//! its share.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use futures_util::StreamExt as _;
use reqwest::{Body, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tollbridge_tests::{Client, Folder, Server, agents, eventually, guest, manifest};

use crate::marketplace::deployment;

/// Maximum duration of an honest tenant's call.
const PROMPT: Duration = Duration::from_secs(2);

struct TenantLab {
    folder: Folder,
    server: Server,
}

impl TenantLab {
    /// Starts a server with the bridge `echo` at 5 p.
    async fn open() -> Result<Self> {
        let folder = Folder::new("[payments]\nsandbox_credit = \"10.00\"")?;
        folder.publish(&manifest("echo", "1.0.0", "0.05"), &guest::echo("1.0.0")?)?;
        let server = folder.serve().await?;
        Ok(Self { folder, server })
    }

    async fn tenant(&self, name: &str) -> Result<Client> {
        self.server.client().signed_up(&format!("{name}@example.com")).await
    }

    /// Calls `echo` on credit several times; each call must be answered in time.
    async fn is_served(&self, tenant: &Client) -> Result<()> {
        for _ in 0..20 {
            let started = Instant::now();
            tenant.call_on_credit("echo").await?.must(200)?;
            ensure!(started.elapsed() < PROMPT, "an answer took {:?}", started.elapsed());
        }
        Ok(())
    }
}

/// Deploys an agent that sleeps; returns its slug.
async fn sleeper(tenant: &Client, name: &str) -> Result<String> {
    deployed(tenant, name, &agents::sleeping()?, &json!([])).await
}

/// Deploys a free agent; returns its slug.
async fn deployed(tenant: &Client, name: &str, component: &[u8], grants: &Value) -> Result<String> {
    let component = base64::engine::general_purpose::STANDARD.encode(component);
    let changes = json!({
        "name": name, "component_base64": component, "price_gbp": "0.00", "grants": grants, "bridges": [],
        "limits": { "time_ms": 10_000, "memory_mib": 16, "concurrency": 64, "kv_bytes": 33_554_432 },
    });
    let deployed = tenant.post("/api/v1/agents/deploy", &deployment(&changes)?).await?.must(201)?;
    Ok(deployed.json["agent_id"].as_str().context("no agent_id")?.to_owned())
}

async fn another_key(tenant: &Client) -> Result<Client> {
    let made = tenant.post("/v1/keys", &json!({})).await?.must(201)?;
    Ok(tenant.with_key(made.json["api_key"].as_str().context("no api_key")?))
}

/// Starts concurrent calls of all agents, `each` per agent, and returns while they run.
fn storm(keys: &[Client], agents: &[String], each: usize) -> JoinSet<Result<u16>> {
    let mut calls = JoinSet::new();
    for (key, agent) in keys.iter().zip(agents) {
        for _ in 0..each {
            let (key, path) = (key.clone(), format!("/v1/agents/{agent}/invoke"));
            calls.spawn(async move { Ok(key.post(&path, &json!({ "task": "sleep" })).await?.status) });
        }
    }
    calls
}

#[tokio::test]
async fn the_keys_of_an_account_share_its_limits() -> Result<()> {
    let folder = Folder::new("[tiers.free]\nper_minute = 30\nper_hour = 1000\n")?;
    let server = folder.serve().await?;
    let tenant = server.client().signed_up("many@example.com").await?;
    let mut keys = vec![tenant.clone()];
    for _ in 0..4 {
        keys.push(another_key(&tenant).await?);
    }
    let mut answered = 0;
    for number in 0..60 {
        let key = keys.get(number % keys.len()).context("no key")?;
        answered += u32::from(key.get("/v1/balance").await?.status == 200);
    }
    // A new minute may have begun in between.
    ensure!(answered <= 56, "five keys made {answered} calls where one may make 30");
    Ok(())
}

#[tokio::test]
async fn sleeping_agents_of_one_account_starve_no_other() -> Result<()> {
    let town = TenantLab::open().await?;
    let (hostile, honest) = (town.tenant("hostile").await?, town.tenant("honest").await?);
    let (mut keys, mut slugs) = (Vec::new(), Vec::new());
    for number in 0..4 {
        slugs.push(sleeper(&hostile, &format!("sleeper-{number}")).await?);
        keys.push(another_key(&hostile).await?);
    }
    let calls = storm(&keys, &slugs, 64);
    tokio::time::sleep(Duration::from_millis(500)).await;
    town.is_served(&honest).await?;
    let stranger = town.server.client();
    stranger.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    drop(calls);
    town.folder.verify().map(drop)
}

/// If many accounts call slow agents of a single owner, callers of other plugins are
/// still served in time.
#[tokio::test]
async fn agents_of_one_owner_starve_no_other_for_any_caller() -> Result<()> {
    let town = TenantLab::open().await?;
    let (hostile, honest) = (town.tenant("hostile").await?, town.tenant("honest").await?);
    let (mut keys, mut slugs) = (Vec::new(), Vec::new());
    for number in 0..8 {
        slugs.push(sleeper(&hostile, &format!("sleeper-{number}")).await?);
        let (_, key) = town.folder.key()?;
        keys.push(town.server.client().with_key(&key));
    }
    let calls = storm(&keys, &slugs, 32);
    tokio::time::sleep(Duration::from_millis(500)).await;
    town.is_served(&honest).await?;
    drop(calls);
    town.folder.verify().map(drop)
}

#[tokio::test]
async fn queued_tasks_of_one_account_do_not_delay_another_ones() -> Result<()> {
    let town = TenantLab::open().await?;
    let hostile = town.tenant("hostile").await?;
    let honest = town.tenant("honest").await?;
    let slug = sleeper(&hostile, "sleeper").await?;
    let quick = deployment(&json!({ "name": "quick", "price_gbp": "0.01" }))?;
    let quick = honest.post("/api/v1/agents/deploy", &quick).await?.must(201)?.json["agent_id"].clone();
    for _ in 0..100 {
        hostile.post("/v1/agents/enqueue", &json!({ "agent": slug, "task": "sleep" })).await?.must(202)?;
    }
    let queued = honest.post("/v1/agents/enqueue", &json!({ "agent": quick, "task": "hello" })).await?.must(202)?;
    let task = queued.json["task_id"].as_str().context("no task_id")?.to_owned();
    let done = || async {
        let task = honest.get(&format!("/v1/tasks/{task}")).await?.must(200)?;
        Ok((task.json["status"] == "completed").then_some(()))
    };
    let (_, took) = tollbridge_tests::eventually("the task of the other account is done", 5, done).await?;
    ensure!(took < Duration::from_secs(5), "the task took {took:?}");
    Ok(())
}

#[tokio::test]
async fn values_of_one_account_fill_neither_memory_nor_disk_nor_the_way_to_it() -> Result<()> {
    let town = TenantLab::open().await?;
    let (hostile, honest) = (town.tenant("hostile").await?, town.tenant("honest").await?);
    let mut slugs = Vec::new();
    for number in 0..4 {
        let name = format!("hoarder-{number}");
        slugs.push(deployed(&hostile, &name, &agents::hoarding()?, &json!(["keyvalue"])).await?);
    }
    let keys = vec![hostile.clone(); slugs.len()];
    let (memory, disk) = (town.server.resident_kb()?, bytes_of(&town.folder)?);
    let mut calls = storm(&keys, &slugs, 20);
    town.is_served(&honest).await?;
    while let Some(status) = calls.join_next().await {
        status??;
    }
    town.is_served(&honest).await?;
    let (memory_kb, written) = (town.server.resident_kb()?.saturating_sub(memory), bytes_of(&town.folder)? - disk);
    ensure!(memory_kb < 250_000, "memory grew by {memory_kb} KB");
    // The limit allows a burst of 16 MiB, which is written to the journal (16 MiB) and to
    // the database. The database file may have doubled in size as it grew, so the bound
    // is generous: 120 MiB.
    ensure!(written < 120 << 20, "{written} bytes were written");
    town.folder.verify().map(drop)
}

/// Returns the bytes of journal and database.
fn bytes_of(folder: &Folder) -> Result<u64> {
    let size = |name: &str| Ok::<_, anyhow::Error>(std::fs::metadata(folder.data().join(name))?.len());
    Ok(size("tollbridge.journal")? + size("tollbridge.redb")?)
}

/// A refused task neither runs nor costs anything.
#[tokio::test]
async fn a_task_that_finds_the_queue_full_costs_nothing() -> Result<()> {
    let town = TenantLab::open().await?;
    let tenant = town.tenant("tenant").await?;
    let slug = sleeper(&tenant, "sleeper").await?;
    let paid = deployment(&json!({ "name": "paid", "price_gbp": "1.00" }))?;
    let paid = tenant.post("/api/v1/agents/deploy", &paid).await?.must(201)?.json["agent_id"].clone();
    let mut tasks = 0;
    while tenant.post("/v1/agents/enqueue", &json!({ "agent": slug, "task": "sleep" })).await?.status == 202 {
        tasks += 1;
    }
    ensure!(tasks >= 900, "the queue was full after {tasks}");
    let credit = |reply: &Value| reply["credit_gbp"].clone();
    let before = credit(&tenant.get("/v1/balance").await?.must(200)?.json);
    let path = format!("/v1/agents/{}/invoke", paid.as_str().context("no agent_id")?);
    for _ in 0..3 {
        tenant.post(&path, &json!({ "task": "hello", "wait_ms": 0 })).await?.must_be(429, "E002")?;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = credit(&tenant.get("/v1/balance").await?.must(200)?.json);
    ensure!(before == after, "refused tasks were charged: {before} became {after}");
    town.folder.verify().map(drop)
}

/// Sends the first `mib` megabytes of a request body for a model, and never the rest.
fn unfinished(client: &Client, mib: usize) -> RequestBuilder {
    let pieces = futures_util::stream::iter(vec![Ok::<_, Infallible>(vec![b' '; 1 << 20]); mib]);
    let body = Body::wrap_stream(pieces.chain(futures_util::stream::pending()));
    let request = client.request(Method::POST, "/v1/chat/completions");
    request.header("content-type", "application/json").body(body)
}

#[tokio::test]
async fn large_bodies_of_one_account_fill_no_memory() -> Result<()> {
    let town = TenantLab::open().await?;
    let (attacker, other) = (town.tenant("attacker").await?, town.tenant("other").await?);
    let keys = [attacker.clone(), another_key(&attacker).await?];
    let mut uploads = JoinSet::new();
    for key in keys.iter().cycle().take(4) {
        let key = key.clone();
        uploads.spawn(async move { key.send(unfinished(&key, 15)).await });
    }
    // One upload exceeds the limit; small requests and other accounts are unaffected.
    let refused = uploads.join_next().await.context("no upload")???.must_be(429, "E002")?;
    ensure!(refused.error().contains("48 MiB") && refused.header("retry-after") == Some("1"), "{refused:?}");
    ensure!(uploads.try_join_next().is_none(), "more than one was refused");
    attacker.get("/v1/balance").await?.must(200)?;
    town.is_served(&other).await?;
    let whole = vec![b' '; 15 << 20];
    let large = |client: &Client| {
        let request = client.request(Method::POST, "/v1/chat/completions");
        request.header("content-type", "application/json").body(whole.clone())
    };
    other.send(large(&other)).await?.must(400)?;
    // An aborted upload returns its memory.
    uploads.shutdown().await;
    let answered = || async { Ok((attacker.send(large(&attacker)).await?.status == 400).then_some(())) };
    eventually("the memory is released", 10, answered).await?;
    Ok(())
}
