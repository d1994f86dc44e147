//! The options shared by all commands.

use std::path::PathBuf;

use clap::Args;
use tollbridge_core::config::{Config, Loaded, Sources};

use super::output::ColorChoice;

/// The options that all commands share.
#[derive(Args, Debug, Clone)]
pub struct Global {
    /// Configuration file (TOML); optional
    #[arg(long, global = true, value_name = "FILE", env = "TOLLBRIDGE_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only the result
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Log more; repeat for all messages
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Use of colour in the output.
    #[arg(long, global = true, value_enum, default_value_t, help = "When to use colour")]
    pub color: ColorChoice,
}

/// The data folder option, for commands that need it.
#[derive(Args, Debug, Clone)]
pub struct DataArgs {
    /// Data folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl Global {
    /// Loads the configuration from defaults, file, environment and these command-line flags.
    pub fn load(&self, flags: &[(&'static str, &'static str, Option<String>)]) -> anyhow::Result<Loaded> {
        // An empty environment variable counts as unset.
        let file = self.config.as_deref().filter(|path| !path.as_os_str().is_empty());
        let mut sources = Sources::gather(file)?;
        for (flag, key, value) in flags {
            sources = sources.flag(flag, key, value.clone());
        }
        Ok(sources.load()?)
    }

    /// Loads the configuration for a command that works on a data folder.
    pub fn config(&self, data: &DataArgs) -> anyhow::Result<Config> {
        let dir = data.data.as_ref().map(|dir| dir.display().to_string());
        Ok(self.load(&[("--data", "data.dir", dir)])?.config)
    }
}
