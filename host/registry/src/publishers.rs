//! `Publishers`: the publishers that this server trusts, and the plugin names that each may use.
//!
//! Invariants:
//! 1. No two publishers share a name or a key, so a signature belongs to exactly one publisher.
//! 2. A publisher publishes nothing outside its namespaces.
//! 3. A revocation names keys and is permanent; a revoked publisher can return only with a new key.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tollbridge_core::plugin_kind::PluginKind;

use super::error::RegistryError;
use super::fields::{self, FieldError, Fields};
use super::id::{Name, excerpt};
use super::key_id::KeyId;
use super::keys::{PublisherKey, PublisherPublicKey};
use crate::limits::NAME_BYTES_MAX;

/// Maximum size of `publishers.toml`: some thousand publishers.
const PUBLISHERS_BYTES_MAX: usize = 1 << 20;

const FILE: &str = "publishers.toml";
const FIELDS: [&str; 5] = ["name", "public_key", "account", "namespaces", "auto_activate"];

/// A trusted publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// Name, unique among publishers.
    pub name: Name,
    /// The public key that verifies this publisher's signatures.
    pub key: PublisherPublicKey,
    /// The account that earns from the publisher's plugins.
    pub account: String,
    /// Plugin names that the publisher may use.
    pub namespaces: Namespaces,
    /// The new versions that run without the operator's approval, provided that they request no new
    /// grants or hosts.
    pub auto_activate: AutoActivate,
}

/// The versions of a publisher that run without approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoActivate {
    /// Every version waits for approval.
    Nothing,
    /// Only agents run without approval. Used for accounts that deploy: their agents carry the
    /// account's name, while bridges need the operator's approval.
    Agents,
    /// Bridges and agents run without approval.
    Everything,
}

/// The plugin names that a publisher may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// Any name, written `*`.
    Any,
    /// Names that begin with one of these prefixes.
    Prefixes(BTreeSet<Name>),
}

/// All trusted publishers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Publishers {
    by_name: BTreeMap<Name, Publisher>,
}

/// Revoked keys of former publishers. A revocation overrides `publishers.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revocations {
    keys: BTreeSet<KeyId>,
}

/// The revocations of one publisher name; the row's key is that name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revocation {
    /// Every key of this publisher name that was ever revoked.
    pub key_ids: BTreeSet<KeyId>,
    /// Unix time of the latest revocation, milliseconds.
    pub time_ms: u64,
    /// The account of this publisher, if the operator barred it from deploying. An
    /// account can be barred before it has a key.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<String>,
}

impl Namespaces {
    /// Parses `["*"]` or a list of name prefixes.
    pub fn parse<S: AsRef<str>>(texts: &[S]) -> Result<Self, String> {
        let mut prefixes = BTreeSet::new();
        for text in texts {
            match text.as_ref() {
                "*" if texts.len() == 1 => return Ok(Self::Any),
                "*" => return Err("`*` matches every name; write it alone".to_owned()),
                text => prefixes.insert(text.parse().map_err(|_| {
                    format!("{:?} is not the beginning of a name; write it like \"acme_\", without `*`", excerpt(text))
                })?),
            };
        }
        match prefixes.is_empty() {
            true => Err("is empty; write the beginnings of the publisher's plugin names, or [\"*\"]".to_owned()),
            false => Ok(Self::Prefixes(prefixes)),
        }
    }

    /// Returns whether the namespaces allow a plugin of this name.
    pub fn contain(&self, name: &Name) -> bool {
        match self {
            Self::Any => true,
            Self::Prefixes(prefixes) => prefixes.iter().any(|prefix| name.as_str().starts_with(prefix.as_str())),
        }
    }

    /// Returns `*`, or the prefixes separated by commas.
    pub fn describe(&self) -> String {
        self.to_texts().join(",")
    }

    fn to_texts(&self) -> Vec<&str> {
        match self {
            Self::Any => vec!["*"],
            Self::Prefixes(prefixes) => prefixes.iter().map(Name::as_str).collect(),
        }
    }
}

impl AutoActivate {
    /// Returns whether new versions of plugins of this kind run without approval.
    pub const fn covers(self, kind: PluginKind) -> bool {
        match self {
            Self::Nothing => false,
            Self::Agents => matches!(kind, PluginKind::Agent),
            Self::Everything => true,
        }
    }

    /// Returns the value of `auto_activate` in `publishers.toml`.
    pub const fn is_full(self) -> bool {
        matches!(self, Self::Everything)
    }
}

impl From<bool> for AutoActivate {
    fn from(full: bool) -> Self {
        if full { Self::Everything } else { Self::Nothing }
    }
}

impl Publishers {
    /// Parses the text of a `publishers.toml`: any number of `[[publisher]]`.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let mut top = fields::parse(FILE, text, &["publisher"])?;
        let mut publishers = Self::default();
        for mut table in top.tables("publisher", usize::MAX, &FIELDS)? {
            let publisher = Publisher::read(&mut table)?;
            publishers.insert(publisher).map_err(|(field, problem)| table.error(field, problem))?;
        }
        Ok(publishers)
    }

    /// Reads `publishers.toml`; a missing file means that no publisher is trusted.
    pub fn load(path: &Path) -> Result<Self, RegistryError> {
        Ok(Self::parse(&read(path)?)?)
    }

    /// Adds a publisher in memory only, for example for an account that deploys plugins.
    /// An error names the field and the reason.
    pub fn insert(&mut self, publisher: Publisher) -> Result<(), (&'static str, String)> {
        if self.by_name.contains_key(&publisher.name) {
            return Err(("name", format!("{} is listed twice; list it once", publisher.name)));
        }
        if let Some(other) = self.by_name.values().find(|other| other.key == publisher.key) {
            return Err(("public_key", format!("is {}'s key; every publisher needs its own", other.name)));
        }
        self.by_name.insert(publisher.name.clone(), publisher);
        Ok(())
    }

    /// Returns the publisher of this name, if one is trusted.
    pub fn find(&self, name: &Name) -> Option<&Publisher> {
        self.by_name.get(name)
    }

    /// Returns all trusted publishers, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Publisher> {
        self.by_name.values()
    }

    /// Appends a publisher to the file at `path`, leaving the existing text unchanged, and returns
    /// the publishers that the file then contains. The file is replaced atomically.
    pub fn add_to_file(path: &Path, publisher: &Publisher) -> Result<Self, RegistryError> {
        // If the path is a link, the link stays and its target is replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |error| RegistryError::io("write", path, error);
        fs::create_dir_all(folder).map_err(failed)?;
        // Without the lock, two concurrent commands could overwrite each other's addition.
        let lock = File::open(folder).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let before = read(path)?;
        if Self::parse(&before)?.find(&publisher.name).is_some() {
            return Err(RegistryError::PublisherExists(publisher.name.clone()));
        }
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let after = format!("{before}{gap}{}", publisher.to_toml());
        let publishers = Self::parse(&after)?;
        replace(path, &after, &lock).map_err(failed)?;
        Ok(publishers)
    }
}

impl Publisher {
    fn read(table: &mut Fields) -> Result<Self, FieldError> {
        let name = table.parsed("name", "the publisher's name", str::parse::<Name>)?;
        let key =
            table.parsed("public_key", "the 64 hex digits of its public key", str::parse::<PublisherPublicKey>)?;
        let account = table.parsed("account", "the id of the account that earns", account)?;
        let texts = table.texts("namespaces", usize::MAX, "namespaces = [\"acme_\"] or [\"*\"]")?;
        let namespaces = Namespaces::parse(&texts).map_err(|problem| table.error("namespaces", problem))?;
        let auto_activate = AutoActivate::from(table.boolean("auto_activate", false)?);
        Ok(Self { name, key, account, namespaces, auto_activate })
    }

    /// Returns the holder of a key as a publisher trusted with every name; used to check a version
    /// that was just published.
    pub(super) fn of_key(key: &PublisherKey) -> Self {
        let (name, account) = (key.name().clone(), key.name().to_string());
        Self { name, key: key.public(), account, namespaces: Namespaces::Any, auto_activate: AutoActivate::Nothing }
    }

    /// Returns this publisher as a `[[publisher]]` table. No value in it can need escaping.
    pub fn to_toml(&self) -> String {
        let Self { name, key, account, namespaces, .. } = self;
        let auto_activate = self.auto_activate.is_full();
        format!(
            "\n[[publisher]]\nname = \"{name}\"\npublic_key = \"{key}\"\naccount = \"{account}\"\n\
             namespaces = {:?}\nauto_activate = {auto_activate}\n",
            namespaces.to_texts()
        )
    }
}

impl Revocation {
    /// Reads a row of `Collection::Publishers`.
    pub fn from_row(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Serializes a row of `Collection::Publishers`.
    pub fn to_row(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// Returns whether this key is revoked, so that its signatures are rejected.
    pub fn covers(&self, key: &PublisherPublicKey) -> bool {
        self.account.is_some() || self.key_ids.contains(&key.id())
    }

    /// Revokes the publisher's current key.
    pub fn revoke(&mut self, publisher: &Publisher, time_ms: u64) {
        self.key_ids.insert(publisher.key.id());
        self.time_ms = time_ms;
    }
}

impl Revocations {
    /// Returns whether the publisher's current key is revoked.
    pub fn contains(&self, publisher: &Publisher) -> bool {
        self.contains_key(&publisher.key.id())
    }

    /// Returns whether this key is revoked.
    pub fn contains_key(&self, key_id: &KeyId) -> bool {
        self.keys.contains(key_id)
    }

    /// Adds the keys of a row.
    pub fn insert(&mut self, revocation: &Revocation) {
        self.keys.extend(revocation.key_ids.iter().cloned());
    }
}

impl FromIterator<Revocation> for Revocations {
    fn from_iter<I: IntoIterator<Item = Revocation>>(rows: I) -> Self {
        Self { keys: rows.into_iter().flat_map(|row| row.key_ids).collect() }
    }
}

fn account(text: &str) -> Result<String, String> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(allowed) {
        return Err(format!("{:?} is not an account id; copy it from `tollbridge account list`", excerpt(text)));
    }
    Ok(text.to_owned())
}

/// Reads the text of `publishers.toml`; empty if the file does not exist.
fn read(path: &Path) -> Result<String, RegistryError> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        File::open(path)?.take(PUBLISHERS_BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
        if text.len() > PUBLISHERS_BYTES_MAX {
            return Err(io::Error::other(format!("larger than {PUBLISHERS_BYTES_MAX} bytes")));
        }
        Ok(text)
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        other => other.map_err(|error| RegistryError::io("read", path, error)),
    }
}

/// Replaces the file at `path` atomically.
fn replace(path: &Path, text: &str, folder: &File) -> io::Result<()> {
    // The temporary name begins with a dot, so that the watch ignores the file.
    let name = path.file_name().ok_or_else(|| io::Error::other("not a file name"))?;
    let temporary = path.with_file_name(format!(".{}.new", name.to_string_lossy()));
    let mut file = File::create(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    folder.sync_all()
}

#[cfg(test)]
#[path = "publishers_tests.rs"]
mod tests;
