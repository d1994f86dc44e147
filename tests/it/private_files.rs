//! Stored files are accessible to the server's user only, and secrets in them are
//! encrypted.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use tollbridge_tests::{Client, Folder, Hook, Receiver};

const LOCAL: &str = "[payments]\nsandbox_credit = \"50.00\"\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n";
const SECRET: &str = "a-needle-in-every-haystack";

/// Returns the path and all paths below it.
fn below(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![path.to_owned()];
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            found.extend(below(&entry?.path())?);
        }
    }
    Ok(found)
}

/// Checks `folder` and everything below it, and returns the paths that other users could
/// open.
fn open_to_others(folder: &Path) -> Result<Vec<String>> {
    let mut open = Vec::new();
    for path in below(folder)? {
        let mode = std::fs::metadata(&path)?.permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        if mode != expected {
            open.push(format!("{mode:o} {}", path.display()));
        }
    }
    Ok(open)
}

fn chmod(path: &Path, mode: u32) -> Result<()> {
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

/// Returns the files below a folder that contain a text.
fn holding(folder: &Path, text: &str) -> Result<Vec<PathBuf>> {
    let mut holding = Vec::new();
    for path in below(folder)?.into_iter().filter(|path| path.is_file()) {
        let bytes = std::fs::read(&path)?;
        if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            holding.push(path);
        }
    }
    Ok(holding)
}

fn is_signed(hook: &Hook, secret: &str) -> Result<bool> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(&hook.body);
    Ok(hook.header("x-service-signature") == hex::encode(mac.finalize().into_bytes()))
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_stored_is_private() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let caller = client.signed_up("caller@example.com").await?;
    caller.post("/v1/webhooks", &json!({ "url": "https://localhost/hook", "events": ["*"] })).await?.must(201)?;
    caller.call_on_credit("echo").await?.must(200)?;
    let copy = folder.path().join("copy");
    folder.run(&["backup", copy.to_str().context("no path")?])?;
    for place in [&folder.data(), &copy] {
        let open = open_to_others(place)?;
        ensure!(open.is_empty(), "others can open {open:#?}");
    }
    let admin = folder.data().join("admin.json");
    ensure!(below(&folder.data())?.contains(&admin), "the admin token is not in the data folder");
    server.stop().await?;
    let again = folder.path().join("again");
    folder.run(&["backup", again.to_str().context("no path")?])?;
    for place in [&folder.data(), &again] {
        let open = open_to_others(place)?;
        ensure!(open.is_empty(), "others can open {open:#?} of a stopped server");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn files_open_to_others_are_closed_with_a_warning() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    client.signed_up("caller@example.com").await?;
    server.stop().await?;
    let loosen = || -> Result<()> {
        for path in below(&folder.data())? {
            chmod(&path, if path.is_dir() { 0o755 } else { 0o644 })?;
        }
        Ok(())
    };
    loosen()?;
    let server = folder.serve().await?;
    let open = open_to_others(&folder.data())?;
    ensure!(open.is_empty(), "others can open {open:#?}");
    let log = server.log();
    for path in ["tollbridge.redb", "keys"] {
        let warned = log.lines().any(|line| line.contains("other users could open this") && line.contains(path));
        ensure!(warned, "no warning about {path}:\n{log}");
    }
    server.stop().await?;
    // Commands that open the folder themselves tighten its permissions, too.
    for command in [&["account", "list"][..], &["ledger", "verify"], &["ledger", "head"]] {
        loosen()?;
        folder.run(command)?;
        let open = open_to_others(&folder.data())?;
        ensure!(open.is_empty(), "after {command:?} others can open {open:#?}");
    }
    Ok(())
}

/// A webhook's secret signs events, even after a restart, and is stored in plain text
/// nowhere.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_secret_is_stored_encrypted() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let caller = client.signed_up("caller@example.com").await?;
    let receiver = Receiver::start().await?;
    let hook = json!({ "url": receiver.url, "events": ["webhook.test"], "secret": SECRET });
    let id = caller.post("/v1/webhooks", &hook).await?.must(201)?.json["id"].as_str().context("no id")?.to_owned();
    let made = json!({ "url": "https://localhost/hook", "events": ["earn.completed"] });
    let made = caller.post("/v1/webhooks", &made).await?.must(201)?.json;
    let made = made["secret"].as_str().context("no secret")?.to_owned();
    caller.post("/v1/webhooks/test", &json!({})).await?.must(202)?;
    ensure!(is_signed(&receiver.wait_for("webhook.test", 1, 20).await?[0], SECRET)?, "a wrong signature");
    let copy = folder.path().join("copy");
    folder.run(&["backup", copy.to_str().context("no path")?])?;
    for place in [folder.data(), copy] {
        for secret in [SECRET, &made] {
            let holding = holding(&place, secret)?;
            ensure!(holding.is_empty(), "{holding:?} contain a secret");
        }
        // Proves that the search works: it finds text that is stored unencrypted.
        ensure!(!self::holding(&place, "caller@example.com")?.is_empty(), "nothing was searched in {place:?}");
    }
    server.stop().await?;
    let server = folder.serve().await?;
    let caller = Client::new(&server.url).with_key(caller.key().context("no key")?);
    caller.post("/v1/webhooks/test", &json!({})).await?.must(202)?;
    ensure!(is_signed(&receiver.wait_for("webhook.test", 2, 20).await?[1], SECRET)?, "a wrong signature");
    // After the secret is rolled, deliveries are signed with both the old and the new
    // one; both are stored encrypted.
    let rolled = caller.post(&format!("/v1/webhooks/{id}/secret"), &json!({})).await?.must(200)?.json;
    let rolled = rolled["secret"].as_str().context("no secret")?.to_owned();
    server.stop().await?;
    for secret in [SECRET, &made, &rolled] {
        let holding = holding(&folder.data(), secret)?;
        ensure!(holding.is_empty(), "{holding:?} contain a secret");
    }
    Ok(())
}

/// Keys sign the ledger, index addresses and derive intents, so a missing key must be an
/// error: silently creating a new key would make existing data unusable.
#[tokio::test(flavor = "multi_thread")]
async fn keys_that_records_need_are_not_recreated() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    client.signed_up("caller@example.com").await?;
    server.stop().await?;
    for name in ["checkpoints", "emails", "quotes"] {
        let path = folder.data().join(format!("keys/{name}.key"));
        let key = std::fs::read(&path)?;
        std::fs::remove_file(&path)?;
        for command in [&["account", "list"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            let output = folder.try_run(command)?;
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_said = errors.contains(&format!("keys/{name}.key")) && errors.contains("restore it from a backup");
            ensure!(!output.status.success() && is_said, "{command:?} without {name}: {errors}");
            ensure!(!path.exists(), "{command:?} created {name} again");
        }
        std::fs::write(&path, key)?;
        chmod(&path, 0o600)?;
        folder.run(&["account", "show", "caller@example.com"])?;
    }
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_vault_key_is_reported_and_not_replaced() -> Result<()> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let caller = client.signed_up("caller@example.com").await?;
    let hook = json!({ "url": "https://localhost/hook", "events": ["*"], "secret": SECRET });
    caller.post("/v1/webhooks", &hook).await?.must(201)?;
    server.stop().await?;
    let path = folder.data().join("keys/webhooks.key");
    let key = std::fs::read(&path)?;
    let refused = || -> Result<String> {
        let output = folder.try_run(&["account", "list"])?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(!output.status.success() && errors.contains("keys/webhooks.key"), "{errors}");
        Ok(errors)
    };
    std::fs::remove_file(&path)?;
    ensure!(refused()?.contains("restore it from a backup"), "the error names no remedy");
    ensure!(!path.exists(), "a new key was created silently");
    std::fs::write(&path, [7; 32])?;
    ensure!(refused()?.contains("another key"), "the error names no cause");
    std::fs::write(&path, key)?;
    chmod(&path, 0o600)?;
    folder.run(&["account", "list"]).map(drop)
}
