//! A backup is restored to a data folder only if every part of it passes verification.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Folder, Server};

/// The exit code for a ledger that fails verification.
const BROKEN: i32 = 3;

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("no path")
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[tokio::test]
async fn a_server_continues_from_a_restored_backup() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let customer = client.signed_up("ada@example.com").await?;
    customer.call_on_credit("echo").await?.must(200)?;
    let key = folder.run_json(&["ledger", "head"])?["key"].as_str().context("no key")?.to_owned();
    let (backup, to) = (folder.path().join("daily"), folder.path().join("restored"));
    folder.run(&["backup", text(&backup)?])?;
    let records = folder.records()?;
    customer.call_on_credit("echo").await?.must(200)?;

    // A live data folder is not accepted as a backup, and a folder with content is not
    // accepted as a target.
    for (from, into) in
        [(folder.data(), to.clone()), (folder.path().join("none"), to.clone()), (backup.clone(), folder.data())]
    {
        let refused = folder.try_run(&["restore", text(&from)?, "--to", text(&into)?])?;
        ensure!(
            refused.status.code() == Some(1) && !to.exists(),
            "{} into {}: {refused:?}",
            from.display(),
            into.display()
        );
    }
    let restored = folder.run_json(&["restore", text(&backup)?, "--to", text(&to)?, "--key", &key])?;
    ensure!(restored["ok"] == true && restored["records"] == records && restored["pinned"] == true, "{restored}");
    // There are at least two accounts: Ada, who makes calls, and the test's developer.
    let accounts = restored["accounts"].as_u64().context("no accounts")?;
    ensure!(accounts >= 2 && restored["last_record_at"].is_string(), "{restored}");
    ensure!(!names(&to)?.iter().any(|name| name.starts_with('.')), "{:?}", names(&to)?);
    ensure!(names(&to.join("keys"))? == names(&backup.join("keys"))?, "{:?}", names(&to.join("keys"))?);
    server.stop().await?;

    let server = Server::start(&folder, &["--data", text(&to)?]).await?;
    let customer = server.client().with_key(customer.key().context("no key")?);
    customer.call_on_credit("echo").await?.must(200)?;
    let checked = folder.run_json(&["ledger", "verify", "--data", text(&to)?])?;
    ensure!(checked["ok"] == true, "{checked}");
    // The ledger has one record of the restore, as an operator's command.
    let restores = || -> Result<Vec<String>> {
        let audit = folder.run_json(&["audit", "--data", text(&to)?])?;
        let acts = audit["acts"].as_array().context("no acts")?.iter().filter(|act| act["command"] == "restore");
        Ok(acts.map(|act| act["target"].as_str().unwrap_or_default().to_owned()).collect())
    };
    let head = restored["head_seal"].as_str().context("no seal")?;
    ensure!(restores()? == [head], "{:?} is not {head}", restores()?);
    server.stop().await?;
    let server = Server::start(&folder, &["--data", text(&to)?]).await?;
    ensure!(restores()? == [head], "{:?} is not {head}", restores()?);
    server.stop().await
}

#[tokio::test]
async fn a_damaged_backup_is_refused_and_leaves_nothing_behind() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let intent = client.paid_intent("echo").await?;
    client.call_with("echo", &intent).await?.must(200)?;
    let (backup, to) = (folder.path().join("daily"), folder.path().join("restored"));
    folder.run(&["backup", text(&backup)?])?;
    server.stop().await?;
    let database = backup.join("tollbridge.redb");
    let whole = std::fs::read(&database)?;
    let refused = |why: &str| -> Result<()> {
        let output = folder.try_run(&["--json", "restore", text(&backup)?, "--to", text(&to)?])?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or(json!(null));
        ensure!(output.status.code() == Some(BROKEN) && answer["ok"] == false, "{why}: {output:?}");
        ensure!(!to.exists(), "{why}: {:?} was left", names(&to)?);
        Ok(())
    };
    // Flips a bit at every occurrence of a record, then in rows that no record covers;
    // finally truncates the file.
    for needle in ["\"kind\":\"route\"", "acct_"] {
        let mut bytes = whole.clone();
        let found = whole.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle.as_bytes());
        let places: Vec<usize> = found.map(|(place, _)| place).collect();
        ensure!(!places.is_empty(), "no {needle}");
        for place in places {
            *bytes.get_mut(place).context("no byte")? ^= 1;
        }
        std::fs::write(&database, &bytes)?;
        refused(needle)?;
    }
    std::fs::write(&database, whole.get(..whole.len() / 2).context("empty")?)?;
    refused("half of it")?;
    std::fs::write(&database, &whole)?;
    // A backup without its key is useless, because no server could start on it.
    let key = backup.join("keys/checkpoints.key");
    let kept = std::fs::read(&key)?;
    std::fs::remove_file(&key)?;
    refused("no key")?;
    std::fs::write(&key, kept)?;
    let wrong = ["restore", text(&backup)?, "--to", text(&to)?, "--key", "localhost/worm+00000000+AQ=="];
    ensure!(folder.try_run(&wrong)?.status.code() == Some(1), "an invalid key was accepted");
    std::fs::create_dir(&to)?;
    folder.run(&["restore", text(&backup)?, "--to", text(&to)?])?;
    ensure!(names(&to)?.contains(&"tollbridge.redb".to_owned()), "{:?}", names(&to)?);
    Ok(())
}
