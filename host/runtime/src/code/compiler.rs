//! Compiles components to native code, in this process or in a child process with limits.
//!
//! Invariants:
//! 1. Untrusted components are compiled in a child: whatever they do to the compiler, this process
//!    keeps its memory, its time and its threads.
//! 2. A child gets only a component: no environment, no configuration, no secret. This process
//!    authenticates the result, which it reads from a pipe that only it and the child have.
//! 3. A child exits when its result is no longer needed: its standard input closes, however its
//!    parent ends.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};
use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::text;

use super::engine::CodeTarget;
use super::memory_layout::MemoryLayout;
use crate::limits::COMPILED_BYTES_MAX;

/// Maximum memory of the compiler's process: twice the need of a Python component.
const COMPILE_MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Maximum processor time of the compiler's process: six times the need of a Python
/// component.
const COMPILE_CPU_S_MAX: u64 = 60;
/// Maximum wall-clock time of a compilation. The compiler has the second-lowest priority,
/// so on a busy machine it gets a third of a processor at worst, and 60 s of processor
/// time take 180 s.
const COMPILE_MS_MAX: u64 = 180_000;

/// The CLI command that runs the compiler in a child process.
pub const COMPILE_COMMAND: &str = "compile-component";

/// The process in which components are compiled.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// This process, for components that the user has built.
    InProcess,
    /// A child process, for untrusted components.
    Child(ChildCompiler),
}

/// A program that compiles the component on its standard input.
#[derive(Clone, Debug)]
pub struct ChildCompiler {
    program: PathBuf,
    arguments: Vec<String>,
    limits: CompileLimits,
}

/// The limits for compiling one component.
#[derive(Clone, Copy, Debug)]
pub struct CompileLimits {
    /// Limit of writable memory, in bytes.
    pub memory_bytes: u64,
    /// Limit of processor time, in seconds.
    pub cpu_seconds: u64,
    /// Limit of wall-clock time.
    pub wall: Duration,
    /// Largest size of the compiled code, in bytes.
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

/// The reason why a component could not be compiled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
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
    #[error("plugin.wasm was not compiled: the compiler was killed from outside ({0}); try again")]
    Stopped(ExitStatus),
    #[error("plugin.wasm was not compiled: {program} cannot be run as the compiler: {source}")]
    NotStarted {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("plugin.wasm was not compiled: communication with the compiler failed: {0}")]
    Lost(#[from] io::Error),
}

impl CompileError {
    /// Returns whether the machine caused the failure, not the component, so that a retry may
    /// succeed.
    pub(crate) const fn is_transient(&self) -> bool {
        matches!(self, Self::TooSlow { .. } | Self::Stopped(_) | Self::NotStarted { .. } | Self::Lost(_))
    }
}

impl ChildCompiler {
    /// Returns a compiler that runs the current program again. On Linux, the path remains valid
    /// after an update has replaced the program's file.
    pub fn of_this_program() -> io::Result<Self> {
        let own = Path::new("/proc/self/exe");
        let program = if own.exists() { own.to_owned() } else { std::env::current_exe()? };
        Ok(Self::new(program, vec![COMPILE_COMMAND.to_owned()], CompileLimits::default()))
    }

    /// Returns a compiler that runs another program; `arguments` precede the arguments that the
    /// host adds.
    pub fn new(program: PathBuf, arguments: Vec<String>, limits: CompileLimits) -> Self {
        Self { program, arguments, limits }
    }

    /// Returns the command-line arguments for the program.
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

    /// Compiles a component for an engine with this memory layout. Dropping the future kills the
    /// child.
    pub(crate) async fn compile(
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
            // The allocator commits memory on demand, so that the limit counts used memory, not
            // reserved memory.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // In its own process group, the child does not receive the signals that a terminal
            // sends to this process.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| CompileError::NotStarted { program: self.program.display().to_string(), source })?;
        let gone = || CompileError::Lost(io::Error::other("the child has no pipes"));
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        let stderr = child.stderr.take().ok_or_else(gone)?;
        let code_max = self.limits.code_bytes;
        // Standard input stays open until the result is complete: closing it stops the child.
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

    /// Returns the reason why a child exited without compiled code.
    fn failure(&self, status: ExitStatus, said: &[u8]) -> CompileError {
        let is = |signal: Signal| status.signal() == Some(signal.as_raw());
        if is(Signal::XCPU) {
            return CompileError::OutOfTime { seconds: self.limits.cpu_seconds };
        }
        // When memory runs out, the allocator aborts the process.
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

/// Sends a component to the child, preceded by its length. Write errors are ignored: if the child
/// has exited, its exit status has the actual reason.
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
