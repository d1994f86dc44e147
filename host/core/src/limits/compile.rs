//! Limits on compiling components. Untrusted accounts send components, and a small one
//! can keep a compiler busy for minutes: the most expensive shapes are refused before
//! compiling; the limits of the compiler's process stop the rest.
//!
//! For comparison, the maxima of this repository's plugins: a function of 34,830 bytes,
//! one with 131 locals, bytes times locals 1.8 million, 6,374 functions, 88 types, 3
//! modules in 13 instances, 2.4 MB of code. The largest is compiled with 110 MB of memory
//! in some seconds.

/// Maximum size of one function's body. The main loop of an interpreter for a scripting
/// language has a quarter of it.
pub const FUNCTION_BYTES_MAX: u64 = 512 << 10;
/// Maximum number of locals of one function. WebAssembly itself allows 50,000;
/// unoptimised code has some thousand.
pub const FUNCTION_LOCALS_MAX: u64 = 10_000;
/// Maximum of bytes times locals of one function: the cost of register allocation grows
/// with both. At this limit, compiling takes five seconds and half a gigabyte.
pub const FUNCTION_WORK_MAX: u64 = 64 << 20;
/// Maximum number of functions in all modules of a component. A Python component has some
/// 30,000.
pub const COMPONENT_FUNCTIONS_MAX: u64 = 200_000;
/// Maximum number of types in one component, including its modules and nested components.
pub const COMPONENT_TYPES_MAX: u64 = 20_000;
/// Maximum number of nested modules and components. Python's runtime is linked from
/// twenty.
pub const COMPONENT_MODULES_MAX: u64 = 100;
/// Maximum number of instances that a component creates of its modules and nested
/// components.
pub const COMPONENT_INSTANCES_MAX: u64 = 1_000;
/// Maximum nesting depth of components and modules; toolchains produce two levels.
pub const COMPONENT_DEPTH_MAX: u64 = 8;
/// Maximum size of all function bodies together: most of the largest component.
pub const COMPONENT_CODE_BYTES_MAX: u64 = 24 << 20;
/// Maximum memory of the compiler's process: twice the need of a Python component.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Maximum processor time of the compiler's process: six times the need of a Python
/// component.
pub const COMPILE_CPU_S_MAX: u64 = 60;
/// Maximum wall-clock time of a compilation. On a busy machine it gets a third of a
/// processor at worst, because its priority is the second lowest.
pub const COMPILE_MS_MAX: u64 = 180_000;
/// Niceness of the compiler's process: at 10, calls get nine tenths of a processor for
/// which both compete.
pub const COMPILE_NICE: i32 = 10;
/// Maximum number of concurrent compilations for accounts, each for a different account:
/// a slow one leaves a slot for other accounts.
pub const COMPILES_OF_ACCOUNTS_MAX: usize = 2;
/// Maximum number of concurrent compilations for the operator's publishers, if the
/// machine has as many processors.
pub const COMPILES_OF_OPERATOR_MAX: usize = 4;
/// Maximum number of accounts' components that wait in memory to be compiled.
pub const COMPILES_WAITING_MAX: usize = 64;
/// Maximum number of waiting components of one account: a deployment, and a version that
/// is reloaded.
pub const COMPILES_WAITING_PER_ACCOUNT_MAX: usize = 4;
/// Maximum time that a component waits to be compiled.
pub const COMPILE_WAIT_MS_MAX: u64 = 600_000;
/// Maximum number of plugins that describe themselves at once, separately for the
/// operator and for accounts (one per account): each takes an instance away from calls.
pub const DESCRIBES_MAX: usize = 4;
/// Maximum number of versions that are loaded at once for one kind of publisher; their
/// bytes are in memory.
pub const LOADS_MAX: usize = 16;
/// Maximum number of concurrent deployments, each of a different account.
pub const DEPLOYS_MAX: usize = 16;
/// Maximum number of deployments that wait in memory.
pub const DEPLOYS_WAITING_MAX: usize = 64;
/// Maximum number of waiting deployments of one account.
pub const DEPLOYS_WAITING_PER_ACCOUNT_MAX: usize = 3;
/// Time that a start, or an operator's command, waits until accounts' plugins are
/// compiled; not longer, because a plugin may be slow to describe itself.
pub const ACCOUNTS_LOADING_MS: u64 = 5_000;
