//! State that hosts exchange in a real PostgreSQL: live hosts and the leader, remaining
//! calls of rate limits, and plugin versions.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_core::config::Secret;
use tollbridge_postgres::{
    CallWindows, Candidate, Membership, PostgresLog, PostgresSettings, Probe, SharedRegistry, SliceRequest,
};
use tollbridge_test_postgres::Cluster;

fn settings(cluster: &Cluster) -> PostgresSettings {
    let url = Secret::new(cluster.database());
    let settings = PostgresSettings { url, root_certificate: None, patience: Duration::from_secs(20) };
    // Opening the log creates the tables.
    let made = settings.clone();
    std::thread::spawn(move || drop(PostgresLog::open(made).unwrap())).join().unwrap();
    settings
}

fn member(settings: &PostgresSettings, name: char) -> Membership {
    Membership::new(settings.clone(), name.to_string().repeat(32))
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_learn_the_live_hosts_and_the_leader() {
    let cluster = Cluster::start();
    let settings = settings(&cluster);
    let (one, other) = (member(&settings, 'a'), member(&settings, 'b'));
    let listen = "0.0.0.0:7401".parse().unwrap();
    // A host that is given no address registers the address from which the database sees
    // it connect.
    assert_eq!(one.join(None, listen).await.unwrap(), "127.0.0.1:7401");
    assert_eq!(other.join(Some("host2:7401".to_owned()), listen).await.unwrap(), "host2:7401");
    let beat = one.heartbeat(true).await.unwrap();
    assert!(beat.is_known && beat.leader.is_none() && beat.alive.len() == 2, "{beat:?}");
    let beat = other.heartbeat(false).await.unwrap();
    assert_eq!(beat.leader.as_deref(), Some("127.0.0.1:7401"));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    assert!(u128::from(beat.database_ms).abs_diff(now) < 5_000, "{beat:?} at {now}");
    let probe = tokio::task::spawn_blocking({
        let settings = settings.clone();
        move || Probe::of(&settings).unwrap()
    });
    assert_eq!(probe.await.unwrap().hosts, 2);
    // A silent host counts as dead; a removed one is no longer registered.
    tokio::time::sleep(Duration::from_millis(1_700)).await;
    let beat = other.heartbeat(false).await.unwrap();
    assert!(beat.leader.is_none() && beat.alive == ["b".repeat(32)], "{beat:?}");
    other.remove(&"a".repeat(32)).await.unwrap();
    assert!(!one.heartbeat(true).await.unwrap().is_known);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_leader_loses_the_lead() {
    let cluster = Cluster::start();
    let settings = settings(&cluster);
    let (mut frozen, mut next) = (Candidate::new(settings.clone()).unwrap(), Candidate::new(settings.clone()).unwrap());
    let (frozen, next) = tokio::task::spawn_blocking(move || {
        assert!(frozen.ask().unwrap() && !next.ask().unwrap());
        (frozen, next)
    })
    .await
    .unwrap();
    let (mut frozen, mut next) = (frozen, next);
    member(&settings, 'b').remove_silent_leader().await.unwrap();
    tokio::task::spawn_blocking(move || {
        let started = std::time::Instant::now();
        while !next.ask().unwrap() {
            assert!(started.elapsed() < Duration::from_secs(2), "the lock is not free");
            std::thread::sleep(Duration::from_millis(20));
        }
        // The session of the frozen host was closed; its new session cannot get the lock,
        // which the other host holds.
        assert!(frozen.ask().is_err() || !frozen.ask().unwrap());
        assert!(!frozen.ask().unwrap());
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn slices_never_exceed_the_window() {
    let cluster = Cluster::start();
    let settings = settings(&cluster);
    let hosts: Vec<Arc<CallWindows>> = (0..3).map(|_| Arc::new(CallWindows::new(settings.clone()))).collect();
    let slice = |client: &str, begins_s: u64| SliceRequest {
        client: client.to_owned(),
        begins_s,
        ends_s: begins_s + 60,
        wanted: 7,
        most: 100,
    };
    // Two hosts request both windows in opposite orders; without sorting, this would
    // deadlock.
    let (there, back) = ([slice("ada", 0), slice("bob", 0)], [slice("bob", 0), slice("ada", 0)]);
    let takers = (0..24).map(|taker| {
        let (host, requests) = (hosts[taker % 3].clone(), if taker % 2 == 0 { there.clone() } else { back.clone() });
        tokio::spawn(async move {
            let slices = host.take(&requests).await.unwrap();
            slices.iter().map(|slice| slice.granted).collect::<Vec<_>>()
        })
    });
    let mut granted = 0;
    for taker in takers.collect::<Vec<_>>() {
        granted += taker.await.unwrap().iter().sum::<u32>();
    }
    assert_eq!(granted, 200, "of two windows of 100");
    let more = hosts[0].take(&[slice("ada", 0), slice("ada", 60)]).await.unwrap();
    assert_eq!((more[0].granted, more[0].taken), (0, 100), "used up");
    assert_eq!((more[1].granted, more[1].taken), (7, 7), "the next window");
    hosts[1].delete_ended(61).await.unwrap();
    let again = hosts[2].take(&[slice("ada", 0), slice("ada", 60)]).await.unwrap();
    assert_eq!((again[0].taken, again[1].taken), (7, 14), "only ended windows are deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_comes_whole_and_once() {
    let cluster = Cluster::start();
    let settings = settings(&cluster);
    let (one, other) = (SharedRegistry::new(settings.clone()), SharedRegistry::new(settings));
    assert_eq!(one.versions().await.unwrap(), []);
    let files = vec![("plugin.toml".to_owned(), b"name".to_vec()), ("tables/a.tsv".to_owned(), vec![0; 100_000])];
    one.add("bridges/echo/1.0.0", &files).await.unwrap();
    // A published version never changes.
    other.add("bridges/echo/1.0.0", &[("plugin.toml".to_owned(), b"other".to_vec())]).await.unwrap();
    other.add("bridges/echo/1.1.0", &files[..1]).await.unwrap();
    let versions = other.versions().await.unwrap();
    let paths: Vec<&str> = versions.iter().map(|version| version.path.as_str()).collect();
    assert_eq!(paths, ["bridges/echo/1.0.0", "bridges/echo/1.1.0"]);
    let mut found = other.files(versions[0].number).await.unwrap();
    found.sort();
    assert_eq!(found, files);
}
