//! Data folders written by earlier releases (`tests/formats`): the current server
//! continues with each, and keeps every payment, obligation and stored answer.
//!
//! The first start uses the clock time of the recording, because answers and tasks are
//! kept for only a day; the second start uses the current time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, binary, guest, manifest, worker, worker_manifest, workspace};

use crate::agents::{ended, enqueue, money};

/// Environment variable that makes the test record a folder.
const RECORD: &str = "TOLLBRIDGE_RECORD_FORMAT";
const SECRET: &str = "a-secret-of-enough-bytes";
/// Address of a webhook receiver that does not exist.
const HOOK: &str = "http://127.0.0.1:9/hook";
const CONFIG: &str = "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n";
/// The price of an agent's task, and its owner's share.
const TASK_PENCE: (i64, i64) = (20, 16);

fn formats() -> PathBuf {
    workspace().join("tests/formats")
}

fn now_s() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}

/// Runs a command that must succeed.
fn run(program: &str, arguments: &[&str]) -> Result<()> {
    let done = Command::new(program).args(arguments).output().with_context(|| format!("cannot run {program}"))?;
    ensure!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("no path")
}

fn member<'a>(of: &'a Value, name: &str) -> Result<&'a str> {
    of[name].as_str().with_context(|| format!("no {name} in {of}"))
}

/// Calls the bridge on credit under an idempotency key.
async fn buy(caller: &Client, key: &str) -> Result<Value> {
    let headers = [("x-payment-source", "credit"), ("idempotency-key", key)];
    let answer = caller.call("echo", &json!({ "order": key }), &headers).await?.must(200)?;
    ensure!(answer.json["version"] == "1.0.0", "the pin is ignored: {}", answer.text);
    Ok(json!({
        "idempotency_key": key,
        "text": answer.text,
        "seal": answer.header("x-worm-seal").context("no seal")?,
        "replayed": answer.header("idempotent-replayed").is_some(),
    }))
}

/// Records a data folder with this binary. One half of its contents is in the database,
/// the other half still in the journal, as after a power cut.
async fn record() -> Result<()> {
    let version = String::from_utf8(Command::new(binary()).arg("--version").output()?.stdout)?;
    let version = version.split_whitespace().last().context("no version")?.to_owned();
    let to = formats().join(&version);
    ensure!(!to.exists(), "{} exists; a release is recorded once", to.display());
    let folder = Folder::new(CONFIG)?;
    folder.publish_echo("1.0.0", "0.10")?;
    folder.publish(&worker_manifest("tester", "worker", "0.20", "echo", 60_000), &worker("echo")?)?;
    let server = folder.serve().await?;
    folder.run(&["plugin", "pin", "echo", "1.0.0"])?;
    folder.publish(&manifest("echo", "1.1.0", "0.30"), &guest::echo("1.1.0")?)?;
    let developer = server.client().with_key(&folder.developer);
    let body = json!({ "url": HOOK, "events": ["billing.split"], "secret": SECRET });
    let webhook = developer.post("/v1/webhooks", &body).await?.must(201)?;
    let caller = server.client().signed_up("ada@example.com").await?;
    let caller_key = caller.key().context("no key")?.to_owned();
    let mut answers = vec![buy(&caller, "settled").await?];
    let (spent, refunded) = (server.client().paid_intent("echo").await?, server.client().paid_intent("echo").await?);
    server.client().call_with("echo", &spent).await?.must(200)?;
    let refund = server.client().post(&format!("/v1/payments/{refunded}/refund"), &json!({})).await?.must(200)?;
    let checkpoint = server.client().get("/checkpoint").await?.must(200)?.text;
    server.stop().await?;

    let server = folder.serve().await?;
    let (caller, developer) = (server.client().with_key(&caller_key), server.client().with_key(&folder.developer));
    answers.push(buy(&caller, "journaled").await?);
    let unspent = server.client().paid_intent("echo").await?;
    let ledger_key = folder.run_json(&["ledger", "head"])?["key"].clone();
    let (credit, earned) = (money(&caller).await?.1, money(&developer).await?.0);
    let records = folder.records()?;
    // The task takes some seconds, so it is unfinished when the server is killed.
    let task = enqueue(&caller, "long").await?;
    server.kill().await?;
    let expected = json!({
        "recorded_s": now_s()?, "developer": folder.developer, "caller": caller_key, "ledger_key": ledger_key,
        "records": records, "checkpoint": checkpoint, "answers": answers, "spent": spent, "unspent": unspent,
        "refund": { "intent": refunded, "answer": refund.json }, "task": task, "webhook": webhook.json["id"],
        "credit_pence": credit - TASK_PENCE.0, "earned_pence": earned + TASK_PENCE.1,
    });
    pack(&folder, &to, &expected)
}

/// Writes a recording atomically.
fn pack(folder: &Folder, to: &Path, expected: &Value) -> Result<()> {
    let draft = tempfile::tempdir_in(formats())?;
    let archive = draft.path().join("folder.tar.gz");
    let from = text(folder.path())?;
    let left_out = ["--exclude=data/compiled", "--exclude=data/admin.json"];
    let owner = ["--owner=0", "--group=0", "--numeric-owner"];
    let what = ["-czf", text(&archive)?, "-C", from, "data", "registry"];
    run("tar", &[&left_out[..], &owner[..], &what[..]].concat())?;
    let size = std::fs::metadata(&archive)?.len();
    ensure!(size < 1 << 20, "a recording of {size} bytes is too large to keep");
    std::fs::write(draft.path().join("expected.json"), format!("{}\n", serde_json::to_string_pretty(expected)?))?;
    std::fs::create_dir(to)?;
    for file in ["folder.tar.gz", "expected.json"] {
        std::fs::rename(draft.path().join(file), to.join(file))?;
    }
    Ok(())
}

/// Copies a recording into a folder for servers.
fn unpack(recording: &Path, developer: &str) -> Result<Folder> {
    let mut folder = Folder::new(CONFIG)?;
    for made in [folder.data(), folder.registry()] {
        std::fs::remove_dir_all(made)?;
    }
    run("tar", &["-xzpf", text(&recording.join("folder.tar.gz"))?, "-C", text(folder.path())?, "--no-same-owner"])?;
    developer.clone_into(&mut folder.developer);
    Ok(folder)
}

/// Sets the clock of programs run in the folder to the time of the recording.
fn turn_back(folder: &mut Folder, recorded_s: u64) -> Result<()> {
    let library = folder.path().join("clock.so");
    let source = formats().join("clock.c");
    run("cc", &["-shared", "-fPIC", "-O1", "-o", text(&library)?, text(&source)?])?;
    let behind = now_s()?.saturating_sub(recorded_s);
    folder.variables.push(("LD_PRELOAD".to_owned(), text(&library)?.to_owned()));
    folder.variables.push(("TOLLBRIDGE_TEST_BEHIND_S".to_owned(), behind.to_string()));
    Ok(())
}

/// Checks everything that does not depend on the recording's age.
async fn still_holds(folder: &Folder, client: &Client, expected: &Value) -> Result<()> {
    let (caller, developer) =
        (client.with_key(member(expected, "caller")?), client.with_key(member(expected, "developer")?));
    let credit = expected["credit_pence"].as_i64().context("no credit")?;
    ensure!(money(&caller).await?.1 == credit, "{:?} instead of {credit} p of credit", money(&caller).await?);
    let earned = expected["earned_pence"].as_i64().context("no earnings")?;
    ensure!(money(&developer).await?.0 == earned, "{:?} instead of {earned} p earned", money(&developer).await?);
    let spent = member(expected, "spent")?;
    client.call_with("echo", spent).await?.must_be(409, "E010")?;
    let refund = &expected["refund"];
    let path = format!("/v1/payments/{}/refund", member(refund, "intent")?);
    let again = client.post(&path, &json!({})).await?.must(200)?;
    ensure!(again.json == refund["answer"], "the refund differs: {}", again.text);
    let hooks = developer.get("/v1/webhooks").await?.must(200)?;
    ensure!(hooks.text.contains(member(expected, "webhook")?) && hooks.text.contains(HOOK), "{}", hooks.text);
    let pinned = folder.run_json(&["plugin", "inspect", "echo"])?;
    ensure!(pinned["serving"] == "1.0.0" && pinned["pinned"] == "1.0.0", "{pinned}");
    let checkpoint = folder.path().join("checkpoint.txt");
    std::fs::write(&checkpoint, member(expected, "checkpoint")?)?;
    let trust = ["--key", member(expected, "ledger_key")?, "--since", text(&checkpoint)?];
    let checked = folder.run_json(&[&["ledger", "verify"], &trust[..]].concat())?;
    let records = checked["report"]["records"].as_u64().context("no records")?;
    ensure!(checked["ok"] == true && records >= expected["records"].as_u64().unwrap_or(u64::MAX), "{checked}");
    Ok(())
}

async fn check_recording(recording: &Path) -> Result<()> {
    let expected = std::fs::read_to_string(recording.join("expected.json"))?;
    let expected: Value = serde_json::from_str(&expected)?;
    let mut folder = unpack(recording, member(&expected, "developer")?)?;
    turn_back(&mut folder, expected["recorded_s"].as_u64().context("no time")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    let caller = client.with_key(member(&expected, "caller")?);
    // The task was running when the server was killed.
    let done = ended(&caller, member(&expected, "task")?).await?;
    ensure!(done["status"] == "completed" && done["output"] == json!({ "done": true }), "{done}");
    for answer in expected["answers"].as_array().context("no answers")? {
        let mut again = buy(&caller, member(answer, "idempotency_key")?).await?;
        ensure!(again["replayed"] == true, "a call was repeated: {again}");
        again["replayed"] = json!(false);
        ensure!(again == *answer, "{again} instead of {answer}");
    }
    still_holds(&folder, &client, &expected).await?;
    server.stop().await?;

    folder.variables.clear();
    let server = folder.serve().await?;
    let client = server.client();
    still_holds(&folder, &client, &expected).await?;
    // An unused payment still pays for a call, and so does credit.
    client.call_with("echo", member(&expected, "unspent")?).await?.must(200)?;
    client.with_key(member(&expected, "caller")?).call_on_credit("echo").await?.must(200)?;
    folder.verify()?;
    server.stop().await
}

/// Returns the finished recordings, sorted by name; names of unfinished ones begin with a
/// dot.
fn recordings() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(formats())? {
        let path = entry?.path();
        if path.join("expected.json").is_file()
            && !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[tokio::test]
async fn every_released_format_can_be_continued() -> Result<()> {
    if std::env::var_os(RECORD).is_some() {
        record().await?;
    }
    let recordings = recordings()?;
    if recordings.is_empty() {
        bail!("no recording in tests/formats; its README explains how to make one");
    }
    for recording in recordings {
        let gone_on = tokio::time::timeout(Duration::from_secs(300), check_recording(&recording)).await;
        gone_on.context("time-out")?.with_context(|| recording.display().to_string())?;
    }
    Ok(())
}
