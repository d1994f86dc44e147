//! The terminal output that an author sees for a failing call: on a server, and locally
//! with source lines. Also reproduces a server's failed call locally.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Folder, Server, eventually, guest, manifest};

const SOURCE: &str = r#"
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    how: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    length: usize,
}

#[inline(never)]
fn deep(values: &[u8]) -> u8 {
    values[values.len() + 3] // the mistake
}

pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    let length = input.how.len();
    match input.how.as_str() {
        "index" => Ok(Output { length: usize::from(deep(input.how.as_bytes())) }),
        "loop" => loop {
            std::hint::black_box(length);
        },
        "memory" => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1_u8; 1 << 20]);
                std::hint::black_box(&all);
            }
        }
        "wrong" => Err(Error::invalid("/how", "is wrong")),
        "mistake" => Err(Error::internal("my own mistake")),
        _ => Ok(Output { length }),
    }
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/fine.json"] }
tollbridge_sdk::test_cases!(handle);
"#;

/// Creates the project of the free bridge `fails`.
fn project(folder: &Folder) -> Result<PathBuf> {
    let path = folder.path().join("fails");
    folder.run(&["plugin", "new", "fails", "--path", &path.display().to_string(), "--publisher", "tester"])?;
    let manifest = std::fs::read_to_string(path.join("plugin.toml"))?;
    std::fs::write(path.join("plugin.toml"), manifest.replace("\"0.01\"", "\"0.00\""))?;
    std::fs::write(path.join("src/lib.rs"), SOURCE)?;
    std::fs::remove_dir_all(path.join("cases"))?;
    std::fs::create_dir(path.join("cases"))?;
    let case = json!({ "about": "by hand", "input": { "how": "fine" }, "output": { "length": 4 } });
    std::fs::write(path.join("cases/fine.json"), case.to_string())?;
    Ok(path)
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command that must fail; returns its error output without the lines that cargo
/// prints.
fn reported(folder: &Folder, args: &[&str]) -> Result<String> {
    let output = folder.try_run(args)?;
    let said = errors(&output);
    ensure!(output.status.code() == Some(1), "{args:?}: {said}");
    let (_, reported) = said.split_once("error: ").with_context(|| format!("no error: {said}"))?;
    ensure!(!reported.contains("stack backtrace") && !reported.contains(" WARN "), "{reported}");
    Ok(reported.to_owned())
}

/// Runs a command with `--json`; returns the last JSON object that it writes to standard
/// error.
fn object(folder: &Folder, args: &[&str]) -> Result<Value> {
    let output = folder.try_run(&[&["--json"], args].concat())?;
    let said = errors(&output);
    let line = said.lines().rfind(|line| line.starts_with('{')).with_context(|| said.clone())?;
    Ok(serde_json::from_str(line)?)
}

fn once(reported: &str, part: &str) -> Result<()> {
    ensure!(reported.matches(part).count() == 1, "{part:?} does not appear exactly once: {reported}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_error_message_of_the_api_is_shown() -> Result<()> {
    let (folder, server, _) = Folder::with_echo("").await?;
    let url = |path: &str| format!("{}{path}", server.url);
    let said = reported(&folder, &["call", &url("/v1/oracle/ecko"), "{}"])?;
    once(&said, "404 E012")?;
    once(&said, "did you mean `echo`?")?;
    once(&said, "request req_")?;
    let said = reported(&folder, &["call", &url("/v1/signup"), r#"{"email": 1}"#])?;
    ensure!(said.starts_with("400 E011: ") && said.contains("field /email"), "{said}");
    let body = object(&folder, &["call", &url("/v1/oracle/ecko"), "{}"])?;
    ensure!(body["code"] == "E012" && body["hint"].as_str().is_some_and(|hint| hint.contains("`echo`")), "{body}");
    let body = object(&folder, &["call", &url("/v1/signup"), r#"{"email": 1}"#])?;
    ensure!(body["details"]["field"] == "/email" && body["error"].is_string(), "{body}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_failure_reason_is_shown_to_authorized_callers() -> Result<()> {
    let folder = Folder::new("")?;
    let component = guest::component("trap")?;
    folder.publish(&manifest("trap", "1.0.0", "0.00"), &component)?;
    let server = folder.serve().await?;
    let url = format!("{}/v1/oracle/trap", server.url);
    let said = reported(&folder, &["call", &url, "{}"])?;
    ensure!(said.starts_with("502 E017: the plugin failed\n"), "{said}");
    once(&said, "why wasm trap")?;
    let body = object(&folder, &["call", &url, "{}"])?;
    ensure!(body["log"]["text"].as_str().is_some_and(|text| text.contains("trap")), "{body}");
    // An unprivileged caller gets only the public error.
    let stranger = Folder::new("")?;
    let said = reported(&stranger, &["call", &url, "{}"])?;
    ensure!(said.contains("E017") && !said.contains("why ") && !said.contains("trap:"), "{said}");
    Ok(())
}

#[test]
fn failures_are_explained_with_source_lines() -> Result<()> {
    let mut folder = Folder::new("")?;
    let cache = folder.path().join("cache");
    folder.variables.push(("XDG_CACHE_HOME".to_owned(), cache.display().to_string()));
    let path = project(&folder)?;
    fails_here(&folder, &path)?;
    compiled_once(&folder, &path, &cache)
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_on_a_server_are_reproduced_by_one_command() -> Result<()> {
    let folder = Folder::new("[plugins.fails]\nkeep_inputs = 5\n")?;
    let path = project(&folder)?;
    folder.run(&["plugin", "publish", &path.display().to_string()])?;
    published_without_lines(&folder)?;
    let server = folder.serve().await?;
    let client = server.client();
    let ask = || async { Ok((client.call("fails", &json!({ "how": "ok" }), &[]).await?.status == 200).then_some(())) };
    eventually("the bridge serves", 30, ask).await.with_context(|| server.log())?;
    let reply = client.call("fails", &json!({ "how": "index" }), &[]).await?.must_be(502, "E017")?;
    let request = reply.header("x-request-id").context("no id")?.to_owned();
    is_reproduced(&folder, &path, &request)
}

fn fails_here(folder: &Folder, path: &Path) -> Result<()> {
    let path = path.display().to_string();
    let call = |how: &str| reported(folder, &["plugin", "call", &path, &json!({ "how": how }).to_string()]);
    let said = call("index")?;
    once(&said, "index out of bounds")?;
    let line = SOURCE.lines().position(|line| line.contains("// the mistake")).context("no mistake")? + 1;
    once(&said, &format!("at fails::deep (src/lib.rs:{line}:"))?;
    ensure!(!said.contains("panicking") && !said.contains("tollbridge_sdk::"), "{said}");
    let said = call("loop")?;
    once(&said, "stopped after 500 ms (limits.time_ms in plugin.toml)")?;
    once(&call("memory")?, "the memory limit was reached: 16 MiB (limits.memory_mib in plugin.toml)")?;
    once(&call("mistake")?, "my own mistake")?;
    let said = call("wrong")?;
    ensure!(said.starts_with("400 E011: is wrong\n  field /how"), "{said}");
    let said = reported(folder, &["plugin", "call", &path, r#"{"how": 1}"#])?;
    ensure!(said.starts_with("400 E011: ") && said.contains("field /how"), "{said}");
    let body = object(folder, &["plugin", "call", &path, r#"{"how": "index"}"#])?;
    ensure!(body["code"] == "E017" && body["kind"] == "trapped" && body["function"] == "fails::deep", "{body}");
    ensure!(body["trace"][0].as_str().is_some_and(|place| place.contains("src/lib.rs")), "{body}");
    Ok(())
}

/// Returns the path and inode of each file of compiled code in the author's cache.
fn code(cache: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(cache.join("tollbridge/compiled/code"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "code") {
            found.push((path.clone(), std::fs::metadata(&path)?.ino()));
        }
    }
    found.sort();
    Ok(found)
}

/// Checks that a second call reuses the code compiled by the first, and that code which
/// was tampered with is not run.
fn compiled_once(folder: &Folder, path: &Path, cache: &Path) -> Result<()> {
    let path = path.display().to_string();
    let call = || folder.run(&["plugin", "call", &path, r#"{"how": "ok"}"#]);
    call()?;
    let first = code(cache)?;
    ensure!(first.len() == 1, "{first:?}");
    call()?;
    ensure!(code(cache)? == first, "the component was compiled again: {:?}, at first {first:?}", code(cache)?);
    let (file, _) = first.first().context("no code")?;
    let mut bytes = std::fs::read(file)?;
    *bytes.last_mut().context("no bytes")? ^= 1;
    std::fs::write(file, bytes)?;
    call()?;
    ensure!(code(cache)? != first, "damaged code was kept");
    Ok(())
}

fn published_without_lines(folder: &Folder) -> Result<()> {
    let wasm = std::fs::read(folder.version("fails", "0.1.0").join("plugin.wasm"))?;
    let section = b".debug_line";
    ensure!(!wasm.windows(section.len()).any(|window| window == section), "source lines are published");
    Ok(())
}

fn is_reproduced(folder: &Folder, path: &Path, request: &str) -> Result<()> {
    let shown = path.display().to_string();
    let said = reported(folder, &["plugin", "reproduce", request, &shown, "--save", "found"])?;
    once(&said, "index out of bounds")?;
    ensure!(said.contains("at fails::deep (src/lib.rs:"), "{said}");
    let case: Value = serde_json::from_slice(&std::fs::read(path.join("cases/found.json"))?)?;
    ensure!(case["input"] == json!({ "how": "index" }), "{case}");
    let tested = folder.try_run(&["plugin", "test", "--component-only", &shown])?;
    let said = errors(&tested);
    ensure!(
        tested.status.code() == Some(1) && said.contains("found") && said.contains("index out of bounds"),
        "{said}"
    );
    let acts = folder.run_json(&["audit"])?.to_string();
    ensure!(acts.contains("plugin-failed-input"), "the audit log does not show who read the input: {acts}");
    let said = reported(folder, &["plugin", "reproduce", "req_none", &shown])?;
    ensure!(said.contains("no failed call req_none of fails is kept"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_reproduced_of_a_plugin_whose_inputs_are_not_kept() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("trap", "1.0.0", "0.00"), &guest::component("trap")?)?;
    let server = folder.serve().await?;
    let reply = server.client().call("trap", &json!({}), &[]).await?.must_be(502, "E017")?;
    let request = reply.header("x-request-id").context("no id")?.to_owned();
    let local = folder.path().join("local");
    std::fs::create_dir(&local)?;
    std::fs::write(local.join("plugin.toml"), manifest("trap", "1.0.0", "0.00"))?;
    let said = reported(&folder, &["plugin", "reproduce", &request, &local.display().to_string()])?;
    once(&said, "set plugins.trap.keep_inputs = 100 in the configuration")
}

const AGENT: &str = r#"
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, bridges};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    values: Option<Vec<f64>>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    mean: f64,
    length: u64,
}

pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    if task == "guess" {
        let proposed = json!({ "values": [1.0, 3.0] });
        return Err(Error::invalid("values", "are these the values?").with_input(&proposed));
    }
    let values = input.and_then(|input| input.values).unwrap_or_else(|| vec![1.0, 3.0]);
    let asked: Value = bridges::call("mean", &json!({ "values": values }))?;
    let counted: Value = bridges::call("fails", &json!({ "how": task }))?;
    Ok(Output {
        mean: asked["mean"].as_f64().unwrap_or_default(),
        length: counted["length"].as_u64().unwrap_or_default(),
    })
}

tollbridge_sdk::agent! { run: run, examples: ["../cases/three.json"] }
tollbridge_sdk::test_cases!(agent run);
"#;

/// Creates an agent that calls the bridges `mean` and `fails`.
fn agent(folder: &Folder) -> Result<[String; 3]> {
    let path = |name: &str| folder.path().join(name).display().to_string();
    folder.run(&["plugin", "new", "mean", "--path", &path("mean"), "--publisher", "tester"])?;
    project(folder)?;
    folder.run(&["plugin", "new", "asks", "--kind", "agent", "--path", &path("asks"), "--publisher", "tester"])?;
    let project = folder.path().join("asks");
    let manifest = std::fs::read_to_string(project.join("plugin.toml"))?;
    let mut manifest: toml::Table = manifest.parse()?;
    manifest.insert("grants".to_owned(), toml::Value::try_from(["bridges"])?);
    manifest.insert("bridges".to_owned(), toml::Value::try_from(["mean", "fails"])?);
    manifest.insert("price_gbp".to_owned(), "0.00".into());
    std::fs::write(project.join("plugin.toml"), toml::to_string(&manifest)?)?;
    std::fs::write(project.join("src/lib.rs"), AGENT)?;
    std::fs::remove_dir_all(project.join("cases"))?;
    std::fs::create_dir(project.join("cases"))?;
    let case = json!({
        "about": "by hand", "task": "abc", "input": { "values": [1, 3] }, "output": { "mean": 2.0, "length": 3 },
        "bridges": { "mean": [{ "output": { "mean": 2.0 } }], "fails": [{ "output": { "length": 3 } }] },
    });
    std::fs::write(project.join("cases/three.json"), case.to_string())?;
    let mean = folder.path().join("mean/plugin.toml");
    let text = std::fs::read_to_string(&mean)?;
    std::fs::write(&mean, text.replace("\"0.01\"", "\"0.00\""))?;
    Ok([path("asks"), path("mean"), path("fails")])
}

#[test]
fn an_agent_calls_real_bridges_on_its_authors_machine() -> Result<()> {
    let folder = Folder::new("")?;
    let [asks, mean, fails] = agent(&folder)?;
    let expect = json!({ "mean": 2.0, "length": 5 });
    let call = ["plugin", "call", &asks, "--task", "count", "--with", &mean, "--with", &fails];
    let answer = folder.run_json(&call)?;
    ensure!(answer == expect, "{answer}");
    // A refusal shows the input that the agent proposes.
    let said = errors(&folder.try_run(&["plugin", "call", &asks, "--task", "guess"])?);
    ensure!(said.contains("400 E011") && said.contains(r#"proposed input {"values":[1.0,3.0]}"#), "{said}");
    // The location of a failure in a nested call is reported, too.
    let failing = ["plugin", "call", &asks, "--task", "index", "--with", &mean, "--with", &fails];
    let said = errors(&folder.try_run(&failing)?);
    ensure!(said.contains("bridges/fails: 502 E017") && said.contains("at fails::deep (src/lib.rs:"), "{said}");
    let said = errors(&folder.try_run(&["plugin", "call", &asks, "--task", "x", "--with", &mean])?);
    ensure!(said.contains("bridges/fails is not loaded here"), "{said}");
    Ok(())
}

/// `dev` serves two local plugin folders and a bridge from the registry together.
#[tokio::test(flavor = "multi_thread")]
async fn dev_serves_an_agent_and_its_bridges() -> Result<()> {
    let folder = Folder::new("")?;
    let [asks, mean, fails] = agent(&folder)?;
    let expect = json!({ "mean": 2.0, "length": 5 });
    folder.run(&["plugin", "publish", &mean])?;
    let (registry, data) = (folder.registry().display().to_string(), folder.path().join("data of dev"));
    let data = data.display().to_string();
    let args = ["dev", &asks, &fails, "--registry", &registry, "--data", &data];
    let server = Server::start_command(&folder, &args).await?;
    let made = folder.run_json(&["key", "create", "--data", &data])?;
    let client = server.client().with_key(made["api_key"].as_str().context("no key")?);
    let ask = || async {
        let reply = client.post("/v1/agents/asks/invoke", &json!({ "task": "count" })).await?;
        Ok((reply.json["output"] == expect).then_some(()))
    };
    eventually("the agent gets answers from both bridges", 60, ask).await.with_context(|| server.log())?;
    client.call("fails", &json!({ "how": "index" }), &[]).await?.must_be(502, "E017")?;
    let logs = folder.run_json(&["plugin", "logs", "fails", "--data", &data])?;
    let trace = logs["lines"].to_string();
    ensure!(trace.contains("src/lib.rs:"), "no source lines: {logs}");
    server.stop().await
}
