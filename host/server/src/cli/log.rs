//! The log: lines on standard error, for people or for programs.

use tollbridge_telemetry::{TARGET, Telemetry};
use tollbridge_tools::options::Global;
use tollbridge_tools::output::ColorChoice;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

/// The place where failures of plugin calls are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failures {
    /// In the log.
    Logged,
    /// In the error of the command that made the call.
    ToldByCommand,
}

/// Starts logging to standard error; `RUST_LOG` overrides the flags. As JSON, each line is an
/// object: `timestamp`, `level`, `target`, `message`, and the fields of the event. Trace spans go
/// to the collector, if configured, and not into the log.
pub(super) fn start(global: &Global, as_json: bool, telemetry: Option<&Telemetry>, failures: Failures) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "info",
        (false, 1) => "debug",
        (false, _) => "trace",
    };
    let quiet_others = "hyper=info,h2=info,cranelift_codegen=info,wasmtime=info,reqwest=info,rustls=info,rmcp=error";
    let failures_filter = match failures {
        Failures::Logged => "",
        Failures::ToldByCommand => ",plugin::failure=off",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("{level},{quiet_others}{failures_filter}")));
    let filter = filter.and(filter_fn(|metadata| metadata.target() != TARGET));
    let is_traced = filter_fn(|metadata| metadata.target() == TARGET);
    let traces = telemetry.map(|telemetry| telemetry.layer().with_filter(is_traced));
    let log = fmt::layer().with_writer(std::io::stderr);
    let log = match as_json {
        false => log.with_ansi(global.color == ColorChoice::Always).with_filter(filter).boxed(),
        true => {
            log.json().flatten_event(true).with_current_span(false).with_span_list(false).with_filter(filter).boxed()
        }
    };
    tracing_subscriber::registry().with(traces).with(log).init();
    if as_json {
        // The default hook would write plain text between the JSON lines.
        std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a thread has panicked")));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use serde_json::Value;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Checks the log format documented in docs/operator.md.
    #[test]
    fn a_line_is_one_object_with_its_fields() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .finish();
        tracing::subscriber::with_default(log, || {
            tracing::warn!(
                request_id = "req_1",
                status = 400_u16,
                code = Some("E011"),
                bytes = None::<u64>,
                "two\nlines"
            );
        });
        let text = String::from_utf8(lines.0.lock().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        let member = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
        assert_eq!((member("level"), member("message"), member("request_id")), ("WARN", "two\nlines", "req_1"));
        assert_eq!((line.get("status").and_then(Value::as_u64), member("code")), (Some(400), "E011"));
        assert!(line.get("bytes").is_none() && member("target").contains("log"), "{text}");
        assert!(tollbridge_core::time::parse_rfc3339(member("timestamp")).is_some(), "{text}");
    }
}
