//! `Runtime`: what all plugins share, which is the engine, its ticker and the
//! places of calls.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::Mutex;
use tollbridge_core::egress::Egress;
use wasmtime::Engine;
use zeroize::Zeroizing;

use super::cache::CodeCache;
use super::counter_locks::CounterLocks;
use super::engine::{self, RuntimeLimits, Ticker};
use super::fairness::FairnessShare;
use super::places::CallPlaces;
use super::write_budget::WriteBudget;

/// Secret keys of the runtime, 32 random bytes each.
pub struct RuntimeKeys {
    /// Authenticates compiled code.
    pub code_cache: Zeroizing<[u8; 32]>,
    /// Makes the pseudonyms by which plugins know callers.
    pub pseudonyms: Zeroizing<[u8; 32]>,
}

/// Why the runtime cannot start.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it means")]
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
    /// to calls; whoever holds this also has the pool's spare instance.
    pub(super) compiling: Mutex<()>,
    /// Places of callers, owners and the pool of instances.
    pub(super) places: CallPlaces,
    pub(super) cache: Option<CodeCache>,
    pub(super) pseudonyms: Zeroizing<[u8; 32]>,
    pub(super) egress: Arc<Egress>,
    pub(super) fairness: Arc<FairnessShare>,
    pub(super) counter_locks: Arc<CounterLocks>,
    pub(super) write_budget: Arc<WriteBudget>,
    _ticker: Ticker,
}

impl Runtime {
    /// Starts the engine. Without a `cache` folder everything is compiled at
    /// each start.
    pub fn start(
        limits: RuntimeLimits,
        keys: RuntimeKeys,
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
        let fairness = Arc::new(FairnessShare::new());
        let ticker = Ticker::start(&engine, fairness.clone()).map_err(StartError::Ticker)?;
        Ok(Self(Arc::new(Shared {
            places: CallPlaces::new(&limits),
            compiling: Mutex::new(()),
            engine,
            limits,
            cache,
            pseudonyms: keys.pseudonyms,
            egress,
            fairness,
            counter_locks: Arc::default(),
            write_budget: Arc::default(),
            _ticker: ticker,
        })))
    }

    /// The operator's ceilings, as they hold.
    pub fn limits(&self) -> &RuntimeLimits {
        &self.0.limits
    }

    /// Whether the cache has compiled code of a component.
    pub fn has_compiled_code(&self, sha256: &[u8; 32]) -> bool {
        self.0.cache.as_ref().is_some_and(|cache| cache.has(sha256))
    }

    /// Removes the compiled code of a component from the cache. Loaded plugins
    /// keep running.
    pub fn remove_compiled_code(&self, sha256: &[u8; 32]) {
        if let Some(cache) = &self.0.cache {
            cache.forget(sha256);
        }
    }

    /// Removes cached code that is older than `before` and belongs to none of
    /// the components in `keep`; returns the number of entries. Loaded plugins
    /// keep running. Blocks.
    pub fn sweep_compiled_code(&self, keep: &HashSet<[u8; 32]>, before: SystemTime) -> io::Result<usize> {
        self.0.cache.as_ref().map_or(Ok(0), |cache| cache.sweep(keep, before))
    }

    /// Instances that can start now.
    pub fn available_permits(&self) -> usize {
        self.0.places.free()
    }
}
