//! The command `tollbridge serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tollbridge_http::AppState;
use tollbridge_telemetry::Telemetry;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;

use super::log;
use crate::app::{self, Startup};

#[derive(Args, Debug)]
pub(super) struct ServeArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// Data folder
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Registry folder
    #[arg(long, value_name = "DIR")]
    pub registry: Option<PathBuf>,
}

pub(super) async fn run(args: ServeArgs, global: &Global, out: Output) -> Result<()> {
    let loaded = global.load(&args.flags())?;
    for warning in &loaded.warnings {
        if out.is_json() {
            tracing::warn!("{warning}");
        } else {
            out.warning(&warning.to_string());
        }
    }
    let telemetry = Telemetry::start(&loaded.config.telemetry, env!("CARGO_PKG_VERSION"))?;
    log::start(global, global.json, telemetry.as_ref(), log::Failures::Logged);
    let served = app::serve(loaded.config, telemetry.as_ref(), StartupReporter(out)).await;
    if let Some(telemetry) = telemetry
        && let Err(error) = tokio::task::spawn_blocking(move || telemetry.end()).await?
    {
        tracing::warn!(%error, "the collector did not accept the last traces and metrics");
    }
    served
}

/// Reports the progress of a start to people, and its completion to programs. With `--json`,
/// standard error has only the log.
pub(super) struct StartupReporter(pub Output);

impl Startup for StartupReporter {
    fn listening(&self, url: &str) {
        if self.0.is_json() {
            return tracing::info!(url, "listening");
        }
        self.0.note(&format!("listening on {url}"));
    }

    fn loading(&self, live: usize, loading: usize) {
        if self.0.is_json() {
            return;
        }
        self.0.progress(&format!("loading plugins: {live} serving, {loading} to go"));
    }

    fn ready(&self, shared: &AppState, url: &str) {
        if self.0.is_json() {
            tracing::info!(url, plugins = shared.offers().len(), "ready");
        } else {
            self.0.progress("");
            greet(shared, url, self.0);
        }
        self.0.line(&format!("ready {url}"));
    }
}

impl ServeArgs {
    pub(super) fn flags(&self) -> [(&'static str, &'static str, Option<String>); 3] {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        [
            ("--listen", "server.listen", self.listen.map(|address| address.to_string())),
            ("--data", "data.dir", path(&self.data)),
            ("--registry", "registry.dir", path(&self.registry)),
        ]
    }
}

/// Shows a new user how to continue.
fn greet(shared: &AppState, url: &str, out: Output) {
    // A certificate is for the host name that callers use, rarely for an IP address.
    let url = if url.starts_with("https://") { shared.settings.base_url.as_str() } else { url };
    let offers = shared.offers();
    if shared.settings.sandbox {
        out.warning("sandbox: payments are test payments, no real money moves");
    }
    for (route, price, version) in &offers {
        out.note(&format!("  {url}{route}  £{price}  {version}"));
    }
    match offers.first() {
        Some((first, ..)) => {
            let (route, input) = shared.shortest_call().unwrap_or_else(|| (first.clone(), "{}".to_owned()));
            out.note(&format!("\nfirst call:\n  tollbridge call {url}{route} '{input}'\n\ndocs:\n  {url}/docs\n"));
        }
        None => out.hint(
            "there are no plugins yet: `make plugins` publishes those of the repository, `tollbridge plugin new` \
            creates one",
        ),
    }
}
