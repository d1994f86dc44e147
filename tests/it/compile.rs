//! Components designed to keep a compiler busy: each is refused with the name of the
//! exceeded limit, or compiled without slowing down other accounts.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::guest::heavy_agent;
use tollbridge_tests::{Client, Folder, Server, binary, eventually, guest, manifest};

use crate::agents::Shop;
use crate::marketplace::deployment;

/// The host's limit on the size of a function in bytes, multiplied by the number of its
/// locals. `FUNCTION_BYTES_MAX` limits the size alone.
const HEAVIEST: usize = 64 << 20;
const FUNCTION_BYTES_MAX: usize = 512 << 10;
/// Maximum memory growth of the server process (without its compiler processes), in
/// kilobytes.
const GROWTH_KB: u64 = 100 << 10;
/// Number of locals per function in `just_allowed`.
const LOCALS: usize = 250;

/// Returns a deployment of an agent whose functions have the given number of locals
/// and statements.
fn heavy(name: &str, locals: usize, statements: usize, functions: usize) -> Result<Value> {
    use base64::Engine as _;
    let code = base64::engine::general_purpose::STANDARD.encode(heavy_agent(locals, statements, functions)?);
    deployment(&json!({ "name": name, "component_base64": code, "grants": [], "bridges": [] }))
}

/// Returns a deployment whose functions are just below the limit; compiling it takes half
/// a minute.
fn just_allowed(name: &str) -> Result<Value> {
    heavy(name, LOCALS, HEAVIEST / LOCALS / guest::STATEMENT_BYTES - 100, 5)
}

/// Returns the process ids of a server's compiler processes.
fn children(server: &Server) -> Result<Vec<u32>> {
    let pid = server.pid()?;
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let listed = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(listed.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    found.retain(|child| runs(*child));
    Ok(found)
}

fn runs(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains("compile-component"))
}

/// Returns the peak memory of the server process, in kilobytes.
fn peak_memory_kb(server: &Server) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()?))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).context("no number")?.parse()?)
}

async fn compiling(server: &Server) -> Result<Vec<u32>> {
    let found = || async { Ok(Some(children(server)?).filter(|found| !found.is_empty())) };
    Ok(eventually("a component is being compiled", 30, found).await?.0)
}

fn deploy(client: &Client, body: Value) -> tokio::task::JoinHandle<Result<tollbridge_tests::Reply>> {
    let client = client.clone();
    tokio::spawn(async move { client.post("/api/v1/agents/deploy", &body).await })
}

#[tokio::test]
async fn a_compile_bomb_is_refused_by_name_at_once() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let hostile = shop.caller("hostile").await?;
    let before = peak_memory_kb(&shop.server)?;
    for (locals, statements, says) in [
        (500, 20_000, "bytes; at most 524288 are allowed"),
        (500, FUNCTION_BYTES_MAX / guest::STATEMENT_BYTES - 1_000, "multiplied they may be at most 67108864"),
        (10_001, 1, "10001 locals; at most 10000 are allowed"),
    ] {
        let body = heavy("bomb", locals, statements, 1)?;
        let began = Instant::now();
        let reply = hostile.post("/api/v1/agents/deploy", &body).await?.must_be(400, "E011")?;
        ensure!(reply.text.contains("too much work to compile") && reply.text.contains(says), "{}", reply.text);
        ensure!(began.elapsed() < Duration::from_secs(5), "refused after {:?}", began.elapsed());
    }
    let grown = peak_memory_kb(&shop.server)?.saturating_sub(before);
    ensure!(grown < GROWTH_KB, "the server grew by {grown} kB");
    Ok(())
}

/// A component just below the limit takes long to compile, but only other deployments of
/// the same account wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn compilations_of_one_account_delay_no_other() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let (hostile, other) = (shop.caller("hostile").await?, shop.caller("other").await?);
    let before = peak_memory_kb(&shop.server)?;
    let bomb = deploy(&hostile, just_allowed("bomb")?);
    compiling(&shop.server).await?;
    // The same account's next deployment waits until the first is compiled.
    let behind = deploy(&hostile, deployment(&json!({ "name": "behind" }))?);
    let began = Instant::now();
    let live = other.post("/api/v1/agents/deploy", &deployment(&json!({}))?).await?.must(201)?;
    let slug = live.json["agent_id"].as_str().context("no agent_id")?;
    let switch = |verb: &str| format!("/api/v1/agents/{slug}/{verb}");
    other.post(&switch("disable"), &json!({})).await?.must(200)?;
    other.post(&switch("enable"), &json!({})).await?.must(200)?;
    other.post(&format!("/v1/agents/{slug}/invoke"), &json!({ "task": "hello" })).await?.must(200)?;
    shop.folder.publish(&manifest("echo", "1.0.1", "0.06"), &guest::echo("1.0.1")?)?;
    let priced = || async {
        let quoted = shop.server.client().call("echo", &json!({}), &[]).await?;
        Ok((quoted.text.contains("0.06")).then_some(()))
    };
    eventually("the operator's new price is quoted", 10, priced).await?;
    for _ in 0..10 {
        let asked = Instant::now();
        other.get("/health/live").await?.must(200)?;
        ensure!(asked.elapsed() < Duration::from_secs(1), "the call took {:?}", asked.elapsed());
    }
    ensure!(!bomb.is_finished(), "the component is too light for this test: {:?}", began.elapsed());
    ensure!(!behind.is_finished(), "two deployments of one account must not be compiled at once");
    bomb.await??.must(201)?;
    behind.await??.must(201)?;
    let grown = peak_memory_kb(&shop.server)?.saturating_sub(before);
    ensure!(grown < GROWTH_KB, "the server grew by {grown} kB");
    Ok(())
}

/// No compiler process survives its server, however the server ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_ends_with_its_server() -> Result<()> {
    let shop = Shop::open("10.00").await?;
    let hostile = shop.caller("hostile").await?;
    let bomb = deploy(&hostile, just_allowed("bomb")?);
    let children = compiling(&shop.server).await?;
    shop.server.kill().await?;
    bomb.abort();
    let ended = || async { Ok((!children.iter().any(|child| runs(*child))).then_some(())) };
    eventually("the compiler ended", 10, ended).await?;
    Ok(())
}

/// Checks that the limits that a compiler process sets for itself are enforced, with
/// small values.
#[test]
fn a_compiler_that_takes_too_much_is_stopped() -> Result<()> {
    // Compiling this takes more than a second even on a fast processor.
    let component = heavy_agent(LOCALS, HEAVIEST / LOCALS / guest::STATEMENT_BYTES - 100, 4)?;
    let compile = |memory_bytes: u64, cpu_seconds: u64| -> Result<std::process::Output> {
        let mut child = Command::new(binary())
            .args(["compile-component", "--layout=wide"])
            .args([format!("--memory-bytes={memory_bytes}"), format!("--cpu-seconds={cpu_seconds}")])
            .env_clear()
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().context("no standard input")?;
        input.write_all(&u64::try_from(component.len())?.to_le_bytes())?;
        input.write_all(&component)?;
        let mut output = child.stdout.take().context("no standard output")?;
        let code = std::thread::spawn(move || {
            let mut code = Vec::new();
            std::io::Read::read_to_end(&mut output, &mut code).map(|_| code)
        });
        let stdout = code.join().ok().context("the reader panicked")??;
        // Close the input last, because a compiler process exits when its standard input
        // closes.
        drop(input);
        Ok(std::process::Output { stdout, ..child.wait_with_output()? })
    };
    let (abort, cpu) = (Some(6), Some(24));
    ensure!(compile(64 << 20, 60)?.status.signal() == abort, "the memory limit is not enforced");
    ensure!(compile(8 << 30, 1)?.status.signal() == cpu, "the time limit is not enforced");
    let done = compile(1 << 30, 60)?;
    ensure!(done.status.success() && done.stdout.starts_with(b"\x7fELF"), "{done:?}");
    Ok(())
}

/// A component whose compiled code is in the cache is neither compiled nor checked again.
#[tokio::test]
async fn a_start_from_the_cache_compiles_nothing() -> Result<()> {
    let (folder, server, _) = Folder::with_echo("").await?;
    let cached = || -> Result<Vec<_>> {
        let files = std::fs::read_dir(folder.data().join("compiled"))?.flatten();
        let mut cached: Vec<_> =
            files.map(|file| (file.path(), std::fs::read(file.path()).unwrap_or_default())).collect();
        cached.sort();
        Ok(cached)
    };
    let before = cached()?;
    ensure!(before.len() == 1, "{} entries", before.len());
    server.stop().await?;
    let server = folder.serve().await?;
    server.client().call("echo", &json!({}), &[]).await?.must_be(402, "E003")?;
    ensure!(cached()? == before && children(&server)?.is_empty(), "the component was compiled again");
    Ok(())
}
