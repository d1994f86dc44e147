//! Files below the registry's root, opened one path component at a time.
//!
//! Every component is opened relative to its parent's handle with `O_NOFOLLOW` and is a plain name,
//! so symbolic links and `..` are never followed, and swapping a folder for a link between two
//! steps has no effect. `openat2` with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS` guarantees the same;
//! this works on every Unix and in sandboxes that refuse that newer call.
//!
//! Invariants:
//! 1. Only regular files are opened, and opening never blocks (no pipes).
//! 2. Reads return bytes in memory; nothing is mapped, so a later change of the file does not
//!    affect verified bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// An open folder at or below the registry's root.
pub(super) struct Folder(OwnedFd);

/// The state of a file, to detect changes. Includes the change time because, unlike the
/// modification time, it cannot be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    /// Change time: seconds and nanoseconds since 1970.
    pub(super) changed: (i128, i128),
    modified: (i128, i128),
    device: i128,
    inode: i128,
    regular: bool,
    link: bool,
}

/// The reason why a file in the registry cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum FileFault {
    #[error("is missing")]
    Missing,
    #[error("is a symbolic link; the registry holds real files only, copy it")]
    Link,
    #[error("is not a regular file; remove it")]
    NotRegular,
    #[error("is not a folder; remove it")]
    NotAFolder,
    #[error("has {size} bytes; at most {max} are allowed")]
    TooLarge { size: u64, max: u64 },
    #[error("cannot be read: {0}")]
    Io(String),
}

impl From<io::Error> for FileFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Self::Link,
            io::ErrorKind::NotADirectory => Self::NotAFolder,
            _ => Self::Io(error.to_string()),
        }
    }
}

impl Folder {
    /// Opens the root folder. The operator chose this path, so links in it are followed.
    pub(super) fn open_root(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Opens a subfolder; a link is an error.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::openat(&self.0, component(name)?, flags, Mode::empty())?))
    }

    /// Opens a subfolder like `folder`, but reports a link as its own error.
    pub(super) fn child(&self, name: &str) -> Result<Self, FileFault> {
        match self.stamp(name)? {
            Some(stamp) if stamp.link => Err(FileFault::Link),
            _ => Ok(self.folder(name)?),
        }
    }

    /// Opens a subfolder, and creates it if it does not exist.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<Self> {
        match rustix::fs::mkdirat(&self.0, component(name)?, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a subfolder that must not exist yet, and opens it.
    pub(super) fn make_new_folder(&self, name: &str) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.0, component(name)?, Mode::from_raw_mode(0o755))?;
        self.folder(name)
    }

    /// Returns at most `max` entries in no particular order, and whether there are more. Invalid
    /// UTF-8 in names becomes replacement characters.
    pub(super) fn entries(&self, max: usize) -> io::Result<(Vec<String>, bool)> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if name == "." || name == ".." {
                continue;
            }
            if names.len() == max {
                return Ok((names, true));
            }
            names.push(name.into_owned());
        }
        Ok((names, false))
    }

    /// Returns the state of an entry without following links; `None` if it does not exist.
    pub(super) fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        match rustix::fs::statat(&self.0, component(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Stamp::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the state of this folder itself.
    pub(super) fn own_stamp(&self) -> io::Result<Stamp> {
        Ok(Stamp::of(&rustix::fs::fstat(&self.0)?))
    }

    /// Reads a regular file of at most `max` bytes.
    pub(super) fn read(&self, name: &str, max: u64) -> Result<Vec<u8>, FileFault> {
        let (file, size) = self.open(name, max)?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 {
            size if size > max => Err(FileFault::TooLarge { size, max }),
            _ => Ok(bytes),
        }
    }

    /// Opens a regular file of at most `max` bytes; returns the file and its size.
    pub(super) fn open(&self, name: &str, max: u64) -> Result<(File, u64), FileFault> {
        self.stamp(name)?.ok_or(FileFault::Missing)?.check(max)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, component(name)?, flags, Mode::empty()).map_err(io::Error::from)?;
        // Checked again: the entry may have been replaced between `stat` and `open`.
        let stamp = Stamp::of(&rustix::fs::fstat(&file).map_err(io::Error::from)?);
        stamp.check(max)?;
        Ok((File::from(file), stamp.size))
    }

    /// Writes a new file and syncs it to disk.
    pub(super) fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, component(name)?, flags, Mode::from_raw_mode(0o644))?;
        let mut file = File::from(file);
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Syncs the entries of this folder to disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Moves an entry into another folder. Never replaces a folder that has entries.
    pub(super) fn rename(&self, name: &str, into: &Self, new_name: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, component(name)?, &into.0, component(new_name)?)?)
    }

    /// Removes a folder that contains no files other than these.
    pub(super) fn remove_folder(&self, name: &str, files: &[&str]) -> io::Result<()> {
        let inside = self.folder(name)?;
        for file in files {
            match rustix::fs::unlinkat(&inside.0, component(file)?, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(rustix::fs::unlinkat(&self.0, component(name)?, AtFlags::REMOVEDIR)?)
    }
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        let kind = FileType::from_raw_mode(stat.st_mode);
        Self {
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            changed: (i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
            modified: (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
            device: i128::from(stat.st_dev),
            inode: i128::from(stat.st_ino),
            regular: kind == FileType::RegularFile,
            link: kind == FileType::Symlink,
        }
    }

    /// Checks that the entry is a regular file of at most `max` bytes.
    pub(super) fn check(&self, max: u64) -> Result<(), FileFault> {
        match self {
            Self { link: true, .. } => Err(FileFault::Link),
            Self { regular: false, .. } => Err(FileFault::NotRegular),
            Self { size, .. } if *size > max => Err(FileFault::TooLarge { size: *size, max }),
            _ => Ok(()),
        }
    }
}

/// Checks that a name is one plain path component, even if the caller already did.
fn component(name: &str) -> io::Result<&str> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is not a plain file name")));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::os::unix::fs::symlink;

    #[test]
    fn only_plain_names_are_walked() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("inside")).unwrap();
        std::fs::write(dir.path().join("secret"), "s").unwrap();
        let root = Folder::open_root(&dir.path().join("inside")).unwrap();
        for name in ["..", ".", "", "../secret", "/etc/passwd", "a\0"] {
            assert!(root.read(name, 10).is_err() && root.folder(name).is_err() && root.write_new(name, b"").is_err());
        }
    }

    #[test]
    fn links_pipes_folders_and_large_files_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "12345").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(dir.path(), path("loop")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let pipe = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), FileType::Fifo, pipe, 0).unwrap();

        let root = Folder::open_root(dir.path()).unwrap();
        assert_eq!(root.read("file", 5), Ok(b"12345".to_vec()));
        assert_eq!(root.read("file", 4), Err(FileFault::TooLarge { size: 5, max: 4 }));
        assert_eq!(root.read("link", 5), Err(FileFault::Link));
        assert_eq!(root.read("folder", 5), Err(FileFault::NotRegular));
        assert_eq!(root.read("pipe", 5), Err(FileFault::NotRegular));
        assert_eq!(root.read("none", 5), Err(FileFault::Missing));
        assert_eq!(root.child("loop").err(), Some(FileFault::Link));
        assert_eq!(root.child("file").err(), Some(FileFault::NotAFolder));
        assert!(root.folder("loop").is_err());
        assert!(root.folder("folder").is_ok());
    }

    #[test]
    fn a_stamp_tells_replaced_files_apart_even_when_their_times_are_set_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "aaa").unwrap();
        let root = Folder::open_root(dir.path()).unwrap();
        let before = root.stamp("file").unwrap().unwrap();
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&path, "bbb").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        let after = root.stamp("file").unwrap().unwrap();
        assert_eq!((before.size, before.modified, before.inode), (after.size, after.modified, after.inode));
        assert_ne!(before, after);
    }
}
