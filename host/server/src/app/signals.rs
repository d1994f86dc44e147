//! The signals that stop a server.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// The stop signals. Once a value exists, they are received here instead of ending the
/// process.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Begins to receive the signals.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }
}

/// Waits for SIGTERM or Ctrl-C; a second one ends the process at once.
pub(super) async fn wait_for_signal(signals: std::io::Result<Signals>) {
    let Ok(Signals { mut terminate, mut interrupt }) = signals else {
        tracing::error!("cannot receive signals; only SIGKILL will stop this server");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::warn!("stopping at once");
        Exit::StoppedAtOnce.now();
    });
}
