//! Compiled code of components: limits before compiling, the compiler, the cache, and the engine that
//! runs it.

pub(super) mod cache;
pub(super) mod child;
pub(super) mod compiler;
pub(super) mod component_limits;
pub(super) mod engine;
pub(super) mod memory_layout;
pub(super) mod native;
pub(super) mod prepare;
