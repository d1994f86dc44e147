//! The process group of a local engine, which a child process of the server keeps.
//!
//! Invariants:
//! 1. The group ends when the server closes the child's standard input, however the server
//!    ends: it gets SIGTERM, and SIGKILL after five seconds.
//! 2. A signal is sent only while the engine's id cannot belong to another process.
//! 3. If the child itself is killed, the engine gets SIGKILL.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The CLI command that keeps the process group of an engine.
pub const RUN_ENGINE: &str = "run-engine";

/// Time from SIGTERM to SIGKILL for an engine that does not end.
pub(super) const ENGINE_STOP: Duration = Duration::from_secs(5);

/// Returns the path of this program. On Linux, it remains valid after an update has replaced
/// the program's file.
pub fn own_program() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

/// Runs a command in a separate process group until it ends, or until `server` reaches its
/// end. Blocks.
pub fn run_engine_group(mut command: Command, mut server: impl Read + Send + 'static) -> io::Result<ExitStatus> {
    let mut engine = command.stdin(Stdio::null()).process_group(0).spawn()?;
    let group = Pid::from_child(&engine);
    let is_over = Arc::new(Mutex::new(false));
    let over = is_over.clone();
    std::thread::spawn(move || {
        let _ = io::copy(&mut server, &mut io::sink());
        for (signal, pause) in [(Signal::TERM, ENGINE_STOP), (Signal::KILL, Duration::ZERO)] {
            let over = over.lock();
            if !*over {
                // Fails only if no process of the group is left.
                let _ = kill_process_group(group, signal);
            }
            drop(over);
            std::thread::sleep(pause);
        }
    });
    // Waiting leaves the ended engine in the table of processes, so its id stays taken.
    while matches!(waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT), Err(Errno::INTR)) {}
    let mut over = is_over.lock();
    let _ = kill_process_group(group, Signal::KILL);
    *over = true;
    engine.wait()
}

/// Replaces this process by the engine, which ends with this process' parent. Returns only
/// if that fails.
pub fn become_engine(words: &[OsString]) -> io::Error {
    let Some((program, arguments)) = words.split_first() else { return io::ErrorKind::InvalidInput.into() };
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // Engines profit from the huge pages that this program refuses.
    let _ = rustix::thread::disable_transparent_huge_pages(false);
    let error = Command::new(program).args(arguments).exec();
    io::Error::new(error.kind(), format!("cannot run {}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::time::Instant;

    use super::*;

    /// Starts a shell whose child ignores SIGTERM, and returns the child's id, the end of
    /// the input and the result.
    fn group(script: &str) -> (Pid, io::PipeWriter, std::thread::JoinHandle<ExitStatus>) {
        let (input, server) = io::pipe().unwrap();
        let (output, writer) = io::pipe().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdout(writer);
        let running = std::thread::spawn(move || run_engine_group(shell, input).unwrap());
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        (Pid::from_raw(line.trim().parse().unwrap()).unwrap(), server, running)
    }

    /// Waits until a process has ended; one that its new parent has not noticed counts.
    fn is_gone(pid: Pid) -> bool {
        let deadline = Instant::now() + Duration::from_secs(5);
        let runs = || {
            let shown = Command::new("ps").args(["-o", "stat=", "-p", &pid.as_raw_pid().to_string()]).output().unwrap();
            !matches!(shown.stdout.trim_ascii_start().first(), None | Some(b'Z'))
        };
        while runs() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        !runs()
    }

    #[test]
    fn a_group_that_ignores_the_end_of_its_server_is_killed() {
        let stubborn = "trap '' TERM; (trap '' TERM; sleep 1000 & echo $!; wait) & while :; do sleep 1000; done";
        let (child, server, running) = group(stubborn);
        let began = Instant::now();
        drop(server);
        assert!(!running.join().unwrap().success());
        assert!(began.elapsed() >= ENGINE_STOP, "SIGKILL came before its time");
        assert!(is_gone(child), "a child of the engine is left");
    }

    #[test]
    fn what_an_engine_leaves_behind_is_killed_at_once() {
        let (child, _server, running) = group("sleep 1000 & echo $!; exit 3");
        assert_eq!(running.join().unwrap().code(), Some(3));
        assert!(is_gone(child), "a child of the engine is left");
    }
}
