//! `Runtime`: the parts that all plugins share, such as the engine, its ticker and the call slots.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tollbridge_core::egress::Egress;
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_core::turns::Turns;
use tollbridge_plugin::{PluginPool, RuntimeLimits};
use wasmtime::Engine;
use zeroize::Zeroizing;

use super::calls::fairness::FairnessShare;
use super::code::cache::CodeCache;
use super::code::compiler::Compiler;
use super::code::engine::{self, CodeTarget, Ticker};
use super::code::memory_layout::MemoryLayout;
use super::imports::counter_locks::CounterLocks;
use super::imports::write_budget::WriteBudget;
use crate::limits::DESCRIBES_MAX;

/// Maximum number of concurrent compilations for accounts, each for a different account:
/// a slow one leaves a slot for other accounts.
const COMPILES_OF_ACCOUNTS_MAX: usize = 2;
/// Maximum number of concurrent compilations for the operator's publishers; lower on a
/// machine with fewer processors.
const COMPILES_OF_OPERATOR_MAX: usize = 4;
/// Maximum number of accounts' components that wait in memory to be compiled.
const COMPILES_WAITING_MAX: usize = 64;
/// Maximum number of components of one account that wait to be compiled, for a deployment
/// or because a version is reloaded.
const COMPILES_WAITING_PER_ACCOUNT_MAX: usize = 4;

/// Secret keys of the runtime, 32 random bytes each.
pub struct RuntimeKeys {
    /// Authenticates compiled code in the cache.
    pub code_cache: Zeroizing<[u8; 32]>,
    /// Derives the pseudonyms by which plugins see callers.
    pub pseudonyms: Zeroizing<[u8; 32]>,
}

/// The folders of compiled code, and the processors to compile for.
pub struct CodeFolders<'a> {
    /// Folder of code that this host has compiled; new code is added to it.
    pub cache: Option<&'a Path>,
    /// Folder of code that was compiled for any processor and installed with the program.
    pub installed: Option<&'a Path>,
    /// The processors that this host compiles for.
    pub target: CodeTarget,
}

/// The reason why the runtime could not start.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
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

pub(crate) struct Shared {
    pub(super) engine: Engine,
    /// The layout of guests' memories in the engine.
    pub(super) layout: MemoryLayout,
    pub(super) limits: RuntimeLimits,
    pub(super) compiler: Compiler,
    /// Limits how many components are compiled at once, fairly between accounts.
    pub(super) compiling: Turns,
    /// Limits how many plugins describe themselves at once; each uses a spare instance of the pool.
    pub(super) describing: Turns,
    /// The call slots, and the slots for long schema checks.
    pub(super) pool: Arc<PluginPool>,
    /// The processors that components are compiled for.
    pub(super) target: CodeTarget,
    pub(super) cache: Option<CodeCache>,
    /// Compiled code that was installed with the program.
    pub(super) installed: Option<CodeCache>,
    pub(super) egress: Arc<Egress>,
    pub(super) fairness: Arc<FairnessShare>,
    pub(super) counter_locks: Arc<CounterLocks>,
    pub(super) write_budget: Arc<WriteBudget>,
    _ticker: Ticker,
}

impl Runtime {
    /// Starts the engine; components are compiled in this process. Without a `cache` folder, every
    /// component is compiled again after each start.
    pub fn start(
        limits: RuntimeLimits,
        keys: RuntimeKeys,
        cache: Option<&Path>,
        egress: Arc<Egress>,
    ) -> Result<Self, StartError> {
        let code = CodeFolders { cache, installed: None, target: CodeTarget::ThisProcessor };
        Self::start_with_compiler(Compiler::InProcess, limits, keys, code, egress)
    }

    /// Starts the engine with the given compiler and folders of compiled code.
    pub fn start_with_compiler(
        compiler: Compiler,
        limits: RuntimeLimits,
        keys: RuntimeKeys,
        code: CodeFolders<'_>,
        egress: Arc<Egress>,
    ) -> Result<Self, StartError> {
        let limits = limits.bounded();
        let (engine, layout) = engine::build_for(&limits, code.target).map_err(StartError::Engine)?;
        let unusable = |dir: &Path, source| StartError::Cache { path: dir.display().to_string(), source };
        let cache = code
            .cache
            .map(|dir| CodeCache::open(dir, keys.code_cache, &engine).map_err(|source| unusable(dir, source)));
        let cache = cache.transpose()?;
        let installed = code.installed.map(|dir| {
            let packed_by = engine::build_compiler(layout, CodeTarget::AnyProcessor).map_err(StartError::Engine)?;
            CodeCache::installed(dir, &packed_by).map_err(|source| unusable(dir, source))
        });
        let installed = installed.transpose()?;
        let fairness = Arc::new(FairnessShare::new());
        let ticker = Ticker::start(&engine, fairness.clone()).map_err(StartError::Ticker)?;
        Ok(Self(Arc::new(Shared {
            pool: PluginPool::new(&limits, &keys.pseudonyms),
            compiling: compile_turns(),
            describing: Turns::new(DESCRIBES_MAX, accounts(DESCRIBES_MAX)),
            engine,
            layout,
            limits,
            compiler,
            target: code.target,
            cache,
            installed,
            egress,
            fairness,
            counter_locks: Arc::default(),
            write_budget: Arc::default(),
            _ticker: ticker,
        })))
    }

    /// Returns the number of instances that can start now.
    #[cfg(test)]
    pub(crate) fn available_permits(&self) -> usize {
        self.0.pool.free()
    }
}

/// Allows one compilation per processor for the operator's components, and a few more for accounts.
fn compile_turns() -> Turns {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Turns::new(processors.min(COMPILES_OF_OPERATOR_MAX), accounts(COMPILES_OF_ACCOUNTS_MAX))
}

/// Returns the limits for accounts: `running` at once in total, at most one of each account.
const fn accounts(running: usize) -> FairLimits {
    FairLimits {
        running,
        running_per_tenant: 1,
        waiting: COMPILES_WAITING_MAX,
        waiting_per_tenant: COMPILES_WAITING_PER_ACCOUNT_MAX,
    }
}
