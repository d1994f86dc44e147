//! The command `tollbridge doctor`: shows what is missing on this machine, and how to get it.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tollbridge_core::config::{BuiltinConfig, Processor};
use tollbridge_core::time::now_ms;
use tollbridge_embeddings::{LoadModelError, MODEL_NAME, verify};
use tollbridge_operator::command;
use tollbridge_postgres::Probe;
use tollbridge_registry::key_folder;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::toolchain::TARGET;

use super::certificate;
use super::found_engines::FoundEnginesArgs;
use super::target;
use crate::app;
use crate::exit::Exit;

#[derive(Args, Debug)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    engines: FoundEnginesArgs,
}

/// Free disk space below which `doctor` warns. A busy ledger takes days to fill it, which
/// leaves time to act.
const DISK_MIB_MIN: u64 = 1_024;

/// Maximum time to wait for an artifact registry.
const ARTIFACT_PATIENCE: Duration = Duration::from_secs(10);

/// The result of one check.
struct Finding {
    what: &'static str,
    ok: bool,
    text: String,
}

pub(super) async fn run(args: &DoctorArgs, global: &Global, out: Output) -> Result<ExitCode> {
    let findings = [
        configuration(global),
        database(global).await,
        data_folder(global),
        disk(global),
        public_address(global),
        tls(global),
        money(global),
        email(global),
        embeddings(global),
        artifacts(global).await,
        models(args.engines, global).await,
        address_space(),
        wasm_target(),
        publisher_keys(),
        running(global).await,
    ];
    let list: Vec<Value> =
        findings.iter().map(|one| json!({ "what": one.what, "ok": one.ok, "text": one.text })).collect();
    out.result(&Value::Array(list), || {
        let line = |one: &Finding| format!("{} {:<16} {}", if one.ok { "ok  " } else { "MISS" }, one.what, one.text);
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(if findings.iter().all(|one| one.ok) { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn configuration(global: &Global) -> Finding {
    match global.load(&[]) {
        Ok(loaded) => {
            let warnings = loaded.warnings.len();
            Finding {
                what: "configuration",
                ok: true,
                text: format!("loads, {warnings} warnings (`tollbridge config check`)"),
            }
        }
        Err(error) => Finding { what: "configuration", ok: false, text: format!("{error:#}") },
    }
}

/// Reports where the ledger is, and whether a host could start on it.
async fn database(global: &Global) -> Finding {
    let what = "ledger";
    let settings = global.load(&[]).ok().and_then(|loaded| app::database(&loaded.config));
    let Some(settings) = settings else {
        return Finding { what, ok: true, text: "in files of this host".to_owned() };
    };
    let looked = tokio::task::spawn_blocking(move || Probe::of(&settings)).await;
    match looked.map_err(anyhow::Error::from).and_then(|probe| Ok(probe?)) {
        Ok(Probe { version, has_ledger, is_served, hosts, synchronous_standbys }) => {
            let usage = match (hosts, is_served, has_ledger) {
                (1, ..) => "served by 1 host".to_owned(),
                (2.., ..) => format!("served by {hosts} hosts"),
                (_, true, _) => "in use by a command".to_owned(),
                (_, false, true) => "not served by a host".to_owned(),
                (_, false, false) => "no ledger yet; the first host that starts creates it".to_owned(),
            };
            let text = format!("PostgreSQL {version}, {usage}; synchronous standbys: {synchronous_standbys}");
            Finding { what, ok: true, text }
        }
        Err(error) => Finding { what, ok: false, text: format!("the database of store.url: {error:#}") },
    }
}

/// Checks that keys and ledger are readable by this user only.
fn data_folder(global: &Global) -> Finding {
    let what = "data folder";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let dir = loaded.config.data.dir;
    match std::fs::metadata(&dir) {
        Err(_) => Finding { what, ok: true, text: format!("{} is created at the first start", dir.display()) },
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            let text = format!("other users can open {}; the next start removes their permissions", dir.display());
            Finding { what, ok: true, text }
        }
        Ok(_) => Finding { what, ok: true, text: format!("{}, readable by this user only", dir.display()) },
    }
}

/// Checks the free disk space; a server that cannot write stops.
fn disk(global: &Global) -> Finding {
    let what = "disk";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let dir = loaded.config.data.dir;
    let place = dir.ancestors().find(|path| path.is_dir()).unwrap_or_else(|| std::path::Path::new("."));
    let Ok(found) = rustix::fs::statvfs(place) else { return unknown(what) };
    let free = found.f_bavail.saturating_mul(found.f_frsize).div_euclid(1 << 20);
    let text = format!("{free} MiB free; if less than {DISK_MIB_MIN}, free some space or move `data.dir`");
    Finding { what, ok: free >= DISK_MIB_MIN, text }
}

/// Checks the address that appears in quotes, receipts and cards.
fn public_address(global: &Global) -> Finding {
    let what = "public address";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let server = loaded.config.server;
    let url = server.public_url(server.listen).to_string();
    let local = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"].iter().any(|host| url.contains(host));
    match (local, url.starts_with("https://")) {
        (true, _) => {
            Finding { what, ok: true, text: format!("{url}: this machine only; to serve others, set server.base_url") }
        }
        (false, true) => Finding { what, ok: true, text: url },
        (false, false) => {
            Finding { what, ok: false, text: format!("{url} has no TLS; set server.base_url to https://…") }
        }
    }
}

/// Checks the listener's certificate.
fn tls(global: &Global) -> Finding {
    let what = "TLS";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    match certificate::check(&loaded.config.server, now_ms().div_euclid(1_000)) {
        None => Finding { what, ok: true, text: "left to a proxy; server.tls_certificate is not set".to_owned() },
        Some(Ok(seen)) if seen.warnings.is_empty() => Finding { what, ok: true, text: seen.summary },
        Some(Ok(seen)) => Finding { what, ok: false, text: seen.warnings.join("; ") },
        Some(Err(error)) => Finding { what, ok: false, text: error },
    }
}

/// Checks whether real money could move.
fn money(global: &Global) -> Finding {
    let what = "money";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let payments = loaded.config.payments;
    if payments.processor == Processor::Sandbox {
        return Finding {
            what,
            ok: true,
            text: "test money; docs/go-live.md explains how to accept real money".to_owned(),
        };
    }
    let missing: Vec<&str> = [
        ("secret_key", payments.stripe.secret_key.is_none()),
        ("webhook_secret", payments.stripe.webhook_secret.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, is_missing)| is_missing.then_some(name))
    .collect();
    match missing.is_empty() {
        true => Finding { what, ok: true, text: "Stripe, with its keys".to_owned() },
        false => {
            let text = format!("Stripe, without payments.stripe.{}", missing.join(" and "));
            Finding { what, ok: false, text }
        }
    }
}

/// Checks whether people can sign in without a key.
fn email(global: &Global) -> Finding {
    let what = "e-mail";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let config = loaded.config;
    match (&config.email.smtp, config.email.show_links) {
        (Some(smtp), _) => {
            let text = format!("e-mail is sent through {}:{}", smtp.server.host, smtp.server.port);
            Finding { what, ok: true, text }
        }
        (None, true) => Finding { what, ok: true, text: "sign-in links are shown, not sent".to_owned() },
        (None, false) => {
            let text = "no one can sign in by e-mail or replace a lost key; set email.smtp and email.from";
            // In a sandbox a lost key loses no money.
            let ok = config.payments.processor == Processor::Sandbox;
            Finding { what, ok, text: text.to_owned() }
        }
    }
}

/// Checks the file of the built-in embedding model.
fn embeddings(global: &Global) -> Finding {
    let what = "embeddings";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let (ok, text) = describe_embeddings(&loaded.config.inference.builtin);
    Finding { what, ok, text }
}

/// Describes the built-in embedding model, and returns whether its file is as expected. A
/// missing file is no mistake, because a server can do without the model.
pub(super) fn describe_embeddings(settings: &BuiltinConfig) -> (bool, String) {
    let path = settings.path.display();
    if !settings.enabled {
        return (true, "off; inference.builtin.enabled is false".to_owned());
    }
    match verify(&settings.path) {
        Ok(()) => (true, format!("{MODEL_NAME} in {path}")),
        Err(LoadModelError::Unreadable(error)) => {
            (true, format!("unavailable, because {path} cannot be read ({error}); scripts/fetch-model.sh fetches it"))
        }
        Err(error) => (false, format!("{path}: {error}; scripts/fetch-model.sh fetches the right one")),
    }
}

/// Checks whether configured artifacts can be fetched.
async fn artifacts(global: &Global) -> Finding {
    let what = "artifacts";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let found = app::artifact_follower(&loaded.config, Arc::default()).probe(ARTIFACT_PATIENCE).await;
    if found.is_empty() {
        return Finding { what, ok: true, text: "none are configured; see registry.artifacts".to_owned() };
    }
    let ok = found.values().all(Result::is_ok);
    let lines = found.iter().map(|(reference, found)| match found {
        Ok(version) => format!("{reference} is {version}"),
        Err(error) => format!("{reference}: {error}"),
    });
    Finding { what, ok, text: lines.collect::<Vec<_>>().join("; ") }
}

/// Checks whether the engines of this configuration are ready, and reports engines that it does
/// not use.
async fn models(engines: FoundEnginesArgs, global: &Global) -> Finding {
    let what = "local models";
    let Ok(loaded) = global.load(&[]) else { return unknown(what) };
    let inference = &loaded.config.inference;
    let commands = inference.providers.values().filter(|one| one.enabled && one.command.is_some()).count();
    let mut troubles = Vec::new();
    if commands > 0
        && let Ok(server) = target::running(global, &DataArgs { data: None }).await
        && let Ok(report) = server.ask(command::InferenceShow { days: 1 }).await
    {
        let waiting = report.providers.into_iter().filter(|one| ["starting", "failing"].contains(&one.state.as_str()));
        troubles.extend(waiting.map(|one| format!("{}: {}", one.provider, one.why_not.unwrap_or_default())));
    }
    let ok = troubles.is_empty();
    let unused = engines.unused(Some(inference)).await;
    let unused = unused.iter().map(|one| format!("{}, unused (`tollbridge config check`)", one.describe()));
    let parts: Vec<String> = troubles.into_iter().chain(unused).collect();
    let text = match (parts.is_empty(), commands) {
        (false, _) => parts.join("; "),
        (true, 0) => "no engine is configured or found on the usual ports".to_owned(),
        (true, _) => format!("{commands} engines are configured"),
    };
    Finding { what, ok, text }
}

fn unknown(what: &'static str) -> Finding {
    Finding { what, ok: true, text: "unknown until the configuration loads".to_owned() }
}

/// Checks the address space limit: the instance pool reserves more address space than some
/// containers allow.
fn address_space() -> Finding {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max address space")).unwrap_or_default();
    let unlimited = line.is_empty() || line.contains("unlimited");
    let text = if unlimited {
        "unlimited"
    } else {
        "limited: instances are allocated one by one, which is slower; raise `ulimit -v`"
    };
    Finding { what: "address space", ok: true, text: text.to_owned() }
}

fn wasm_target() -> Finding {
    let listed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let installed = listed.is_ok_and(|output| {
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && std::path::Path::new(&path).is_dir()
    });
    let text = if installed { "installed" } else { "not installed yet; `tollbridge plugin build` installs it" };
    Finding { what: TARGET, ok: true, text: text.to_owned() }
}

fn publisher_keys() -> Finding {
    let what = "publisher keys";
    match key_folder() {
        Ok(folder) => {
            let count = std::fs::read_dir(&folder).map_or(0, Iterator::count);
            let hint = if count == 0 { "; `tollbridge publisher new NAME` makes one" } else { "" };
            Finding { what, ok: true, text: format!("{count} in {}{hint}", folder.display()) }
        }
        Err(error) => Finding { what, ok: false, text: error.to_string() },
    }
}

async fn running(global: &Global) -> Finding {
    let what = "server";
    let address = match global.load(&[]) {
        Ok(loaded) => loaded.config.server.listen,
        Err(_) => {
            return Finding { what, ok: true, text: "not checked: the configuration does not load".to_owned() };
        }
    };
    let text = match tokio::net::TcpStream::connect(address).await {
        Ok(_) => format!("a server answers on {address}"),
        Err(_) => format!("no server on {address}; start one with `tollbridge serve`"),
    };
    Finding { what, ok: true, text }
}
