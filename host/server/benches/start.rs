//! The start-up time of a server with fifty bridges, and of one with a thousand agents, with and
//! without the code cache, and the memory of an idle plugin.
//!
//! `cargo bench --bench start [-- COMPONENT]`
#![allow(clippy::unwrap_used, reason = "a failed measurement should stop the benchmark")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_registry::{TableFiles, publish};

#[path = "guest.rs"]
mod guest;

const BRIDGES: u32 = 50;
const AGENTS: u32 = 1_000;

fn main() -> Result<()> {
    let component = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let wasm = component.map_or_else(guest::echo, |path| std::fs::read(path).unwrap());
    let figures = [measure("bridge", BRIDGES, &wasm)?, measure("agent", AGENTS, &guest::agent())?];
    println!("{}", serde_json::to_string_pretty(&figures)?);
    Ok(())
}

fn measure(kind: &str, count: u32, wasm: &[u8]) -> Result<serde_json::Value> {
    let dir = tempfile::tempdir()?;
    let (full, empty) = (dir.path().join("full"), dir.path().join("empty"));
    prepare(&full, (kind, count), wasm)?;
    prepare(&empty, (kind, 0), wasm)?;
    let compiled = start(&full)?;
    let cached = start(&full)?;
    // The first start creates the data folder; only the next one is measured.
    start(&empty)?;
    let none = start(&empty)?;
    Ok(json!({
        "kind": kind,
        "plugins": count,
        "component_kb": wasm.len() / 1024,
        "first_start_ms": compiled.0,
        "start_from_cache_ms": cached.0,
        "start_without_plugins_ms": none.0,
        "resident_kb_per_idle_plugin": cached.1.saturating_sub(none.1) / u64::from(count),
    }))
}

/// Starts the server. Returns the milliseconds until it is ready, and its resident memory
/// in kilobytes at that time.
fn start(dir: &Path) -> Result<(u128, u64)> {
    let began = Instant::now();
    let mut server = Command::new(env!("CARGO_BIN_EXE_tollbridge"))
        .args(["-q", "serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(dir.join("data"))
        .arg("--registry")
        .arg(dir.join("registry"))
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(server.stdout.take().context("no output")?).read_line(&mut line)?;
    let took = began.elapsed().as_millis();
    ensure!(line.starts_with("ready "), "the server is not ready: {line}");
    let resident = resident_kb(server.id())?;
    server.kill()?;
    server.wait()?;
    Ok((took, resident))
}

fn prepare(dir: &Path, (kind, count): (&str, u32), wasm: &[u8]) -> Result<()> {
    let registry = dir.join("registry");
    let key = guest::publisher(&registry)?;
    for index in 0..count {
        // Add distinct bytes to each plugin, so that each is a component that must be
        // compiled.
        let mut own = wasm.to_vec();
        let name = format!("{index:04}");
        // A custom section (id 0) of five bytes: the length of its name, and a name of four
        // bytes.
        own.extend_from_slice(&[0, 5, 4]);
        own.extend_from_slice(name.as_bytes());
        let manifest = guest::manifest(&format!("p{index}"), "0.00").replace("bridge", kind);
        publish(&registry, &manifest, &own, &TableFiles::new(), &key)?;
    }
    Ok(())
}

fn resident_kb(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).context("no figure")?.parse()?)
}
