//! The compiler in the child process: sets limits for its own process, reads a component and writes
//! its native code.
//!
//! Invariant: no byte of the component is read before all limits are in effect.

use std::io::{self, Read, Write};
use std::process::exit;

use rustix::process::{Resource, Rlimit, nice, setrlimit};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;
use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::text;

use super::engine::{self, CodeTarget};
use super::memory_layout::MemoryLayout;

/// Niceness of the compiler's process. At 10, calls get nine tenths of a processor that
/// they share with the compiler.
const COMPILE_NICE: i32 = 10;

/// Stack size of the thread that exits the process when the parent does.
const WATCHER_STACK: usize = 128 << 10;

/// The parameters of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct CompileOrder {
    /// The memory layout of the engine that will run the code.
    pub layout: MemoryLayout,
    /// The processors that will run the code.
    pub target: CodeTarget,
    /// Limit of writable memory, in bytes.
    pub memory_bytes: u64,
    /// Limit of processor time, in seconds.
    pub cpu_seconds: u64,
}

/// The reason why the component was not compiled; the parent reads it from standard error.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CompileChildError {
    #[error("the limits of the compiler cannot be set: {0}")]
    Limits(io::Error),
    #[error("the component cannot be read or its code cannot be written: {0}")]
    Pipe(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// Compiles the component from standard input and writes its code to standard output.
/// Call this in a child process only: it permanently lowers the priority and limits of
/// its own process, and exits the process when standard input closes.
pub fn compile_component(order: CompileOrder) -> Result<(), CompileChildError> {
    limit(order).map_err(|error| CompileChildError::Limits(error.into()))?;
    let wasm = read_component(&mut io::stdin().lock())?;
    std::thread::Builder::new().stack_size(WATCHER_STACK).spawn(end_with_parent)?;
    let code = compile(order.layout, order.target, &wasm)?;
    let mut out = io::stdout().lock();
    out.write_all(&code)?;
    Ok(out.flush()?)
}

fn limit(order: CompileOrder) -> rustix::io::Result<()> {
    let set = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    set(Resource::Data, order.memory_bytes)?;
    // At the soft limit the kernel sends SIGXCPU, from which the parent learns the
    // reason; at the hard limit, one second later, it kills the process.
    let maximum = Some(order.cpu_seconds.saturating_add(1));
    setrlimit(Resource::Cpu, Rlimit { current: Some(order.cpu_seconds), maximum })?;
    // A core dump would be as large as the process and is of no use.
    set(Resource::Core, 0)?;
    nice(COMPILE_NICE).map(drop)
}

/// Reads a component, preceded by its length as eight bytes, little-endian.
fn read_component(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > COMPONENT_BYTES_MAX {
        return Err(io::Error::other("the component is too large"));
    }
    let mut wasm = vec![0; length];
    input.read_exact(&mut wasm)?;
    Ok(wasm)
}

/// Exits the process when the parent has exited or closed the pipe. The parent sends no
/// further bytes, so the read does not return before that.
fn end_with_parent() {
    let _ = io::stdin().lock().read(&mut [0]);
    exit(2);
}

/// Compiles a component in the current thread.
pub(crate) fn compile(layout: MemoryLayout, target: CodeTarget, wasm: &[u8]) -> Result<Vec<u8>, CompileChildError> {
    let refused =
        |error: wasmtime::Error| CompileChildError::Refused(text::clean(&format!("{error:#}"), PLUGIN_TEXT_BYTES_MAX));
    engine::build_compiler(layout, target).map_err(refused)?.precompile_component(wasm).map_err(refused)
}

#[cfg(test)]
mod tests {
    use tollbridge_plugin::RuntimeLimits;

    use super::*;
    use crate::code::native::{self, Authentic};

    /// The child's output equals the engine's own, so that existing cache entries stay valid.
    #[test]
    fn what_a_child_compiles_is_what_the_pooled_engine_would() {
        let wasm =
            wat::parse_str(r#"(component (core module (func (export "f") (result i32) (i32.const 7))))"#).unwrap();
        let (pooled, layout) = engine::build(&RuntimeLimits { instances: 2, ..RuntimeLimits::default() }).unwrap();
        let code = compile(layout, CodeTarget::ThisProcessor, &wasm).unwrap();
        assert!(code == pooled.precompile_component(&wasm).unwrap());
        native::load(&pooled, &Authentic::vouch(&code)).unwrap();
        let other = compile(MemoryLayout::OnDemand, CodeTarget::ThisProcessor, &wasm).unwrap();
        assert!(native::load(&pooled, &Authentic::vouch(&other)).is_err());
    }

    #[test]
    fn a_component_comes_with_its_length() {
        let message = |length: u64, bytes: &[u8]| [&length.to_le_bytes()[..], bytes].concat();
        assert_eq!(read_component(&mut &message(3, b"abcd")[..]).unwrap(), b"abc");
        assert!(read_component(&mut &message(3, b"ab")[..]).is_err());
        assert!(read_component(&mut &message(u64::MAX, b"")[..]).is_err());
    }
}
