//! The one place where this project runs bytes as native code.

use wasmtime::component::Component;
use wasmtime::{Engine, Result};

/// Compiled code that comes from this host's compiler: fresh from it, or with an
/// authentication code that this process has checked, over exactly these bytes,
/// which nothing can change after.
pub(super) struct Authentic(Vec<u8>);

impl Authentic {
    /// To be called by the cache, after it checked the bytes, and by whoever has
    /// just had them compiled; by nobody else.
    pub(super) fn vouch(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, to be kept.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Loads code that this host compiled.
#[expect(unsafe_code, reason = "wasmtime offers no safe way to load what it compiled")]
pub(super) fn load(engine: &Engine, code: &Authentic) -> Result<Component> {
    // SAFETY: `deserialize` requires bytes that `Engine::precompile_component`
    // made and nobody changed. `Authentic` exists only for bytes, held in this
    // process's memory, that either came from that function in this process, or
    // from it in a child that is this program, through a pipe that only the two
    // have, or whose HMAC under a key of this host verified; the host makes that
    // HMAC only over such bytes. Wasmtime itself refuses code of another version
    // or configuration.
    unsafe { Component::deserialize(engine, &code.0) }
}
