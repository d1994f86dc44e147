//! Stored log-ins: a server and a key for each.
//!
//! Invariants: the file is not used unless only its owner can read it; a key is in no log, message
//! or `Debug` output, and is sent only to the server that it was stored for.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions, rename};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use reqwest::Url;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tollbridge_registry::key_folder;
use tollbridge_tools::hinted::Hinted;
use zeroize::Zeroizing;

/// Default name of a log-in.
pub(super) const DEFAULT: &str = "default";
/// Maximum size of the file: enough for a few hundred log-ins.
const FILE_BYTES_MAX: u64 = 256 << 10;
const NAME_BYTES_MAX: usize = 64;

/// A stored log-in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    /// The server's address.
    #[serde(with = "as_text")]
    pub(super) server: Url,
    /// An API key of an account on the server.
    #[serde(serialize_with = "write_key", deserialize_with = "read_key")]
    pub(super) key: Zeroizing<String>,
    /// The key's account.
    pub(super) account: String,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("server", &self.server.as_str())
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

fn write_key<S: Serializer>(key: &Zeroizing<String>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(key)
}

fn read_key<'de, D: Deserializer<'de>>(from: D) -> Result<Zeroizing<String>, D::Error> {
    String::deserialize(from).map(Zeroizing::new)
}

/// Serializes an address as text.
mod as_text {
    use reqwest::Url;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(url: &Url, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(url.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Url, D::Error> {
        Url::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// All log-ins, and the path of their file.
#[derive(Debug)]
pub(super) struct Profiles {
    path: PathBuf,
    named: BTreeMap<String, Profile>,
}

impl Profiles {
    /// Reads the log-ins of this user.
    pub(super) fn of_user() -> Result<Self> {
        let publishers = key_folder()?;
        let folder = publishers.parent().context("cannot find a folder for log-ins")?;
        Self::in_folder(folder)
    }

    /// Reads the log-ins in a folder.
    pub(super) fn in_folder(folder: &Path) -> Result<Self> {
        Self::read(&folder.join("profiles.toml"))
    }

    fn read(path: &Path) -> Result<Self> {
        let shown = || format!("cannot read {}", path.display());
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), named: BTreeMap::new() });
            }
            opened => opened.with_context(shown)?,
        };
        let mode = file.metadata().with_context(shown)?.mode() & 0o777;
        if mode & 0o077 != 0 {
            let message = format!(
                "{} holds API keys and other users may read it (mode {mode:o}), so it is not used",
                path.display()
            );
            let hint = format!("chmod 600 {}, and replace the keys if anyone else uses this machine", path.display());
            return Err(Hinted::error(message, hint));
        }
        let mut text = Zeroizing::new(String::new());
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).with_context(shown)?;
        // The parser's own message would show the line, which contains a key.
        let named = toml::from_str(&text)
            .map_err(|_| anyhow::anyhow!("{} is damaged; remove it and log in again", path.display()))?;
        Ok(Self { path: path.to_owned(), named })
    }

    /// Returns the log-in with this name.
    pub(super) fn get(&self, name: &str) -> Result<&Profile> {
        let missing = || {
            let known: Vec<&str> = self.named.keys().map(String::as_str).collect();
            let message = match known.is_empty() {
                true => format!("not logged in as profile `{name}`"),
                false => format!("there is no profile `{name}`; existing profiles: {}", known.join(", ")),
            };
            Hinted::error(message, format!("tollbridge plugin login --server URL --profile {name}"))
        };
        self.named.get(name).ok_or_else(missing)
    }

    /// Returns the log-in for a server: the default one, or the only other one.
    pub(super) fn for_server(&self, server: &Url) -> Option<&Profile> {
        let mut others = self.named.values().filter(|profile| is_same(&profile.server, server));
        let usual = self.named.get(DEFAULT).filter(|profile| is_same(&profile.server, server));
        usual.or_else(|| others.next().filter(|_| others.next().is_none()))
    }

    /// Stores a log-in, replacing one of the same name.
    pub(super) fn put(&mut self, name: &str, profile: Profile) -> Result<()> {
        check_name(name)?;
        self.named.insert(name.to_owned(), profile);
        self.write()
    }

    /// Removes a log-in; returns whether it existed.
    pub(super) fn remove(&mut self, name: &str) -> Result<bool> {
        let was_there = self.named.remove(name).is_some();
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    /// Writes a draft and renames it, so that a crash leaves the old file or the new one.
    fn write(&self) -> Result<()> {
        let shown = || format!("cannot write {}", self.path.display());
        let folder = self.path.parent().with_context(shown)?;
        DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(shown)?;
        let text = Zeroizing::new(toml::to_string(&self.named)?);
        let draft = self.path.with_extension(format!("{}.draft", std::process::id()));
        let _ = std::fs::remove_file(&draft);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
        let mut file = file.with_context(shown)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).with_context(shown)?;
        rename(&draft, &self.path).with_context(shown)
    }
}

/// Checks whether two addresses are of the same server.
pub(super) fn is_same(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}

fn check_name(name: &str) -> Result<()> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    ensure!(
        !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(is_fine),
        "a profile name has 1 to {NAME_BYTES_MAX} letters, digits, - and _: `{name}` is invalid"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, metadata, read_to_string, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn profile(server: &str, key: &str) -> Profile {
        Profile { server: server.parse().unwrap(), key: Zeroizing::new(key.to_owned()), account: "acct_1".to_owned() }
    }

    #[test]
    fn a_stored_profile_is_found_again_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/profiles.toml");
        let mut profiles = Profiles::read(&path).unwrap();
        assert!(profiles.get(DEFAULT).unwrap_err().to_string().contains("not logged in"));
        profiles.put(DEFAULT, profile("https://toll.example/", "tb_live_1")).unwrap();
        profiles.put("work", profile("http://127.0.0.1:8402/", "tb_test_2")).unwrap();
        assert_eq!(metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut again = Profiles::read(&path).unwrap();
        assert_eq!(again.get("work").unwrap(), &profile("http://127.0.0.1:8402/", "tb_test_2"));
        assert!(again.get("home").unwrap_err().to_string().contains("existing profiles: default, work"));
        assert!(again.remove("work").unwrap() && !again.remove("work").unwrap());
        assert!(!read_to_string(&path).unwrap().contains("tb_test_2"));
        assert!(again.put("../x", profile("http://127.0.0.1/", "k")).is_err());
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        Profiles::read(&path).unwrap().put(DEFAULT, profile("https://toll.example/", "tb_live_1")).unwrap();
        for mode in [0o640, 0o604, 0o660] {
            set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let refusal = Profiles::read(&path).unwrap_err();
            let hint = &refusal.downcast_ref::<Hinted>().unwrap().hint;
            assert!(
                refusal.to_string().contains(&format!("mode {mode:o}")) && hint.starts_with("chmod 600"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn no_message_shows_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        write(&path, "[default]\nkey = \"tb_live_secret\" x\n").unwrap();
        set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let refusal = format!("{:?}", Profiles::read(&path).unwrap_err());
        assert!(refusal.contains("is damaged") && !refusal.contains("tb_live_secret"), "{refusal}");
        assert!(!format!("{:?}", profile("https://toll.example/", "tb_live_secret")).contains("secret"));
    }

    #[test]
    fn a_server_has_the_usual_log_in_or_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut profiles = Profiles::read(&folder.path().join("profiles.toml")).unwrap();
        profiles.put("a", profile("https://a.example/", "1")).unwrap();
        profiles.put("b", profile("https://b.example/", "2")).unwrap();
        let key =
            |profiles: &Profiles, url: &str| profiles.for_server(&url.parse().unwrap()).map(|one| one.key.to_string());
        assert_eq!(key(&profiles, "https://a.example/v1/oracle/x").as_deref(), Some("1"));
        assert_eq!(key(&profiles, "http://a.example/"), None, "an address with another scheme is a different server");
        profiles.put("c", profile("https://a.example/", "3")).unwrap();
        assert_eq!(key(&profiles, "https://a.example/"), None, "which of the two?");
        profiles.put(DEFAULT, profile("https://a.example/", "4")).unwrap();
        assert_eq!(key(&profiles, "https://a.example/").as_deref(), Some("4"));
    }
}
