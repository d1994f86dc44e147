//! The command `tollbridge restore`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tollbridge_core::time::rfc3339;
use tollbridge_tools::output::Output;
use tollbridge_tools::working::ProgressIndicator;

use super::ledger::TrustArgs;
use crate::app::{Restored, Restoring, restore};
use crate::exit::Exit;

/// Verify a backup and copy it into an empty folder, from which a server can continue
///
/// Every page, row and record is verified before any file gets its final name. Exit code 3 means
/// that the backup is invalid; then nothing is left in the folder.
#[derive(Args, Debug)]
pub(super) struct RestoreArgs {
    /// Folder that `tollbridge backup` wrote; only read
    backup: PathBuf,
    /// Folder to restore into, empty or missing; set data.dir to it afterwards
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    #[command(flatten)]
    trust: TrustArgs,
}

pub(super) async fn run(args: RestoreArgs, out: Output) -> Result<ExitCode> {
    let RestoreArgs { backup, to, trust } = args;
    let trust = trust.read()?;
    let full = |path: PathBuf| std::path::absolute(&path).with_context(|| path.display().to_string());
    let (backup, to) = (full(backup)?, full(to)?);
    let (from, target) = (backup.clone(), to.clone());
    let working = ProgressIndicator::begin(out, "copying and checking the backup");
    let restored = tokio::task::spawn_blocking(move || restore(&from, &target, &trust)).await??;
    drop(working);
    let Restored { report, last_ms, accounts, rows } = match restored {
        Restoring::Done(restored) => *restored,
        Restoring::Damaged(why) => {
            let answer = json!({ "ok": false, "backup": backup, "error": why });
            out.result(&answer, || format!("nothing was restored; {} is invalid: {why}", backup.display()));
            return Ok(Exit::Broken.into());
        }
    };
    let last = rfc3339(last_ms);
    let answer = json!({
        "ok": true, "backup": backup, "restored": to, "records": report.records, "head_seal": report.head_seal,
        "last_record_at": last, "accounts": accounts, "rows": rows, "mode": report.mode, "covered": report.covered,
        "origin": report.origin, "key": report.key, "pinned": report.pinned,
    });
    out.result(&answer, || {
        format!(
            "restored into {}: {} records up to {last}, {accounts} accounts, {rows} rows; the ledger is \
            valid\nnewest seal {}",
            to.display(),
            report.records,
            report.head_seal
        )
    });
    if !report.pinned {
        out.note("the origin of the ledger was not verified; pass --key with the key that you noted");
    }
    out.hint(
        "this ledger lacks everything recorded after the backup; docs/runbooks/restore.md explains what to compare",
    );
    Ok(ExitCode::SUCCESS)
}
