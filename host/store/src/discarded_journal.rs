//! Discards a lost or damaged journal, at the operator's command.

use std::fs::File;
use std::path::{Path, PathBuf};

use redb::StorageBackend;
use redb::backends::{FileBackend, InMemoryBackend};

use super::engine::{Store, StoreError, store_error};
use super::journal::{Journal, JournalMark};
use super::opening::{OpenError, database, journal_of, mark_of, set_mark, sync_folder};
use super::redb_engine::RedbStore;

/// The result of discarding a journal.
#[derive(Clone, Debug)]
pub struct DiscardedJournal {
    /// New path of the journal file, if the file existed.
    pub kept: Option<PathBuf>,
    /// Number of records that the database has without the journal.
    pub records: u64,
}

/// Discards a lost or damaged journal, so that the server can start without it; commits
/// that were only in the journal are lost. Refuses to discard an intact journal.
pub fn discard_journal(path: &Path) -> Result<DiscardedJournal, OpenError> {
    let doing = "discarding the journal";
    let file = File::options().read(true).write(true).open(path).map_err(store_error(doing))?;
    let db = database(FileBackend::new(file).map_err(store_error(doing))?, &path.display().to_string())?;
    let journal = journal_of(path);
    let found = journal.try_exists().map_err(store_error(doing))?;
    let content: Box<dyn StorageBackend> = match found {
        true => {
            Box::new(FileBackend::new(File::open(&journal).map_err(store_error(doing))?).map_err(store_error(doing))?)
        }
        false => Box::new(InMemoryBackend::new()),
    };
    let lost = mark_of(&db)?.filter(|mark| Journal::open(content, *mark, 0).is_err());
    let Some(mark) = lost else {
        let source = Box::from("it is intact or not needed: start the server");
        return Err(StoreError { doing, source }.into());
    };
    let kept = found.then(|| path.with_extension(format!("journal.given-up-{}", mark.next)));
    if let Some(kept) = &kept {
        std::fs::rename(&journal, kept).and_then(|()| sync_folder(path)).map_err(store_error(doing))?;
    }
    // Use a new journal id, so that the entries of the old file do not match if it
    // reappears.
    set_mark(&db, JournalMark { next: mark.next, ..JournalMark::fresh().map_err(store_error(doing))? })?;
    drop(db);
    Ok(DiscardedJournal { kept, records: RedbStore::open(path)?.head()?.size })
}
