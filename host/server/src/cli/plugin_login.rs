//! `tollbridge plugin login`, `logout` and `whoami`: a key is given once and kept,
//! and is on no command line.

use std::io::{self, BufRead, IsTerminal, Read};

use anyhow::{Context, Result, ensure};
use clap::Args;
use reqwest::{StatusCode, Url};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde_json::{Value, json};
use tollbridge_tools::explained::Explained;
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::output::Output;
use zeroize::Zeroizing;

use super::http_client::http_client;
use super::profiles::{DEFAULT, Profile, Profiles};
use super::publisher::text;
use super::server_access::parse;

/// Longest line that is read for a key.
const KEY_BYTES_MAX: u64 = 4 << 10;

#[derive(Args, Debug)]
pub(super) struct LoginCommandArgs {
    /// Address of the server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8402")]
    server: String,
    /// What the log-in is called
    #[arg(long, value_name = "NAME", env = "TOLLBRIDGE_PROFILE", default_value = DEFAULT)]
    profile: String,
}

#[derive(Args, Debug)]
pub(super) struct ProfileArgs {
    /// Which log-in
    #[arg(long, value_name = "NAME", env = "TOLLBRIDGE_PROFILE", default_value = DEFAULT)]
    profile: String,
}

/// What a server says of a key.
struct Known {
    account: String,
    /// Whether it may deploy and manage plugins, too.
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
        out.warning("this key lacks the scope `manage`: it calls, and publishes nothing");
    }
    tell(&profile, &server, &known, out);
    Ok(())
}

pub(super) fn logout(args: &ProfileArgs, out: Output) -> Result<()> {
    let mut profiles = Profiles::of_user()?;
    let server = profiles.get(&args.profile)?.server.to_string();
    profiles.remove(&args.profile)?;
    let told = json!({ "profile": args.profile, "server": server });
    out.result(&told, || format!("logged out of {server}"));
    out.note("the key itself still works: revoke it at /account of the server, or by DELETE /v1/keys/{id}");
    Ok(())
}

pub(super) async fn whoami(args: &ProfileArgs, out: Output) -> Result<()> {
    let profiles = Profiles::of_user()?;
    let Profile { server, key, .. } = profiles.get(&args.profile)?;
    let known = ask(server, key).await?;
    tell(&args.profile, server, &known, out);
    Ok(())
}

fn tell(profile: &str, server: &Url, known: &Known, out: Output) {
    let Known { account, manages } = known;
    let told = json!({ "profile": profile, "server": server.as_str(), "account_id": account, "manages": manages });
    let scopes = if *manages { "calls and manages" } else { "calls" };
    out.result(&told, || format!("{account} at {server} (profile {profile}): {scopes}"));
}

/// Asks a server whose key it is, and what it may do.
async fn ask(server: &Url, key: &str) -> Result<Known> {
    let get = async |path: &str| -> Result<(StatusCode, Value)> {
        let sent = http_client()?.get(server.join(path)?).bearer_auth(key).send().await;
        let answer = sent.with_context(|| format!("cannot reach {server}"))?;
        let status = answer.status();
        Ok((status, answer.json().await.with_context(|| format!("{server} is no Tollbridge server"))?))
    };
    let (status, balance) = get("/v1/balance").await?;
    if !status.is_success() {
        return Err(Explained::of_api(status.as_u16(), &balance).error());
    }
    let (status, keys) = get("/v1/keys").await?;
    match status {
        StatusCode::FORBIDDEN => Ok(Known { account: text(&balance, "user_id"), manages: false }),
        status if status.is_success() => Ok(Known { account: text(&balance, "user_id"), manages: true }),
        status => Err(Explained::of_api(status.as_u16(), &keys).error()),
    }
}

/// From the keyboard, unseen, or the first line of the standard input.
fn read_key(server: &Url, out: Output) -> Result<Zeroizing<String>> {
    let mut line = Zeroizing::new(String::new());
    let input = io::stdin();
    let read = |line: &mut String| input.lock().take(KEY_BYTES_MAX).read_line(line);
    if input.is_terminal() {
        out.note(&format!("API key of {server} (not shown; `{}account` makes one): ", server));
        unseen(|| read(&mut line))?.context("the key cannot be read")?;
    } else {
        read(&mut line).context("the key cannot be read")?;
    }
    let key = Zeroizing::new(line.trim().to_owned());
    if key.is_empty() {
        return Err(Hinted::error("no key was given", "type it, or write it to the standard input of this command"));
    }
    ensure!(key.bytes().all(|byte| byte.is_ascii_graphic()), "a key has letters, digits and _ only");
    Ok(key)
}

/// What is typed meanwhile is not shown; the terminal is as before after it.
fn unseen<R>(typed: impl FnOnce() -> R) -> Result<R> {
    let before = tcgetattr(io::stdin()).context("the terminal cannot be set")?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    tcsetattr(io::stdin(), OptionalActions::Flush, &quiet).context("the terminal cannot be set")?;
    let read = typed();
    tcsetattr(io::stdin(), OptionalActions::Now, &before).context("the terminal cannot be set")?;
    Ok(read)
}
