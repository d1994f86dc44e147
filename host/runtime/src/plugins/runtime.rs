//! What all plugins share: the engine, its clock, the places in the pool.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::Mutex;
use wasmtime::Engine;
use zeroize::Zeroizing;

use super::cache::CodeCache;
use super::engine::{self, RuntimeLimits, Ticker, Turns};
use super::gate::Gate;
use super::host_kv::Counters;
use tollbridge_core::egress::Egress;

/// The keys of this room, 32 random bytes each, kept by the host.
pub struct Keys {
    /// Authenticates compiled code.
    pub code_cache: Zeroizing<[u8; 32]>,
    /// Makes the pseudonyms by which plugins know callers.
    pub pseudonyms: Zeroizing<[u8; 32]>,
}

/// Why the runtime cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the WebAssembly engine cannot start: {0}")]
    Engine(wasmtime::Error),
    #[error("the clock of the WebAssembly engine cannot start: {0}")]
    Ticker(io::Error),
    #[error("the folder {path} for compiled code cannot be used: {source}")]
    Cache {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// Runs plugins. Cheap to clone; the engine stops with the last clone and the
/// last plugin.
#[derive(Clone)]
pub struct Runtime(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) limits: RuntimeLimits,
    /// One component is compiled at a time, so that compiling leaves processors
    /// to calls; whoever holds this also has the pool's spare place.
    pub(super) compiling: Mutex<()>,
    /// Places of the whole pool.
    pub(super) gate: Gate,
    pub(super) cache: Option<CodeCache>,
    pub(super) pseudonyms: Zeroizing<[u8; 32]>,
    pub(super) egress: Arc<Egress>,
    pub(super) turns: Arc<Turns>,
    pub(super) counters: Arc<Counters>,
    _ticker: Ticker,
}

impl Runtime {
    /// Starts the engine. Without a `cache` folder everything is compiled at
    /// each start.
    pub fn start(
        limits: RuntimeLimits,
        keys: Keys,
        cache: Option<&Path>,
        egress: Arc<Egress>,
    ) -> Result<Self, StartError> {
        let limits = limits.bounded();
        let engine = engine::build(&limits).map_err(StartError::Engine)?;
        let cache = cache
            .map(|dir| {
                CodeCache::open(dir, keys.code_cache, &engine)
                    .map_err(|source| StartError::Cache { path: dir.display().to_string(), source })
            })
            .transpose()?;
        let turns = Arc::new(Turns::new());
        let ticker = Ticker::start(&engine, turns.clone()).map_err(StartError::Ticker)?;
        Ok(Self(Arc::new(Shared {
            gate: Gate::new(limits.instances),
            compiling: Mutex::new(()),
            engine,
            limits,
            cache,
            pseudonyms: keys.pseudonyms,
            egress,
            turns,
            counters: Arc::default(),
            _ticker: ticker,
        })))
    }

    pub fn limits(&self) -> &RuntimeLimits {
        &self.0.limits
    }

    /// Whether compiled code of a component is kept.
    pub fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.0.cache.as_ref().is_some_and(|cache| cache.has(sha256))
    }

    /// Takes the compiled code of a component off the disk. What runs, runs on.
    pub fn forget(&self, sha256: &[u8; 32]) {
        if let Some(cache) = &self.0.cache {
            cache.forget(sha256);
        }
    }

    /// Takes compiled code off the disk that was put there before a time and is
    /// of none of these components. What runs, runs on. Blocks.
    pub fn sweep(&self, wanted: &HashSet<[u8; 32]>, before: SystemTime) -> io::Result<usize> {
        self.0.cache.as_ref().map_or(Ok(0), |cache| cache.sweep(wanted, before))
    }

    /// Instances that could start now.
    pub fn free_places(&self) -> usize {
        self.0.gate.free()
    }
}
