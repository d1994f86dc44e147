//! Tests of a compiler child process that exceeds its limits. A shell script replaces the child:
//! these tests check how the host treats a misbehaving child, and that other loads are not
//! affected. The end-to-end tests use the real child.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use tollbridge_core::egress::Egress;
use tollbridge_plugin::{PluginSpec, RuntimeLimits};

use super::fixture::*;
use crate::code::child;
use crate::code::memory_layout::MemoryLayout;
use crate::{ChildCompiler, CompileError, CompileLimits, Compiler, LoadError, LoadProblem, Runtime};
use crate::{CodeFolders, CodeTarget};

const LIMITS: CompileLimits =
    CompileLimits { memory_bytes: 64 << 20, cpu_seconds: 7, wall: Duration::from_secs(20), code_bytes: 1 << 20 };

fn script(text: &str, limits: CompileLimits) -> ChildCompiler {
    ChildCompiler::new(PathBuf::from("/bin/sh"), vec!["-c".to_owned(), text.to_owned()], limits)
}

async fn outcome(text: &str, limits: CompileLimits) -> Result<Vec<u8>, CompileError> {
    script(text, limits).compile(MemoryLayout::Wide, CodeTarget::ThisProcessor, Bytes::from_static(b"component")).await
}

#[tokio::test]
async fn how_a_child_ends_says_why() {
    let failed = |text: &'static str| async move { outcome(text, LIMITS).await.unwrap_err() };
    let error = failed("kill -XCPU $$").await;
    assert!(matches!(error, CompileError::OutOfTime { seconds: 7 }) && !error.is_transient(), "{error}");
    let error = failed("kill -ABRT $$").await;
    assert!(matches!(error, CompileError::OutOfMemory { mib: 64 }) && !error.is_transient(), "{error}");
    let error = failed("kill -SEGV $$").await;
    assert!(matches!(error, CompileError::Crashed(_)) && !error.is_transient(), "{error}");
    let error = failed("kill -KILL $$").await;
    assert!(matches!(error, CompileError::Stopped(_)) && error.is_transient(), "{error}");
    let error = failed("echo 'type mismatch (at offset 0x1)' >&2; exit 1").await;
    assert_eq!(error.to_string(), "plugin.wasm cannot be compiled: type mismatch (at offset 0x1)");
    let error = failed("exec cat /dev/zero").await;
    assert!(matches!(error, CompileError::TooLarge { max: 1_048_576 }), "{error}");
    assert_eq!(outcome("exec head -c 17", LIMITS).await.unwrap(), b"\x09\0\0\0\0\0\0\0component");
}

#[tokio::test]
async fn a_compiler_that_is_not_there_is_named() {
    let compiler = ChildCompiler::new(PathBuf::from("/nowhere/tollbridge"), Vec::new(), LIMITS);
    let error = compiler.compile(MemoryLayout::Wide, CodeTarget::ThisProcessor, Bytes::new()).await.unwrap_err();
    assert!(error.is_transient() && error.to_string().contains("/nowhere/tollbridge cannot be run"), "{error}");
}

#[tokio::test]
async fn a_child_has_nothing_of_its_parents_environment() {
    let Err(CompileError::Refused(said)) = outcome("env >&2; exit 1", LIMITS).await else { panic!("it said nothing") };
    // The shell itself may set further variables.
    for variable in ["CARGO", "HOME", "PATH=/root", "USER"] {
        assert!(!said.contains(variable), "{said}");
    }
}

#[tokio::test]
async fn a_child_that_takes_too_long_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let text = format!("echo $$ > {}; exec sleep 600", pid.display());
    let began = Instant::now();
    let error = outcome(&text, CompileLimits { wall: Duration::from_secs(1), ..LIMITS }).await.unwrap_err();
    assert!(matches!(error, CompileError::TooSlow { seconds: 1 }) && error.is_transient(), "{error}");
    assert!(began.elapsed() < Duration::from_secs(10));
    let process = Path::new("/proc").join(std::fs::read_to_string(&pid).unwrap().trim());
    let runs = || std::fs::read_to_string(process.join("stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() {
        assert!(began.elapsed() < Duration::from_secs(20), "it keeps running");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Returns a runtime whose compiler hangs on components of more than `bytes` bytes, and compiles
/// every other component to `echo`.
fn runtime_that_hangs_at(bytes: usize, dir: &Path) -> Runtime {
    let limits = RuntimeLimits { instances: PLACES, share: PLACES, ..RuntimeLimits::default() };
    let code = dir.join("code");
    let compiled = child::compile(MemoryLayout::Wide, CodeTarget::ThisProcessor, &wasm("echo")).unwrap();
    std::fs::write(&code, compiled).unwrap();
    let text =
        format!("size=$(head -c 8 | od -An -tu8); [ $size -gt {bytes} ] && exec sleep 600; cat {}", code.display());
    let compiler = script(&text, CompileLimits { wall: Duration::from_secs(5), code_bytes: 64 << 20, ..LIMITS });
    let egress = Arc::new(Egress::new(Vec::new()).unwrap());
    let code = CodeFolders { cache: None, installed: None, target: CodeTarget::ThisProcessor };
    Runtime::start_with_compiler(Compiler::Child(compiler), limits, keys(), code, egress).unwrap()
}

fn of(account: Option<&str>, name: &str, wasm: Vec<u8>) -> PluginSpec {
    PluginSpec { tenant: account.map(Into::into), ..spec(name, wasm, &[]) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_takes_long_delays_its_account_alone() {
    let dir = tempfile::tempdir().unwrap();
    let echo = wasm("echo");
    let runtime = runtime_that_hangs_at(echo.len(), dir.path());
    // An empty custom section makes the component longer than `echo`.
    let bomb = [&echo[..], b"\0\x02\x01x"].concat();
    let began = Instant::now();
    let load = |spec: PluginSpec| {
        let runtime = runtime.clone();
        tokio::spawn(async move { (runtime.load(spec).await, began.elapsed()) })
    };
    let hangs = load(of(Some("hostile"), "bomb", bomb));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let behind = load(of(Some("hostile"), "behind", echo.clone()));
    for account in [Some("other"), None] {
        let plugin = runtime.load(of(account, "fine", echo.clone())).await.unwrap();
        assert_eq!(call(&plugin, "{}").await.unwrap().body, b"{}");
        assert!(!hangs.is_finished() && !behind.is_finished(), "{account:?} waited");
    }
    let (refused, ended) = hangs.await.unwrap();
    let error: LoadError = refused.err().unwrap();
    assert!(matches!(error.cause, LoadProblem::Compile(CompileError::TooSlow { seconds: 5 })), "{error}");
    assert!(error.is_busy() && error.to_string().starts_with("plugin bomb 1.2.3 was not loaded: "), "{error}");
    // The second component of the same account was compiled only after the first.
    let (loaded, then) = behind.await.unwrap();
    assert!(loaded.is_ok() && then >= ended, "{then:?} is before {ended:?}");
}

#[tokio::test]
async fn what_is_too_much_work_never_reaches_the_compiler() {
    let (locals, statements) =
        (" i32".repeat(500), "(local.set 1 (i32.add (local.get 2) (local.get 3)))".repeat(80_000));
    let text = format!("(component (core module (func (local{locals}) {statements})))");
    let spec = of(Some("hostile"), "bomb", wat::parse_str(text).unwrap());
    let dir = tempfile::tempdir().unwrap();
    let error = runtime_that_hangs_at(0, dir.path()).load(spec).await.err().unwrap();
    assert!(matches!(error.cause, LoadProblem::Component(_)) && !error.is_busy(), "{error}");
    assert!(error.to_string().contains("function 1 of module 1 has 560005 bytes; at most 524288"), "{error}");
}
