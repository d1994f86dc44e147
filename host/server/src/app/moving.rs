//! Moving a ledger between this host's files and PostgreSQL, while no host serves it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tollbridge_core::config::Config;
use tollbridge_postgres::{Import, PostgresError, PostgresLog};
use tollbridge_store::{DATABASE, RedbStore, Store as _};

use super::engine::{self, OpenPurpose, REPLICA};
use super::private_folder::open_private_folder;

/// The result of a move.
pub struct Moved {
    /// Rows of all tables.
    pub rows: i64,
    /// Number of these rows that are ledger records.
    pub records: u64,
    /// The new path of the previous files, which are kept.
    pub kept: Option<String>,
}

/// Moves the ledger of a data folder into the database of `store.url`. Blocks.
pub fn move_to_postgres(config: &Config, progress: impl FnMut(i64)) -> Result<Moved> {
    let dir = &config.data.dir;
    let path = dir.join(DATABASE);
    if !path.exists() {
        bail!("{} has no ledger to move", dir.display());
    }
    open_private_folder(dir)?;
    let settings = engine::database(config).context("store.url must be set")?;
    let store = RedbStore::open(&path)?;
    // Apply the journal, so that the file alone holds the whole ledger.
    store.settle()?;
    let records = store.head()?.size;
    let rows = Import::begin(&settings, &store)?.run(&store, progress)?;
    drop(store);
    let kept = set_aside(&path)?;
    Ok(Moved { rows, records, kept: Some(kept) })
}

/// Moves the ledger of the database of `store.url` into a data folder. Blocks.
pub fn move_to_embedded(config: &Config) -> Result<Moved> {
    let dir = &config.data.dir;
    let path = dir.join(DATABASE);
    if path.exists() {
        bail!("{} already exists", path.display());
    }
    open_private_folder(dir)?;
    let draft = path.with_extension("moving");
    let settings = engine::database(config).context("store.url must be set")?;
    if draft.exists() && matches!(PostgresLog::open(settings.clone()), Err(PostgresError::Moved)) {
        // An earlier move was interrupted after the database had retired its ledger. The
        // draft is now the ledger, so complete that move.
        let rows = RedbStore::open(&draft)?.tables_digest()?.0;
        return finish(dir, &draft, &path, rows);
    }
    // While this is held, no other host can serve the ledger.
    let serving = engine::open(config, OpenPurpose::Command)?;
    let _ = std::fs::remove_file(&draft);
    serving.store.backup(&draft)?;
    let (rows, there) = serving.store.tables_digest()?;
    let copy = RedbStore::open(&draft)?;
    if copy.tables_digest()? != (rows, there) {
        bail!("the copy in {} differs from the database; nothing was changed", draft.display());
    }
    drop(copy);
    // Retire the ledger only now that the copy is verified: a retired ledger cannot be
    // served from the database.
    PostgresLog::retire(&settings)?;
    drop(serving);
    finish(dir, &draft, &path, rows)
}

/// Renames a complete copy of `rows` rows to its final path.
fn finish(dir: &Path, draft: &Path, path: &Path, rows: i64) -> Result<Moved> {
    let copy = RedbStore::open(draft)?;
    let records = copy.head()?.size;
    copy.settle()?;
    drop(copy);
    let _ = std::fs::remove_file(draft.with_extension("journal"));
    std::fs::rename(draft, path).with_context(|| format!("cannot write {}", path.display()))?;
    let replica = dir.join(REPLICA);
    let kept = replica.exists().then(|| set_aside(&replica)).transpose()?;
    Ok(Moved { rows, records, kept })
}

/// Renames a file so that no server opens it as its ledger.
fn set_aside(path: &Path) -> Result<String> {
    let mut kept: PathBuf = path.with_extension("redb.moved");
    for number in 2_u32.. {
        if !kept.exists() {
            break;
        }
        kept = path.with_extension(format!("redb.moved-{number}"));
    }
    std::fs::rename(path, &kept).with_context(|| format!("cannot rename {}", path.display()))?;
    Ok(kept.display().to_string())
}
