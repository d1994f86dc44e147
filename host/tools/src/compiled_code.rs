//! A cache of the compiled code of an author's components, because compiling a Python component
//! takes ten seconds.
//!
//! Invariants: the cache and its key are in the user's own cache folder, so only code that this
//! user compiled is executed; the cache's size is bounded; without a cache folder every component
//! is compiled again, and nothing fails.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tollbridge_core::vault::{SecretBytes, Vault, VaultError};

/// Maximum size of the cache in bytes; the least recently used entries are removed first.
const BYTES_MAX: u64 = 512 << 20;

/// A cache folder, and the key that authenticates its entries.
pub(crate) struct CompiledCode {
    pub(crate) folder: PathBuf,
    pub(crate) key: SecretBytes,
}

/// A file in the cache, with its size and age.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl CompiledCode {
    /// Opens the user's cache, and creates it if needed; `None` if the user has no cache folder.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = folder(|name| std::env::var_os(name))?;
        match Self::open(&folder) {
            Ok(kept) => Some(kept),
            Err(error) => {
                tracing::debug!(%error, "compiled code is not cached");
                None
            }
        }
    }

    fn open(folder: &Path) -> Result<Self, VaultError> {
        Ok(Self { key: Vault::open(folder)?.secret("compiled")?, folder: folder.join("code") })
    }

    /// Marks a component's entry as used now, and removes the least recently used entries.
    pub(crate) fn used(&self, sha256: &[u8; 32]) {
        self.clean_up(&hex::encode(sha256), BYTES_MAX, SystemTime::now());
    }

    fn clean_up(&self, used: &str, bytes_max: u64, now: SystemTime) {
        let mut entries = self.entries();
        for entry in &mut entries {
            if entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(used)) {
                entry.used = now;
                // The modification time only decides the order of removal, so an error is
                // ignored.
                let _ = fs::File::options().write(true).open(&entry.path).and_then(|file| file.set_modified(now));
            }
        }
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut bytes = 0_u64;
        for entry in entries {
            bytes = bytes.saturating_add(entry.bytes);
            // The entry in use is kept, whatever its size.
            if bytes > bytes_max && entry.used != now {
                let _ = fs::remove_file(&entry.path);
            }
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let files = self.folder.read_dir().into_iter().flatten().flatten();
        let entry = |file: fs::DirEntry| {
            let data = file.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry { path: file.path(), bytes: data.len(), used: data.modified().ok()? })
        };
        files.filter_map(entry).collect()
    }
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("tollbridge").join("compiled"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_in_the_users_cache() {
        let only =
            |name: &'static str, value: &'static str| move |asked: &str| (asked == name).then(|| OsString::from(value));
        assert_eq!(folder(only("HOME", "/h")).as_deref(), Some(Path::new("/h/.cache/tollbridge/compiled")));
        assert_eq!(folder(only("XDG_CACHE_HOME", "/c")).as_deref(), Some(Path::new("/c/tollbridge/compiled")));
        assert!(folder(only("XDG_CACHE_HOME", "c")).is_none() && folder(|_| None).is_none());
    }

    #[test]
    fn one_key_for_all_runs() {
        let root = tempfile::tempdir().expect("a folder");
        let key = || CompiledCode::open(root.path()).expect("a key").key;
        assert_eq!(*key(), *key());
    }

    #[test]
    fn long_unused_code_is_evicted() {
        let root = tempfile::tempdir().expect("a folder");
        let kept = CompiledCode::open(root.path()).expect("a key");
        fs::create_dir(&kept.folder).expect("a folder");
        let now = SystemTime::now();
        let put = |name: &str, hours: u64| {
            let path = kept.folder.join(name);
            fs::write(&path, [0; 100]).expect("a file");
            let file = fs::File::options().write(true).open(&path).expect("a file");
            file.set_modified(now - Duration::from_secs(hours * 3_600)).expect("a time");
        };
        for (name, hours) in [("aa-1.code", 3), ("bb-1.code", 2), ("cc-1.code", 1)] {
            put(name, hours);
        }
        let names = || {
            let files = kept.folder.read_dir().expect("a folder").flatten();
            let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        kept.clean_up("aa", 300, now);
        assert_eq!(names(), ["aa-1.code", "bb-1.code", "cc-1.code"]);
        // `aa` was just used, so the other entry is the oldest.
        kept.clean_up("dd", 200, now + Duration::from_secs(1));
        assert_eq!(names(), ["aa-1.code", "cc-1.code"]);
        // The entry in use is never removed, however large it is.
        kept.clean_up("cc", 50, now + Duration::from_secs(2));
        assert_eq!(names(), ["cc-1.code"]);
    }
}
