//! The sandbox that loads plugins' components and runs them without trusting them.
//!
//! Invariants:
//! 1. Every call runs in a fresh instance that no other call ever sees, within its grants and
//!    limits, and can harm only itself.
//! 2. A component is linked only with the interfaces that its manifest requests and the operator
//!    allows. Its callers pass only components whose signature was verified.
//! 3. A plugin's writes take effect only when its call is sealed.
//! 4. This is the only crate that uses wasmtime, and the only one with unsafe code: it loads
//!    compiled code after authenticating it.
//!
//! This crate never imports the ledger, the payment crates or any crate above them, so it has no
//! notion of prices.

mod bindings;
mod calls;
mod code;
mod imports;
mod limits;
mod loading;
mod runtime;

pub use code::cache::INSTALLED_KEY;
pub use code::child::{CompileChildError, CompileOrder, compile_component};
pub use code::compiler::{COMPILE_COMMAND, ChildCompiler, CompileError, CompileLimits, Compiler};
pub use code::component_limits::ComponentFault;
pub use code::engine::{CodeTarget, TICK};
pub use code::memory_layout::{MemoryLayout, UnknownLayout};
pub use code::prepare::{INIT_EXPORT, PREPARE_VERSION, PrepareError, prepare};
pub use imports::grants::{GrantError, grant_of};
pub use loading::load::{LoadError, LoadProblem};
pub use runtime::{CodeFolders, Runtime, RuntimeKeys, StartError};

#[cfg(test)]
mod tests;
