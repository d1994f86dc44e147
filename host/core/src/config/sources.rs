//! The sources of the configuration, in rising priority, and their merge.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::layers::Layers;
use super::loaded::Loaded;
use super::problem::{ConfigError, Severity};
use super::reader::Reader;
use super::sections::Config;
use crate::limits::CONFIG_BYTES_MAX;

/// The built-in defaults, with a comment for each key.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// The sources of the configuration in addition to the built-in defaults.
#[derive(Clone, Default)]
pub struct Sources {
    /// Name and text of the configuration file.
    pub file: Option<(String, String)>,
    /// Environment variables; unrelated ones are ignored.
    pub environment: Vec<(String, String)>,
    /// Command-line flags: flag, dotted key and value, for example `("--listen",
    /// "server.listen", "…")`.
    pub flags: Vec<(&'static str, &'static str, String)>,
}

impl Sources {
    /// Reads the configuration file, if `file` names one, and the environment of this
    /// process. Variables that are not valid UTF-8 are ignored.
    pub fn gather(file: Option<&Path>) -> Result<Self, ConfigError> {
        let environment =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect();
        let file = file.map(|path| Ok((path.display().to_string(), read_file(path)?))).transpose()?;
        Ok(Self { file, environment, flags: Vec::new() })
    }

    /// Adds a command-line flag, if it was given.
    #[must_use]
    pub fn flag(mut self, flag: &'static str, key: &'static str, value: Option<String>) -> Self {
        self.flags.extend(value.map(|value| (flag, key, value)));
        self
    }

    /// Merges the sources and parses every value.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        let mut layers = Layers::default();
        layers.document(None, DEFAULTS);
        if let Some((name, text)) = &self.file {
            layers.document(Some(name), text);
        }
        layers.environment(&self.environment);
        for (flag, key, value) in &self.flags {
            layers.flag(flag, key, value);
        }
        if !layers.problems.is_empty() {
            return Err(ConfigError::Invalid(layers.problems));
        }
        let mut reader = Reader::new(layers);
        let config = Config::read(&mut reader);
        let (leaves, known, problems) = reader.finish();
        let (warnings, errors): (Vec<_>, Vec<_>) =
            problems.into_iter().partition(|problem| problem.severity == Severity::Warning);
        match config {
            Some(config) if errors.is_empty() => Ok(Loaded { config, warnings, leaves, known }),
            _ => Err(ConfigError::Invalid(errors)),
        }
    }
}

/// Reads a configuration file of at most `CONFIG_BYTES_MAX` bytes.
fn read_file(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    // Read one byte more than allowed, to detect a file that is too large.
    file.take(CONFIG_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if u64::try_from(text.len()).is_ok_and(|len| len <= CONFIG_BYTES_MAX) {
        return Ok(text);
    }
    Err(ConfigError::TooLarge { path: path.to_owned() })
}
