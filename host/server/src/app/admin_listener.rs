//! The admin listener, and the file through which commands find it.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tollbridge_console::{AdminState, Console, Sessions, admin_router};
use tollbridge_core::config::Processor;
use tollbridge_http::{AppState, serve as serve_http};
use tollbridge_market::catalog::CatalogReconciler;
use tollbridge_market::replay::Replays;
use tollbridge_operator::{RunningServices, Trials};

use super::base::{Base, admin_file};
use super::models::models_to_measure;
use super::money::Money;

/// Address and token that the CLI uses to reach a running server; stored in `admin.json`
/// (mode 0600).
#[derive(Debug, Serialize, Deserialize)]
pub struct AdminFile {
    /// Address of the listener.
    pub address: SocketAddr,
    /// Bearer token for the admin listener.
    pub token: String,
    /// Process id.
    pub pid: u32,
}

pub(super) struct AdminTask {
    pub(super) task: tokio::task::JoinHandle<()>,
    pub(super) file: PathBuf,
}

/// Starts the admin listener, and writes its address and token to a file that only the
/// operator can read.
pub(super) async fn start_admin(
    base: &Base,
    money: Money,
    reconciler: Arc<CatalogReconciler>,
    shared: &AppState,
    metrics: PrometheusHandle,
    mut stopped: watch::Receiver<bool>,
) -> Result<AdminTask> {
    let listener = TcpListener::bind(base.config.admin.listen).await.context("cannot open the admin listener")?;
    let mut token = [0_u8; 32];
    getrandom::fill(&mut token).context("no randomness is available")?;
    let admin = AdminFile { address: listener.local_addr()?, token: hex::encode(token), pid: std::process::id() };
    let file = admin_file(&base.config.data.dir);
    write_private(&file, &serde_json::to_vec(&admin)?)?;
    let replays = Replays::new(shared.checkout.clone(), reconciler.aside.clone(), base.kept_inputs.clone());
    let running = RunningServices {
        reconciler,
        replays: Arc::new(replays),
        webhooks: shared.webhooks.clone(),
        gateway: shared.gateway.clone(),
        trials: Trials {
            checkout: shared.checkout.clone(),
            choose: models_to_measure(shared.gateway.clone()),
            gateway: shared.gateway.clone(),
        },
        requests: shared.requests.clone(),
    };
    let operator = Arc::new(base.operator_with(money, shared.earning.clone(), Some(running)));
    let sessions = Arc::new(Sessions::default());
    let sandbox = base.config.payments.processor == Processor::Sandbox;
    let console = Console { operator: operator.clone(), sessions: sessions.clone(), sandbox };
    let console = tollbridge_console::routes(Arc::new(console));
    let notary = base.notary.clone();
    let state = AdminState { operator, notary, token: admin.token, console: sessions, metrics };
    let router = admin_router(Arc::new(state)).merge(console);
    let task = tokio::spawn(async move {
        serve_http(listener, router, async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        })
        .await;
    });
    Ok(AdminTask { task, file })
}

fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let draft = path.with_extension("new");
    let _ = std::fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(bytes)?;
    std::fs::rename(&draft, path).with_context(|| format!("cannot write {}", path.display()))
}
