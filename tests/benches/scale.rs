//! Measures the cost of keeping the ledger in PostgreSQL: first one host on each engine,
//! in alternating turns; then one, two and four hosts on one database, with the same
//! callers divided among them. The argument `hosts` runs only the second part.
//!
//! Prints calls per second, calls per commit, processor time per call of host and
//! database, and the bytes that PostgreSQL writes per call. Aims: half the rate of the
//! embedded engine at 256 callers, and, judged by processor time, 20,000 calls per second
//! for one database.
//!
//! `make bench-scale`; needs `wrk` and `POSTGRES_BIN`.

#![allow(clippy::print_stdout, clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a measurement")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tollbridge_test_postgres::Cluster;
use tollbridge_tests::{Folder, Server, guest, manifest, workspace};

const CALLERS: [u32; 3] = [1, 32, 256];
/// Number of turns of each engine; each turn lasts `SECONDS`.
const TURNS: usize = 7;
const SECONDS: u32 = 2;
/// Clock ticks per second in `/proc` on Linux.
const TICKS: f64 = 100.0;

/// A bridge and the body of its calls.
struct BenchBridge {
    name: &'static str,
    body: &'static str,
}

const WARES: [BenchBridge; 2] = [
    BenchBridge { name: "echo", body: r#"{"n":1}"# },
    BenchBridge { name: "anomaly_detection", body: r#"{"values":[2.1,2.6,2.4,2.5,2.3,2.1,2.3,2.6,8.2,8.3]}"# },
];

/// Numbers of hosts that serve one ledger in the second part.
const HOSTS: [usize; 3] = [1, 2, 4];
/// Bridge, number of callers across all hosts, and whether each host is limited to a
/// quarter of a processor (as if on its own machine) or shares the whole machine.
const FLEET: [(&BenchBridge, u32, bool); 7] = [
    (&WARES[0], 64, false),
    (&WARES[0], 256, false),
    (&WARES[1], 64, false),
    (&FIVE_MS, 16, false),
    (&WARES[0], 64, true),
    (&WARES[1], 64, true),
    (&FIVE_MS, 8, true),
];
/// A bridge that computes for five milliseconds.
const FIVE_MS: BenchBridge = BenchBridge { name: "five_ms", body: r#"{"n":1}"# };
const FIVE_MS_ROUNDS: u32 = 4_500_000;

/// The hosts that serve one ledger on one engine; usually one.
struct Fleet {
    hosts: Vec<Host>,
    key: String,
}

struct Host {
    folder: Folder,
    server: Server,
    share: Option<ProcessorShare>,
}

/// A Linux control group with one host in it; requires permission to create one.
struct ProcessorShare(PathBuf);

/// The processor time that a limited host may use per period, and the period, both in
/// microseconds.
const QUARTER: (u32, u32) = (2_500, 10_000);

/// The measurements of one turn.
#[derive(Clone, Copy, Default)]
struct Turn {
    per_s: f64,
    calls: f64,
    commits: f64,
    collisions: f64,
    host_us: f64,
    database_us: f64,
    written: f64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut cluster = Cluster::start();
    if std::env::args().any(|argument| argument == "hosts") {
        together(&mut cluster).await?;
        cluster.stop();
        return Ok(());
    }
    let database = cluster.database();
    let shared = format!("[store]\nengine = \"postgres\"\nurl = \"{database}\"\n");
    let (embedded, postgres) = (Fleet::start("", 1).await?, Fleet::start(&shared, 1).await?);
    println!(
        "{:18} {:>7} {:>10} {:>10} {:>6} {:>7} {:>8} {:>8} {:>8} {:>8}",
        "paid calls", "callers", "embedded/s", "postgres/s", "ratio", "spread", "a commit", "host us", "pg us", "bytes"
    );
    for ware in WARES {
        for callers in CALLERS {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                one.push(embedded.turn(&ware, callers, None).await?);
                other.push(postgres.turn(&ware, callers, Some(&cluster)).await?);
            }
            report(&ware, callers, &one, &other);
        }
    }
    embedded.end().await?;
    postgres.end().await?;
    together(&mut cluster).await?;
    cluster.stop();
    Ok(())
}

/// Compares one, two and four hosts on one database.
async fn together(cluster: &mut Cluster) -> Result<()> {
    let mut fleets = Vec::new();
    for count in HOSTS {
        let shared = format!("[store]\nengine = \"postgres\"\nurl = \"{}\"\n", cluster.database());
        fleets.push(Fleet::start(&shared, count).await?);
    }
    println!(
        "\n{:18} {:>7} {:>7} {:>10} {:>6} {:>9} {:>8} {:>10} {:>8} {:>8}",
        "paid calls", "callers", "hosts", "in all/s", "ratio", "spread", "a commit", "collisions", "host us", "pg us"
    );
    for (ware, callers, is_limited) in FLEET {
        let hosts = || fleets.iter().flat_map(|fleet| &fleet.hosts);
        if is_limited && hosts().any(|host| host.share.is_none()) {
            println!("{:18} {callers:>7} not measured with a quarter of a processor: no control groups", ware.name);
            continue;
        }
        hosts().filter_map(|host| host.share.as_ref()).try_for_each(|share| share.limit(is_limited))?;
        println!("{}", if is_limited { "each host has a quarter of a processor" } else { "hosts share processors" });
        let mut turns = vec![Vec::new(); fleets.len()];
        for _ in 0..TURNS {
            for (fleet, turns) in fleets.iter().zip(&mut turns) {
                turns.push(fleet.turn(ware, callers, Some(cluster)).await?);
            }
        }
        let alone = turns[0].clone();
        for (count, turns) in HOSTS.iter().zip(&turns) {
            report_fleet(ware, callers, *count, &alone, turns);
        }
    }
    for fleet in fleets {
        fleet.end().await?;
    }
    Ok(())
}

fn report_fleet(ware: &BenchBridge, callers: u32, hosts: usize, alone: &[Turn], turns: &[Turn]) {
    let of = |what: fn(&Turn) -> f64| median(turns.iter().map(what).collect());
    let (ratios, least, most) = ratios(turns, alone);
    println!(
        "{:18} {callers:>7} {hosts:>7} {:>10.0} {:>6.2} {:>4.2}-{:.2} {:>8.1} {:>9.2}% {:>8.1} {:>8.1}",
        ware.name,
        of(|turn| turn.per_s),
        median(ratios),
        least,
        most,
        of(|turn| turn.calls / turn.commits),
        of(|turn| turn.collisions * 100.0 / turn.commits),
        of(|turn| turn.host_us),
        of(|turn| turn.database_us),
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns the ratio of each turn to the other engine's adjacent turn, and the lowest and
/// highest ratio.
fn ratios(turns: &[Turn], others: &[Turn]) -> (Vec<f64>, f64, f64) {
    let ratios: Vec<f64> = turns.iter().zip(others).map(|(one, other)| one.per_s / other.per_s).collect();
    let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
    (ratios, least, most)
}

fn report(ware: &BenchBridge, callers: u32, embedded: &[Turn], postgres: &[Turn]) {
    let of = |turns: &[Turn], what: fn(&Turn) -> f64| median(turns.iter().map(what).collect());
    let (ratios, least, most) = ratios(postgres, embedded);
    println!(
        "{:18} {callers:>7} {:>10.0} {:>10.0} {:>6.2} {:>3.2}-{:.2} {:>8.1} {:>8.1} {:>8.1} {:>8.0}",
        ware.name,
        of(embedded, |turn| turn.per_s),
        of(postgres, |turn| turn.per_s),
        median(ratios),
        least,
        most,
        of(postgres, |turn| turn.calls / turn.commits),
        of(postgres, |turn| turn.host_us),
        of(postgres, |turn| turn.database_us),
        of(postgres, |turn| turn.written),
    );
}

impl ProcessorShare {
    fn of(pid: u32) -> Option<Self> {
        let group = Path::new("/sys/fs/cgroup/cpu").join(format!("tollbridge-bench-{pid}"));
        std::fs::create_dir(&group).ok()?;
        std::fs::write(group.join("cpu.cfs_period_us"), QUARTER.1.to_string()).ok()?;
        std::fs::write(group.join("cgroup.procs"), pid.to_string()).ok()?;
        Some(Self(group))
    }

    fn limit(&self, is_limited: bool) -> Result<()> {
        let quota = if is_limited { QUARTER.0.to_string() } else { "-1".to_owned() };
        Ok(std::fs::write(self.0.join("cpu.cfs_quota_us"), quota)?)
    }
}

impl Drop for ProcessorShare {
    fn drop(&mut self) {
        // The group can be removed only when it is empty, so the host must have exited.
        let _ = std::fs::remove_dir(&self.0);
    }
}

impl Host {
    fn of(folder: Folder, server: Server) -> Result<Self> {
        let share = ProcessorShare::of(server.pid()?);
        Ok(Self { folder, server, share })
    }
}

impl Fleet {
    async fn start(extra: &str, count: usize) -> Result<Self> {
        let folder = Folder::new(&format!("[payments]\nsandbox_credit = \"900000.00\"\n{extra}"))?;
        folder.publish(&manifest("echo", "1.0.0", "0.01"), &guest::echo("1.0.0")?)?;
        folder.publish(&manifest(FIVE_MS.name, "1.0.0", "0.01"), &guest::busy("1.0.0", FIVE_MS_ROUNDS)?)?;
        let component = workspace().join("plugins/target/components/anomaly_detection.wasm");
        if component.exists() {
            let text = manifest("anomaly_detection", "1.0.0", "0.01");
            folder.publish(&text, &std::fs::read(component)?)?;
        }
        let server = folder.serve().await?;
        let key = folder.key()?.1;
        let mut hosts = vec![Host::of(folder, server)?];
        for _ in 1..count {
            let folder = hosts[0].folder.second_host()?;
            let server = folder.serve().await?;
            hosts.push(Host::of(folder, server)?);
        }
        Ok(Self { hosts, key })
    }

    /// Makes paid calls with `wrk` for one turn, each call with a distinct idempotency
    /// key; the callers are divided among the hosts.
    async fn turn(&self, ware: &BenchBridge, callers: u32, cluster: Option<&Cluster>) -> Result<Turn> {
        let before = self.sums(cluster).await?;
        let each = callers / u32::try_from(self.hosts.len())?;
        let running = self.hosts.iter().enumerate().map(|(number, host)| self.calls(host, number, ware, each));
        let done = futures_util::future::try_join_all(running).await?;
        let (calls, per_s) = done.iter().fold((0.0, 0.0), |(calls, per_s), one| (calls + one.0, per_s + one.1));
        let after = self.sums(cluster).await?;
        let change = |what: fn(&Sums) -> f64| what(&after) - what(&before);
        Ok(Turn {
            per_s,
            calls,
            commits: change(|sums| sums.commits).max(1.0),
            collisions: change(|sums| sums.collisions),
            host_us: change(|sums| sums.host_s) * 1e6 / calls,
            database_us: change(|sums| sums.database_s) * 1e6 / calls,
            written: change(|sums| sums.written) / calls,
        })
    }

    /// Returns the number of calls that one host answered, and its calls per second.
    async fn calls(&self, host: &Host, number: usize, ware: &BenchBridge, callers: u32) -> Result<(f64, f64)> {
        let script = host.folder.path().join("paid.lua");
        std::fs::write(&script, self.script(ware, number))?;
        let url = format!("{}/v1/oracle/{}", host.server.url, ware.name);
        let (connections, seconds) = (format!("-c{callers}"), format!("-d{SECONDS}"));
        let mut wrk = tokio::process::Command::new("wrk");
        let wrk = wrk.args(["-t1", &connections, &seconds, "-s"]).arg(&script).arg(&url).output().await?;
        let reported = String::from_utf8_lossy(&wrk.stdout).into_owned();
        ensure!(wrk.status.success() && !reported.contains("Non-2xx"), "{reported}");
        let number = |line: &str, at: usize| line.split_whitespace().nth(at).and_then(|text| text.parse::<f64>().ok());
        let calls = reported.lines().find(|line| line.contains("requests in")).and_then(|line| number(line, 0));
        let per_s = reported.lines().find(|line| line.starts_with("Requests/sec")).and_then(|line| number(line, 1));
        calls.zip(per_s).context("no rate in wrk's output")
    }

    fn script(&self, ware: &BenchBridge, number: usize) -> String {
        format!(
            "wrk.method = \"POST\"\nwrk.body = [==[{}]==]\nwrk.headers[\"Content-Type\"] = \"application/json\"\n\
             wrk.headers[\"Authorization\"] = \"Bearer {}\"\nwrk.headers[\"X-Payment-Source\"] = \"credit\"\n\
             local n, start = 0, \"{number}-\" .. tostring({{}}):sub(8) .. \"-\" .. os.time() .. \"-\"\n\
             request = function()\n  n = n + 1\n  wrk.headers[\"Idempotency-Key\"] = start .. n\n  return wrk.format()\nend\n",
            ware.body, self.key
        )
    }

    /// Returns the resource usage so far.
    async fn sums(&self, cluster: Option<&Cluster>) -> Result<Sums> {
        let (mut commits, mut collisions, mut host_s) = (0.0, 0.0, 0.0);
        for host in &self.hosts {
            let metrics = host.folder.metrics().await?;
            let metric = |name: &str| {
                let line = metrics.lines().find(|line| line.starts_with(name));
                line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(0.0)
            };
            commits += metric("tollbridge_commits_total");
            collisions += metric("tollbridge_log_collisions_total");
            host_s += processor_seconds(host.server.pid()?)?;
        }
        let (mut database_s, mut written) = (0.0, 0.0);
        if let Some(cluster) = cluster {
            database_s = tree(cluster.pid())?.into_iter().map(processor_seconds).sum::<Result<f64>>().unwrap_or(0.0);
            let position = cluster.sql("postgres", "select pg_current_wal_lsn() - '0/0'::pg_lsn");
            written = position.parse().unwrap_or(0.0);
        }
        Ok(Sums { commits, collisions, host_s, database_s, written })
    }

    async fn end(self) -> Result<()> {
        let checked: Value = self.hosts[0].folder.verify()?;
        println!("{} records verified", checked["records"]);
        for host in self.hosts {
            host.server.stop().await?;
        }
        Ok(())
    }
}

struct Sums {
    commits: f64,
    collisions: f64,
    host_s: f64,
    database_s: f64,
    written: f64,
}

/// Returns the processor time of a process, user plus system.
fn processor_seconds(pid: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// Returns the ids of a process and its children.
fn tree(pid: u32) -> Result<Vec<u32>> {
    let children = Command::new("pgrep").args(["-P", &pid.to_string()]).output()?;
    let children = String::from_utf8_lossy(&children.stdout).lines().filter_map(|line| line.parse().ok()).collect();
    let all: Vec<u32> = [vec![pid], children].concat();
    Ok(all.into_iter().filter(|pid| Path::new(&format!("/proc/{pid}/stat")).exists()).collect())
}
