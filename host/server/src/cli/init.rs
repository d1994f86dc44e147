//! The command `tollbridge init`: asks a few questions, and writes a commented configuration.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tollbridge_core::config::Sources;
use tollbridge_tools::output::Output;

use super::doctor::describe_embeddings;
use super::found_engines::{FoundEngine, FoundEnginesArgs};

/// The payment processor.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Processor {
    /// Test money only
    Sandbox,
    /// Stripe, in live or test mode
    Stripe,
}

/// Write a configuration file, asking for values without a good default
#[derive(Args, Debug)]
pub(super) struct InitArgs {
    /// File to write
    #[arg(long, value_name = "FILE", default_value = "tollbridge.toml")]
    to: PathBuf,
    /// Public address, such as https://bridge.example.com; leave out to serve this machine only
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Data folder
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// Payment processor
    #[arg(long, value_enum)]
    processor: Option<Processor>,
    /// Ask nothing, and use the defaults
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    engines: FoundEnginesArgs,
}

pub(super) async fn run(args: InitArgs, out: Output) -> Result<()> {
    let asks = !args.yes && std::io::stdin().is_terminal();
    let base_url = answer(asks, args.base_url, "Public address (https://…; empty for this machine only)", "")?;
    let data = answer(asks, args.data, "Data folder", "tollbridge-data")?;
    let processor = match (args.processor, asks) {
        (Some(processor), _) => processor,
        (None, true) => match ask("Money: sandbox, or stripe", "sandbox")?.as_str() {
            "stripe" => Processor::Stripe,
            "sandbox" => Processor::Sandbox,
            other => bail!("{other} is neither sandbox nor stripe"),
        },
        (None, false) => Processor::Sandbox,
    };
    let mut text = written(&base_url, &data, processor);
    for engine in args.engines.unused(None).await {
        let question = format!("{}. Use it: yes, or no", engine.describe());
        text.push_str(&offered(&engine, asks && ask(&question, "yes")? == "yes"));
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.to)
        .with_context(|| format!("cannot create {}; an existing file is left unchanged", args.to.display()))?;
    file.write_all(text.as_bytes())?;
    drop(file);
    // Delete the new file again if a server would refuse it.
    let loaded = match Sources::gather(Some(&args.to)).and_then(|sources| sources.load()) {
        Ok(loaded) => loaded,
        Err(error) => {
            std::fs::remove_file(&args.to)?;
            let context = "these answers do not form a valid configuration; nothing was written";
            return Err(anyhow::Error::from(error).context(context));
        }
    };
    out.result(&json!({ "file": args.to }), || format!("wrote {}", args.to.display()));
    out.hint(&format!("embeddings: {}", describe_embeddings(&loaded.config.inference.builtin).1));
    out.hint(&format!(
        "`tollbridge --config {0} doctor` checks it, `tollbridge --config {0} serve` starts the server",
        args.to.display()
    ));
    Ok(())
}

fn answer(asks: bool, given: Option<String>, question: &str, default: &str) -> Result<String> {
    match given {
        Some(given) => Ok(given),
        None if asks => ask(question, default),
        None => Ok(default.to_owned()),
    }
}

fn ask(question: &str, default: &str) -> Result<String> {
    eprint!("{question}{}: ", if default.is_empty() { String::new() } else { format!(" [{default}]") });
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    Ok(if line.is_empty() { default } else { line }.to_owned())
}

/// Renders the file. JSON quoting is also valid TOML, except for characters that no answer
/// contains.
fn written(base_url: &str, data: &str, processor: Processor) -> String {
    let mut text = String::from(
        "# Tollbridge. `tollbridge config show` lists every key with its default, and\n# `tollbridge config check` \
        finds mistakes in this file.\n\n[server]\n# Listening address. Behind a reverse proxy, listen on this \
        machine only.\nlisten = \"127.0.0.1:8402\"\n",
    );
    if !base_url.is_empty() {
        let _ = writeln!(
            text,
            "# Address that clients see: in quotes, receipts and cards.\nbase_url = {}",
            json!(base_url)
        );
    }
    let _ = writeln!(
        text,
        "\n[data]\n# Ledger, keys and compiled code. Back it up with `tollbridge backup`.\ndir = {}\n",
        json!(data)
    );
    text.push_str(match processor {
        Processor::Sandbox => {
            "[payments]\n# Test money. With \"stripe\" real money moves: docs/go-live.md.\nprocessor = \"sandbox\"\n"
        }
        Processor::Stripe => {
            "[payments]\n# Real money, or Stripe's test mode, by the keys. Put them into the environment:\n\
             # TOLLBRIDGE__PAYMENTS__STRIPE__SECRET_KEY and TOLLBRIDGE__PAYMENTS__STRIPE__WEBHOOK_SECRET.\n\
             processor = \"stripe\"\n"
        }
    });
    text
}

/// Renders the lines of an engine; those of one that is not used are comments.
fn offered(engine: &FoundEngine, is_used: bool) -> String {
    let toml = engine.to_toml();
    let line = |line: &str| if is_used { format!("{line}\n") } else { format!("# {line}\n") };
    format!("\n# {}.\n{}", engine.describe(), toml.lines().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_configuration_loads_as_intended() {
        for (base_url, processor) in [("", Processor::Sandbox), ("https://bridge.example.com", Processor::Stripe)] {
            let text = written(base_url, "/var/lib/to\"ll", processor);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tollbridge.toml");
            std::fs::write(&path, &text).unwrap();
            let loaded = Sources::gather(Some(&path)).unwrap().load().unwrap();
            assert_eq!(loaded.config.data.dir.to_str(), Some("/var/lib/to\"ll"));
            let url = loaded.config.server.public_url(loaded.config.server.listen).to_string();
            assert!(base_url.is_empty() || url == base_url, "{url}");
        }
    }
}
