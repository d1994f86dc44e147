//! Who turns components into native code: this process, or a child of it that
//! has limits.
//!
//! Invariants:
//! 1. What strangers send is compiled in a child: whatever it does to the
//!    compiler, this process keeps its memory, its time and its threads.
//! 2. A child gets a component and nothing else: no environment, no
//!    configuration, no secret. What it returns is authenticated by this
//!    process, which read it from a pipe that nobody else has.
//! 3. A child ends when nobody waits for it: its standard input closes, however
//!    its parent ends.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};
use tollbridge_core::limits::{
    COMPILE_CPU_S_MAX, COMPILE_MEMORY_BYTES_MAX, COMPILE_MS_MAX, COMPILED_BYTES_MAX, PLUGIN_TEXT_BYTES_MAX,
};

use super::engine::CodeTarget;
use super::memory_layout::MemoryLayout;
use super::text;

/// The command that compiles, as a child is told.
pub const COMPILE_COMMAND: &str = "compile-component";

/// Who compiles.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// This process, for components that its user has built.
    InProcess,
    /// A child of it, for those of strangers.
    Child(ChildCompiler),
}

/// A program that compiles what it reads.
#[derive(Clone, Debug)]
pub struct ChildCompiler {
    program: PathBuf,
    arguments: Vec<String>,
    limits: CompileLimits,
}

/// What compiling one component may take.
#[derive(Clone, Copy, Debug)]
pub struct CompileLimits {
    /// Memory that can be written to.
    pub memory_bytes: u64,
    /// CodeTarget time.
    pub cpu_seconds: u64,
    /// Time by the clock.
    pub wall: Duration,
    /// Largest compiled code.
    pub code_bytes: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            memory_bytes: COMPILE_MEMORY_BYTES_MAX,
            cpu_seconds: COMPILE_CPU_S_MAX,
            wall: Duration::from_millis(COMPILE_MS_MAX),
            code_bytes: COMPILED_BYTES_MAX,
        }
    }
}

/// Why there is no compiled code.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it means")]
pub enum CompileError {
    #[error("plugin.wasm cannot be compiled: {0}")]
    Refused(String),
    #[error(
        "plugin.wasm is too much work to compile: it takes more than {seconds} s of processor time; make its \
         functions smaller"
    )]
    OutOfTime { seconds: u64 },
    #[error(
        "plugin.wasm is too much work to compile: it takes more than {mib} MiB of memory; make its functions smaller"
    )]
    OutOfMemory { mib: u64 },
    #[error("plugin.wasm is too much work to compile: its native code has more than {max} bytes")]
    TooLarge { max: u64 },
    #[error("plugin.wasm cannot be compiled: the compiler crashed on it ({0})")]
    Crashed(ExitStatus),
    #[error("plugin.wasm was not compiled within {seconds} s; this machine is busy, so try again later")]
    TooSlow { seconds: u64 },
    #[error("plugin.wasm was not compiled: the compiler was stopped from outside ({0}); try again")]
    Stopped(ExitStatus),
    #[error("plugin.wasm was not compiled: {program} cannot be run as the compiler: {source}")]
    NotStarted {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("plugin.wasm was not compiled: the compiler cannot be talked to: {0}")]
    Lost(#[from] io::Error),
}

impl CompileError {
    /// Whether it was this machine's doing and not the component's.
    pub(super) const fn is_transient(&self) -> bool {
        matches!(self, Self::TooSlow { .. } | Self::Stopped(_) | Self::NotStarted { .. } | Self::Lost(_))
    }
}

impl ChildCompiler {
    /// The program that is running, as it was when it was started: on Linux that
    /// holds even after an update has put another in its place.
    pub fn of_this_program() -> io::Result<Self> {
        let own = Path::new("/proc/self/exe");
        let program = if own.exists() { own.to_owned() } else { std::env::current_exe()? };
        Ok(Self::new(program, vec![COMPILE_COMMAND.to_owned()], CompileLimits::default()))
    }

    /// Another program, with arguments that stand before those that tell it what
    /// to do.
    pub fn new(program: PathBuf, arguments: Vec<String>, limits: CompileLimits) -> Self {
        Self { program, arguments, limits }
    }

    /// What the program is called with.
    pub fn arguments(&self, layout: MemoryLayout, target: CodeTarget) -> Vec<String> {
        let CompileLimits { memory_bytes, cpu_seconds, .. } = self.limits;
        let mut arguments = self.arguments.clone();
        arguments.push(format!("--layout={layout}"));
        arguments.push(format!("--memory-bytes={memory_bytes}"));
        arguments.push(format!("--cpu-seconds={cpu_seconds}"));
        arguments.extend(match target {
            CodeTarget::ThisProcessor => None,
            CodeTarget::AnyProcessor => Some("--any-processor".to_owned()),
            CodeTarget::Author => Some("--source-lines".to_owned()),
        });
        arguments
    }

    /// Compiles a component for an engine of a layout. Dropping this kills the
    /// child.
    pub(super) async fn compile(
        &self,
        layout: MemoryLayout,
        target: CodeTarget,
        wasm: Bytes,
    ) -> Result<Vec<u8>, CompileError> {
        let seconds = self.limits.wall.as_secs();
        let compiled = tokio::time::timeout(self.limits.wall, self.run(layout, target, wasm)).await;
        compiled.unwrap_or(Err(CompileError::TooSlow { seconds }))
    }

    async fn run(&self, layout: MemoryLayout, target: CodeTarget, wasm: Bytes) -> Result<Vec<u8>, CompileError> {
        let mut child = Command::new(&self.program)
            .arg0("tollbridge")
            .args(self.arguments(layout, target))
            .env_clear()
            // The allocator takes memory as it needs it, so that the limit counts
            // what is used and not what is put aside.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Not for it: the signals that a terminal sends to this process.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| CompileError::NotStarted { program: self.program.display().to_string(), source })?;
        let gone = || CompileError::Lost(io::Error::other("it has no pipes"));
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        let stderr = child.stderr.take().ok_or_else(gone)?;
        let code_max = self.limits.code_bytes;
        // Standard input stays open until the end: closing it ends the child.
        let (_stdin, code, said) = tokio::join!(
            send(stdin, &wasm),
            read(stdout, code_max.saturating_add(1)),
            read(stderr, u64::try_from(PLUGIN_TEXT_BYTES_MAX).unwrap_or(u64::MAX))
        );
        let (code, said) = (code?, said?);
        if u64::try_from(code.len()).unwrap_or(u64::MAX) > code_max {
            return Err(CompileError::TooLarge { max: code_max });
        }
        let status = child.wait().await?;
        if status.success() { Ok(code) } else { Err(self.failure(status, &said)) }
    }

    /// Why a child has ended without code.
    fn failure(&self, status: ExitStatus, said: &[u8]) -> CompileError {
        let is = |signal: Signal| status.signal() == Some(signal.as_raw());
        if is(Signal::XCPU) {
            return CompileError::OutOfTime { seconds: self.limits.cpu_seconds };
        }
        // The allocator's way out.
        if is(Signal::ABORT) {
            return CompileError::OutOfMemory { mib: self.limits.memory_bytes >> 20 };
        }
        if is(Signal::KILL) || is(Signal::TERM) || is(Signal::INT) || is(Signal::HUP) {
            return CompileError::Stopped(status);
        }
        let said = text::clean(String::from_utf8_lossy(said).trim(), PLUGIN_TEXT_BYTES_MAX);
        if status.code() == Some(1) && !said.is_empty() {
            return CompileError::Refused(said);
        }
        tracing::warn!(%status, said, "a compiler crashed");
        CompileError::Crashed(status)
    }
}

/// The length, then the component. A child that is gone says why it went, so
/// that this could not be written is not the story.
async fn send(mut stdin: ChildStdin, wasm: &[u8]) -> ChildStdin {
    let length = u64::try_from(wasm.len()).unwrap_or(u64::MAX).to_le_bytes();
    if stdin.write_all(&length).await.is_ok() {
        let _ = stdin.write_all(wasm).await;
    }
    stdin
}

async fn read(pipe: impl AsyncRead + Unpin, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(max).read_to_end(&mut bytes).await?;
    Ok(bytes)
}
