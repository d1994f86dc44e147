//! What it costs to have the ledger in PostgreSQL: one host on each engine, side
//! by side, turns alternating.
//!
//! Prints calls a second, calls per commit, processor time per call of host and
//! database, and the bytes that a call makes PostgreSQL write. Aim: half of the
//! embedded engine at 256 callers, and 20,000 calls a second for one database by
//! its processor time.
//!
//! `make bench-scale`; needs `wrk` and `POSTGRES_BIN`.

#![allow(clippy::print_stdout, clippy::float_arithmetic, clippy::cast_precision_loss, reason = "a measurement")]

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tollbridge_test_postgres::Cluster;
use tollbridge_tests::{Folder, Server, guest, manifest, workspace};

const CALLERS: [u32; 3] = [1, 32, 256];
/// Turns of each engine, and how many seconds one lasts.
const TURNS: usize = 7;
const SECONDS: u32 = 2;
/// Ticks of a processor in a second, as Linux counts them for `/proc`.
const TICKS: f64 = 100.0;

/// A bridge and what it is asked.
struct Ware {
    name: &'static str,
    body: &'static str,
}

const WARES: [Ware; 2] = [
    Ware { name: "echo", body: r#"{"n":1}"# },
    Ware { name: "anomaly_detection", body: r#"{"values":[2.1,2.6,2.4,2.5,2.3,2.1,2.3,2.6,8.2,8.3]}"# },
];

/// One host on one engine.
struct Host {
    folder: Folder,
    server: Server,
    key: String,
}

/// What a turn brought.
#[derive(Clone, Copy, Default)]
struct Turn {
    per_s: f64,
    calls: f64,
    commits: f64,
    host_us: f64,
    database_us: f64,
    written: f64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut cluster = Cluster::start();
    let database = cluster.database();
    let shared = format!("[store]\nengine = \"postgres\"\nurl = \"{database}\"\n");
    let (embedded, postgres) = (Host::start("").await?, Host::start(&shared).await?);
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
    cluster.stop();
    Ok(())
}

fn report(ware: &Ware, callers: u32, embedded: &[Turn], postgres: &[Turn]) {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let of = |turns: &[Turn], what: fn(&Turn) -> f64| median(turns.iter().map(what).collect());
    let ratios: Vec<f64> = postgres.iter().zip(embedded).map(|(one, other)| one.per_s / other.per_s).collect();
    let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
    println!(
        "{:18} {callers:>7} {:>10.0} {:>10.0} {:>6.2} {:>3.2}-{:.2} {:>8.1} {:>8.1} {:>8.1} {:>8.0}",
        ware.name,
        of(embedded, |turn| turn.per_s),
        of(postgres, |turn| turn.per_s),
        median(ratios.clone()),
        least,
        most,
        of(postgres, |turn| turn.calls / turn.commits),
        of(postgres, |turn| turn.host_us),
        of(postgres, |turn| turn.database_us),
        of(postgres, |turn| turn.written),
    );
}

impl Host {
    async fn start(extra: &str) -> Result<Self> {
        let folder = Folder::new(&format!("[payments]\nsandbox_credit = \"900000.00\"\n{extra}"))?;
        folder.publish(&manifest("echo", "1.0.0", "0.01"), &guest::echo("1.0.0")?)?;
        let component = workspace().join("plugins/target/components/anomaly_detection.wasm");
        if component.exists() {
            let text = manifest("anomaly_detection", "1.0.0", "0.01");
            folder.publish(&text, &std::fs::read(component)?)?;
        }
        let server = folder.serve().await?;
        let key = folder.key()?.1;
        Ok(Self { folder, server, key })
    }

    /// Paid calls by `wrk`, each with an idempotency key of its own.
    async fn turn(&self, ware: &Ware, callers: u32, cluster: Option<&Cluster>) -> Result<Turn> {
        let script = self.folder.path().join("paid.lua");
        std::fs::write(&script, self.script(ware))?;
        let before = self.sums(cluster).await?;
        let url = format!("{}/v1/oracle/{}", self.server.url, ware.name);
        let (connections, seconds) = (format!("-c{callers}"), format!("-d{SECONDS}"));
        let mut wrk = tokio::process::Command::new("wrk");
        let wrk = wrk.args(["-t1", &connections, &seconds, "-s"]).arg(&script).arg(&url).output().await?;
        let told = String::from_utf8_lossy(&wrk.stdout).into_owned();
        ensure!(wrk.status.success() && !told.contains("Non-2xx"), "{told}");
        let number = |line: &str, at: usize| line.split_whitespace().nth(at).and_then(|text| text.parse::<f64>().ok());
        let calls = told.lines().find(|line| line.contains("requests in")).and_then(|line| number(line, 0));
        let per_s = told.lines().find(|line| line.starts_with("Requests/sec")).and_then(|line| number(line, 1));
        let (calls, per_s) = calls.zip(per_s).context("wrk says nothing")?;
        let after = self.sums(cluster).await?;
        let change = |what: fn(&Sums) -> f64| what(&after) - what(&before);
        Ok(Turn {
            per_s,
            calls,
            commits: change(|sums| sums.commits).max(1.0),
            host_us: change(|sums| sums.host_s) * 1e6 / calls,
            database_us: change(|sums| sums.database_s) * 1e6 / calls,
            written: change(|sums| sums.written) / calls,
        })
    }

    fn script(&self, ware: &Ware) -> String {
        format!(
            "wrk.method = \"POST\"\nwrk.body = [==[{}]==]\nwrk.headers[\"Content-Type\"] = \"application/json\"\n\
             wrk.headers[\"Authorization\"] = \"Bearer {}\"\nwrk.headers[\"X-Payment-Source\"] = \"credit\"\n\
             local n, start = 0, tostring({{}}):sub(8) .. \"-\" .. os.time() .. \"-\"\n\
             request = function()\n  n = n + 1\n  wrk.headers[\"Idempotency-Key\"] = start .. n\n  return wrk.format()\nend\n",
            ware.body, self.key
        )
    }

    /// What has been used until now.
    async fn sums(&self, cluster: Option<&Cluster>) -> Result<Sums> {
        let metrics = self.folder.metrics().await?;
        let commits = metrics.lines().find(|line| line.starts_with("tollbridge_commits_total"));
        let commits = commits.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0.0);
        let host_s = processor_seconds(self.server.pid()?)?;
        let (mut database_s, mut written) = (0.0, 0.0);
        if let Some(cluster) = cluster {
            database_s = tree(cluster.pid())?.into_iter().map(processor_seconds).sum::<Result<f64>>().unwrap_or(0.0);
            let position = cluster.sql("postgres", "select pg_current_wal_lsn() - '0/0'::pg_lsn");
            written = position.parse().unwrap_or(0.0);
        }
        Ok(Sums { commits, host_s, database_s, written })
    }

    async fn end(self) -> Result<()> {
        let checked: Value = self.folder.verify()?;
        println!("{} records hold", checked["records"]);
        self.server.stop().await
    }
}

struct Sums {
    commits: f64,
    host_s: f64,
    database_s: f64,
    written: f64,
}

/// Processor time of a process, in user and in system.
fn processor_seconds(pid: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// A process and its children.
fn tree(pid: u32) -> Result<Vec<u32>> {
    let children = Command::new("pgrep").args(["-P", &pid.to_string()]).output()?;
    let children = String::from_utf8_lossy(&children.stdout).lines().filter_map(|line| line.parse().ok()).collect();
    let all: Vec<u32> = [vec![pid], children].concat();
    Ok(all.into_iter().filter(|pid| Path::new(&format!("/proc/{pid}/stat")).exists()).collect())
}
