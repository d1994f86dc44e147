//! Invalid content of the registry is never served; the reason is reported, and the
//! previous version keeps serving.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, eventually, guest, manifest};

/// Calls a free bridge and checks which version answered.
async fn answers(client: &Client, name: &str, version: &str) -> Result<()> {
    let reply = client.call(name, &json!({}), &[]).await?;
    ensure!(
        reply.status == 200 && reply.json["version"] == version,
        "{name}: expected {version}, got {}: {}",
        reply.status,
        reply.text
    );
    Ok(())
}

/// Checks that no version of a bridge serves.
async fn is_down(client: &Client, name: &str) -> Result<()> {
    let reply = client.call(name, &json!({}), &[]).await?;
    ensure!(
        reply.status == 503 && reply.code() == "E016",
        "{name}: expected E016, got {}: {}",
        reply.status,
        reply.text
    );
    Ok(())
}

/// Waits until a version answers.
async fn wait_until_serving(client: &Client, name: &str, version: &str) -> Result<Duration> {
    let ask = || async { Ok(answers(client, name, version).await.is_ok().then_some(())) };
    Ok(eventually(&format!("{name} {version} serves"), 30, ask).await?.1)
}

/// Returns all problems that `plugin inspect` reports for a plugin's versions.
fn complaints(folder: &Folder, name: &str) -> Result<String> {
    let report = folder.run_json(&["plugin", "inspect", name])?;
    let held = report["held"].as_array().context("no held")?.iter();
    let held = held.map(|one| format!("{}: {}", one["version"], one["reason"]));
    Ok(held.chain([report["cause"].to_string()]).collect::<Vec<_>>().join("\n"))
}

async fn is_told(folder: &Folder, name: &str, reason: &str) -> Result<()> {
    let ask = || async { Ok(complaints(folder, name).is_ok_and(|said| said.contains(reason)).then_some(())) };
    let reported = eventually(reason, 20, ask).await;
    reported.map(drop).with_context(|| format!("{name}: {}", complaints(folder, name).unwrap_or_default()))
}

fn publish(folder: &Folder, name: &str, version: &str) -> Result<()> {
    folder.publish(&manifest(name, version, "0.00"), &guest::echo(version)?)
}

/// Publishes a version to a folder outside the registry, so that the test can tamper with
/// it.
fn staged(folder: &Folder, name: &str, version: &str, component: &[u8]) -> Result<PathBuf> {
    let staging = folder.path().join("staging");
    let output = folder.try_publish("tester", &staging, &manifest(name, version, "0.00"), component)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(staging.join("bridges").join(name).join(version))
}

type Tampering = fn(&Path) -> Result<()>;

/// Cases: a plugin, a change that tampers with its staged version 1.0.1, and the problem
/// that must be reported.
const TAMPERED: [(&str, Tampering, &str); 9] = [
    ("unsigned", |dir| Ok(std::fs::remove_file(dir.join("plugin.sig"))?), "is not signed"),
    (
        "manifest",
        |dir| edit(&dir.join("plugin.toml"), |bytes| bytes.extend(b"# harmless?\n")),
        "not what tester signed",
    ),
    (
        "dearer",
        |dir| edit(&dir.join("plugin.toml"), |bytes| bytes.splice(0..0, *b"#\n").for_each(drop)),
        "not what tester",
    ),
    (
        "bytes",
        |dir| edit(&dir.join("plugin.wasm"), |bytes| *bytes.last_mut().unwrap() ^= 1),
        "changed after publishing",
    ),
    ("longer", |dir| edit(&dir.join("plugin.wasm"), |bytes| bytes.push(0)), "incomplete or was changed"),
    (
        "shorter",
        |dir| edit(&dir.join("plugin.wasm"), |bytes| bytes.truncate(bytes.len() - 1)),
        "incomplete or was changed",
    ),
    ("link", link_component, "plugin.wasm"),
    ("fifo", fifo_component, "plugin.wasm"),
    ("garbled", |dir| Ok(std::fs::write(dir.join("plugin.sig"), [0xff; 100])?), "plugin.sig"),
];

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
    let mut bytes = std::fs::read(path)?;
    change(&mut bytes);
    Ok(std::fs::write(path, bytes)?)
}

fn link_component(dir: &Path) -> Result<()> {
    std::fs::rename(dir.join("plugin.wasm"), dir.with_extension("elsewhere"))?;
    Ok(std::os::unix::fs::symlink(dir.with_extension("elsewhere"), dir.join("plugin.wasm"))?)
}

fn fifo_component(dir: &Path) -> Result<()> {
    std::fs::remove_file(dir.join("plugin.wasm"))?;
    ensure!(Command::new("mkfifo").arg(dir.join("plugin.wasm")).status()?.success(), "no mkfifo");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tampered_version_never_serves() -> Result<()> {
    let folder = Folder::new("")?;
    for (name, ..) in TAMPERED {
        publish(&folder, name, "1.0.0")?;
    }
    let server = folder.serve().await?;
    for (name, sabotage, _) in TAMPERED {
        let dir = staged(&folder, name, "1.0.1", &guest::echo("1.0.1")?)?;
        sabotage(&dir)?;
        std::fs::rename(&dir, folder.version(name, "1.0.1"))?;
    }
    check_tampered(&folder, &server).await?;
    server.stop().await?;
    let server = folder.serve().await?;
    check_tampered(&folder, &server).await
}

async fn check_tampered(folder: &Folder, server: &Server) -> Result<()> {
    for (name, _, reason) in TAMPERED {
        is_told(folder, name, reason).await?;
        answers(&server.client(), name, "1.0.0").await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misplaced_version_never_serves() -> Result<()> {
    let (folder, forger) = (Folder::new("")?, Folder::new("")?);
    let cases = [
        ("intruder", "is not trusted"),
        ("forged", "not the trusted key of tester"),
        ("renamed", "the manifest says `name`"),
        ("raised", "the manifest says `version`"),
        ("linked", "the version's folder"),
        ("wrong_world", "world `bridge`"),
    ];
    for (name, _) in cases {
        publish(&folder, name, "1.0.0")?;
    }
    let server = folder.serve().await?;
    folder.run(&["publisher", "new", "intruder"])?;
    let echo = guest::echo("1.0.1")?;
    let theirs = manifest("intruder", "1.0.1", "0.00").replace("\"tester\"", "\"intruder\"");
    ensure!(folder.try_publish("intruder", &folder.registry(), &theirs, &echo)?.status.success());
    let forged = forger.try_publish("tester", &folder.registry(), &manifest("forged", "1.0.1", "0.00"), &echo)?;
    ensure!(forged.status.success(), "publishing with an untrusted key failed");
    std::fs::rename(staged(&folder, "original", "1.0.1", &echo)?, folder.version("renamed", "1.0.1"))?;
    std::fs::rename(staged(&folder, "raised", "1.0.1", &echo)?, folder.version("raised", "1.0.2"))?;
    let elsewhere = staged(&folder, "linked", "1.0.1", &echo)?;
    std::os::unix::fs::symlink(&elsewhere, folder.version("linked", "1.0.1"))?;
    std::os::unix::fs::symlink(elsewhere.parent().context("no parent")?, folder.registry().join("bridges/all_linked"))?;
    folder.publish(&manifest("wrong_world", "1.0.1", "0.00"), &guest::component("wrong_world")?)?;
    for (name, reason) in cases {
        is_told(&folder, name, reason).await?;
        answers(&server.client(), name, "1.0.0").await?;
    }
    let strays = folder.run_json(&["plugin", "list"])?["strays"].to_string();
    ensure!(strays.contains("all_linked"), "strays: {strays}");
    ensure!(server.client().call("all_linked", &json!({}), &[]).await?.status == 404);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_a_component_is_not_published() -> Result<()> {
    let folder = Folder::new("")?;
    let elf = std::fs::read(tollbridge_tests::binary())?;
    let no_component = "not a WebAssembly component";
    for (component, reason) in [
        (guest::component("core_module")?, "core module"),
        (elf.get(..4096).context("no binary")?.to_vec(), "precompiled"),
        (b"#!/bin/sh\n".to_vec(), no_component),
        (Vec::new(), no_component),
    ] {
        let output = folder.try_publish("tester", &folder.registry(), &manifest("bad", "1.0.0", "0.00"), &component)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(1) && said.contains(reason), "expected `{reason}`: {said}");
    }
    ensure!(!folder.version("bad", "1.0.0").exists());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_never_changes_its_bytes() -> Result<()> {
    let folder = Folder::new("")?;
    publish(&folder, "same", "1.0.0")?;
    let server = folder.serve().await?;
    let manifest = manifest("same", "1.0.0", "0.00");
    let again = folder.try_publish("tester", &folder.registry(), &manifest, &guest::echo("evil")?)?;
    let said = String::from_utf8_lossy(&again.stderr);
    ensure!(!again.status.success() && said.contains("published versions never change"), "{said}");
    let other = staged(&folder, "same", "1.0.0", &guest::echo("evil")?)?;
    let place = folder.version("same", "1.0.0");
    std::fs::rename(&place, folder.path().join("genuine"))?;
    std::fs::rename(other, &place)?;
    is_told(&folder, "same", "differ from those first seen").await?;
    answers(&server.client(), "same", "1.0.0").await?;
    server.stop().await?;
    let server = folder.serve().await?;
    is_down(&server.client(), "same").await?;
    is_told(&folder, "same", "differ from those first seen").await?;
    std::fs::remove_dir_all(&place)?;
    std::fs::rename(folder.path().join("genuine"), &place)?;
    wait_until_serving(&server.client(), "same", "1.0.0").await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_vanish_bring_no_older_version_back() -> Result<()> {
    let folder = Folder::new("")?;
    publish(&folder, "held", "1.0.0")?;
    let server = folder.serve().await?;
    publish(&folder, "held", "1.0.1")?;
    wait_until_serving(&server.client(), "held", "1.0.1").await?;
    std::fs::rename(folder.version("held", "1.0.1"), folder.path().join("gone"))?;
    let until = Instant::now() + Duration::from_secs(4);
    while Instant::now() < until {
        answers(&server.client(), "held", "1.0.1").await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.stop().await?;
    let server = folder.serve().await?;
    is_down(&server.client(), "held").await?;
    is_told(&folder, "held", "1.0.1 was active and is not in the registry").await?;
    std::fs::rename(folder.path().join("gone"), folder.version("held", "1.0.1"))?;
    wait_until_serving(&server.client(), "held", "1.0.1").await?;
    // Only the operator can return to an older version; the server never does so
    // automatically.
    folder.run(&["plugin", "rollback", "held"])?;
    answers(&server.client(), "held", "1.0.0").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_is_a_pin_that_lasts_until_it_is_taken_off() -> Result<()> {
    let folder = Folder::new("")?;
    publish(&folder, "back", "1.0.0")?;
    let server = folder.serve().await?;
    publish(&folder, "back", "1.0.1")?;
    wait_until_serving(&server.client(), "back", "1.0.1").await?;
    let report = folder.run_json(&["plugin", "rollback", "back"])?;
    ensure!(report["serving"] == "1.0.0" && report["pinned"] == "1.0.0", "{report}");
    answers(&server.client(), "back", "1.0.0").await?;
    // Versions above the pin are held back but not withdrawn, and so are versions
    // published later.
    publish(&folder, "back", "1.0.2")?;
    is_told(&folder, "back", "1.0.0 is pinned").await?;
    ensure!(!complaints(&folder, "back")?.contains("yanked"), "{}", complaints(&folder, "back")?);
    answers(&server.client(), "back", "1.0.0").await?;
    server.stop().await?;
    let server = folder.serve().await?;
    wait_until_serving(&server.client(), "back", "1.0.0").await?;
    let listed = folder.run(&["plugin", "list"])?;
    ensure!(listed.contains("PINNED"), "{listed}");
    // Moves forward by one version, then to the newest, which removes the pin.
    folder.run(&["plugin", "rollback", "back", "1.0.1"])?;
    answers(&server.client(), "back", "1.0.1").await?;
    let report = folder.run_json(&["plugin", "rollback", "back", "1.0.2"])?;
    ensure!(report["serving"] == "1.0.2" && report["pinned"].is_null(), "{report}");
    folder.run(&["plugin", "rollback", "back", "1.0.0"])?;
    folder.run(&["plugin", "unpin", "back"])?;
    answers(&server.client(), "back", "1.0.2").await?;
    let again = folder.try_run(&["plugin", "unpin", "back"])?;
    ensure!(again.status.code() == Some(1), "unpinned twice: {again:?}");
    let acts = folder.run_json(&["audit", "--limit", "2"])?;
    ensure!(acts["acts"][1]["command"] == "plugin-unpin" && acts["acts"][1]["target"] == "back", "{acts}");
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_copy_never_serves_and_a_whole_one_does() -> Result<()> {
    let folder = Folder::new("")?;
    publish(&folder, "copied", "1.0.0")?;
    let server = folder.serve().await?;
    // In the first case the end of the file is missing; in the second the file has its
    // full size but lacks content.
    for (version, before, sparse) in [("1.0.1", "1.0.0", false), ("1.0.2", "1.0.1", true)] {
        let (from, to) =
            (staged(&folder, "copied", version, &guest::echo(version)?)?, folder.version("copied", version));
        let wasm = std::fs::read(from.join("plugin.wasm"))?;
        std::fs::create_dir(&to)?;
        for file in ["plugin.toml", "plugin.sig"] {
            std::fs::copy(from.join(file), to.join(file))?;
            tokio::time::sleep(Duration::from_millis(300)).await;
            answers(&server.client(), "copied", before).await?;
        }
        let mut half = wasm.get(..wasm.len() / 2).context("no half")?.to_vec();
        half.resize(if sparse { wasm.len() } else { half.len() }, 0);
        std::fs::write(to.join("plugin.wasm"), half)?;
        is_told(&folder, "copied", version).await?;
        answers(&server.client(), "copied", before).await?;
        std::fs::write(to.join("plugin.wasm"), wasm)?;
        wait_until_serving(&server.client(), "copied", version).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn more_grants_and_new_publishers_wait_for_the_operator() -> Result<()> {
    let folder = Folder::new("[plugins]\nallow_grants = [\"logging\"]\n")?;
    publish(&folder, "modest", "1.0.0")?;
    let server = folder.serve().await?;
    let client = server.client();
    let greedy = manifest("modest", "1.0.1", "0.00").replace("[limits]", "grants = [\"logging\"]\n[limits]");
    folder.publish(&greedy, &guest::echo("1.0.1")?)?;
    is_told(&folder, "modest", "requests more than the previous one: logging").await?;
    answers(&client, "modest", "1.0.0").await?;
    folder.run(&["plugin", "approve", "modest"])?;
    answers(&client, "modest", "1.0.1").await?;

    let key = folder.run_json(&["publisher", "new", "novice"])?["public_key"].as_str().context("no key")?.to_owned();
    let trust = |account: &str| {
        folder.try_run(&["publisher", "trust", "novice", "--key", &key, "--account", account, "--no-auto-activate"])
    };
    // A publisher must belong to an existing account, or its earnings could never
    // be withdrawn.
    let refused = trust("acct_novice")?;
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(!refused.status.success() && why.contains("there is no account acct_novice"), "{why}");
    ensure!(trust(&folder.key()?.0)?.status.success(), "an existing account was refused");
    let theirs = manifest("fresh", "1.0.0", "0.00").replace("\"tester\"", "\"novice\"");
    ensure!(folder.try_publish("novice", &folder.registry(), &theirs, &guest::echo("1.0.0")?)?.status.success());
    is_told(&folder, "fresh", "has no auto_activate").await?;
    is_down(&client, "fresh").await?;
    folder.run(&["plugin", "approve", "fresh"])?;
    answers(&client, "fresh", "1.0.0").await?;
    folder.run(&["publisher", "revoke", "novice"])?;
    is_down(&client, "fresh").await?;
    is_told(&folder, "fresh", "novice is revoked").await?;
    answers(&client, "modest", "1.0.1").await?;
    // Only the operator sees who was revoked.
    let public: Value = client.get("/api/v1/bridges").await?.json;
    ensure!(!public.to_string().contains("novice"), "{public}");
    server.stop().await?;
    let server = folder.serve().await?;
    is_down(&server.client(), "fresh").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_full_of_rubbish_still_serves() -> Result<()> {
    let folder = Folder::new("")?;
    publish(&folder, "fine", "1.0.0")?;
    let bridges = folder.registry().join("bridges");
    for number in 0..500 {
        std::fs::write(folder.registry().join(format!("file {number}")), [0xff; 64])?;
        std::fs::create_dir_all(bridges.join(format!("empty{number}/1.0.{number}")))?;
        std::fs::create_dir_all(bridges.join(format!("Not A Name {number}/x")))?;
    }
    std::fs::create_dir_all(bridges.join("deep/1.0.0").join("d/".repeat(500)))?;
    for file in ["plugin.toml", "plugin.sig", "plugin.wasm"] {
        let path = bridges.join("huge/1.0.0");
        std::fs::create_dir_all(&path)?;
        std::fs::File::create(path.join(file))?.set_len(8 << 30)?;
    }
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff\xfe\n");
    std::fs::create_dir_all(bridges.join(odd))?;
    std::fs::write(bridges.join("a file"), "")?;
    std::os::unix::fs::symlink("..", bridges.join("upwards"))?;
    std::fs::write(folder.version("fine", "not a version"), "")?;
    let server = folder.serve().await?;
    answers(&server.client(), "fine", "1.0.0").await?;
    publish(&folder, "fine", "1.0.1")?;
    wait_until_serving(&server.client(), "fine", "1.0.1").await?;
    is_told(&folder, "huge", "plugin.toml").await?;
    ensure!(server.resident_kb()? < 512 << 10, "{} kB resident", server.resident_kb()?);
    server.stop().await
}
