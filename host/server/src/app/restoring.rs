//! Restores a backup into an empty folder, after verifying it.
//!
//! Invariants: the backup is only read; a partly restored ledger is never under the file
//! name that a server opens; an invalid backup leaves no files behind.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use tollbridge_core::time::now_ms;
use tollbridge_core::vault::Vault;
use tollbridge_ledger::{Ledger, Notary, Trust, VerificationReport};
use tollbridge_operator::{Actor, Role, copy_backup, note_act};
use tollbridge_store::{Collection, DATABASE, RedbStore, Rows, check_copy, is_in_use};

use super::private_folder::open_private_folder;

/// Names of the secrets without which a server cannot start on a ledger that has records.
const NEEDED: [&str; 2] = ["emails", "quotes"];

/// The file that names the operator who restored a folder, until the server has sealed the restore.
const RESTORED_BY: &str = "restored-by.json";

/// The content of [`RESTORED_BY`].
#[derive(Serialize, Deserialize)]
struct RestoredBy {
    operator: String,
    /// Seal of the newest record of the backup.
    head_seal: String,
}

/// The outcome of a restore.
pub enum Restoring {
    /// The folder has the content of the backup.
    Done(Box<Restored>),
    /// The backup is invalid, with the reason.
    Damaged(String),
}

/// The content of a restored backup.
pub struct Restored {
    /// Result of verifying the ledger.
    pub report: VerificationReport,
    /// Time of the newest record, Unix milliseconds.
    pub last_ms: u64,
    /// Number of customer accounts.
    pub accounts: usize,
    /// Rows of all tables.
    pub rows: i64,
}

/// Copies a backup into a folder that is empty or does not exist, after verifying all of it.
/// Blocks.
///
/// # Errors
///
/// `backup` is not a backup, `to` is not empty, or the file system fails.
pub fn restore(backup: &Path, to: &Path, trust: &Trust) -> Result<Restoring> {
    must_be_a_backup(backup)?;
    let is_new = must_be_empty(to)?;
    open_private_folder(to)?;
    let restored = fill(backup, to, trust);
    if is_new && !matches!(restored, Ok(Restoring::Done(_))) {
        let _ = fs::remove_dir(to);
    }
    restored
}

fn must_be_a_backup(backup: &Path) -> Result<()> {
    let (path, database) = (backup.display(), backup.join(DATABASE));
    if !database.is_file() || !backup.join("keys").is_dir() {
        bail!("{path} is no backup: it lacks {DATABASE} or its keys; name the folder that `tollbridge backup` wrote");
    }
    if is_in_use(&database) {
        bail!("a server is using {path}; `tollbridge backup` makes a consistent copy");
    }
    Ok(())
}

/// Checks that the folder is empty, and returns whether it does not exist yet.
fn must_be_empty(to: &Path) -> Result<bool> {
    match fs::read_dir(to) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        entries => match entries.with_context(|| to.display().to_string())?.next() {
            None => Ok(false),
            Some(_) => {
                bail!("{} is not empty; restore into a new folder, or move its content away", to.display())
            }
        },
    }
}

/// Copies and verifies the backup under a name that no server opens. The draft is inside the
/// folder, because the user of a service may have no other place to write.
fn fill(backup: &Path, to: &Path, trust: &Trust) -> Result<Restoring> {
    let cannot = || format!("cannot write into {}", to.display());
    let draft = tempfile::Builder::new().prefix(".restoring-").tempdir_in(to).with_context(cannot)?;
    copy_backup(backup, draft.path()).with_context(|| format!("cannot copy {}", backup.display()))?;
    // The database engine may panic on corrupt pages.
    let checked = catch_unwind(AssertUnwindSafe(|| check(draft.path(), trust)));
    let restored = match checked {
        Ok(Ok(restored)) => restored,
        Ok(Err(error)) => return Ok(Restoring::Damaged(format!("{error:#}"))),
        Err(_) => return Ok(Restoring::Damaged("its database cannot be read".to_owned())),
    };
    let by = RestoredBy {
        operator: Actor::of_command_line().name().to_owned(),
        head_seal: restored.report.head_seal.clone(),
    };
    fs::write(draft.path().join(RESTORED_BY), serde_json::to_vec(&by)?).with_context(cannot)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(draft.path()).with_context(cannot)? {
        names.push(entry.with_context(cannot)?.file_name());
    }
    // Move the database last: the folder becomes a ledger once it contains the database.
    names.sort_by_key(|name| name.as_os_str() == DATABASE);
    for name in names {
        fs::rename(draft.path().join(&name), to.join(&name)).with_context(cannot)?;
    }
    draft.close().with_context(cannot)?;
    fs::File::open(to).and_then(|folder| folder.sync_all()).with_context(cannot)?;
    Ok(Restoring::Done(Box::new(restored)))
}

/// Seals a record that the folder was restored, and by whom. The restored ledger lacks
/// the records sealed after the backup, and its readers must be able to see why. Does
/// this once per restore.
///
/// # Errors
///
/// The record cannot be written.
pub(super) async fn seal_restore(notary: &Notary, dir: &Path) -> Result<()> {
    let file = dir.join(RESTORED_BY);
    let Ok(bytes) = fs::read(&file) else { return Ok(()) };
    let by: RestoredBy = serde_json::from_slice(&bytes).with_context(|| file.display().to_string())?;
    let actor = Actor::new(&by.operator, Role::Admin).with_context(|| file.display().to_string())?;
    note_act(notary, &actor, ("restore", &by.head_seal), now_ms()).await.context("cannot seal the restore")?;
    fs::remove_file(&file).with_context(|| file.display().to_string())
}

/// Verifies all files of a data folder that a server needs, including every row and
/// record.
fn check(dir: &Path, trust: &Trust) -> Result<Restored> {
    let file = dir.join(DATABASE);
    check_copy(&file)?;
    let store = Arc::new(RedbStore::open(&file)?);
    let vault = Vault::open(dir)?;
    for purpose in NEEDED {
        vault.existing(purpose)?;
    }
    let seed = vault.existing("checkpoints")?;
    let ledger = Ledger::open(store.clone(), &seed, "localhost")?;
    let size = ledger.head()?.size;
    let Some(last) = size.checked_sub(1) else { bail!("its ledger has no records") };
    let last = ledger.record(last)?.context("its newest record is missing")?;
    Notary::check_outside(&ledger, &dir.join("checkpoints.jsonl"))?;
    let report = ledger.verify(trust)?;
    let (rows, _) = store.tables_digest()?;
    let all = Rows::of(store.as_ref(), Collection::Accounts);
    let accounts = all.map(|row| row.map(drop)).collect::<Result<Vec<()>, _>>()?.len();
    store.settle()?;
    Ok(Restored { report, last_ms: last.1.time_ms, accounts, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_backup_or_a_non_empty_folder_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let (backup, to) = (dir.path().join("backup"), dir.path().join("to"));
        let why = |backup: &Path, to: &Path| restore(backup, to, &Trust::default()).err().unwrap().to_string();
        assert!(why(&backup, &to).contains("is no backup"));
        fs::create_dir_all(backup.join("keys")).unwrap();
        fs::write(backup.join(DATABASE), b"").unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(to.join("something"), b"").unwrap();
        assert!(why(&backup, &to).contains("is not empty"));
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
    }

    #[test]
    fn damaged_uploads_leave_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let backup = dir.path().join("backup");
        fs::create_dir_all(backup.join("keys")).unwrap();
        for bytes in [Vec::new(), b"no database".to_vec(), vec![7; 100_000]] {
            fs::write(backup.join(DATABASE), &bytes).unwrap();
            let (new, empty) = (dir.path().join("new"), dir.path().join("empty"));
            fs::create_dir_all(&empty).unwrap();
            for to in [&new, &empty] {
                let restored = restore(&backup, to, &Trust::default()).unwrap();
                assert!(matches!(restored, Restoring::Damaged(_)));
            }
            assert!(!new.exists() && fs::read_dir(&empty).unwrap().count() == 0);
            assert_eq!(fs::read(backup.join(DATABASE)).unwrap(), bytes, "the backup was changed");
        }
    }
}
