//! The command `tollbridge top`.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::target;
use super::terminal::Terminal;
use super::top_frame::frame;

/// Keys that quit: `q` and Ctrl-D.
const LAST_KEYS: [u8; 3] = [b'q', b'Q', 4];

/// Show live figures of a running server: calls, revenue, errors, latency, memory
///
/// Refreshes every two seconds; `q` or Ctrl-C quits. If standard output is not a terminal, frames
/// are printed one after another; with `--json`, one line each.
#[derive(Args, Debug)]
pub(super) struct TopArgs {
    /// Show one frame and exit
    #[arg(long)]
    once: bool,
    /// Seconds between frames
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    every: u64,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: TopArgs, global: &Global, out: Output) -> Result<()> {
    let server = target::running(global, &args.data).await?;
    if args.once {
        let answer = server.ask(command::Top {}).await?;
        out.result(&serde_json::to_value(&answer)?, || frame(&answer));
        return Ok(());
    }
    let heard = |kind| signal(kind).context("cannot receive signals");
    let (mut interrupt, mut terminate) = (heard(SignalKind::interrupt())?, heard(SignalKind::terminate())?);
    let terminal = if global.json { None } else { Terminal::open() };
    let mut keys = terminal.as_ref().map_or_else(|| mpsc::channel(1).1, Terminal::keys);
    let mut interval = tokio::time::interval(Duration::from_secs(args.every));
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = interval.tick() => {
                let answer = server.ask(command::Top {}).await?;
                let text = if global.json { serde_json::to_value(&answer)?.to_string() } else { frame(&answer) };
                match &terminal {
                    Some(terminal) => terminal.show(&format!("{text}\n\nq to quit")),
                    // The program that reads the output, such as `head`, has closed the
                    // pipe.
                    None if writeln!(std::io::stdout(), "{text}").is_err() => return Ok(()),
                    None => {}
                }
            }
            Some(key) = keys.recv() => {
                if LAST_KEYS.contains(&key) {
                    return Ok(());
                }
            }
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        }
    }
}
