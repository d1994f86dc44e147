//! User name and password for a registry: passed by the caller, or read from Docker's
//! configuration file.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::error::OciError;

/// Maximum size of `config.json`; real files have a few hundred bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

/// The user name and password for a registry.
#[derive(Clone)]
pub struct Credentials {
    pub(crate) username: String,
    pub(crate) password: String,
}

impl Credentials {
    /// Creates credentials from a user name and a password.
    pub fn new(username: String, password: String) -> Self {
        Self { username, password }
    }

    /// Finds the credentials for a registry in Docker's `config.json`, which is in the
    /// folder that `DOCKER_CONFIG` names or in `~/.docker`. Returns `None` if the file
    /// has none.
    ///
    /// # Errors
    /// The file cannot be read, or the password is stored in a credential helper.
    pub fn of_docker(registry: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, OciError> {
        let folder = environment("DOCKER_CONFIG").map(PathBuf::from);
        let folder = folder.or_else(|| environment("HOME").map(|home| Path::new(&home).join(".docker")));
        match folder {
            Some(folder) => Self::in_file(registry, &folder.join("config.json")),
            None => Ok(None),
        }
    }

    /// Finds the credentials for a registry in a file in the format of Docker's
    /// `config.json`. Returns `None` if the file has none or does not exist.
    ///
    /// # Errors
    /// The file cannot be read, or the password is stored in a credential helper.
    pub fn in_file(registry: &str, path: &Path) -> Result<Option<Self>, OciError> {
        let failed = |why: String| OciError::Credentials(format!("{}: {why}", path.display()));
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Ok(file) if file.len() > CONFIG_BYTES_MAX => return Err(failed("the file is too large".to_owned())),
            _ => {}
        }
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::in_config(registry, &text).map_err(failed)
    }

    fn in_config(registry: &str, text: &str) -> Result<Option<Self>, String> {
        let config: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let auths = config.get("auths").and_then(Value::as_object);
        let is_it = |name: &str| {
            let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
            name.split('/').next() == Some(registry)
        };
        let entry = auths.and_then(|auths| auths.iter().find(|(name, _)| is_it(name))).map(|(_, entry)| entry);
        let text = |name: &str| entry.and_then(|entry| entry.get(name)).and_then(Value::as_str);
        if let (Some(username), Some(password)) = (text("username"), text("password")) {
            return Ok(Some(Self::new(username.to_owned(), password.to_owned())));
        }
        if let Some(auth) = text("auth").filter(|auth| !auth.is_empty()) {
            let pair = STANDARD.decode(auth).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let pair = pair.as_deref().and_then(|pair| pair.split_once(':'));
            let (username, password) =
                pair.ok_or_else(|| format!("`auth` of {registry} is not a user name and password"))?;
            return Ok(Some(Self::new(username.to_owned(), password.trim_end_matches('\0').to_owned())));
        }
        let helper = config.get("credHelpers").and_then(|helpers| helpers.get(registry));
        if helper.is_some() || (entry.is_some() && config.get("credsStore").is_some()) {
            return Err(format!(
                "a credential helper stores the password of {registry}; pass it with --username and --password-stdin, \
                 or name a file that has it in registry.artifacts_credentials"
            ));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docker_keeps_passwords_in_two_forms() {
        let config = r#"{"auths":{"a.example":{"auth":"dXNlcjpwYTpzcw=="},"https://b.example/v1/":{"username":"u","password":"p"},
            "c.example":{},"d.example":{"auth":"!"}},"credsStore":"secretservice"}"#;
        let found = |registry: &str| {
            let found = Credentials::in_config(registry, config)?;
            Ok::<_, String>(found.map(|one| (one.username, one.password)))
        };
        let pair = |name: &str, password: &str| Ok(Some((name.to_owned(), password.to_owned())));
        assert_eq!(found("a.example"), pair("user", "pa:ss"));
        assert_eq!(found("b.example"), pair("u", "p"));
        assert!(found("c.example").unwrap_err().contains("helper"));
        assert!(found("d.example").unwrap_err().contains("auth"));
        assert_eq!(found("e.example"), Ok(None));
    }

    #[test]
    fn a_missing_file_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().display().to_string();
        let environment = |name: &str| (name == "HOME").then(|| home.clone());
        assert!(Credentials::of_docker("a.example", &environment).unwrap().is_none());
        let docker = folder.path().join("d");
        std::fs::create_dir(&docker).unwrap();
        std::fs::write(docker.join("config.json"), r#"{"auths":{"a.example":{"auth":"dTpw"}}}"#).unwrap();
        let environment = |name: &str| (name == "DOCKER_CONFIG").then(|| docker.display().to_string());
        assert_eq!(Credentials::of_docker("a.example", &environment).unwrap().unwrap().password, "p");
    }
}
