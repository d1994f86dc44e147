//! The certificate of the public listener: read at the start, and again whenever its files change.
//!
//! The files are polled, not watched: this handles renames, swapped links and any file system
//! alike, and costs two small reads.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use metrics::counter;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tollbridge_connections::{CertificateError, Tls};
use tollbridge_core::config::ServerConfig;

/// Interval between checks of the certificate files for changes.
const TLS_FILES_EVERY_MS: u64 = 10_000;
/// Delay before a certificate and a key that do not match are read again: a renewal tool
/// may have replaced only one of the two files so far.
const TLS_FILES_SETTLE_MS: u64 = 1_000;

/// Opens the configured TLS settings of the public listener.
pub(super) fn open(server: &ServerConfig) -> Result<Option<Arc<Tls>>> {
    let Some(files) = server.tls.clone() else { return Ok(None) };
    let tls = Tls::open(files).context("cannot use server.tls_certificate and server.tls_key")?;
    Ok(Some(Arc::new(tls)))
}

/// Polls the files until the process ends, and at once on SIGHUP.
pub(super) fn keep_current(tls: Arc<Tls>) {
    let hangup = signal(SignalKind::hangup());
    let hangup = hangup.inspect_err(|error| tracing::warn!(%error, "SIGHUP cannot reload the certificate")).ok();
    tokio::spawn(follow(tls, hangup));
}

async fn follow(tls: Arc<Tls>, mut hangup: Option<Signal>) {
    let mut logged = None;
    loop {
        let every = tokio::time::sleep(Duration::from_millis(TLS_FILES_EVERY_MS));
        tokio::select! {
            () = every => {}
            () = hung_up(&mut hangup) => logged = None,
        }
        let mut looked = reload_blocking(tls.clone()).await;
        if looked.is_err() {
            // Possibly only one of the two files has been replaced so far.
            tokio::time::sleep(Duration::from_millis(TLS_FILES_SETTLE_MS)).await;
            looked = reload_blocking(tls.clone()).await;
        }
        logged = log_once(looked, logged);
    }
}

/// Logs a problem unless `logged` says that it was logged before; returns the problem.
fn log_once(looked: Result<bool, CertificateError>, logged: Option<String>) -> Option<String> {
    match looked {
        Ok(renewed) => {
            if renewed || logged.is_some() {
                tracing::info!(renewed, "the listener's certificate matches its files");
            }
            None
        }
        Err(error) => {
            counter!("tollbridge_tls_reload_failures_total").increment(1);
            let error = error.to_string();
            if logged.as_ref() != Some(&error) {
                tracing::error!(%error, "cannot reload the certificate; the previous one remains in use");
            }
            Some(error)
        }
    }
}

/// Reads the files on a blocking thread.
async fn reload_blocking(tls: Arc<Tls>) -> Result<bool, CertificateError> {
    // The task fails only if the runtime shuts down.
    tokio::task::spawn_blocking(move || tls.reload()).await.unwrap_or(Ok(false))
}

async fn hung_up(hangup: &mut Option<Signal>) {
    let Some(hangup) = hangup else { return std::future::pending().await };
    if hangup.recv().await.is_none() {
        // No further signal can arrive.
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn an_error_is_counted_each_time_and_logged_once() {
        let wrong = || CertificateError::TooLarge(PathBuf::from("c.pem"));
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            let logged = log_once(Err(wrong()), None);
            assert!(logged.as_ref().is_some_and(|logged| logged.contains("c.pem")));
            assert_eq!(log_once(Err(wrong()), logged.clone()), logged);
            assert_eq!(log_once(Ok(false), logged), None);
        });
        let text = recorder.handle().render();
        assert!(text.contains("tollbridge_tls_reload_failures_total 2"), "{text}");
    }
}
