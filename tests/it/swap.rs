//! Versions are replaced while calls are in flight, and no call fails because of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::task::JoinSet;
use tollbridge_tests::{Client, Folder, Reply, Server, eventually, guest, manifest};

const PLUGINS: [(&str, &str); 2] = [("paid", "0.01"), ("free", "0.00")];
const CLIENTS: usize = 8;

/// Clients that make calls without pause, and the errors they got.
#[derive(Default)]
struct Load {
    stop: AtomicBool,
    calls: AtomicU64,
    /// Whether a plugin may answer 503 E016 at the moment.
    may_be_down: AtomicBool,
    /// Whether the answering version may only increase.
    upwards: AtomicBool,
    /// Highest patch number that has answered, by plugin.
    highest: [AtomicU64; 2],
    /// Patch numbers that are published or about to be, by plugin.
    published: [Mutex<BTreeSet<u64>>; 2],
    wrong: Mutex<Vec<String>>,
}

impl Load {
    fn start(client: &Client) -> (Arc<Self>, JoinSet<()>) {
        let load = Arc::new(Self::default());
        load.published.iter().for_each(|known| {
            known.lock().unwrap().insert(0);
        });
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            clients.spawn(load.clone().one(client.clone(), number % PLUGINS.len()));
        }
        (load, clients)
    }

    async fn one(self: Arc<Self>, client: Client, plugin: usize) {
        while !self.stop.load(Ordering::SeqCst) {
            let floor = self.highest[plugin].load(Ordering::SeqCst);
            let might_be_down = self.may_be_down.load(Ordering::SeqCst);
            let reply = call(&client, plugin).await;
            let might_be_down = might_be_down || self.may_be_down.load(Ordering::SeqCst);
            if let Err(wrong) = reply.and_then(|reply| self.judge(plugin, &reply, floor, might_be_down)) {
                self.wrong.lock().unwrap().push(format!("{wrong:#}"));
            }
            self.calls.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn judge(&self, plugin: usize, reply: &Reply, floor: u64, might_be_down: bool) -> Result<()> {
        if might_be_down && reply.status == 503 && reply.code() == "E016" {
            return Ok(());
        }
        ensure!(reply.status == 200, "{} answered {}: {}", PLUGINS[plugin].0, reply.status, reply.text);
        let patch = patch(reply)?;
        ensure!(self.published[plugin].lock().unwrap().contains(&patch), "1.0.{patch} was never published");
        // Once a version has answered, a call that is sent later must not be answered by
        // an older one.
        let upwards = self.upwards.load(Ordering::SeqCst);
        ensure!(!upwards || patch >= floor, "1.0.{patch} answered after 1.0.{floor}");
        self.highest[plugin].fetch_max(patch, Ordering::SeqCst);
        Ok(())
    }

    async fn end(&self, mut clients: JoinSet<()>) -> Result<u64> {
        self.stop.store(true, Ordering::SeqCst);
        while clients.join_next().await.is_some() {}
        let wrong = self.wrong.lock().unwrap();
        ensure!(
            wrong.is_empty(),
            "{} calls failed, the first: {:#?}",
            wrong.len(),
            wrong.iter().take(5).collect::<Vec<_>>()
        );
        Ok(self.calls.load(Ordering::SeqCst))
    }

    /// Publishes a version and returns how long it took until that version
    /// answered.
    async fn publish(&self, folder: &Folder, plugin: usize, patch: u64) -> Result<Duration> {
        self.published[plugin].lock().unwrap().insert(patch);
        publish(folder, plugin, patch)?;
        let seen = || async { Ok((self.highest[plugin].load(Ordering::SeqCst) >= patch).then_some(())) };
        let answered = eventually(&format!("{} 1.0.{patch} answers", PLUGINS[plugin].0), 60, seen).await;
        // On a time-out, show the end of the server's log and the last error of the
        // clients.
        let log = || std::fs::read_to_string(folder.path().join("server.log")).unwrap_or_default();
        let tail = || log().lines().rev().take(8).collect::<Vec<_>>().join("\n");
        Ok(answered.with_context(|| format!("{}\n{:?}", tail(), self.wrong.lock().unwrap().last()))?.1)
    }
}

async fn call(client: &Client, plugin: usize) -> Result<Reply> {
    let credit = [("X-Payment-Source", "credit")];
    client.call(PLUGINS[plugin].0, &json!({ "some": "input" }), if plugin == 0 { &credit } else { &[] }).await
}

fn patch(reply: &Reply) -> Result<u64> {
    let version = reply.json["version"].as_str().with_context(|| reply.text.clone())?;
    Ok(version.strip_prefix("1.0.").context("the version was not published by this test")?.parse()?)
}

fn publish(folder: &Folder, plugin: usize, patch: u64) -> Result<()> {
    let ((name, price), version) = (PLUGINS[plugin], format!("1.0.{patch}"));
    folder.publish(&manifest(name, &version, price), &guest::echo(&version)?)
}

async fn started(folder: &Folder) -> Result<(Server, Client)> {
    for plugin in 0..PLUGINS.len() {
        publish(folder, plugin, 0)?;
    }
    let server = folder.serve().await?;
    let client = folder.funded(&server, "load@example.com", "5000.00").await?;
    Ok((server, client))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_versions_swap_under_load_without_a_failed_call() -> Result<()> {
    let folder = Folder::new("")?;
    let (server, client) = started(&folder).await?;
    let swaps = if std::env::var_os("TOLLBRIDGE_LONG").is_some() { 200 } else { 50 };
    let (load, clients) = Load::start(&client);
    load.upwards.store(true, Ordering::SeqCst);
    let mut took = Vec::new();
    for swap in 0..swaps {
        took.push(load.publish(&folder, swap % PLUGINS.len(), swap as u64 / 2 + 1).await?);
    }
    let calls = load.end(clients).await?;
    took.sort();
    let (middle, longest) = (took[took.len() / 2], took[took.len() - 1]);
    println!("{swaps} swaps under {calls} calls: median {middle:?}, longest {longest:?}");
    ensure!(calls > 10 * swaps as u64, "only {calls} calls: not enough load");
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_acts_take_effect_at_once_under_load() -> Result<()> {
    let folder = Folder::new("")?;
    let (server, client) = started(&folder).await?;
    let (load, clients) = Load::start(&client);
    for patch in 1..=4 {
        load.publish(&folder, 0, patch).await?;
    }
    let now = async |expect: u64, why: &str| -> Result<()> {
        let reply = call(&client, 0).await?;
        ensure!(reply.status == 200 && patch(&reply)? == expect, "{why}: expected 1.0.{expect}, got {}", reply.text);
        Ok(())
    };
    let act = |args: &[&str]| folder.run_json(&[&["plugin"], args].concat());
    act(&["pin", "paid", "1.0.2"])?;
    now(2, "pinned").await?;
    load.published[0].lock().unwrap().insert(5);
    publish(&folder, 0, 5)?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    now(2, "a newer version must not replace the pinned version").await?;
    act(&["pin", "paid"])?;
    now(5, "unpinned").await?;
    act(&["rollback", "paid"])?;
    now(4, "rolled back").await?;
    act(&["rollback", "paid", "1.0.2"])?;
    now(2, "rolled back to a named version").await?;
    load.published[0].lock().unwrap().insert(6);
    publish(&folder, 0, 6)?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    now(2, "a newer version must not end a rollback").await?;
    act(&["unpin", "paid"])?;
    now(6, "unpinned after a rollback").await?;
    for version in ["1.0.6", "1.0.5", "1.0.4", "1.0.3"] {
        act(&["yank", "paid", version])?;
    }
    now(2, "yanked").await?;
    load.may_be_down.store(true, Ordering::SeqCst);
    act(&["disable", "paid"])?;
    let reply = call(&client, 0).await?;
    ensure!(reply.status == 503 && reply.code() == "E016", "disabled, yet {}: {}", reply.status, reply.text);
    ensure!(call(&client, 1).await?.status == 200, "the other plugin must be unaffected");
    act(&["enable", "paid"])?;
    load.may_be_down.store(false, Ordering::SeqCst);
    now(2, "enabled").await?;
    ensure!(folder.try_run(&["plugin", "enable", "paid"])?.status.code() == Some(1), "enabled twice");
    let calls = load.end(clients).await?;
    println!("the operator ran commands during {calls} calls");
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}
