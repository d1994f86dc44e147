//! The ledger: export, proofs, access by a record's parties, and detection of tampering.

use std::path::Path;
use std::process::Output;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Client, Folder, Server};

/// The exit code for a ledger that fails verification.
const BROKEN: i32 = 3;

/// Starts a server whose ledger has `calls` paid calls; also returns the seal of the last
/// call.
async fn with_calls(calls: usize) -> Result<(Folder, Server, Client, String)> {
    let (folder, server, client) = Folder::with_echo("[payments]\nminimum_charge = \"10.00\"").await?;
    let seal = more_calls(&client, calls).await?;
    Ok((folder, server, client, seal))
}

async fn more_calls(client: &Client, calls: usize) -> Result<String> {
    let intent = client.paid_intent("echo").await?;
    let mut seal = String::new();
    for _ in 0..calls {
        let answer = client.call_with("echo", &intent).await?.must(200)?;
        answer.header("x-worm-seal").context("no seal")?.clone_into(&mut seal);
    }
    Ok(seal)
}

fn export(folder: &Folder) -> Result<String> {
    let file = folder.path().join("export.jsonl");
    folder.run(&["ledger", "export", "-o", &file.display().to_string()])?;
    std::fs::read_to_string(file).context("no export")
}

fn verify_export(folder: &Folder, bytes: &[u8]) -> Result<Output> {
    let file = folder.path().join("tampered.jsonl");
    std::fs::write(&file, bytes)?;
    folder.try_run(&["ledger", "verify", "--export", &file.display().to_string()])
}

#[tokio::test]
async fn it_holds_running_stopped_and_exported() -> Result<()> {
    let (folder, server, _client, seal) = with_calls(5).await?;
    let key = folder.run_json(&["ledger", "head"])?["key"].as_str().context("no key")?.to_owned();
    let running = folder.verify()?;
    let text = export(&folder)?;
    ensure!(verify_export(&folder, text.as_bytes())?.status.success(), "the export fails verification");
    let proof = folder.run_json(&["ledger", "proof", &seal])?;
    ensure!(proof["seal"] == seal, "{proof}");
    let shown = folder.run_json(&["ledger", "show", &seal])?;
    ensure!(shown["seal"] == seal && shown["record"].is_object(), "{shown}");
    let number = shown["seq"].to_string();
    ensure!(
        folder.run_json(&["ledger", "show", &number])? == shown,
        "the number and the seal of a record must show the same record"
    );
    ensure!(folder.try_run(&["ledger", "show", &"f".repeat(64)])?.status.code() == Some(1), "a record of nothing");
    // A number with 64 digits is always interpreted as a seal, never as a record number.
    ensure!(folder.try_run(&["ledger", "show", &format!("{:064}", 1)])?.status.code() == Some(1), "a seal as a number");
    server.stop().await?;
    let stopped = folder.run_json(&["ledger", "verify", "--key", &key])?;
    ensure!(stopped["report"]["records"] == running["records"], "{stopped} {running}");
    let (other, _server, _client, _) = with_calls(1).await?;
    let strange = other.run_json(&["ledger", "head"])?["key"].as_str().context("no key")?.to_owned();
    let pinned = folder.try_run(&["ledger", "verify", "--key", &strange])?;
    ensure!(pinned.status.code() == Some(BROKEN), "another ledger's key is accepted: {pinned:?}");
    Ok(())
}

#[tokio::test]
async fn every_changed_byte_of_an_export_is_found() -> Result<()> {
    let (folder, server, client, _) = with_calls(4).await?;
    client.get("/checkpoint").await?.must(200)?;
    server.stop().await?;
    let good = export(&folder)?.into_bytes();
    ensure!(verify_export(&folder, &good)?.status.success(), "the export fails verification");
    // Damages one byte at a time, at about two hundred positions spread over the whole
    // file.
    let step = (good.len() / 200).max(1);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ good.len() as u64;
    for start in (0..good.len() - step).step_by(step) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = start + (random >> 33) as usize % step;
        let mut bad = good.clone();
        bad[at] ^= 1 << ((random >> 20) % 7);
        caught(&folder, &bad, &format!("byte {at}"))?;
    }
    Ok(())
}

#[tokio::test]
async fn every_moved_line_of_an_export_is_found() -> Result<()> {
    let (folder, server, client, _) = with_calls(2).await?;
    client.get("/checkpoint").await?.must(200)?;
    server.stop().await?;
    let text = export(&folder)?;
    let lines: Vec<&str> = text.lines().collect();
    ensure!(lines.len() > 6, "{} lines", lines.len());
    let joined = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    ensure!(joined(&lines) == text, "the export must end with a newline after its last line");
    for at in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(at);
        caught(&folder, joined(&removed).as_bytes(), &format!("line {at} removed"))?;
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        caught(&folder, joined(&doubled).as_bytes(), &format!("line {at} doubled"))?;
        if at + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            caught(&folder, joined(&swapped).as_bytes(), &format!("lines {at} and {} swapped", at + 1))?;
        }
    }
    Ok(())
}

/// Checks that the verifier rejects an export, names the position, and exits with the
/// code for a broken ledger.
fn caught(folder: &Folder, bytes: &[u8], what: &str) -> Result<()> {
    let ran = verify_export(folder, bytes)?;
    let said = String::from_utf8_lossy(&ran.stdout);
    ensure!(ran.status.code() == Some(BROKEN), "{what}: not caught, {:?}: {said}", ran.status.code());
    ensure!(said.contains(|email: char| email.is_ascii_digit()), "{what}: the verifier names no position: `{said}`");
    Ok(())
}

#[tokio::test]
async fn checkpoints_only_grow() -> Result<()> {
    let (folder, _server, client, _) = with_calls(2).await?;
    let first = client.get("/checkpoint").await?.must(200)?.text;
    ensure!(client.get("/checkpoint").await?.text == first, "the checkpoint changed although no record was added");
    let size = |note: &str| -> Result<u64> { Ok(note.lines().nth(1).context("no size")?.parse()?) };
    let seal = more_calls(&client, 3).await?;
    let second = client.get("/checkpoint").await?.must(200)?.text;
    let (before, after) = (size(&first)?, size(&second)?);
    // The four records are a payment and three calls.
    ensure!(after == before + 4, "from {before} to {after}");
    let proof = client.get(&format!("/v1/ledger/proof/{seal}?from={before}")).await?.must(200)?;
    ensure!(proof.json["consistency"]["from"] == before, "{}", proof.text);
    client.get(&format!("/v1/ledger/proof/{seal}?from={}", after + 1000)).await?.must_be(400, "E011")?;
    client.get(&format!("/v1/ledger/proof/{seal}?form=1")).await?.must_be(400, "E011")?;
    client.get(&format!("/v1/ledger/proof/{}", "0".repeat(64))).await?.must_be(404, "E012")?;
    client.get("/v1/ledger/proof/short").await?.must_be(400, "E011")?;
    let old = folder.path().join("old.note");
    std::fs::write(&old, &first)?;
    folder.run(&["ledger", "verify", "--since", &old.display().to_string()])?;
    // A checkpoint of another ledger must not verify against this one.
    let (_elsewhere, _other_server, other, _) = with_calls(2).await?;
    std::fs::write(&old, other.get("/checkpoint").await?.text)?;
    let foreign = folder.try_run(&["ledger", "verify", "--since", &old.display().to_string()])?;
    ensure!(foreign.status.code() == Some(BROKEN), "{foreign:?}");
    Ok(())
}

#[tokio::test]
async fn a_record_is_for_its_parties() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let (account, key) = folder.key()?;
    let (payer, stranger) = (client.with_key(&key), client.with_key(&folder.key()?.1));
    let secret = json!({ "surname": "Lovelace-Unmistakable" });
    let answer = payer.call("echo", &secret, &[("x-payment-source", "credit")]).await?.must(200)?;
    let seal = answer.header("x-worm-seal").context("no seal")?;
    let path = format!("/v1/ledger/record/{seal}");
    let record = payer.get(&path).await?.must(200)?;
    ensure!(record.json["worm_seal"] == seal && record.text.contains(&account), "{}", record.text);
    client.with_key(&folder.developer).get(&path).await?.must(200)?;
    stranger.get(&path).await?.must_be(404, "E012")?;
    client.get(&path).await?.must_be(401, "E001")?;
    // Anyone may check that the record exists, but only its parties can see its input and
    // answer.
    client.get(&format!("/v1/ledger/proof/{seal}")).await?.must(200)?;
    let everything = export(&folder)?;
    ensure!(everything.contains(&account), "the call is not in the export");
    ensure!(!everything.contains("Lovelace"), "the ledger contains a caller's input");
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).with_context(|| format!("copying {}", from.display())).map(drop)
}

#[tokio::test]
async fn a_rolled_back_database_is_not_served() -> Result<()> {
    let (folder, server, client, _) = with_calls(2).await?;
    client.get("/checkpoint").await?.must(200)?;
    server.stop().await?;
    let (database, saved) = (folder.data().join("tollbridge.redb"), folder.path().join("old.redb"));
    copy(&database, &saved)?;
    let server = folder.serve().await?;
    more_calls(&server.client(), 2).await?;
    server.client().get("/checkpoint").await?.must(200)?;
    server.stop().await?;
    let newest = folder.path().join("new.redb");
    copy(&database, &newest)?;
    copy(&saved, &database)?;
    let failed = folder.serve().await.err().context("a rolled-back database was served")?;
    ensure!(failed.to_string().contains("checkpoint"), "the error does not name the cause: {failed}");
    let verified = folder.try_run(&["ledger", "verify"])?;
    ensure!(!verified.status.success(), "a rolled-back database passes verification");
    copy(&newest, &database)?;
    folder.serve().await?.stop().await?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_killed_server_needs_its_journal() -> Result<()> {
    let (folder, server, client, _) = with_calls(3).await?;
    let before = folder.verify()?;
    more_calls(&client, 3).await?;
    server.kill().await?;
    let (journal, away) = (folder.data().join("tollbridge.journal"), folder.path().join("away"));
    let whole = folder.try_run(&["ledger", "give-up-journal"])?;
    ensure!(!whole.status.success(), "an intact journal was discarded: {whole:?}");
    std::fs::rename(&journal, &away)?;
    let failed = folder.serve().await.err().context("served without its journal")?;
    ensure!(failed.to_string().contains("tollbridge.journal"), "the error does not name the cause: {failed}");
    // The failed start created a new journal, so restore the original.
    copy(&away, &journal)?;
    let after = folder.verify()?;
    ensure!(after["records"].as_u64() >= before["records"].as_u64().map(|records| records + 3), "{before} {after}");
    // The command closed the store cleanly, as a stopping server does.
    ensure!(std::fs::metadata(&journal)?.len() == 0, "the journal is not empty after a stop");
    let server = folder.serve().await?;
    more_calls(&server.client(), 2).await?;
    server.kill().await?;
    std::fs::File::options().write(true).open(&journal)?.set_len(0)?;
    let failed = folder.try_run(&["ledger", "verify"])?;
    ensure!(!failed.status.success(), "a lost journal goes unnoticed");
    let given_up = folder.run_json(&["ledger", "give-up-journal"])?;
    ensure!(given_up["records"].as_u64() > Some(0), "{given_up}");
    Ok(())
}

/// The host's verifier and the independent verifier must agree on every export.
#[tokio::test]
async fn both_verifiers_judge_alike() -> Result<()> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let workspace = tollbridge_tests::workspace();
    for (file, wrong) in [("export.jsonl", None), ("nameless-payer.jsonl", Some("payer has a wrong 'account'"))] {
        let path = workspace.join("host/ledger/src/testdata").join(file);
        let script = workspace.join("docs/verify.py");
        let output = tokio::process::Command::new(&python).arg(script).arg("export").arg(path).output().await?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() == wrong.is_none(), "{file}: {errors}");
        ensure!(wrong.is_none_or(|wrong| errors.contains(wrong)), "{file}: {errors}");
    }
    Ok(())
}
