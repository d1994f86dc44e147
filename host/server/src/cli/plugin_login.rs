//! The commands `tollbridge plugin login`, `logout` and `whoami`: a key is entered once
//! and stored, so that it never appears on a command line.

use std::io::{self, BufRead, IsTerminal, Read};

use anyhow::{Context, Result, ensure};
use clap::Args;
use reqwest::{StatusCode, Url};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_tools::explained::ExplainedError;
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::output::Output;
use zeroize::Zeroizing;

use super::http_client::http_client;
use super::profiles::{DEFAULT, Profile, Profiles};
use super::server_access::parse;

/// Maximum length of a line that contains a key.
const KEY_BYTES_MAX: u64 = 4 << 10;

#[derive(Args, Debug)]
pub(super) struct LoginCommandArgs {
    /// Address of the server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8402")]
    server: String,
    /// Name of the log-in
    #[arg(long, value_name = "NAME", env = "TOLLBRIDGE_PROFILE", default_value = DEFAULT)]
    profile: String,
}

#[derive(Args, Debug)]
pub(super) struct ProfileArgs {
    /// Name of the log-in
    #[arg(long, value_name = "NAME", env = "TOLLBRIDGE_PROFILE", default_value = DEFAULT)]
    profile: String,
}

/// A key's account and scopes, as reported by its server.
struct KeyInfo {
    account: String,
    /// Whether the key may also deploy and manage plugins.
    manages: bool,
}

pub(super) async fn login(args: LoginCommandArgs, out: Output) -> Result<()> {
    let LoginCommandArgs { server, profile } = args;
    let server = parse(&server)?;
    let mut profiles = Profiles::of_user()?;
    let key = read_key(&server, out)?;
    let known = ask(&server, &key).await?;
    let kept = Profile { server: server.clone(), key, account: known.account.clone() };
    profiles.put(&profile, kept)?;
    if !known.manages {
        out.warning("this key lacks the scope `manage`: it can call plugins, but not publish them");
    }
    show_account(&profile, &server, &known, out);
    Ok(())
}

pub(super) fn logout(args: &ProfileArgs, out: Output) -> Result<()> {
    let mut profiles = Profiles::of_user()?;
    let server = profiles.get(&args.profile)?.server.to_string();
    profiles.remove(&args.profile)?;
    let shown = json!({ "profile": args.profile, "server": server });
    out.result(&shown, || format!("logged out of {server}"));
    out.note("the key itself still works: revoke it on the server's page /account, or with DELETE /v1/keys/{id}");
    Ok(())
}

pub(super) async fn whoami(args: &ProfileArgs, out: Output) -> Result<()> {
    let profiles = Profiles::of_user()?;
    let Profile { server, key, .. } = profiles.get(&args.profile)?;
    let known = ask(server, key).await?;
    show_account(&args.profile, server, &known, out);
    Ok(())
}

fn show_account(profile: &str, server: &Url, known: &KeyInfo, out: Output) {
    let KeyInfo { account, manages } = known;
    let shown = json!({ "profile": profile, "server": server.as_str(), "account_id": account, "manages": manages });
    let scopes = if *manages { "calls and manages" } else { "calls" };
    out.result(&shown, || format!("{account} at {server} (profile {profile}): {scopes}"));
}

/// The member of `/v1/balance` that names the account.
#[derive(Deserialize)]
struct Balance {
    user_id: String,
}

/// Asks a server for the account and scopes of a key.
async fn ask(server: &Url, key: &str) -> Result<KeyInfo> {
    let get = async |path: &str| -> Result<(StatusCode, Value)> {
        let sent = http_client()?.get(server.join(path)?).bearer_auth(key).send().await;
        let answer = sent.with_context(|| format!("cannot reach {server}"))?;
        let status = answer.status();
        Ok((status, answer.json().await.with_context(|| format!("{server} is not a Tollbridge server"))?))
    };
    let (status, balance) = get("/v1/balance").await?;
    if !status.is_success() {
        return Err(ExplainedError::of_api(status.as_u16(), &balance).error());
    }
    let Balance { user_id: account } = Balance::deserialize(&balance).context("the server names no account")?;
    let (status, keys) = get("/v1/keys").await?;
    match status {
        StatusCode::FORBIDDEN => Ok(KeyInfo { account, manages: false }),
        status if status.is_success() => Ok(KeyInfo { account, manages: true }),
        status => Err(ExplainedError::of_api(status.as_u16(), &keys).error()),
    }
}

/// Reads a key from the keyboard without echo, or from the first line of standard input.
fn read_key(server: &Url, out: Output) -> Result<Zeroizing<String>> {
    let mut line = Zeroizing::new(String::new());
    let input = io::stdin();
    let read = |line: &mut String| input.lock().take(KEY_BYTES_MAX).read_line(line);
    if input.is_terminal() {
        out.note(&format!("API key of {server} (not shown; `{}account` makes one): ", server));
        unseen(|| read(&mut line))?.context("cannot read the key")?;
    } else {
        read(&mut line).context("cannot read the key")?;
    }
    let key = Zeroizing::new(line.trim().to_owned());
    if key.is_empty() {
        return Err(Hinted::error("no key was given", "type it, or pass it on standard input"));
    }
    ensure!(key.bytes().all(|byte| byte.is_ascii_graphic()), "a key may contain only letters, digits and _");
    Ok(key)
}

/// Turns the terminal's echo off while reading, and restores it.
fn unseen<R>(typed: impl FnOnce() -> R) -> Result<R> {
    let before = tcgetattr(io::stdin()).context("cannot configure the terminal")?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    tcsetattr(io::stdin(), OptionalActions::Flush, &quiet).context("cannot configure the terminal")?;
    let read = typed();
    tcsetattr(io::stdin(), OptionalActions::Now, &before).context("cannot configure the terminal")?;
    Ok(read)
}
