//! An on-disk cache of compiled code, so that a restart does not compile everything again. The
//! cache also records that a component's examples fit its schemas.
//!
//! Invariants:
//! 1. Code is run only if its HMAC under a key of this host verifies over the bytes in memory:
//!    write access to the files without the key is useless. The key for code installed with the
//!    program is public; such code is run only if every user who can write to it can also write to
//!    the program itself.
//! 2. An entry that is missing, damaged or from another engine is compiled again; the cache never
//!    makes a load fail.
//! 3. After a crash, an entry is either complete or missing.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use zeroize::Zeroizing;

use super::native::{Authentic, CodeDraft};
use crate::limits::COMPILED_BYTES_MAX;

const DOMAIN: &[u8] = b"tollbridge compiled code v1\0";
/// MAC domain of checked examples. Raise the version in it when the checks of examples change.
const CHECKED_DOMAIN: &[u8] = b"tollbridge checked examples v1\0";
const MAC_BYTES: usize = 32;
/// The MAC key of code that is installed with the program. The key is public, so the MAC detects
/// only damage.
pub const INSTALLED_KEY: [u8; 32] = [0; 32];
/// Chunk size for reading and authenticating a file.
const PIECE_BYTES: usize = 256 << 10;

static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// A folder of compiled code.
pub(crate) struct CodeCache {
    dir: PathBuf,
    key: Zeroizing<[u8; 32]>,
    /// Owners whose files are accepted in a folder of installed code. The MAC key of that folder is
    /// public, so file ownership is its only protection.
    owners: Option<[u32; 2]>,
    /// The digest of the engine's version and settings.
    engine: [u8; 32],
}

impl CodeCache {
    /// Opens or creates the cache folder; only the current user has access.
    pub(crate) fn open(dir: &Path, key: Zeroizing<[u8; 32]>, engine: &Engine) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        Ok(Self { dir: dir.to_owned(), key, owners: None, engine: digest_of(engine) })
    }

    /// Opens a folder of code that was compiled under [`INSTALLED_KEY`] when the program
    /// was packaged.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, or is writable by users other than root and the
    /// program's owner.
    pub(crate) fn installed(dir: &Path, engine: &Engine) -> io::Result<Self> {
        let owners = [0, fs::metadata("/proc/self/exe").or_else(|_| fs::metadata(std::env::current_exe()?))?.uid()];
        if !is_theirs(&fs::symlink_metadata(dir)?, owners) {
            return Err(io::Error::other("users other than root and the owner of the program can write to it"));
        }
        let key = Zeroizing::new(INSTALLED_KEY);
        Ok(Self { dir: dir.to_owned(), key, owners: Some(owners), engine: digest_of(engine) })
    }

    /// Returns the compiled code of a component if it is cached and authentic.
    pub(crate) fn get(&self, component: &[u8; 32]) -> Option<Authentic<'static>> {
        let path = self.path(component);
        // Only a regular file is opened: an attacker could have placed a link or a pipe here.
        let mut file = self.open_file(&path)?;
        let length = file.metadata().ok()?.len();
        if length > COMPILED_BYTES_MAX {
            return None;
        }
        let mut mac = [0; MAC_BYTES];
        file.read_exact(&mut mac).ok()?;
        let mut copy = Copied { mac: self.mac(component)?, code: CodeDraft::new(length).ok()? };
        io::copy(&mut BufReader::with_capacity(PIECE_BYTES, file.take(COMPILED_BYTES_MAX)), &mut copy).ok()?;
        let Copied { mac: computed, code } = copy;
        match computed.verify_slice(&mac) {
            Ok(()) => code.vouch().ok(),
            Err(_) => {
                tracing::warn!(path = %path.display(), "compiled code is damaged or forged; compiling again");
                None
            }
        }
    }

    /// Returns whether the component has a cache entry, valid or not.
    pub(crate) fn has(&self, component: &[u8; 32]) -> bool {
        fs::symlink_metadata(self.path(component)).is_ok()
    }

    /// Removes the compiled code of a component, and the record that its examples were checked.
    pub(crate) fn forget(&self, component: &[u8; 32]) {
        for path in [self.path(component), self.checked_path(component)] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(%error, dir = %self.dir.display(), "compiled code could not be removed");
                }
                _ => {}
            }
        }
    }

    /// Returns whether this host has already checked that the examples of a description fit its
    /// schemas.
    pub(crate) fn is_checked(&self, component: &[u8; 32], description: &[u8; 32]) -> bool {
        let Some(mut file) = self.open_file(&self.checked_path(component)) else { return false };
        let mut found = [0; MAC_BYTES];
        let whole = file.metadata().is_ok_and(|data| data.len() == 32) && file.read_exact(&mut found).is_ok();
        whole && self.checked_mac(component, description).is_some_and(|mac| mac.verify_slice(&found).is_ok())
    }

    /// Opens a cache file if it is a regular file with an accepted owner.
    fn open_file(&self, path: &Path) -> Option<File> {
        fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        let file = File::open(path).ok()?;
        // Check the opened file as well: the path may have been replaced in between.
        let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
        self.owners.is_none_or(|owners| is_theirs(&found, owners)).then_some(file)
    }

    /// Records that the examples of a description fit its schemas.
    pub(crate) fn put_checked(&self, component: &[u8; 32], description: &[u8; 32]) {
        let Some(mac) = self.checked_mac(component, description) else { return };
        if let Err(error) = self.write(&self.checked_path(component), &[&mac.finalize().into_bytes()]) {
            tracing::warn!(%error, dir = %self.dir.display(), "the check of the examples was not recorded");
        }
    }

    /// Removes entries written before `before` that belong to a component not in `in_use` or to
    /// another engine; returns the number of removed files.
    pub(crate) fn sweep(&self, in_use: &HashSet<[u8; 32]>, before: SystemTime) -> io::Result<usize> {
        let paths = |component| [self.path(component), self.checked_path(component)];
        let in_use: HashSet<PathBuf> = in_use.iter().flat_map(paths).collect();
        let mut swept = 0;
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            let path = entry.path();
            let is_ours = path.extension().is_some_and(|kind| kind == "code" || kind == "checked" || kind == "draft");
            let written = entry.metadata()?.modified()?;
            if is_ours && written < before && !in_use.contains(&path) {
                fs::remove_file(&path)?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Stores newly compiled code in the cache. A failure is only logged.
    pub(crate) fn put(&self, component: &[u8; 32], code: &[u8]) {
        if let Err(error) = self.try_put(component, code) {
            tracing::warn!(%error, dir = %self.dir.display(), "compiled code was not cached");
        }
    }

    fn try_put(&self, component: &[u8; 32], code: &[u8]) -> io::Result<()> {
        let mut mac = self.mac(component).ok_or_else(|| io::Error::other("no key"))?;
        mac.update(code);
        let mac = mac.finalize().into_bytes();
        self.write(&self.path(component), &[&mac, code])
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        // The name is unique even if two processes or threads store the same component at once.
        let draft =
            path.with_extension(format!("{}.{}.draft", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed)));
        let _ = fs::remove_file(&draft);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        drop(file);
        fs::rename(&draft, path)?;
        File::open(&self.dir)?.sync_all()
    }

    /// Starts the MAC of compiled code, which covers the component and the engine that compiled it.
    fn mac(&self, component: &[u8; 32]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_ref()).ok()?;
        mac.update(DOMAIN);
        mac.update(component);
        mac.update(&self.engine);
        Some(mac)
    }

    /// Returns the MAC of a checked description, which also covers the component and the engine
    /// that ran it.
    fn checked_mac(&self, component: &[u8; 32], description: &[u8; 32]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_ref()).ok()?;
        for part in [CHECKED_DOMAIN, component, &self.engine, description] {
            mac.update(part);
        }
        Some(mac)
    }

    fn checked_path(&self, component: &[u8; 32]) -> PathBuf {
        self.path(component).with_extension("checked")
    }

    fn path(&self, component: &[u8; 32]) -> PathBuf {
        let engine = self.engine.first_chunk::<8>().map(hex::encode).unwrap_or_default();
        self.dir.join(format!("{}-{engine}.code", hex::encode(component)))
    }
}

/// Returns whether the file belongs to one of the owners and only that owner can write to it.
fn is_theirs(found: &fs::Metadata, owners: [u32; 2]) -> bool {
    owners.contains(&found.uid()) && found.mode() & 0o022 == 0
}

fn digest_of(engine: &Engine) -> [u8; 32] {
    let mut digest = Digester(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut digest);
    digest.0.finalize().into()
}

/// A copy of a file that is authenticated while it is copied. The copy holds exactly the hashed
/// bytes, even if the file changes meanwhile.
struct Copied {
    mac: Hmac<Sha256>,
    code: CodeDraft,
}

impl Write for Copied {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.code.write_all(bytes)?;
        self.mac.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adapts SHA-256 to the `Hasher` trait: the standard hasher has a short output, which
/// may differ between builds.
struct Digester(Sha256);

impl Hasher for Digester {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::code::engine::{self, CodeTarget};
    use crate::code::memory_layout::MemoryLayout;
    use crate::code::native;

    const COMPONENT: [u8; 32] = [7; 32];

    fn engine() -> Engine {
        crate::code::engine::build(&tollbridge_plugin::RuntimeLimits { instances: 2, ..Default::default() }).unwrap().0
    }

    fn cache(dir: &Path, key: u8, engine: &Engine) -> CodeCache {
        CodeCache::open(dir, Zeroizing::new([key; 32]), engine).unwrap()
    }

    fn compiled(engine: &Engine) -> Vec<u8> {
        engine.precompile_component(&wat::parse_str("(component)").unwrap()).unwrap()
    }

    #[test]
    fn what_was_put_loads_again() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = cache(dir.path(), 1, &engine);
        assert!(cache.get(&COMPONENT).is_none());
        cache.put(&COMPONENT, &compiled(&engine));
        native::load(&engine, &cache.get(&COMPONENT).unwrap()).unwrap();
        assert!(cache.get(&[8; 32]).is_none() && cache.has(&COMPONENT) && !cache.has(&[8; 32]));
        cache.forget(&COMPONENT);
        cache.forget(&COMPONENT);
        assert!(!cache.has(&COMPONENT) && fs::read_dir(dir.path()).unwrap().next().is_none());
    }

    #[test]
    fn what_nobody_wants_any_more_is_swept() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = cache(dir.path(), 1, &engine);
        let [in_use, gone, fresh] = [[1; 32], [2; 32], [3; 32]];
        for component in [in_use, gone, fresh] {
            cache.put(&component, b"code");
        }
        // An entry of an older engine, a partial entry, and an unrelated file.
        let other = cache.path(&in_use).with_file_name(format!("{}-0011223344556677.code", hex::encode(in_use)));
        let (draft, foreign) = (cache.path(&gone).with_extension("7.draft"), dir.path().join("notes.txt"));
        for path in [&other, &draft, &foreign] {
            fs::write(path, "x").unwrap();
        }
        let (now, hour) = (SystemTime::now(), Duration::from_secs(3_600));
        for path in [&cache.path(&in_use), &cache.path(&gone), &other, &draft, &foreign] {
            File::options().write(true).open(path).unwrap().set_modified(now - 2 * hour).unwrap();
        }
        assert_eq!(cache.sweep(&HashSet::from([in_use]), now - hour).unwrap(), 3);
        assert!(cache.has(&in_use) && cache.has(&fresh) && !cache.has(&gone));
        assert!(!other.exists() && !draft.exists() && foreign.exists());
        assert_eq!(cache.sweep(&HashSet::from([in_use]), now - hour).unwrap(), 0);
    }

    /// Code packaged for any processor runs on this one, and is rejected if another user can write
    /// to it.
    #[test]
    fn what_is_installed_is_taken_if_only_its_owner_could_write_it() {
        let (dir, here) = (tempfile::tempdir().unwrap(), engine());
        let folder = dir.path().join("compiled");
        let layout = MemoryLayout::Wide;
        let packing = engine::build_compiler(layout, CodeTarget::AnyProcessor).unwrap();
        let packed = CodeCache::open(&folder, Zeroizing::new(INSTALLED_KEY), &packing).unwrap();
        packed.put(&COMPONENT, &compiled(&packing));
        packed.put_checked(&COMPONENT, &[1; 32]);
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let file = packed.path(&COMPONENT);
        set(&folder, 0o755);
        set(&file, 0o644);
        let installed = CodeCache::installed(&folder, &packing).unwrap();
        native::load(&here, &installed.get(&COMPONENT).unwrap()).unwrap();
        assert!(installed.is_checked(&COMPONENT, &[1; 32]) && !installed.is_checked(&COMPONENT, &[2; 32]));
        set(&file, 0o664);
        assert!(installed.get(&COMPONENT).is_none(), "a file writable by its group must be rejected");
        set(&file, 0o644);
        set(&folder, 0o777);
        assert!(CodeCache::installed(&folder, &packing).is_err(), "a folder writable by everyone must be rejected");
        assert!(CodeCache::installed(&dir.path().join("none"), &packing).is_err());
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = cache(dir.path(), 1, &engine);
        cache.put(&COMPONENT, b"some compiled code");
        let path = cache.path(&COMPONENT);
        let good = fs::read(&path).unwrap();
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert!(cache.get(&COMPONENT).is_none(), "byte {index}");
        }
        for length in [0, 31, 32, good.len() - 1] {
            fs::write(&path, &good[..length]).unwrap();
            assert!(cache.get(&COMPONENT).is_none(), "length {length}");
        }
        fs::write(&path, &good).unwrap();
        assert!(cache.get(&COMPONENT).is_some());
    }

    #[test]
    fn what_was_checked_is_known_for_this_description_alone() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let (ours, theirs) = (cache(dir.path(), 1, &engine), cache(dir.path(), 2, &engine));
        assert!(!ours.is_checked(&COMPONENT, &[1; 32]));
        theirs.put_checked(&COMPONENT, &[1; 32]);
        assert!(!ours.is_checked(&COMPONENT, &[1; 32]), "another component's entry");
        ours.put_checked(&COMPONENT, &[1; 32]);
        assert!(ours.is_checked(&COMPONENT, &[1; 32]) && !ours.is_checked(&COMPONENT, &[2; 32]));
        assert!(!ours.is_checked(&[8; 32], &[1; 32]));
        // The record is stored next to the code, and is swept and removed with it.
        ours.put(&COMPONENT, b"code");
        let later = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(ours.sweep(&HashSet::from([COMPONENT]), later).unwrap(), 0);
        assert!(ours.is_checked(&COMPONENT, &[1; 32]));
        assert_eq!(ours.sweep(&HashSet::new(), later).unwrap(), 2);
        ours.put_checked(&COMPONENT, &[1; 32]);
        ours.forget(&COMPONENT);
        assert!(!ours.is_checked(&COMPONENT, &[1; 32]) && fs::read_dir(dir.path()).unwrap().next().is_none());
    }

    #[test]
    fn an_entry_under_another_key_or_name_is_not_ours() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let (ours, theirs) = (cache(dir.path(), 1, &engine), cache(dir.path(), 2, &engine));
        theirs.put(&COMPONENT, b"evil");
        assert!(ours.get(&COMPONENT).is_none());
        // An authentic entry must not verify for another component.
        ours.put(&COMPONENT, b"good");
        fs::rename(ours.path(&COMPONENT), ours.path(&[9; 32])).unwrap();
        assert!(ours.get(&[9; 32]).is_none());
    }

    #[test]
    fn links_are_not_followed() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = cache(&dir.path().join("cache"), 1, &engine);
        cache.put(&COMPONENT, b"code");
        let elsewhere = dir.path().join("elsewhere");
        fs::rename(cache.path(&COMPONENT), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, cache.path(&COMPONENT)).unwrap();
        assert!(cache.get(&COMPONENT).is_none());
    }

    #[test]
    fn only_this_user_may_enter() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let inner = dir.path().join("cache");
        let cache = cache(&inner, 1, &engine);
        cache.put(&COMPONENT, b"code");
        assert_eq!(fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(cache.path(&COMPONENT)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
