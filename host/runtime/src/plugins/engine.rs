//! The one engine that runs every plugin, and the clock that interrupts it.
//!
//! Invariants:
//! 1. Guest code can always be interrupted: it checks the epoch at every loop
//!    and call, and the epoch is moved by an operating-system thread, because a
//!    task would starve on the very thread that a runaway guest occupies.
//! 2. Only the parts of WebAssembly that plugins need are on; each one that is
//!    off is code that hostile input cannot reach.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use tollbridge_core::limits::{
    COMPONENT_BYTES_MAX, DESCRIBES_MAX, GUEST_CORE_INSTANCES_MAX, GUEST_MEMORIES_MAX, GUEST_MEMORY_BYTES_MAX,
    GUEST_TABLE_ELEMENTS_MAX, GUEST_TABLES_MAX, GUEST_TIME_MS_MAX,
};
use wasmtime::{
    Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
    WasmBacktraceDetails,
};

use super::fairness::FairnessShare;
use super::memory_layout::MemoryLayout;

/// Time between two ticks of the epoch: how long a guest runs before it
/// yields to others, and how exact its deadline is.
pub const TICK: Duration = Duration::from_millis(5);

/// Kept of a linear memory between two calls and put back by hand, which is
/// cheaper than giving the pages back and faulting them in again.
const MEMORY_KEPT: usize = 256 << 10;
const TABLE_KEPT: usize = 64 << 10;
const WASM_STACK: usize = 512 << 10;
/// The stack that guest and host functions share. It must be larger than the
/// guest's part by what host functions need: overflowing it ends the process.
const CALL_STACK: usize = 2 << 20;

/// What the operator allows any plugin; a plugin's own limits lie within.
#[derive(Clone, Debug)]
pub struct RuntimeLimits {
    /// Bytes of memory of one instance.
    pub max_memory: usize,
    /// Wall clock of one call.
    pub max_time: Duration,
    /// Bytes of a component file.
    pub max_component: usize,
    /// Instances of all plugins at once.
    pub instances: u32,
    /// Instances of one plugin, and of all plugins of one tenant that deploys,
    /// at once, so that none takes them all.
    pub share: u32,
    /// Calls of one account, or of one address without one, at once.
    pub caller_share: u32,
    /// How long a call may wait for a free instance.
    pub queue_wait: Duration,
}

impl Default for RuntimeLimits {
    fn default() -> Self {
        let instances = 256;
        Self {
            max_memory: 64 << 20,
            max_time: Duration::from_secs(10),
            max_component: COMPONENT_BYTES_MAX,
            instances,
            share: instances / 4,
            caller_share: instances / 8,
            queue_wait: Duration::from_secs(2),
        }
    }
}

impl RuntimeLimits {
    /// The limits that hold whatever the configuration says.
    pub fn bounded(mut self) -> Self {
        self.max_memory = self.max_memory.min(GUEST_MEMORY_BYTES_MAX);
        self.max_time = self.max_time.min(Duration::from_millis(GUEST_TIME_MS_MAX));
        self.max_component = self.max_component.min(COMPONENT_BYTES_MAX);
        self.instances = self.instances.clamp(1, 10_000);
        self.share = self.share.clamp(1, self.instances);
        self.caller_share = self.caller_share.clamp(1, self.instances);
        self
    }
}

/// Which processors code is compiled for, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeTarget {
    /// This machine's, with all that it can.
    ThisProcessor,
    /// Any of its kind: what is packed with a program runs wherever that does.
    AnyProcessor,
    /// This machine's, of a plugin's author: the code knows the source lines that the
    /// component names.
    Author,
}

/// What `CodeTarget::AnyProcessor` is called here.
const TARGET: &str = if cfg!(target_arch = "aarch64") {
    if cfg!(target_os = "macos") { "aarch64-apple-darwin" } else { "aarch64-unknown-linux-gnu" }
} else if cfg!(target_os = "macos") {
    "x86_64-apple-darwin"
} else {
    "x86_64-unknown-linux-gnu"
};

/// Builds the engine: pooled when the address space allows it, else on demand.
/// Also how it lays out memories, which the compiler has to know.
pub(super) fn build_for(limits: &RuntimeLimits, target: CodeTarget) -> wasmtime::Result<(Engine, MemoryLayout)> {
    let narrow = MemoryLayout::Narrow(u64::try_from(limits.max_memory).unwrap_or(u64::MAX));
    for layout in [MemoryLayout::Wide, narrow] {
        let mut config = config(target)?;
        layout.apply(&mut config);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(limits)));
        match Engine::new(&config) {
            Ok(engine) => return Ok((engine, layout)),
            Err(error) => tracing::warn!(
                %error, %layout, "the instance pool does not fit the address space; trying a smaller one"
            ),
        }
    }
    tracing::warn!("plugins run without an instance pool, so calls cost more; raise the limit of virtual memory");
    let mut config = config(target)?;
    MemoryLayout::OnDemand.apply(&mut config);
    Ok((Engine::new(&config)?, MemoryLayout::OnDemand))
}

/// Likewise, for this processor.
#[cfg(test)]
pub(super) fn build(limits: &RuntimeLimits) -> wasmtime::Result<(Engine, MemoryLayout)> {
    build_for(limits, CodeTarget::ThisProcessor)
}

/// An engine that only compiles, in the thread that asks it to, what the engine
/// of the same layout can load. It takes no address space.
pub(super) fn build_compiler(layout: MemoryLayout, target: CodeTarget) -> wasmtime::Result<Engine> {
    let mut config = config(target)?;
    layout.apply(&mut config);
    config.parallel_compilation(false);
    Engine::new(&config)
}

fn config(target: CodeTarget) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    if target == CodeTarget::AnyProcessor {
        // A target that is named has what all of its kind have, and no more.
        config.target(TARGET)?;
    }
    let details = match target {
        CodeTarget::Author => WasmBacktraceDetails::Enable,
        CodeTarget::ThisProcessor | CodeTarget::AnyProcessor => WasmBacktraceDetails::Disable,
    };
    config
        .epoch_interruption(true)
        .wasm_backtrace_details(details)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(CALL_STACK)
        .memory_init_cow(true)
        .cranelift_opt_level(OptLevel::Speed)
        .wasm_component_model(true)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .wasm_custom_page_sizes(false)
        .wasm_wide_arithmetic(false)
        .concurrency_support(false);
    Ok(config)
}

fn pool(limits: &RuntimeLimits) -> PoolingAllocationConfig {
    // More instances than calls may have: plugins that are being loaded are asked
    // to describe themselves, the operator's and those of accounts.
    let spare = u32::try_from(2 * DESCRIBES_MAX).unwrap_or(u32::MAX);
    let instances = limits.instances.saturating_add(spare);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(instances.saturating_mul(GUEST_CORE_INSTANCES_MAX))
        .total_memories(instances.saturating_mul(2))
        .total_tables(instances.saturating_mul(GUEST_TABLES_MAX))
        .total_stacks(instances)
        .max_core_instances_per_component(GUEST_CORE_INSTANCES_MAX)
        .max_memories_per_component(GUEST_MEMORIES_MAX)
        .max_memories_per_module(GUEST_MEMORIES_MAX)
        .max_tables_per_component(GUEST_TABLES_MAX)
        .max_tables_per_module(GUEST_TABLES_MAX)
        .max_memory_size(limits.max_memory)
        .table_elements(GUEST_TABLE_ELEMENTS_MAX)
        .linear_memory_keep_resident(MEMORY_KEPT)
        // Where the kernel can tell, only pages that a call wrote to are put back.
        .pagemap_scan(Enabled::Auto)
        .table_keep_resident(TABLE_KEPT);
    pool
}

/// The thread that moves the epoch. It ends when this is dropped.
pub(super) struct Ticker {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(super) fn start(engine: &Engine, fairness: Arc<FairnessShare>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel::<()>();
        let engine: EngineWeak = engine.weak();
        let thread = std::thread::Builder::new().name("plugin-ticker".to_owned()).spawn(move || {
            while matches!(stopped.recv_timeout(TICK), Err(RecvTimeoutError::Timeout)) {
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
                fairness.renew();
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // It cannot panic, and nothing waits for its result.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_configuration_exceeds_the_ceilings() {
        let greedy = RuntimeLimits {
            max_memory: usize::MAX,
            max_time: Duration::from_secs(1 << 30),
            max_component: usize::MAX,
            instances: u32::MAX,
            share: u32::MAX,
            ..RuntimeLimits::default()
        };
        let bounded = greedy.bounded();
        assert_eq!(bounded.max_memory, GUEST_MEMORY_BYTES_MAX);
        assert_eq!(bounded.max_time, Duration::from_millis(GUEST_TIME_MS_MAX));
        assert_eq!(bounded.max_component, COMPONENT_BYTES_MAX);
        assert_eq!((bounded.instances, bounded.share), (10_000, 10_000));
        assert_eq!(RuntimeLimits { share: 0, ..RuntimeLimits::default() }.bounded().share, 1);
    }

    #[test]
    fn the_ticker_moves_the_epoch_and_ends_when_dropped() {
        let (engine, _) = build(&RuntimeLimits { instances: 4, ..RuntimeLimits::default() }).unwrap();
        let fairness = Arc::new(FairnessShare::new());
        let ticker = Ticker::start(&engine, fairness.clone()).unwrap();
        std::thread::sleep(TICK * 4);
        drop(ticker);
        // Its thread held the only other reference.
        assert_eq!(Arc::strong_count(&fairness), 1);
    }
}
