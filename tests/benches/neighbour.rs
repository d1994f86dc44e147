//! Measures the latency of one account's paid calls while another account attacks with
//! everything that a free account may use.
//!
//! The victim calls a bridge on credit, one call after another; quiet turns and turns
//! with an attack alternate. Aims during an attack: no refused call, at most twice the
//! median latency of quiet turns, and at most four times their 99th percentile.
//!
//! `cargo bench -p tollbridge-tests --bench neighbour [-- ATTACK]`

#![allow(clippy::print_stdout, clippy::float_arithmetic, reason = "a measurement")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tollbridge_tests::{Client, Folder, agents, guest, manifest};

/// Number of rounds per attack, each with a quiet turn and then a turn under attack; the
/// next constant is the duration of a turn.
const ROUNDS: usize = 4;
const TURN: Duration = Duration::from_secs(5);
/// Number of the attacker's keys; the next constant is the number of requests that each
/// keeps open.
const KEYS: usize = 10;
const AT_ONCE: usize = 26;
/// Number of slow-to-compile components that are deployed: as many as a free account may
/// deploy in an hour.
const DEPLOYMENTS: usize = 60;
/// Number of connections that never send a byte.
const SILENT: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attack {
    Sleep,
    Spin,
    Hoard,
    Queue,
    Deploy,
    Silence,
}

const ATTACKS: [Attack; 6] =
    [Attack::Sleep, Attack::Spin, Attack::Hoard, Attack::Queue, Attack::Deploy, Attack::Silence];

struct Attacker {
    keys: Vec<Client>,
    sleeper: String,
    spinner: String,
    hoarder: String,
    /// Built before measuring starts, because the victim's client shares this
    /// process.
    components: Arc<Vec<Vec<u8>>>,
    next_component: Arc<AtomicUsize>,
    address: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let extra =
        "[tiers.free]\nper_minute = 100\nper_hour = 2000\n[tiers.pro]\nper_minute = 1000000\nper_hour = 100000000\n";
    let folder = Folder::new(extra)?;
    folder.publish(&manifest("echo", "1.0.0", "0.01"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let (account, key) = folder.key()?;
    folder.run(&["account", "credit", &account, "9000.00"])?;
    folder.run(&["account", "tier", &account, "pro"])?;
    let victim = server.client().with_key(&key);
    let attacker = Attacker::enter(&server.client(), server.url.trim_start_matches("http://")).await?;
    println!("{:10} {:>8} {:>10} {:>10} {:>10} {:>10}", "attack", "refused", "median", "of quiet", "p99", "of quiet");
    for attack in ATTACKS {
        let name = format!("{attack:?}").to_lowercase();
        if wanted.is_empty() || wanted.contains(&name) {
            measure(&victim, &attacker, attack, &name).await?;
        }
    }
    folder.verify().map(drop)
}

async fn measure(victim: &Client, attacker: &Attacker, attack: Attack, name: &str) -> Result<()> {
    let (mut quiet, mut attacked, mut refused) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        refused += turn(victim, &mut quiet).await?;
        let storm = attacker.storm(attack).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        refused += turn(victim, &mut attacked).await?;
        drop(storm);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let (median, p99) = (at(&mut attacked, 500), at(&mut attacked, 990));
    let ratio = |attacked: Duration, quiet: Duration| attacked.as_secs_f64() / quiet.as_secs_f64();
    let (of_median, of_p99) = (ratio(median, at(&mut quiet, 500)), ratio(p99, at(&mut quiet, 990)));
    println!("{name:10} {refused:>8} {median:>10.1?} {of_median:>10.2} {p99:>10.1?} {of_p99:>10.2}");
    Ok(())
}

/// Calls the bridge repeatedly for the duration of a turn; returns the number of refused
/// calls.
async fn turn(victim: &Client, times: &mut Vec<Duration>) -> Result<usize> {
    let (began, mut refused) = (Instant::now(), 0);
    while began.elapsed() < TURN {
        let started = Instant::now();
        let reply = victim.call_on_credit("echo").await?;
        times.push(started.elapsed());
        refused += usize::from(reply.status != 200);
    }
    Ok(refused)
}

fn at(times: &mut [Duration], per_mille: usize) -> Duration {
    times.sort_unstable();
    times.get(times.len() * per_mille / 1_000).copied().unwrap_or_default()
}

impl Attacker {
    async fn enter(client: &Client, address: &str) -> Result<Self> {
        let first = client.signed_up("attacker@example.com").await?;
        let mut keys = vec![first.clone()];
        for _ in 1..KEYS {
            let made = first.post("/v1/keys", &json!({})).await?.must(201)?;
            keys.push(first.with_key(made.json["api_key"].as_str().context("no key")?));
        }
        let (sleeper, spinner) = (agents::sleeping()?, agents::spinning()?);
        Ok(Self {
            sleeper: deploy(&first, "sleeper", &sleeper, &json!([])).await?,
            spinner: deploy(&first, "spinner", &spinner, &json!([])).await?,
            hoarder: deploy(&first, "hoarder", &agents::hoarding()?, &json!(["keyvalue"])).await?,
            keys,
            components: Arc::new(
                (0..DEPLOYMENTS).map(|number| guest::compile_agent(&large(number))).collect::<Result<_>>()?,
            ),
            next_component: Arc::default(),
            address: address.to_owned(),
        })
    }

    /// Starts an attack, which runs until the returned value is dropped.
    async fn storm(&self, attack: Attack) -> Result<Storm> {
        let mut storm = Storm { tasks: JoinSet::new(), connections: Vec::new() };
        match attack {
            Attack::Sleep => self.call(&mut storm, "/v1/agents/SLUG/invoke", &self.sleeper),
            Attack::Spin => self.call(&mut storm, "/v1/agents/SLUG/invoke", &self.spinner),
            Attack::Hoard => self.call(&mut storm, "/v1/agents/SLUG/invoke", &self.hoarder),
            Attack::Queue => self.call(&mut storm, "/v1/agents/enqueue", &self.sleeper),
            Attack::Deploy => self.deploy(&mut storm),
            Attack::Silence => {
                for _ in 0..SILENT {
                    storm.connections.extend(self.silent().await);
                }
            }
        }
        Ok(storm)
    }

    fn call(&self, storm: &mut Storm, path: &str, slug: &str) {
        for key in self.keys.iter().flat_map(|key| std::iter::repeat_n(key, AT_ONCE)) {
            let (key, path) = (key.clone(), path.replace("SLUG", slug));
            let body = match path.ends_with("enqueue") {
                true => json!({ "agent": slug, "task": "x" }),
                false => json!({ "task": "x" }),
            };
            storm.tasks.spawn(async move {
                loop {
                    let status = key.post(&path, &body).await.map_or(0, |reply| reply.status);
                    // After a refusal, wait briefly: this loads the server more than a
                    // loop that only collects refusals.
                    if status == 429 || status == 503 {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
            });
        }
    }

    /// Deploys components with ten keys, one after another; once the quota is used up,
    /// deployments are refused.
    fn deploy(&self, storm: &mut Storm) {
        for (number, key) in self.keys.iter().cloned().enumerate() {
            let (components, next) = (self.components.clone(), self.next_component.clone());
            storm.tasks.spawn(async move {
                loop {
                    let Some(component) = components.get(next.fetch_add(1, Ordering::Relaxed) % DEPLOYMENTS) else {
                        return;
                    };
                    if deploy(&key, &format!("large-{number}"), component, &json!([])).await.is_err() {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
            });
        }
    }

    /// Opens a silent connection from another address of this machine.
    async fn silent(&self) -> Option<TcpStream> {
        let socket = TcpSocket::new_v4().ok()?;
        socket.bind("127.0.0.2:0".parse().ok()?).ok()?;
        tokio::time::timeout(Duration::from_secs(1), socket.connect(self.address.parse().ok()?)).await.ok()?.ok()
    }
}

/// A running attack; dropping it ends the attack.
struct Storm {
    tasks: JoinSet<()>,
    connections: Vec<TcpStream>,
}

async fn deploy(tenant: &Client, name: &str, component: &[u8], grants: &Value) -> Result<String> {
    let component = base64::engine::general_purpose::STANDARD.encode(component);
    let body = json!({
        "name": name, "component_base64": component, "price_gbp": "0.00", "description": "attacks",
        "grants": grants, "bridges": [], "skills": [{ "id": "attack", "description": "attacks" }],
        "limits": { "time_ms": 10_000, "memory_mib": 16, "concurrency": 64, "kv_bytes": 33_554_432 },
    });
    let deployed = tenant.post("/api/v1/agents/deploy", &body).await?;
    ensure!(deployed.status == 201, "not deployed: {}", deployed.text);
    Ok(deployed.json["agent_id"].as_str().context("no agent_id")?.to_owned())
}

/// Returns the text of an agent that is slow to compile; different numbers give different
/// agents.
fn large(number: usize) -> String {
    let statement = "(local.set $a (i32.add (i32.mul (local.get $a) (i32.const 3)) (local.get $b)))\n";
    let function = |index: usize| {
        format!("(func $f{index} (param $b i32) (result i32) (local $a i32) {} (local.get $a))", statement.repeat(400))
    };
    let functions: String = (0..100).map(function).collect();
    format!(
        "(module {{{{MEMORY}}}} {{{{REALLOC}}}} {{{{DESCRIBE}}}} {functions}
        (func (export \"run\") (param i32) (result i32) (drop (call $f0 (i32.const {number}))) (i32.const 64)))"
    )
}
