//! `plugin login`, `logout` and `whoami`: a key is entered once, on standard input, and
//! is sent only to the server it belongs to.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Folder, binary};

/// Runs a command with the given standard input, and no key in the environment.
fn typed(folder: &Folder, input: &str, args: &[&str]) -> Result<Output> {
    let mut child = Command::new(binary())
        .args(["--json", "--config"])
        .arg(folder.config())
        .args(args)
        .envs(folder.environment())
        .env_remove("TOLLBRIDGE_KEY")
        .env_remove("TOLLBRIDGE_PROFILE")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("no standard input")?.write_all(input.as_bytes())?;
    Ok(child.wait_with_output()?)
}

fn answer(output: &Output) -> Result<Value> {
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn refused(output: &Output, why: &str) -> Result<()> {
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && said.contains(why), "the error lacks {why:?}: {said}");
    Ok(())
}

fn file(folder: &Folder) -> PathBuf {
    folder.path().join("home/tollbridge/profiles.toml")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_given_once() -> Result<()> {
    let (folder, server, _) = Folder::with_echo("").await?;
    let (account, key) = folder.key()?;
    let login = ["plugin", "login", "--server", &server.url];
    refused(&typed(&folder, "", &login)?, "no key was given")?;
    refused(&typed(&folder, "tb_test_nonsense\n", &login)?, "E001")?;
    ensure!(!file(&folder).exists(), "an invalid key was kept");
    let known = answer(&typed(&folder, &format!("{key}\n"), &login)?)?;
    ensure!(known["account_id"] == json!(account) && known["manages"] == true, "{known}");
    ensure!(
        std::fs::metadata(file(&folder))?.permissions().mode() & 0o777 == 0o600,
        "other users may read the profiles"
    );
    ensure!(answer(&typed(&folder, "", &["plugin", "whoami"])?)? == known, "a different account");
    it_is_used(&folder, &server.url)?;
    // The key is not sent to another server.
    let elsewhere = ["call", "http://127.0.0.1:9/v1/oracle/echo", "{}", "--profile", "default"];
    refused(&typed(&folder, "", &elsewhere)?, "is not sent to")?;
    a_wide_mode_is_refused(&folder)?;
    answer(&typed(&folder, "", &["plugin", "logout"])?)?;
    ensure!(!std::fs::read_to_string(file(&folder))?.contains(&key), "the key is still there");
    refused(&typed(&folder, "", &["plugin", "whoami"])?, "not logged in as profile `default`")
}

/// Uses the stored key for calls paid from credit, and for requests about the account's
/// plugins.
fn it_is_used(folder: &Folder, url: &str) -> Result<()> {
    let paid = answer(&typed(folder, "", &["call", &format!("{url}/v1/oracle/echo"), "{}", "--credit"])?)?;
    ensure!(paid["worm_seal"].is_string(), "{paid}");
    // Calls the bridge by name, on the profile's server.
    let paid = answer(&typed(folder, "", &["call", "echo", "{}", "--profile", "default", "--credit"])?)?;
    ensure!(paid["answer"]["version"] == "1.0.0" && paid["worm_seal"].is_string(), "{paid}");
    refused(&typed(folder, "", &["call", "../echo"])?, "neither a name nor a URL")?;
    let logs = ["plugin", "logs", "none", "--server", url];
    refused(&typed(folder, "", &logs)?, "404")?;
    refused(&typed(folder, "", &["plugin", "logs", "none", "--profile", "default"])?, "404")?;
    let stranger = ["plugin", "logs", "none", "--server", "http://127.0.0.1:9"];
    refused(&typed(folder, "", &stranger)?, "not logged in to http://127.0.0.1:9")
}

fn a_wide_mode_is_refused(folder: &Folder) -> Result<()> {
    let mode = |mode| std::fs::set_permissions(file(folder), std::fs::Permissions::from_mode(mode));
    mode(0o644)?;
    refused(&typed(folder, "", &["plugin", "whoami"])?, "other users may read it (mode 644)")?;
    Ok(mode(0o600)?)
}
