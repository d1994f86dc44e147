//! The one place where this project runs bytes as native code.

use wasmtime::component::Component;
use wasmtime::{Engine, Result};

/// Compiled code whose authentication code this process has checked, over
/// exactly these bytes, which nothing can change after.
pub(super) struct Authentic(Vec<u8>);

impl Authentic {
    /// To be called by the cache alone, after it checked the bytes.
    pub(super) fn vouch(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

/// Loads code that this host compiled before.
#[expect(unsafe_code, reason = "wasmtime offers no safe way to load what it compiled")]
pub(super) fn load(engine: &Engine, code: &Authentic) -> Result<Component> {
    // SAFETY: `deserialize` requires bytes that `Component::serialize` made and
    // nobody changed. `Authentic` exists only for bytes, held in this process's
    // memory, whose HMAC under a key of this host verified; the host makes that
    // HMAC only over the output of `serialize`. Wasmtime itself refuses code of
    // another version or configuration.
    unsafe { Component::deserialize(engine, &code.0) }
}
