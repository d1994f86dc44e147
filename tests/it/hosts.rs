//! Several hosts that serve one ledger at once: any host answers any request, no balance
//! is spent twice, and nothing is lost when a host dies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::postgres::{credit_pence, pay};
use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tollbridge_test_postgres::Cluster;
use tollbridge_tests::{Client, Folder, Receiver, Server, guest, intent_of, manifest};

/// The initial credit of an account, in pence.
const CREDIT_PENCE: i64 = 10_000_000;
/// Maximum time until a change made on one host is visible on all hosts.
const KNOWN_MAX: Duration = Duration::from_secs(2);

fn settings(url: &str, more: &str) -> String {
    format!("{more}[payments]\nsandbox_credit = \"100000.00\"\n[store]\nengine = \"postgres\"\nurl = \"{url}\"\n")
}

/// Hosts that serve one ledger, each with its own data folder and registry.
pub(crate) struct Hosts {
    pub(crate) folders: Vec<Folder>,
    pub(crate) servers: Vec<Server>,
}

impl Hosts {
    pub(crate) async fn start(cluster: &Cluster, count: usize, more: &str) -> Result<Self> {
        let first = Folder::new(&settings(&cluster.database(), more))?;
        first.publish_echo("1.0.0", "0.10")?;
        let mut hosts = Self { servers: vec![first.serve().await?], folders: vec![first] };
        for _ in 1..count {
            let folder = hosts.folders[0].host_with_own_registry()?;
            hosts.servers.push(folder.serve().await?);
            hosts.folders.push(folder);
        }
        Ok(hosts)
    }

    /// Returns a client for each host, all with the same key.
    pub(crate) fn clients(&self, key: &str) -> Vec<Client> {
        self.servers.iter().map(|server| server.client().with_key(key)).collect()
    }

    pub(crate) async fn stop(self) -> Result<()> {
        for server in self.servers {
            server.stop().await?;
        }
        Ok(())
    }
}

/// Waits until a condition holds.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let started = Instant::now();
    while !is_so().await? {
        ensure!(started.elapsed() < KNOWN_MAX, "{what}: not within {KNOWN_MAX:?}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn any_host_answers_any_request() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "").await?;
    let (_, key) = hosts.folders[0].key()?;
    let clients = hosts.clients(&key);
    for (call, client) in clients.iter().cycle().take(30).enumerate() {
        let answer = pay(client, &format!("call-{call}")).await?.must(200)?;
        let seal = answer.header("x-worm-seal").context("no seal")?;
        // Every other host can prove the new seal immediately.
        for other in &clients {
            other.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
            let again = pay(other, &format!("call-{call}")).await?.must(200)?;
            ensure!(again.header("x-worm-seal") == Some(seal), "paid again: {again:?}");
        }
    }
    for client in &clients {
        ensure!(credit_pence(client).await? == CREDIT_PENCE - 30 * 10, "the balance differs");
    }
    // An account is created on one host, calls on a second, and pays for an intent on a
    // third.
    let new = clients[1].signed_up("ada@example.com").await?;
    pay(&new.at(&hosts.servers[2].url), "first").await?.must(200)?;
    let intent = new.at(&hosts.servers[0].url).paid_intent("echo").await?;
    new.at(&hosts.servers[2].url).call_with("echo", &intent).await?.must(200)?;
    let used_up = new.at(&hosts.servers[1].url).call_with("echo", &intent).await?;
    ensure!(used_up.code() == "E010", "an intent paid for two calls: {used_up:?}");
    // A key revoked on one host is refused by all others.
    let made = clients[2].post("/v1/keys", &json!({ "scopes": ["call"] })).await?.must(201)?;
    let (id, text) = (made.json["id"].as_str().context("no id")?, made.json["api_key"].as_str().context("no key")?);
    for client in &clients {
        pay(&client.with_key(text), "by-the-new-key").await?.must(200)?;
    }
    let revoke = clients[0].request(Method::DELETE, &format!("/v1/keys/{id}"));
    let revoked = clients[0].send(revoke).await?;
    ensure!(revoked.status < 300, "{revoked:?}");
    for client in &clients {
        until("revoked", async || Ok(pay(&client.with_key(text), "by-the-new-key").await?.status == 401)).await?;
    }
    hosts.folders[1].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_the_host_that_leads() -> Result<()> {
    let cluster = Cluster::start();
    let mut hosts = Hosts::start(&cluster, 2, "").await?;
    let (_, key) = hosts.folders[0].key()?;
    let browser = tollbridge_tests::http().build()?;
    let url = hosts.servers[1].url.clone();
    let form = format!("key={key}&next=/account");
    let sign_in = browser.post(format!("{url}/account/sign-in")).header("origin", &url).body(form);
    let signed_in = sign_in.header("content-type", "application/x-www-form-urlencoded").send().await?;
    let cookie = signed_in.headers().get("set-cookie").context("no cookie")?.to_str()?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let page = async || {
        let page = browser.get(format!("{url}/account")).header("cookie", &cookie).send().await?;
        anyhow::Ok(page.status().as_u16())
    };
    ensure!(page().await? == 200, "not signed in");
    hosts.servers.remove(0).kill().await?;
    ensure!(page().await? == 200, "the session was lost with its host");
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_balance_is_not_promised_to_several_hosts() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "").await?;
    let intent = hosts.servers[0].client().paid_intent("echo").await?;
    // The minimum payment covers several calls, so part of it must be left.
    let status = hosts.servers[1].client().get(&format!("/v1/payments/{intent}")).await?.must(200)?;
    let remaining = status.json["remaining_pence"].as_i64().context("nothing remains")?;
    let answered = Arc::new(AtomicUsize::new(0));
    let callers = (0..12).map(|caller| {
        let client = hosts.servers[caller % 3].client();
        let (intent, answered) = (intent.clone(), answered.clone());
        tokio::spawn(async move {
            for _ in 0..8 {
                let reply = client.call_with("echo", &intent).await?;
                match reply.status {
                    200 => drop(answered.fetch_add(1, Ordering::SeqCst)),
                    402 | 409 => {}
                    other => anyhow::bail!("{other}: {reply:?}"),
                }
            }
            anyhow::Ok(())
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await??;
    }
    let answered = i64::try_from(answered.load(Ordering::SeqCst))?;
    ensure!(answered == remaining / 10, "{answered} answers for {remaining} pence");
    hosts.folders[2].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_holds_over_all_hosts() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "[tiers.free]\nper_minute = 200\nper_hour = 1000\n").await?;
    let new = hosts.servers[0].client().signed_up("ada@example.com").await?;
    // Start early in a minute, so that all calls fall into one rate-limit window.
    let into_minute = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs() % 60;
    if into_minute > 40 {
        tokio::time::sleep(Duration::from_secs(61 - into_minute)).await;
    }
    let mut admitted = 0;
    for call in 0..300 {
        let client = new.at(&hosts.servers[call % 3].url);
        let reply = client.call("echo", &json!({}), &[]).await?;
        match reply.status {
            402 => admitted += 1,
            429 => {}
            other => anyhow::bail!("{other}: {reply:?}"),
        }
    }
    ensure!((190..=200).contains(&admitted), "{admitted} calls of a limit of 200");
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_published_on_one_host_serves_on_all() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "").await?;
    for (at, version) in [(2, "1.1.0"), (0, "1.2.0"), (1, "2.0.0")] {
        let (manifest, component) = (manifest("echo", version, "0.20"), guest::echo(version)?);
        let published = hosts.folders[0].try_publish("tester", &hosts.folders[at].registry(), &manifest, &component)?;
        ensure!(published.status.success(), "{published:?}");
        for server in &hosts.servers {
            let client = server.client();
            until(version, async || {
                let quote = client.call("echo", &json!({}), &[]).await?;
                let listed = client.get("/v1/bridges/echo").await?.must(200)?;
                Ok(quote.status == 402 && quote.text.contains("0.20") && listed.json["version"] == version)
            })
            .await?;
        }
    }
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_hears_of_calls_on_every_host() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n").await?;
    let (_, key) = hosts.folders[0].key()?;
    let clients = hosts.clients(&key);
    let receiver = Receiver::start().await?;
    let wish = json!({ "url": receiver.url, "events": ["billing.split"] });
    clients[1].post("/v1/webhooks", &wish).await?.must(201)?;
    for (call, client) in clients.iter().enumerate() {
        pay(client, &format!("call-{call}")).await?.must(200)?;
    }
    receiver.wait_for("billing.split", 3, 20).await?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn repeatedly_killed_hosts_lose_nothing() -> Result<()> {
    let cluster = Cluster::start();
    let mut hosts = Hosts::start(&cluster, 3, "").await?;
    let (_, key) = hosts.folders[0].key()?;
    let urls: Arc<Vec<std::sync::Mutex<String>>> =
        Arc::new(hosts.servers.iter().map(|server| std::sync::Mutex::new(server.url.clone())).collect());
    let ended = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..6)
        .map(|caller| {
            let (urls, ended, client) = (urls.clone(), ended.clone(), hosts.servers[0].client().with_key(&key));
            tokio::spawn(async move {
                let (mut answered, mut refused, mut longest) = (0_u32, 0_u32, Duration::ZERO);
                while !ended.load(Ordering::SeqCst) {
                    let name = format!("{caller}-{answered}");
                    let started = Instant::now();
                    // Like a load balancer, tries the next host if one does not answer.
                    for attempt in 0.. {
                        let url = urls[(caller + attempt) % 3].lock().map(|url| url.clone()).unwrap_or_default();
                        let reply = tokio::time::timeout(Duration::from_secs(5), pay(&client.at(&url), &name)).await;
                        match reply {
                            Ok(Ok(reply)) if reply.status == 200 => break,
                            Ok(Ok(_)) => refused += 1,
                            Ok(Err(_)) | Err(_) => {}
                        }
                        ensure!(started.elapsed() < Duration::from_secs(20), "no answer");
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    (answered, longest) = (answered + 1, longest.max(started.elapsed()));
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                anyhow::Ok((answered, refused, longest))
            })
        })
        .collect();
    for round in 0..6 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let at = round % 3;
        hosts.servers.remove(at).kill().await?;
        let server = hosts.folders[at].serve().await?;
        if let Ok(mut url) = urls[at].lock() {
            url.clone_from(&server.url);
        }
        hosts.servers.insert(at, server);
    }
    ended.store(true, Ordering::SeqCst);
    let (mut answered, mut refused, mut longest) = (0, 0, Duration::ZERO);
    for caller in callers {
        let (calls, no, stall) = caller.await??;
        (answered, refused, longest) = (answered + i64::from(calls), refused + no, longest.max(stall));
    }
    eprintln!("{answered} calls on three hosts, {refused} refused, the longest took {longest:?}");
    let client = hosts.servers[0].client().with_key(&key);
    ensure!(credit_pence(&client).await? == CREDIT_PENCE - 10 * answered, "{answered} calls were not paid exactly");
    ensure!(longest < Duration::from_secs(2), "a call took {longest:?}");
    hosts.folders[1].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_restart_under_three_hosts_loses_nothing() -> Result<()> {
    let mut cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "").await?;
    let (_, key) = hosts.folders[0].key()?;
    let callers: Vec<_> = hosts
        .clients(&key)
        .into_iter()
        .enumerate()
        .map(|(caller, client)| {
            tokio::spawn(async move {
                for call in 0..150 {
                    let started = Instant::now();
                    while !pay(&client, &format!("{caller}-{call}")).await.is_ok_and(|reply| reply.status == 200) {
                        ensure!(started.elapsed() < Duration::from_secs(30), "no answer");
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for pause in [300, 4_000] {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cluster.kill();
        tokio::time::sleep(Duration::from_millis(pause)).await;
        cluster.resume();
    }
    for caller in callers {
        caller.await??;
    }
    for client in hosts.clients(&key) {
        ensure!(credit_pence(&client).await? == CREDIT_PENCE - 450 * 10, "the balance differs");
    }
    hosts.folders[0].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_at_several_hosts_at_once_is_one_call() -> Result<()> {
    let cluster = Cluster::start();
    let hosts = Hosts::start(&cluster, 3, "").await?;
    let (_, key) = hosts.folders[0].key()?;
    let clients = hosts.clients(&key);
    for round in 0..30 {
        let name = format!("call-{round}");
        let replies = futures_util::future::join_all(clients.iter().map(|client| pay(client, &name))).await;
        let mut seals = Vec::new();
        for reply in replies {
            let reply = reply?.must(200)?;
            seals.push(reply.header("x-worm-seal").context("no seal")?.to_owned());
        }
        ensure!(seals.iter().all(|seal| *seal == seals[0]), "answered twice: {seals:?}");
    }
    for client in &clients {
        let left = credit_pence(client).await?;
        ensure!(left == CREDIT_PENCE - 30 * 10, "{left} left");
    }
    hosts.folders[1].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ups_are_counted_on_when_another_host_leads() -> Result<()> {
    let cluster = Cluster::start();
    let mut hosts = Hosts::start(&cluster, 2, "").await?;
    for number in 0..5 {
        hosts.servers[number % 2].client().signed_up(&format!("ada{number}@example.com")).await?;
    }
    let sign_up = json!({ "email": "one.more@example.com" });
    hosts.servers[1].client().post("/v1/signup", &sign_up).await?.must(429)?;
    hosts.servers.remove(0).kill().await?;
    hosts.servers[0].client().post("/v1/signup", &sign_up).await?.must(429)?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_with_wrong_clocks_go_by_the_database() -> Result<()> {
    let cluster = Cluster::start();
    let first = Folder::new(&settings(&cluster.database(), ""))?;
    first.publish_echo("1.0.0", "0.10")?;
    let (_, key) = first.key()?;
    let mut folders = vec![first];
    for _ in 0..2 {
        folders.push(folders[0].host_with_own_registry()?);
    }
    // The first host is the leader; each host gets a different wrong clock.
    for (folder, offset) in folders.iter_mut().zip(["+60", "-60", "+3600"]) {
        let wrong = [
            ("LD_PRELOAD", wrong_clock()?),
            ("FAKETIME", offset.to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        folder.variables.extend(wrong.map(|(name, value)| (name.to_owned(), value)));
    }
    let mut servers = Vec::new();
    for folder in &folders {
        servers.push(folder.serve().await?);
        let log = std::fs::read_to_string(folder.path().join("server.log"))?;
        ensure!(log.contains("this machine's clock is wrong"), "the wrong clock was not noticed: {log}");
    }
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map(|since| since.as_secs());
    for (call, server) in servers.iter().cycle().take(12).enumerate() {
        let client = server.client().with_key(&key);
        let paid = pay(&client, &format!("call-{call}")).await?.must(200)?;
        // Whichever host answers, its rate-limit window ends within one real minute.
        let reset: u64 = paid.header("x-ratelimit-reset").context("no reset")?.parse()?;
        ensure!(
            (now()?..=now()? + 62).contains(&reset),
            "the rate-limit window ends at {reset}, but the time is {}",
            now()?
        );
        let quote = client.call("echo", &json!({}), &[]).await?;
        let intent = intent_of(&quote)?;
        let pay_at = servers[(call + 1) % 3].client().with_key(&key);
        pay_at.get(&format!("/v1/payments/{intent}")).await?.must(200)?;
        ensure!(credit_pence(&client).await? < CREDIT_PENCE, "nothing was paid");
    }
    folders[1].verify()?;
    for server in servers {
        server.stop().await?;
    }
    Ok(())
}

/// Returns the path of libfaketime, which falsifies a process's clock; it is installed
/// with the test's Python packages.
fn wrong_clock() -> Result<String> {
    let programs = std::path::PathBuf::from(std::env::var("POSTGRES_BIN").context("POSTGRES_BIN is not set")?);
    let packages = programs.ancestors().nth(3).context("no packages")?;
    let library = packages.join("libfaketime/vendor/libfaketime/src/libfaketime.so.1");
    ensure!(library.exists(), "{} is missing; make target/venv/ready", library.display());
    Ok(library.display().to_string())
}
