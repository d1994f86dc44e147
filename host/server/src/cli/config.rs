//! The command `tollbridge config`.

use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use serde_json::{Value, json};
use tollbridge_agents::a2a::SkillBindings;
use tollbridge_core::config::DEFAULTS;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{ProviderStatus, load_deployments};
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;

use super::certificate;
use super::found_engines::{FoundEngine, FoundEnginesArgs};

#[derive(Subcommand, Debug)]
pub(super) enum ConfigCommand {
    /// Show every setting in force and its source; secrets are masked
    Show {
        /// Show the built-in defaults with their explanations instead
        #[arg(long)]
        default: bool,
    },
    /// Check the configuration for mistakes
    Check {
        /// Fail on warnings
        #[arg(long)]
        strict: bool,
        #[command(flatten)]
        engines: FoundEnginesArgs,
    },
}

pub(super) async fn run(command: &ConfigCommand, global: &Global, out: Output) -> Result<()> {
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
        ConfigCommand::Check { strict, engines } => {
            let loaded = global.load(&[])?;
            // Loading the configuration does not check the skill bindings, so check them
            // here.
            SkillBindings::bind(&loaded.config.agents.skills)?;
            let mut warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
            // Loading does not check the files that the configuration names, so check the
            // certificate here.
            if let Some(seen) = certificate::check(&loaded.config.server, now_ms().div_euclid(1_000)) {
                let seen = seen.map_err(|error| anyhow!("server.tls_certificate: {error}"))?;
                warnings.extend(seen.warnings.iter().map(|one| format!("server.tls_certificate: {one}")));
            }
            for warning in &warnings {
                out.warning(warning);
            }
            if *strict && !warnings.is_empty() {
                bail!("{} warnings", warnings.len());
            }
            let (_, providers) = load_deployments(&loaded.config.inference, &|name| std::env::var(name).ok());
            let list: Vec<Value> = providers.iter().map(listed).collect();
            let unused = engines.unused(Some(&loaded.config.inference)).await;
            let found: Vec<Value> = unused.iter().map(FoundEngine::to_json).collect();
            let answer = json!({ "ok": true, "warnings": warnings.len(), "providers": list, "found": found });
            out.result(&answer, || {
                let lines = providers.iter().map(line).collect::<Vec<_>>().join("\n");
                let offers: String = unused.iter().map(offer).collect();
                format!("configuration OK\nmodel providers:\n{lines}{offers}")
            });
        }
    }
    Ok(())
}

/// Describes a model provider as JSON; `why_not` says what to fix if the provider is off.
fn listed(one: &ProviderStatus) -> Value {
    json!({
        "name": one.name,
        "base_url": one.base_url,
        "live": one.state.is_ok(),
        "models": one.state.as_ref().ok(),
        "why_not": one.state.as_ref().err(),
    })
}

/// Offers an engine of models that no provider uses.
fn offer(one: &FoundEngine) -> String {
    format!("\n\n{}; these lines use it:\n{}", one.describe(), one.to_toml().trim_end())
}

/// Describes a model provider as one line of text.
fn line(one: &ProviderStatus) -> String {
    match &one.state {
        Ok(models) => format!("  live  {:<12} {} ({models} models)", one.name, one.base_url),
        Err(why) => format!("  off   {:<12} {why}", one.name),
    }
}
