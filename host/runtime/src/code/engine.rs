//! The engine that runs every plugin, and the clock that interrupts guest code.
//!
//! Invariants:
//! 1. Guest code can always be interrupted: it checks the epoch at every loop and call, and an
//!    operating-system thread advances the epoch, because a task would starve on the very thread
//!    that a runaway guest occupies.
//! 2. Only the WebAssembly features that plugins need are enabled: hostile input cannot reach the
//!    code of a disabled feature.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use tollbridge_plugin::RuntimeLimits;
use wasmtime::{
    Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
    WasmBacktraceDetails,
};

use super::memory_layout::MemoryLayout;
use crate::calls::fairness::FairnessShare;
use crate::limits::{
    DESCRIBES_MAX, GUEST_CORE_INSTANCES_MAX, GUEST_MEMORIES_MAX, GUEST_TABLE_ELEMENTS_MAX, GUEST_TABLES_MAX,
};

/// Time between two ticks of the epoch. A guest yields to other calls after each tick, and its
/// deadline is checked at this precision.
pub const TICK: Duration = Duration::from_millis(5);

/// Bytes of a linear memory that stay mapped between two calls and are zeroed explicitly, which is
/// cheaper than unmapping the pages and faulting them in again.
const MEMORY_KEPT: usize = 256 << 10;
const TABLE_KEPT: usize = 64 << 10;
const WASM_STACK: usize = 512 << 10;
/// Size of the stack that guest and host functions share. Above the guest's part, it must have room
/// for host functions: a stack overflow there ends the process.
const CALL_STACK: usize = 2 << 20;

/// The processors that code is compiled for, and whether it has debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeTarget {
    /// This machine's processor, with all its features.
    ThisProcessor,
    /// Any processor of this architecture, for code that is packaged with a program.
    AnyProcessor,
    /// This machine's processor; the code includes debug information, for plugin authors.
    Author,
}

/// The target triple of `CodeTarget::AnyProcessor`.
const TARGET: &str = if cfg!(target_arch = "aarch64") {
    if cfg!(target_os = "macos") { "aarch64-apple-darwin" } else { "aarch64-unknown-linux-gnu" }
} else if cfg!(target_os = "macos") {
    "x86_64-apple-darwin"
} else {
    "x86_64-unknown-linux-gnu"
};

/// Builds the engine: pooled if the address space allows it, otherwise on demand. Returns the
/// engine and its memory layout, which the compiler needs.
pub(crate) fn build_for(limits: &RuntimeLimits, target: CodeTarget) -> wasmtime::Result<(Engine, MemoryLayout)> {
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
    tracing::warn!("plugins run without an instance pool, so calls are slower; raise the limit of virtual memory");
    let mut config = config(target)?;
    MemoryLayout::OnDemand.apply(&mut config);
    Ok((Engine::new(&config)?, MemoryLayout::OnDemand))
}

/// Builds an engine that runs code for this machine's processor.
#[cfg(test)]
pub(crate) fn build(limits: &RuntimeLimits) -> wasmtime::Result<(Engine, MemoryLayout)> {
    build_for(limits, CodeTarget::ThisProcessor)
}

/// Builds an engine that only compiles, in the calling thread, for an engine with the same layout.
/// Reserves no address space.
pub(crate) fn build_compiler(layout: MemoryLayout, target: CodeTarget) -> wasmtime::Result<Engine> {
    let mut config = config(target)?;
    layout.apply(&mut config);
    config.parallel_compilation(false);
    Engine::new(&config)
}

fn config(target: CodeTarget) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    if target == CodeTarget::AnyProcessor {
        // For a named target, the compiler uses only the baseline features of the architecture.
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
    // The pool has spare instances besides those for calls, because a plugin that is
    // being loaded is also instantiated, to describe itself. Half of them are for the
    // operator's plugins, half for those of accounts.
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
        // If the kernel supports it, only pages that a call wrote to are reset.
        .pagemap_scan(Enabled::Auto)
        .table_keep_resident(TABLE_KEPT);
    pool
}

/// The thread that advances the epoch. Dropping this value ends the thread.
pub(crate) struct Ticker {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine, fairness: Arc<FairnessShare>) -> std::io::Result<Self> {
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
            // The thread cannot panic and returns nothing.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticker_moves_the_epoch_and_ends_when_dropped() {
        let (engine, _) = build(&RuntimeLimits { instances: 4, ..RuntimeLimits::default() }).unwrap();
        let fairness = Arc::new(FairnessShare::new());
        let ticker = Ticker::start(&engine, fairness.clone()).unwrap();
        std::thread::sleep(TICK * 4);
        drop(ticker);
        // The thread, which held the only other reference, has ended.
        assert_eq!(Arc::strong_count(&fairness), 1);
    }
}
