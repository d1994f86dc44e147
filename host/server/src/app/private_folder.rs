//! The data folder: keys, money and webhook secrets, which nobody but the user
//! of the server may read.
//!
//! Invariant: once it is open, no other user of the machine can read or change
//! anything in it, and nothing that this process makes is readable by others.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result};
use rustix::fs::Mode;

/// What others may do with a file: read, write, run; as group and as anybody.
const OF_OTHERS: u32 = 0o077;

/// Makes the folder if there is none. Permissions that an older version or a
/// copy left too wide are taken back, with a warning.
pub(super) fn open_private_folder(dir: &Path) -> Result<()> {
    rustix::process::umask(Mode::from_raw_mode(OF_OTHERS));
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.with_context(|| format!("cannot make the data folder {}", dir.display()))?;
    close_to_others(dir)?;
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read the data folder {}", dir.display()))?;
    for entry in entries {
        close_to_others(&entry?.path())?;
    }
    Ok(())
}

fn close_to_others(path: &Path) -> Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        // A file of a moment, gone since the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata.with_context(|| format!("cannot look at {}", path.display()))?,
    };
    let mode = metadata.mode() & 0o7777;
    if metadata.is_symlink() || mode & OF_OTHERS == 0 {
        return Ok(());
    }
    tracing::warn!(path = %path.display(), mode = format!("{mode:o}"), "other users could open this; not any more");
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !OF_OTHERS)).with_context(|| {
        format!("other users can open {}; run `chmod go= {}` as its owner", path.display(), path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_could_open_they_cannot_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(data.join("tollbridge.redb"), b"money").unwrap();
        fs::create_dir(data.join("keys")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", data.join("link")).unwrap();
        for (path, mode) in [("", 0o755), ("tollbridge.redb", 0o644), ("keys", 0o750)] {
            fs::set_permissions(data.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        let others = fs::metadata("/etc/hostname").unwrap().mode();
        open_private_folder(&data).unwrap();
        fs::write(data.join("made_later"), b"").unwrap();
        for (path, mode) in [("", 0o700), ("tollbridge.redb", 0o600), ("keys", 0o700), ("made_later", 0o600)] {
            assert_eq!(fs::metadata(data.join(path)).unwrap().mode() & 0o777, mode, "{path}");
        }
        assert_eq!(fs::metadata("/etc/hostname").unwrap().mode(), others);
    }
}
