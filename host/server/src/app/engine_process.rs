//! One run of a local engine: a child process whose output goes to the log.
//!
//! Invariants:
//! 1. The child gets no variable of this process but PATH, HOME and LANG, and no secret.
//! 2. The engine ends when this value is dropped and when this process ends.
//! 3. Lines of output are bounded in length and number; an engine that writes too much is
//!    slowed down.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tollbridge_gateway::LocalEngine;

use super::engine_group::ENGINE_STOP;

/// Maximum length of a line of an engine's output that is logged; longer lines are cut.
const ENGINE_LINE_BYTES_MAX: usize = 1 << 10;
/// Maximum number of lines of one output of an engine that are logged per second.
const ENGINE_LINES_PER_SECOND_MAX: u32 = 100;
/// Maximum number of bytes that are read per second of one output of an engine; engines
/// write some 50 kB at their start.
const ENGINE_OUTPUT_BYTES_PER_SECOND_MAX: usize = 256 << 10;

/// Variables that an engine gets from this process.
const VARIABLES: [&str; 3] = ["PATH", "HOME", "LANG"];
/// Time to read the last lines of an engine that has ended.
const LAST_LINES: Duration = Duration::from_secs(1);
/// Time for the child to end the engine.
const STOP_PATIENCE: Duration = ENGINE_STOP.saturating_add(Duration::from_secs(2));

/// A running engine.
pub(super) struct EngineProcess {
    child: Child,
    /// The child ends the engine when this closes.
    input: Option<ChildStdin>,
    output: JoinSet<()>,
}

impl EngineProcess {
    /// Starts `launcher`, a program and its first arguments, with the command of an engine.
    pub(super) fn start(launcher: &[OsString], words: &[String], engine: &Arc<LocalEngine>) -> io::Result<Self> {
        let (program, arguments) = launcher.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(arguments)
            .args(words)
            .env_clear()
            .envs(VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Signals that a terminal sends to this process do not reach the child.
            .process_group(0)
            .spawn()?;
        let mut output = JoinSet::new();
        if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
            let (out, errors) = (engine.clone(), engine.clone());
            output.spawn(async move { read_lines(stdout, &out.provider, |_| {}).await });
            output.spawn(async move {
                read_lines(stderr, &errors.provider, |line| errors.note_error_line(line)).await;
            });
        }
        // Waiting for a child closes its input, so the input is kept here.
        Ok(Self { input: child.stdin.take(), child, output })
    }

    /// Waits until the engine has ended.
    pub(super) async fn ended(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        let _ = tokio::time::timeout(LAST_LINES, async { while self.output.join_next().await.is_some() {} }).await;
        Ok(status)
    }

    /// Ends the engine and waits for its end.
    pub(super) async fn stop(mut self) {
        drop(self.input.take());
        if tokio::time::timeout(STOP_PATIENCE, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

/// Logs the lines of an output within the limits, and passes each to `note`.
async fn read_lines(output: impl AsyncRead + Unpin, provider: &str, mut note: impl FnMut(&str)) {
    let (mut reader, mut line, mut pace) = (BufReader::new(output), Vec::new(), Pace::new());
    loop {
        let (read, ends) = match reader.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let part = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
                line.extend(part.iter().take(ENGINE_LINE_BYTES_MAX.saturating_sub(line.len())));
                let ends = part.len() < bytes.len();
                (part.len() + usize::from(ends), ends)
            }
        };
        reader.consume(read);
        if ends {
            take_line(&mut line, provider, &mut pace, &mut note);
        }
        pace.count_bytes(read, provider).await;
    }
    take_line(&mut line, provider, &mut pace, &mut note);
}

fn take_line(line: &mut Vec<u8>, provider: &str, pace: &mut Pace, note: &mut impl FnMut(&str)) {
    let text: String = String::from_utf8_lossy(line).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.clear();
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    note(text);
    if pace.allows_line() {
        tracing::debug!(provider, "engine: {text}");
    }
}

/// The lines and bytes of an output in the current second.
struct Pace {
    began: Instant,
    bytes: usize,
    lines: u32,
}

impl Pace {
    fn new() -> Self {
        Self { began: Instant::now(), bytes: 0, lines: 0 }
    }

    const fn allows_line(&mut self) -> bool {
        self.lines = self.lines.saturating_add(1);
        self.lines <= ENGINE_LINES_PER_SECOND_MAX
    }

    /// Counts bytes, and waits for the end of the second if they are too many.
    async fn count_bytes(&mut self, bytes: usize, provider: &str) {
        self.bytes = self.bytes.saturating_add(bytes);
        let end = self.began + Duration::from_secs(1);
        if self.bytes > ENGINE_OUTPUT_BYTES_PER_SECOND_MAX {
            tokio::time::sleep_until(end).await;
        }
        if Instant::now() >= end {
            let left_out = self.lines.saturating_sub(ENGINE_LINES_PER_SECOND_MAX);
            if left_out > 0 {
                tracing::debug!(provider, "engine: {left_out} more lines in a second");
            }
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In paused time, an output that never ends is read at its bounded rate.
    #[tokio::test(start_paused = true)]
    async fn an_endless_output_is_slowed_down_and_its_lines_are_cut() {
        let began = Instant::now();
        let lines = format!("{}\n", "x".repeat(4 * ENGINE_LINE_BYTES_MAX)).repeat(1_000);
        let mut seen = Vec::new();
        read_lines(lines.as_bytes(), "p", |line| seen.push(line.len())).await;
        assert_eq!((seen.len(), seen.iter().max()), (1_000, Some(&ENGINE_LINE_BYTES_MAX)));
        let seconds = lines.len() / ENGINE_OUTPUT_BYTES_PER_SECOND_MAX;
        assert!(began.elapsed() >= Duration::from_secs(seconds as u64 - 1), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn a_line_is_plain_text_and_the_last_needs_no_end() {
        let mut seen = Vec::new();
        read_lines(&b"\x1b[31mred\r\n\n\nlast \xff"[..], "p", |line| seen.push(line.to_owned())).await;
        assert_eq!(seen, ["[31mred", "last \u{fffd}"]);
    }
}
