//! `tollbridge config …`.

use anyhow::{Result, bail};
use clap::Subcommand;
use serde_json::{Value, json};

use super::Global;
use super::output::Output;
use crate::config::DEFAULTS;

#[derive(Subcommand, Debug)]
pub enum ConfigCommand {
    /// Every setting in force and where it comes from; secrets are masked
    Show {
        /// The built-in defaults with their explanations instead
        #[arg(long)]
        default: bool,
    },
    /// Look for mistakes in the configuration
    Check {
        /// Warnings fail as well
        #[arg(long)]
        strict: bool,
    },
}

pub fn run(command: &ConfigCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        ConfigCommand::Show { default: true } => out.line(DEFAULTS.trim_end()),
        ConfigCommand::Show { default: false } => {
            let loaded = global.load(&[])?;
            let entries: Vec<Value> = loaded
                .entries()
                .iter()
                .map(|entry| {
                    json!({
                        "section": entry.section, "name": entry.name, "value": entry.value,
                        "source": entry.source.as_ref().map(ToString::to_string),
                    })
                })
                .collect();
            out.result(&Value::Array(entries), || loaded.show());
        }
        ConfigCommand::Check { strict } => {
            let loaded = global.load(&[])?;
            for warning in &loaded.warnings {
                out.warning(&warning.to_string());
            }
            if *strict && !loaded.warnings.is_empty() {
                bail!("{} warnings", loaded.warnings.len());
            }
            out.result(&json!({ "ok": true, "warnings": loaded.warnings.len() }), || {
                "the configuration is fine".to_owned()
            });
        }
    }
    Ok(())
}
