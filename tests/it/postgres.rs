//! The ledger in PostgreSQL: losing a machine, a database that dies and fails over, and
//! migration in both directions. `hosts.rs` has the tests of several hosts.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_test_postgres::{Cluster, url};
use tollbridge_tests::{Client, Folder, Reply, Server};

const CREDIT: &str = "[payments]\nsandbox_credit = \"1000.00\"\n";

fn settings(url: &str) -> String {
    format!("{CREDIT}[store]\nengine = \"postgres\"\nurl = \"{url}\"\n")
}

fn folder(url: &str) -> Result<Folder> {
    let folder = Folder::new(&settings(url))?;
    folder.publish_echo("1.0.0", "0.10")?;
    Ok(folder)
}

pub(crate) async fn pay(client: &Client, key: &str) -> Result<Reply> {
    let headers = [("x-payment-source", "credit"), ("idempotency-key", key)];
    client.call("echo", &json!({ "n": key }), &headers).await
}

/// Repeats a call until it is answered, as a real client does.
async fn pay_until_answered(client: &Client, key: &str) -> Result<Reply> {
    let started = Instant::now();
    loop {
        match pay(client, key).await {
            Ok(reply) if reply.status == 200 => return Ok(reply),
            other => ensure!(started.elapsed() < Duration::from_secs(60), "no answer: {other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) async fn credit_pence(client: &Client) -> Result<i64> {
    client.get("/v1/balance").await?.must(200)?.json["credit_pence"].as_i64().context("no balance")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_lost_takes_nothing_with_it() -> Result<()> {
    let cluster = Cluster::start();
    let folder = folder(&cluster.database())?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    let mut seals = Vec::new();
    for call in 0..20 {
        let answer = pay(&payer, &format!("call-{call}")).await?.must(200)?;
        seals.push(answer.header("x-worm-seal").context("no seal")?.to_owned());
    }
    let before = credit_pence(&payer).await?;
    // The machine is lost; only its secrets were copied elsewhere.
    let second = folder.second_host()?;
    server.kill().await?;
    let server = second.serve().await?;
    let payer = payer.at(&server.url);
    ensure!(credit_pence(&payer).await? == before, "the balance differs");
    for (call, seal) in seals.iter().enumerate() {
        payer.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
        let again = pay(&payer, &format!("call-{call}")).await?.must(200)?;
        ensure!(again.header("x-worm-seal") == Some(seal), "paid again: {again:?}");
    }
    ensure!(credit_pence(&payer).await? == before, "the repeat was charged");
    second.verify()?;
    // A backup is a standalone ledger in files.
    let backup = second.path().join("backup");
    second.run(&["backup", &backup.display().to_string()])?;
    server.stop().await?;
    let mut alone = second.second_host()?;
    alone.variables.push(("TOLLBRIDGE__STORE__ENGINE".to_owned(), "embedded".to_owned()));
    alone.variables.push(("TOLLBRIDGE__DATA__DIR".to_owned(), backup.display().to_string()));
    let server = alone.serve().await?;
    ensure!(credit_pence(&payer.at(&server.url)).await? == before, "the balance in the backup differs");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_at_the_wrong_host_says_where_to_go() -> Result<()> {
    let cluster = Cluster::start();
    let folder = folder(&cluster.database())?;
    let server = folder.serve().await?;
    let second = folder.second_host()?;
    let found = second.run(&["doctor"])?;
    ensure!(found.contains("served by 1 host; synchronous standbys: 0"), "{found}");
    let refused = second.try_run(&["ledger", "head"])?;
    let errors = String::from_utf8_lossy(&refused.stderr);
    ensure!(!refused.status.success() && errors.contains("another host serves this ledger"), "{errors}");
    server.stop().await?;
    second.run(&["ledger", "head"])?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_with_other_secrets_is_refused() -> Result<()> {
    let cluster = Cluster::start();
    let folder = folder(&cluster.database())?;
    let second = folder.second_host()?;
    std::fs::remove_file(second.data().join("keys/quotes.key"))?;
    for wrong in [None, Some([7_u8; 32])] {
        if let Some(secret) = wrong {
            std::fs::write(second.data().join("keys/quotes.key"), secret)?;
        }
        let refused = second.try_run(&["ledger", "head"])?;
        let errors = String::from_utf8_lossy(&refused.stderr);
        ensure!(!refused.status.success() && errors.contains("copy the folder from a host"), "{errors}");
    }
    ensure!(!second.data().join("keys/emails.key.new").exists(), "a key was created");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_crash_under_load_loses_nothing() -> Result<()> {
    let mut cluster = Cluster::start();
    let folder = folder(&cluster.database())?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    let before = credit_pence(&payer).await?;
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let payer = payer.clone();
            tokio::spawn(async move {
                for call in 0..40 {
                    pay_until_answered(&payer, &format!("{client}-{call}")).await?;
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cluster.kill();
        tokio::time::sleep(Duration::from_millis(300)).await;
        cluster.resume();
    }
    for client in clients {
        client.await??;
    }
    let paid = before - credit_pence(&payer).await?;
    ensure!(paid == 8 * 40 * 10, "{paid} pence for 320 calls of 10");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_of_the_database_takes_over_under_load() -> Result<()> {
    let mut primary = Cluster::start();
    primary.database();
    let standby = primary.synchronous_standby();
    let folder = folder(&url(&[primary.port(), standby.port()], "test0"))?;
    let server = folder.serve().await?;
    let payer = server.client().with_key(&folder.key()?.1);
    let before = credit_pence(&payer).await?;
    for call in 0..20 {
        pay(&payer, &format!("call-{call}")).await?.must(200)?;
    }
    let second = folder.second_host()?;
    let beside = second.serve().await?;
    primary.kill();
    let lost = Instant::now();
    let waiting = tokio::spawn({
        let payer = payer.clone();
        async move { pay_until_answered(&payer, "call-20").await }
    });
    standby.promote();
    standby.sql("postgres", "alter system reset synchronous_standby_names");
    standby.sql("postgres", "select pg_reload_conf()");
    waiting.await??;
    let stall = lost.elapsed();
    ensure!(stall < Duration::from_secs(3), "the call took {stall:?}");
    // Both hosts have switched to the new primary.
    for call in 0..=20 {
        pay(&payer, &format!("call-{call}")).await?.must(200)?;
        pay(&payer.at(&beside.url), &format!("call-{call}")).await?.must(200)?;
        pay(&payer.at(&beside.url), &format!("beside-{call}")).await?.must(200)?;
    }
    let paid = before - credit_pence(&payer).await?;
    ensure!(paid == 42 * 10, "{paid} pence for 42 calls of 10");
    folder.verify()?;
    server.stop().await?;
    beside.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_moves_to_postgres_and_back() -> Result<()> {
    let cluster = Cluster::start();
    let folder = Folder::new(CREDIT)?;
    folder.publish_echo("1.0.0", "0.10")?;
    let (key, embedded) = (folder.key()?.1, std::fs::read_to_string(folder.config())?);
    let there = format!("{embedded}\n[store]\nengine = \"postgres\"\nurl = \"{}\"\n", cluster.database());
    let mut sold = Vec::new();
    let mut expected = 0;
    for (round, engine) in ["embedded", "postgres", "embedded"].into_iter().enumerate() {
        let server: Server = folder.serve().await?;
        let payer = server.client().with_key(&key);
        for call in 0..10 {
            sold.push(format!("{round}-{call}"));
        }
        for call in &sold {
            pay(&payer, call).await?.must(200)?;
        }
        expected += 10 * 10;
        ensure!(100_000 - credit_pence(&payer).await? == expected, "{engine}: the balance differs");
        let refused = folder.try_run(&["store", "migrate", "--to", "postgres"])?;
        ensure!(!refused.status.success(), "migrated while it is served");
        server.stop().await?;
        let before = folder.verify()?;
        let to = match round {
            0 => "postgres",
            1 => "embedded",
            _ => break,
        };
        std::fs::write(folder.config(), &there)?;
        let moved = folder.run_json(&["store", "migrate", "--to", to])?;
        ensure!(moved["records"] == before["records"] && moved["engine"] == to, "{moved}");
        if round == 1 {
            // Simulates an interruption at the end of the migration: the next run resumes
            // it.
            std::fs::rename(folder.data().join("tollbridge.redb"), folder.data().join("tollbridge.moving"))?;
            let again = folder.run_json(&["store", "migrate", "--to", to])?;
            ensure!(again["rows"] == moved["rows"] && again["records"] == moved["records"], "{again}");
            let refused = folder.try_run(&["ledger", "head"])?;
            let errors = String::from_utf8_lossy(&refused.stderr);
            ensure!(errors.contains("store.engine"), "the migrated ledger is still served: {errors}");
            std::fs::write(folder.config(), &embedded)?;
        }
        ensure!(folder.verify()? == before, "the ledgers differ");
    }
    Ok(())
}
