//! Logs of plugins: bounded per call, stored for the plugin's owner, and forwarded to the host's
//! log with the plugin's name, version and the request's id.
//!
//! Invariant: a plugin can neither flood the log nor forge a line of it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tracing::Level;

use crate::limits::{LOG_BYTES_PER_CALL_MAX, LOG_LINE_BYTES_MAX, LOG_LINES_KEPT};
use crate::text;

/// A log line written by a plugin, or by the host about a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Sequence number of the line in this process, from 1.
    pub number: u64,
    /// Start of the call that wrote the line, Unix milliseconds.
    pub time_ms: u64,
    /// Id of the request during which the line was written.
    pub request_id: String,
    /// Severity of the line; lines that the plugin prints are INFO or WARN.
    pub level: Level,
    /// Text of the line, shortened and without control characters.
    pub text: String,
    /// The location of a failure, line by line; empty for other log lines.
    pub trace: Vec<String>,
}

/// The number of log lines written in this process so far.
static LINES: AtomicU64 = AtomicU64::new(0);

/// A handle to a plugin's log; remains valid after the plugin was unloaded.
#[derive(Clone, Debug)]
pub struct PluginLog(pub(crate) Arc<LogRing>);

impl PluginLog {
    /// Returns the last lines, oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        self.0.lines()
    }
}

/// A ring buffer of the last log lines of one plugin.
#[derive(Debug, Default)]
pub struct LogRing(Mutex<VecDeque<LogLine>>);

impl LogRing {
    /// Assigns the next sequence number to a line and stores the line.
    pub fn push(&self, line: LogLine) {
        let mut lines = self.0.lock();
        // Numbered while holding the lock, so that the lines of one plugin are in the order of
        // their numbers.
        let line = LogLine { number: LINES.fetch_add(1, Ordering::Relaxed).saturating_add(1), ..line };
        if lines.len() >= LOG_LINES_KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Returns the stored lines, oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        self.0.lock().iter().cloned().collect()
    }
}

/// The log of one call, created when the call first writes a line.
#[derive(Debug)]
pub struct CallLog {
    plugin: String,
    version: String,
    request_id: String,
    time_ms: u64,
    ring: Arc<LogRing>,
    left: Mutex<usize>,
}

impl CallLog {
    /// Creates the log of a call; its lines go to `ring`.
    pub fn new(plugin: &str, version: &str, request_id: &str, time_ms: u64, ring: Arc<LogRing>) -> Self {
        Self {
            plugin: plugin.to_owned(),
            version: version.to_owned(),
            request_id: request_id.to_owned(),
            time_ms,
            ring,
            left: Mutex::new(LOG_BYTES_PER_CALL_MAX),
        }
    }

    /// Writes one line, shortened and sanitized. Lines beyond the call's log limit are dropped; one
    /// line reports that.
    pub fn write(&self, level: Level, raw: &str) {
        let text = text::clean(raw, LOG_LINE_BYTES_MAX);
        let last = {
            let mut left = self.left.lock();
            if *left == 0 {
                return;
            }
            *left = left.saturating_sub(text.len().saturating_add(1));
            *left == 0
        };
        self.emit(level, text);
        if last {
            let notice = format!("this call logged {LOG_BYTES_PER_CALL_MAX} bytes; the rest is dropped");
            self.emit(Level::WARN, notice);
        }
    }

    fn emit(&self, level: Level, text: String) {
        let (plugin, version, request) = (&self.plugin, &self.version, &self.request_id);
        match level {
            Level::ERROR => tracing::error!(target: "plugin", plugin, version, request, "{text}"),
            Level::WARN => tracing::warn!(target: "plugin", plugin, version, request, "{text}"),
            Level::INFO => tracing::info!(target: "plugin", plugin, version, request, "{text}"),
            Level::DEBUG => tracing::debug!(target: "plugin", plugin, version, request, "{text}"),
            Level::TRACE => tracing::trace!(target: "plugin", plugin, version, request, "{text}"),
        }
        let (time_ms, request_id) = (self.time_ms, self.request_id.clone());
        self.ring.push(LogLine { number: 0, time_ms, request_id, level, text, trace: Vec::new() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> (CallLog, Arc<LogRing>) {
        let ring = Arc::new(LogRing::default());
        (CallLog::new("p", "1.0.0", "req_1", 7, ring.clone()), ring)
    }

    #[test]
    fn a_flood_is_cut_and_said_to_be_cut() {
        let (log, ring) = log();
        for _ in 0..10_000 {
            log.write(Level::INFO, &"x".repeat(100));
        }
        let lines = ring.lines();
        assert_eq!(lines.len(), LOG_BYTES_PER_CALL_MAX.div_ceil(101) + 1);
        assert!(lines.last().unwrap().text.contains("dropped"));
    }

    #[test]
    fn the_ring_forgets_the_oldest() {
        let ring = LogRing::default();
        for index in 0..LOG_LINES_KEPT + 5 {
            let text = index.to_string();
            let (request_id, level, trace) = (String::new(), Level::INFO, Vec::new());
            ring.push(LogLine { number: 0, time_ms: 0, request_id, level, text, trace });
        }
        assert_eq!(ring.lines().len(), LOG_LINES_KEPT);
        let lines = ring.lines();
        assert_eq!(lines.first().unwrap().text, "5");
        assert!(lines.is_sorted_by(|one, next| one.number < next.number));
    }

    #[test]
    fn lines_cannot_be_forged() {
        let (log, ring) = log();
        log.write(Level::INFO, "a\nERROR forged");
        assert_eq!(ring.lines().first().unwrap().text, "a ERROR forged");
    }
}
