//! `tollbridge doctor`: what is missing on this machine, and how to get it.

use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use tollbridge_postgres::Probe;
use tollbridge_runtime::registry::key_folder;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;
use tollbridge_tools::toolchain::TARGET;

use crate::app;

#[derive(Args, Debug)]
pub(super) struct DoctorArgs {}

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    ok: bool,
    text: String,
}

pub(super) async fn run(_: &DoctorArgs, global: &Global, out: Output) -> Result<ExitCode> {
    let findings = [
        configuration(global),
        database(global).await,
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
    Ok(if findings.iter().all(|one| one.ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

/// Where the ledger is, and whether a host could start on it.
async fn database(global: &Global) -> Finding {
    let what = "ledger";
    let settings = global.load(&[]).ok().and_then(|loaded| app::database(&loaded.config));
    let Some(settings) = settings else {
        return Finding { what, ok: true, text: "in files of this host".to_owned() };
    };
    let looked = tokio::task::spawn_blocking(move || Probe::of(&settings)).await;
    match looked.map_err(anyhow::Error::from).and_then(|probe| Ok(probe?)) {
        Ok(Probe { version, has_ledger, is_served, hosts, synchronous_standbys }) => {
            let standing = match (hosts, is_served, has_ledger) {
                (1, ..) => "1 host serves it".to_owned(),
                (2.., ..) => format!("{hosts} hosts serve it"),
                (_, true, _) => "a command works on it".to_owned(),
                (_, false, true) => "no host serves it".to_owned(),
                (_, false, false) => "no ledger yet; the first host that starts makes it".to_owned(),
            };
            let text = format!("PostgreSQL {version}, {standing}; synchronous standbys: {synchronous_standbys}");
            Finding { what, ok: true, text }
        }
        Err(error) => Finding { what, ok: false, text: format!("the database of store.url: {error:#}") },
    }
}

/// The pool of instances reserves address space that some containers refuse.
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
            return Finding { what, ok: true, text: "not looked for: the configuration does not load".to_owned() };
        }
    };
    let text = match tokio::net::TcpStream::connect(address).await {
        Ok(_) => format!("something answers on {address}"),
        Err(_) => format!("nothing runs on {address}; `tollbridge serve` starts it"),
    };
    Finding { what, ok: true, text }
}
