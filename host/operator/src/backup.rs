//! Backup and restore: copies the data folder so that another server can start from the copy.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tollbridge_core::time::{now_ms, parse_rfc3339, rfc3339};
use tollbridge_store::{DATABASE, RedbStore};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// The folder of a new backup, and the size of its database.
    MadeBackup { backup: String, bytes: u64 }
}

const CHECKPOINTS: &str = "checkpoints.jsonl";
const KEYS: &str = "keys";
const COMPILED: &str = "compiled";
/// File in the data folder with the time of the last completed backup. Backups do not contain it.
const LAST_BACKUP: &str = "last-backup";

/// Returns the time of the last completed backup of a data folder, Unix milliseconds, if there was
/// one.
pub fn last_backup_ms(data: &Path) -> Option<u64> {
    parse_rfc3339(fs::read_to_string(data.join(LAST_BACKUP)).ok()?.trim())
}

/// The command for backups.
pub(super) struct BackupCommands {
    pub(super) engine: Arc<RedbStore>,
    pub(super) data: PathBuf,
}

impl BackupCommands {
    /// Copies database, keys (including retired ones, which verify old seals), checkpoints and
    /// compiled code into a new folder. The server keeps running.
    pub(super) async fn make(&self, to: &str) -> Result<MadeBackup, OperatorError> {
        let (to, from, engine) = (Path::new(to).to_owned(), self.data.clone(), self.engine.clone());
        if !to.is_absolute() {
            return Err(OperatorError::Refused(format!("{} is not a full path", to.display())));
        }
        let copying = tokio::task::spawn_blocking(move || {
            let cannot = |error: std::io::Error| OperatorError::Refused(format!("{}: {error}", to.display()));
            fs::DirBuilder::new().mode(0o700).create(&to).map_err(cannot)?;
            copy_keys(&from.join(KEYS), &to.join(KEYS)).map_err(cannot)?;
            // Copy checkpoints before the database: a checkpoint newer than the copied
            // database would make the copy look rolled back.
            copy_private(&from.join(CHECKPOINTS), &to.join(CHECKPOINTS)).map_err(cannot)?;
            link_code(&from.join(COMPILED), &to.join(COMPILED)).map_err(cannot)?;
            engine.backup(&to.join(DATABASE))?;
            let file = to.join(DATABASE);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).map_err(cannot)?;
            let bytes = fs::metadata(&file).map_err(cannot)?.len();
            if let Err(error) = note_backup(&from, now_ms()) {
                tracing::warn!(%error, "the backup is complete, but its time was not recorded");
            }
            Ok(MadeBackup { backup: to.display().to_string(), bytes })
        });
        copying.await.map_err(|error| OperatorError::Failed(error.to_string()))?
    }
}

fn note_backup(data: &Path, now_ms: u64) -> std::io::Result<()> {
    let (file, draft) = (data.join(LAST_BACKUP), data.join(format!("{LAST_BACKUP}.new")));
    let mut written = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    std::io::Write::write_all(&mut written, rfc3339(now_ms).as_bytes())?;
    fs::rename(draft, file)
}

/// Copies a backup into an empty folder of this user, including the journal: if a server
/// ran on the backup, its last commits may be only in the journal. Blocks.
///
/// # Errors
/// An I/O error, with the file's path.
pub fn copy_backup(from: &Path, to: &Path) -> std::io::Result<()> {
    let about = |name: &str| {
        let path = from.join(name).display().to_string();
        move |error: std::io::Error| std::io::Error::new(error.kind(), format!("{path}: {error}"))
    };
    copy_keys(&from.join(KEYS), &to.join(KEYS)).map_err(about(KEYS))?;
    copy_private(&from.join(CHECKPOINTS), &to.join(CHECKPOINTS)).map_err(about(CHECKPOINTS))?;
    link_code(&from.join(COMPILED), &to.join(COMPILED)).map_err(about(COMPILED))?;
    let database = Path::new(DATABASE);
    for file in [database.to_owned(), database.with_extension("journal")] {
        copy_large(&from.join(&file), &to.join(&file)).map_err(about(&file.display().to_string()))?;
    }
    Ok(())
}

/// Copies a file without reading it into memory; a missing file is skipped.
fn copy_large(from: &Path, to: &Path) -> std::io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        copied => copied?,
    };
    fs::set_permissions(to, fs::Permissions::from_mode(0o600))?;
    fs::File::open(to)?.sync_all()
}

fn copy_keys(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        // Skip other files, such as the draft of a key that is being written
        // (`.purpose.pid`).
        let is_kept = entry.path().extension().is_some_and(|extension| extension == "key" || extension == "jsonl");
        if entry.file_type()?.is_file() && is_kept {
            copy_private(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Links compiled code, so that a server that starts on the copy compiles nothing. Its files never
/// change, so hard links save space if both folders are on one disk.
fn link_code(from: &Path, to: &Path) -> std::io::Result<()> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    fs::DirBuilder::new().mode(0o700).create(to)?;
    for entry in entries {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let is_whole = path.extension().is_some_and(|extension| extension == "code" || extension == "checked");
        if entry.file_type()?.is_file() && is_whole && fs::hard_link(&path, &target).is_err() {
            copy_private(&path, &target)?;
        }
    }
    Ok(())
}

/// Copies a private file; a missing file is skipped.
fn copy_private(from: &Path, to: &Path) -> std::io::Result<()> {
    let bytes = match fs::read(from) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    std::io::Write::write_all(&mut file, &bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_backup_is_remembered() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(last_backup_ms(data.path()), None);
        for now_ms in [1_780_000_000_000, 1_780_000_360_125] {
            note_backup(data.path(), now_ms).unwrap();
            assert_eq!(last_backup_ms(data.path()), Some(now_ms));
        }
        let mode = fs::metadata(data.path().join(LAST_BACKUP)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode, fs::read_dir(data.path()).unwrap().count()), (0o600, 1));
    }
}
