//! The data folder: keys, money and webhook secrets, readable only by the user of the server.
//!
//! Invariant: once it is open, no other user of the machine can read or change anything in it, and
//! this process creates no file that is readable by others.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::fs::Mode;

/// The permission bits of group and others.
const OF_OTHERS: u32 = 0o077;

/// Opens the folder, and creates it if necessary. Permissions that an older version or a copy left
/// too wide are removed, with a warning.
pub(super) fn open_private_folder(dir: &Path) -> Result<()> {
    // Files that this process creates later must be private too.
    rustix::process::umask(Mode::from_raw_mode(OF_OTHERS));
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.with_context(|| format!("cannot create the data folder {}", dir.display()))?;
    if let Some(mode) = close_to_others(dir)? {
        tracing::warn!(path = %dir.display(), mode = format!("{mode:o}"), "other users could open this; removed \
            their permissions");
    }
    for entry in entries(dir)? {
        let mut mended = Vec::new();
        close_tree(&entry, &mut mended)?;
        if let Some((path, mode)) = mended.first() {
            let (path, mode) = (path.display(), format!("{mode:o}"));
            tracing::warn!(%path, mode, files = mended.len(), "other users could open this; removed their permissions");
        }
    }
    Ok(())
}

/// Removes the permissions of group and others below a path, and records each changed
/// path with its old mode. Does not follow links.
fn close_tree(path: &Path, mended: &mut Vec<(PathBuf, u32)>) -> Result<()> {
    mended.extend(close_to_others(path)?.map(|mode| (path.to_owned(), mode)));
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        for entry in entries(path)? {
            close_tree(&entry, mended)?;
        }
    }
    Ok(())
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let listed = fs::read_dir(dir).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    listed.with_context(|| format!("cannot read the data folder {}", dir.display()))
}

/// Removes the permissions of group and others from a path, and returns its old mode if
/// they had any.
fn close_to_others(path: &Path) -> Result<Option<u32>> {
    let metadata = match fs::symlink_metadata(path) {
        // A temporary file was deleted since the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.with_context(|| format!("cannot read the permissions of {}", path.display()))?,
    };
    let mode = metadata.mode() & 0o7777;
    if metadata.is_symlink() || mode & OF_OTHERS == 0 {
        return Ok(None);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !OF_OTHERS)).with_context(|| {
        format!("other users can open {}; run `chmod go= {}` as its owner", path.display(), path.display())
    })?;
    Ok(Some(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_open_to_others_become_private() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(data.join("tollbridge.redb"), b"money").unwrap();
        fs::create_dir(data.join("keys")).unwrap();
        fs::write(data.join("keys/quotes.key"), [1; 32]).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", data.join("link")).unwrap();
        for (path, mode) in [("", 0o755), ("tollbridge.redb", 0o644), ("keys", 0o750), ("keys/quotes.key", 0o640)] {
            fs::set_permissions(data.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        let others = fs::metadata("/etc/hostname").unwrap().mode();
        open_private_folder(&data).unwrap();
        fs::write(data.join("made_later"), b"").unwrap();
        let expected = [
            ("", 0o700),
            ("tollbridge.redb", 0o600),
            ("keys", 0o700),
            ("keys/quotes.key", 0o600),
            ("made_later", 0o600),
        ];
        for (path, mode) in expected {
            assert_eq!(fs::metadata(data.join(path)).unwrap().mode() & 0o777, mode, "{path}");
        }
        assert_eq!(fs::metadata("/etc/hostname").unwrap().mode(), others);
    }
}
