//! Starts the local engines of model providers, and starts them again when they end.
//!
//! Invariants:
//! 1. The start of the server does not wait for an engine.
//! 2. Until an engine answers, its models are paused.
//! 3. Engines end before the server does.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use anyhow::{Context, Result};
use reqwest::StatusCode;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tollbridge_core::tls_provider;
use tollbridge_gateway::{EngineHandle, EnginePhase, ModelRouter};

use super::engine_group::{RUN_ENGINE, own_program};
use super::engine_process::EngineProcess;

/// Pause before an engine that ended is started again; it doubles up to the maximum.
const RESTART_PAUSE: Duration = Duration::from_secs(1);
const RESTART_PAUSE_MAX: Duration = Duration::from_secs(60);
/// Time for which an engine must have been ready for its pause to start over.
const LASTING: Duration = Duration::from_secs(60);
/// Interval between checks whether a starting engine answers, and time for its answer.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
const CHECK_PATIENCE: Duration = Duration::from_secs(2);
/// Time for which a check pauses the models; longer than an interval, so that no request is
/// sent in between.
const HOLD: Duration = Duration::from_secs(5);

/// The running engines; they end when this is dropped.
pub(super) struct LocalEngines {
    engines: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl LocalEngines {
    /// Starts every engine of the configuration.
    pub(super) fn start(router: &ModelRouter) -> Result<Self> {
        let launcher = [own_program()?.into(), RUN_ENGINE.into(), "--".into()];
        Self::start_with(EngineHandle::all(router), &launcher)
    }

    fn start_with(handles: Vec<EngineHandle>, launcher: &[OsString]) -> Result<Self> {
        tls_provider::install();
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        let client = client.timeout(CHECK_PATIENCE).build().context("cannot check the health of engines")?;
        let (stop, stopped) = watch::channel(false);
        let mut engines = JoinSet::new();
        for handle in handles {
            handle.hold(EnginePhase::Starting, Instant::now() + HOLD);
            let (client, stopped) = (client.clone(), stopped.clone());
            engines.spawn(Supervisor { handle, launcher: launcher.to_vec(), client, stopped }.run());
        }
        Ok(Self { engines, stop })
    }

    /// Ends every engine.
    pub(super) async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.engines.join_next().await.is_some() {}
    }
}

/// Waits until the engines have to end.
async fn stop_requested(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

struct Supervisor {
    handle: EngineHandle,
    launcher: Vec<OsString>,
    client: reqwest::Client,
    stopped: watch::Receiver<bool>,
}

impl Supervisor {
    async fn run(mut self) {
        let mut pause = RESTART_PAUSE;
        loop {
            let ready_for = self.run_once().await;
            if *self.stopped.borrow() {
                return;
            }
            pause = if ready_for >= LASTING { RESTART_PAUSE } else { pause };
            self.handle.hold(EnginePhase::Failed, Instant::now() + pause + HOLD);
            let (engine, seconds) = (&self.handle.engine, pause.as_secs());
            let last = engine.state().last_error_line;
            tracing::warn!(provider = engine.provider, last, "an engine has ended; it is started again in {seconds} s");
            if tokio::time::timeout(pause, stop_requested(&mut self.stopped)).await.is_ok() {
                return;
            }
            pause = (pause * 2).min(RESTART_PAUSE_MAX);
        }
    }

    /// Runs the engine until it ends or the server stops, and returns for how long the engine was
    /// ready.
    async fn run_once(&self) -> Duration {
        self.handle.hold(EnginePhase::Starting, Instant::now() + HOLD);
        let mut process = match self.start() {
            Ok(process) => process,
            Err(error) => {
                self.handle.engine.note_error_line(&error.to_string());
                return Duration::ZERO;
            }
        };
        let (mut ready_since, mut stopped) = (None::<Instant>, self.stopped.clone());
        loop {
            tokio::select! {
                _ = process.ended() => break,
                () = stop_requested(&mut stopped) => {
                    process.stop().await;
                    break;
                }
                () = self.wait_until_ready(), if ready_since.is_none() => {
                    self.handle.release();
                    ready_since = Some(Instant::now());
                    tracing::info!(provider = self.handle.engine.provider, "an engine is ready");
                }
            }
        }
        ready_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn start(&self) -> std::io::Result<EngineProcess> {
        let engine = &self.handle.engine;
        let port = match engine.command.has_port() {
            true => TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port(),
            false => 0,
        };
        EngineProcess::start(&self.launcher, &engine.start(port), engine)
    }

    async fn wait_until_ready(&self) {
        while !self.answers().await {
            self.handle.hold(EnginePhase::Starting, Instant::now() + HOLD);
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }

    async fn answers(&self) -> bool {
        let [health, models] = self.handle.engine.health_addresses();
        match self.status(&health).await {
            // Not every engine has this address.
            Some(StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
                let status = self.status(&models).await;
                status.is_some_and(|status| status.is_success() || status == StatusCode::UNAUTHORIZED)
            }
            status => status.is_some_and(|status| status.is_success()),
        }
    }

    async fn status(&self, address: &str) -> Option<StatusCode> {
        Some(self.client.get(address).send().await.ok()?.status())
    }
}

#[cfg(test)]
#[path = "local_engines_tests.rs"]
mod tests;
