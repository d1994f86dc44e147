//! Hosts that become unresponsive, frozen or cut off from the database: the others
//! keep serving, and the silent host cannot rejoin.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tollbridge_test_postgres::{Cluster, Proxy};
use tollbridge_tests::{Client, Reply};

use crate::hosts::Hosts;
use crate::postgres::pay;

impl Hosts {
    /// Silences one host during calls, while the others keep serving. When it becomes
    /// responsive again, it exits by design; its pending calls are executed only once.
    async fn check_failover(&mut self, at: usize, silence: impl Fn(bool) -> Result<()>) -> Result<()> {
        let (_, key) = self.folders[1].key()?;
        let clients = self.clients(&key);
        let silent = self.servers.remove(at);
        let waiting: Vec<_> = (0..4)
            .map(|call| {
                let client = clients[at].clone();
                tokio::spawn(async move { pay(&client, &format!("silent-{at}-{call}")).await })
            })
            .collect();
        silence(true)?;
        let others: Vec<&Client> = clients.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, c)| c).collect();
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(7) {
            for (n, client) in others.iter().enumerate() {
                let asked = Instant::now();
                let name = format!("{at}-{n}-{}", started.elapsed().as_micros());
                pay(client, &name).await?.must(200)?;
                ensure!(asked.elapsed() < Duration::from_secs(6), "a call took {:?}", asked.elapsed());
                client.get("/v1/balance").await?.must(200)?;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        silence(false)?;
        for call in waiting {
            // The call was answered before the host was silenced, or not at all; never
            // twice.
            let _ = call.await?;
        }
        let folder = &self.folders[at];
        let said = || std::fs::read_to_string(folder.path().join("server.log"));
        let back = Instant::now();
        while !said()?.contains("this host can no longer serve") {
            ensure!(back.elapsed() < Duration::from_secs(10), "the host keeps serving: {}", said()?);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let _ = silent.kill().await;
        let server = folder.serve().await?;
        self.servers.insert(at, server);
        let clients = self.clients(&key);
        for call in 0..4 {
            let name = format!("silent-{at}-{call}");
            let seal = |reply: Reply| reply.header("x-worm-seal").map(str::to_owned).context("no seal");
            let first = seal(pay(&clients[at], &name).await?.must(200)?)?;
            ensure!(seal(pay(&clients[1], &name).await?.must(200)?)? == first, "answered twice");
        }
        Ok(())
    }
}

/// Freezes a host in the middle of calls.
async fn freeze(at: usize) -> Result<()> {
    let cluster = Cluster::start();
    let mut hosts = Hosts::start(&cluster, 3, "").await?;
    let pid = hosts.servers[at].pid()?.to_string();
    let freeze = |is_frozen: bool| {
        let signal = if is_frozen { "-STOP" } else { "-CONT" };
        ensure!(std::process::Command::new("kill").args([signal, &pid]).status()?.success(), "no signal");
        Ok(())
    };
    hosts.check_failover(at, freeze).await?;
    hosts.folders[1].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_was_frozen_cannot_come_back() -> Result<()> {
    freeze(0).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_was_frozen_cannot_come_back() -> Result<()> {
    freeze(2).await
}

/// Cuts a host off from the database in the middle of calls.
async fn cut_off(at: usize) -> Result<()> {
    let cluster = Cluster::start();
    let mut hosts = Hosts::start(&cluster, 3, "").await?;
    // This host reaches the database through a proxy.
    let proxy = Proxy::to(cluster.port());
    let (port, own) = (format!(":{}/", cluster.port()), format!(":{}/", proxy.port()));
    let config = hosts.folders[at].config();
    let direct = std::fs::read_to_string(&config)?;
    std::fs::write(&config, direct.replace(&port, &own))?;
    hosts.servers.remove(at).stop().await?;
    let server = hosts.folders[at].serve().await?;
    hosts.servers.insert(at, server);
    if at == 0 {
        // This host becomes the leader, because the others stop for a moment.
        for server in hosts.servers.drain(1..) {
            server.stop().await?;
        }
        for folder in &hosts.folders[1..] {
            hosts.servers.push(folder.serve().await?);
        }
    }
    let silence = |is_silent| {
        proxy.silence(is_silent);
        Ok(())
    };
    hosts.check_failover(at, silence).await?;
    hosts.folders[1].verify()?;
    hosts.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_cut_off_from_the_database_cannot_come_back() -> Result<()> {
    cut_off(0).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_is_cut_off_from_the_database_cannot_come_back() -> Result<()> {
    cut_off(2).await
}
