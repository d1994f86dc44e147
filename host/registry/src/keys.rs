//! Publishers' keys: the public key, and the secret key in a file.
//!
//! Invariants:
//! 1. A secret key is in no log, message or `Debug` output, and its file is readable by its owner
//!    alone.
//! 2. A key file is never overwritten.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::digest::Digest;
use super::error::RegistryError;
use super::fields;
use super::id::Name;
use super::key_id::KeyId;

const FILE: &str = "key file";
/// The maximum size of a key file; a regular key file has three short lines and a comment.
const KEY_FILE_BYTES_MAX: usize = 4 << 10;

/// An Ed25519 public key; written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublisherPublicKey(VerifyingKey);

/// The error for text that is not a usable public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an Ed25519 public key; write the 64 hex digits that `tollbridge publisher new` printed")]
pub struct InvalidPublicKey;

/// A publisher's name and secret key.
pub struct PublisherKey {
    name: Name,
    secret: SigningKey,
}

impl PublisherPublicKey {
    /// Returns the id of this key.
    pub fn id(&self) -> KeyId {
        KeyId::of(self.0.as_bytes())
    }

    /// Returns the key as 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Returns whether this key signed exactly this message; malleable signatures and weak keys are
    /// rejected.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
    }
}

impl FromStr for PublisherPublicKey {
    type Err = InvalidPublicKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.parse::<Digest>().map_err(|_| InvalidPublicKey)?.bytes();
        match VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => Ok(Self(key)),
            _ => Err(InvalidPublicKey),
        }
    }
}

impl TryFrom<String> for PublisherPublicKey {
    type Error = InvalidPublicKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PublisherPublicKey> for String {
    fn from(key: PublisherPublicKey) -> Self {
        key.to_string()
    }
}

impl fmt::Display for PublisherPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublisherPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PublisherKey {
    /// Generates a key from the operating system's randomness.
    pub fn generate(name: Name) -> Result<Self, RegistryError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut()).map_err(|error| RegistryError::Random(error.to_string()))?;
        Ok(Self::from_seed(name, &seed))
    }

    /// Derives the key from a 32-byte seed, for keys that are not stored in a key file.
    pub fn from_seed(name: Name, seed: &[u8; 32]) -> Self {
        Self { name, secret: SigningKey::from_bytes(seed) }
    }

    /// Returns the publisher's name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Returns the public key.
    pub fn public(&self) -> PublisherPublicKey {
        PublisherPublicKey(self.secret.verifying_key())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.secret.sign(message).to_bytes()
    }

    /// Writes `FOLDER/NAME.key` with mode 0600; the folder gets mode 0700. The file is TOML:
    /// `name`, `public_key` and `secret_key` (hex of the seed).
    pub fn save(&self, folder: &Path) -> Result<PathBuf, RegistryError> {
        let path = key_path(folder, &self.name);
        let secret = Zeroizing::new(hex::encode(Zeroizing::new(self.secret.to_bytes())));
        let text = Zeroizing::new(format!(
            "# Secret key of a Tollbridge publisher. Anyone with this file can publish in its name.\n\
             name = \"{}\"\npublic_key = \"{}\"\nsecret_key = \"{}\"\n",
            self.name,
            self.public(),
            secret.as_str()
        ));
        let write = || -> io::Result<()> {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            File::open(folder)?.sync_all()
        };
        match write() {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(RegistryError::KeyExists(path)),
            Err(error) => Err(RegistryError::io("write", &path, error)),
        }
    }

    /// Reads a key file; a file that other users can read is refused.
    pub fn load(path: &Path) -> Result<Self, RegistryError> {
        let (text, mode) = read_secret(path).map_err(|error| RegistryError::io("read", path, error))?;
        if mode & 0o077 != 0 {
            return Err(RegistryError::KeyIsReadable(path.to_owned()));
        }
        let mut top = fields::parse(FILE, &text, &["name", "public_key", "secret_key"])?;
        let name = top.parsed("name", "the publisher's name", str::parse::<Name>)?;
        let public = top.parsed("public_key", "64 hex digits", str::parse::<PublisherPublicKey>)?;
        let secret = Zeroizing::new(top.required_text("secret_key", "64 hex digits")?);
        let mut seed = Zeroizing::new([0; 32]);
        hex::decode_to_slice(secret.as_bytes(), seed.as_mut())
            .map_err(|_| top.error("secret_key", "is damaged; restore the file from a backup"))?;
        let key = Self::from_seed(name, &seed);
        if key.public() != public {
            return Err(top
                .error("public_key", "does not belong to the secret key; restore the file from a backup")
                .into());
        }
        Ok(key)
    }
}

impl fmt::Debug for PublisherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublisherKey").field("name", &self.name).field("public", &self.public()).finish_non_exhaustive()
    }
}

/// Returns the path of a publisher's key file in a folder of keys.
pub fn key_path(folder: &Path, name: &Name) -> PathBuf {
    folder.join(format!("{name}.key"))
}

/// Returns the user's folder of publisher keys: `tollbridge/publishers` in `$XDG_CONFIG_HOME`, else
/// in `$HOME/.config`.
pub fn key_folder() -> Result<PathBuf, RegistryError> {
    let folder = |variable| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
    Ok(base.ok_or(RegistryError::NoKeyFolder)?.join("tollbridge").join("publishers"))
}

/// Reads a key file; returns its text, which is wiped when dropped, and the file's mode.
fn read_secret(path: &Path) -> io::Result<(Zeroizing<String>, u32)> {
    let file = File::open(path)?;
    let mode = file.metadata()?.mode();
    // Allocate the full capacity: growing the string would leave copies of the secret in memory.
    let mut text = Zeroizing::new(String::with_capacity(KEY_FILE_BYTES_MAX));
    file.take(KEY_FILE_BYTES_MAX as u64).read_to_string(&mut text)?;
    Ok((text, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::os::unix::fs::PermissionsExt;

    fn key() -> PublisherKey {
        PublisherKey::from_seed("alice".parse().unwrap(), &[7; 32])
    }

    #[test]
    fn a_key_file_is_private_is_read_back_and_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("new").join("publishers");
        let path = key().save(&folder).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        let read = PublisherKey::load(&path).unwrap();
        assert_eq!((read.name(), read.public()), (key().name(), key().public()));
        assert!(matches!(key().save(&folder), Err(RegistryError::KeyExists(_))));
    }

    #[test]
    fn a_key_file_that_others_can_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = key().save(dir.path()).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let error = PublisherKey::load(&path).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }

    #[test]
    fn a_damaged_key_file_is_refused_without_showing_the_secret() {
        let dir = tempfile::tempdir().unwrap();
        let path = key().save(dir.path()).unwrap();
        let secret = hex::encode([7; 32]);
        let text = std::fs::read_to_string(&path).unwrap();
        for (from, to) in
            [(secret.clone(), secret.replacen("07", "08", 1)), (secret.clone(), secret.replacen("07", "xx", 1))]
        {
            std::fs::write(&path, text.replace(&from, &to)).unwrap();
            let error = PublisherKey::load(&path).unwrap_err().to_string();
            assert!(error.contains("restore") && !error.contains("0707"), "{error}");
        }
    }

    #[test]
    fn the_secret_is_not_in_debug_output() {
        assert!(!format!("{:?}", key()).contains("0707"));
        assert!(!format!("{:?}", PublisherKey::generate("a".parse().unwrap()).unwrap()).contains("secret"));
    }

    #[test]
    fn weak_and_malformed_public_keys_are_refused() {
        let neutral = format!("01{}", "00".repeat(31));
        for text in ["", "00", &"00".repeat(32), &neutral, &key().public().to_string().to_uppercase()] {
            assert!(text.parse::<PublisherPublicKey>().is_err(), "{text}");
        }
        assert_eq!(key().public().to_string().parse(), Ok(key().public()));
        assert_eq!(key().public().id().to_string().len(), 32);
    }
}
