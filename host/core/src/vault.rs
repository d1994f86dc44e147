//! The host's own secrets: 32 random bytes per purpose, each in a file of mode 0600 below
//! the data folder, created on first use.
//!
//! Invariants: two purposes never share a secret; a file with any other content causes an
//! error and is never replaced (silently replacing a signing key would orphan everything
//! that the old key signed).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// A secret of 32 bytes that are wiped when dropped.
pub type SecretBytes = Zeroizing<[u8; 32]>;

/// The file with one line of data about each retired secret.
const RETIRED: &str = "retired.jsonl";

/// The secrets of a data folder, one file each.
pub struct Vault {
    dir: PathBuf,
}

/// An error from reading or creating a secret.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum VaultError {
    #[error("{path}: {source}")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("{path} is not a secret of 32 bytes; restore it from a backup")]
    Damaged { path: String },
    #[error("{path} is missing, and existing data depends on it; restore it from a backup")]
    Missing { path: String },
}

impl Vault {
    /// Opens (or creates, mode 0700) the folder `keys` of a data folder.
    pub fn open(data: &Path) -> Result<Self, VaultError> {
        let dir = data.join("keys");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir).map_err(at(&dir))?;
        Ok(Self { dir })
    }

    /// Returns the secret of a purpose, for example `quotes`, creating it if it
    /// does not exist.
    pub fn secret(&self, purpose: &str) -> Result<SecretBytes, VaultError> {
        match self.existing(purpose) {
            Err(VaultError::Missing { .. }) => self.make(purpose, &self.dir.join(format!("{purpose}.key"))),
            known => known,
        }
    }

    /// Returns the secret of a purpose, creating it if `is_new`.
    ///
    /// # Errors
    /// The secret is missing although existing data depends on it; a new secret would
    /// silently replace it.
    pub fn secret_if_new(&self, purpose: &str, is_new: bool) -> Result<SecretBytes, VaultError> {
        if is_new { self.secret(purpose) } else { self.existing(purpose) }
    }

    /// Returns the existing secret of a purpose; never creates one, because existing data
    /// depends on it.
    pub fn existing(&self, purpose: &str) -> Result<SecretBytes, VaultError> {
        let path = self.dir.join(format!("{purpose}.key"));
        match File::open(&path) {
            Ok(file) => read(file, &path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(VaultError::Missing { path: path.display().to_string() })
            }
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// Returns the file of retired secrets: one line each, oldest first.
    pub fn retired(&self) -> Result<String, VaultError> {
        let path = self.dir.join(RETIRED);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read.map_err(at(&path)),
        }
    }

    /// Writes `line`, which describes the secret, to disk, then deletes the secret
    /// permanently. The next request for the purpose creates a new secret.
    pub fn retire(&self, purpose: &str, line: &str) -> Result<(), VaultError> {
        let path = self.dir.join(RETIRED);
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(at(&path))?;
        file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(at(&path))?;
        let secret = self.dir.join(format!("{purpose}.key"));
        fs::remove_file(&secret).map_err(at(&secret))?;
        File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(at(&self.dir))
    }

    /// Creates a secret. It is written to a draft file that is then renamed, so that a
    /// crash leaves no partial secret.
    fn make(&self, purpose: &str, path: &Path) -> Result<SecretBytes, VaultError> {
        let mut secret = Zeroizing::new([0_u8; 32]);
        getrandom::fill(secret.as_mut()).map_err(|error| at(path)(io::Error::other(error)))?;
        let draft = self.dir.join(format!(".{purpose}.{}", std::process::id()));
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft).map_err(at(&draft))?;
        file.write_all(secret.as_ref()).and_then(|()| file.sync_all()).map_err(at(&draft))?;
        fs::rename(&draft, path).map_err(at(path))?;
        File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(at(&self.dir))?;
        Ok(secret)
    }
}

fn read(file: File, path: &Path) -> Result<SecretBytes, VaultError> {
    let mut bytes = Zeroizing::new(Vec::new());
    file.take(33).read_to_end(&mut bytes).map_err(at(path))?;
    let secret = <[u8; 32]>::try_from(bytes.as_slice());
    secret.map(Zeroizing::new).map_err(|_| VaultError::Damaged { path: path.display().to_string() })
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> VaultError {
    let path = path.display().to_string();
    move |source| VaultError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn keeps_a_secret_per_purpose() {
        let data = tempfile::tempdir().unwrap();
        let vault = Vault::open(data.path()).unwrap();
        let quotes = vault.secret("quotes").unwrap();
        assert_ne!(*quotes, *vault.secret("cache").unwrap());
        assert_eq!(*quotes, *Vault::open(data.path()).unwrap().secret("quotes").unwrap());
        let mode = fs::metadata(data.path().join("keys/quotes.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn never_replaces_a_damaged_secret() {
        let data = tempfile::tempdir().unwrap();
        let vault = Vault::open(data.path()).unwrap();
        fs::write(data.path().join("keys/quotes.key"), b"short").unwrap();
        assert!(matches!(vault.secret("quotes"), Err(VaultError::Damaged { .. })));
    }
}
