//! Limits of compiling components. Untrusted accounts send components, and a
//! small one can keep a compiler busy for minutes: the most expensive shapes
//! are refused before compiling, the rest is stopped by the limits of the
//! compiler's process.
//!
//! For comparison, the maxima of this repository's plugins: a function of
//! 34,830 bytes, one with 131 locals, bytes times locals 1.8 million, 6,374
//! functions, 88 types, 3 modules in 13 instances, 2.4 MB of code; it is
//! compiled with 110 MB in some seconds.

/// Body of one function. The main loop of an interpreter for a scripting
/// language has a quarter of it.
pub const FUNCTION_BYTES_MAX: u64 = 512 << 10;
/// Locals of one function. WebAssembly itself allows 50,000; unoptimised code
/// has some thousand.
pub const FUNCTION_LOCALS_MAX: u64 = 10_000;
/// Bytes times locals of one function: the cost of register allocation grows
/// with both. At the limit it takes five seconds and half a gigabyte.
pub const FUNCTION_WORK_MAX: u64 = 64 << 20;
/// Functions of all modules of a component. One in Python has some 30,000.
pub const COMPONENT_FUNCTIONS_MAX: u64 = 200_000;
/// Types of all modules and components in one.
pub const COMPONENT_TYPES_MAX: u64 = 20_000;
/// Nested modules and components. Python's runtime is linked from twenty.
pub const COMPONENT_MODULES_MAX: u64 = 100;
/// Instances that a component creates of its modules and nested components.
pub const COMPONENT_INSTANCES_MAX: u64 = 1_000;
/// Nesting depth of components and modules; toolchains produce two.
pub const COMPONENT_DEPTH_MAX: u64 = 8;
/// Bodies of all functions: most of the largest component.
pub const COMPONENT_CODE_BYTES_MAX: u64 = 24 << 20;
/// Memory of the compiler's process: twice the need of a component in Python.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Processor time of the compiler's process: six times the need of a component
/// in Python.
pub const COMPILE_CPU_S_MAX: u64 = 60;
/// Wall-clock time of a compilation: on a busy machine it gets a third of a
/// processor at worst, because its priority is the second lowest.
pub const COMPILE_MS_MAX: u64 = 180_000;
/// Niceness of the compiler's process: at 10, calls get nine tenths of a
/// processor that both want.
pub const COMPILE_NICE: i32 = 10;
/// Concurrent compilations for accounts, each for a different account: a slow
/// one leaves a place for others.
pub const COMPILES_OF_ACCOUNTS_MAX: usize = 2;
/// Concurrent compilations for the operator's publishers, given as many
/// processors.
pub const COMPILES_OF_OPERATOR_MAX: usize = 4;
/// Components of accounts that wait in memory to be compiled.
pub const COMPILES_WAITING_MAX: usize = 64;
/// Waiting components of one account: a deployment, and a version that is
/// reloaded.
pub const COMPILES_WAITING_PER_ACCOUNT_MAX: usize = 4;
/// Time that a component waits to be compiled.
pub const COMPILE_WAIT_MS_MAX: u64 = 600_000;
/// Plugins that describe themselves at once, of the operator and of accounts
/// (one per account): each takes an instance away from calls.
pub const DESCRIBES_MAX: usize = 4;
/// Versions of one kind of publisher that are loaded at once; their bytes are
/// in memory.
pub const LOADS_MAX: usize = 16;
/// Concurrent deployments, each of a different account.
pub const DEPLOYS_MAX: usize = 16;
/// Deployments that wait in memory.
pub const DEPLOYS_WAITING_MAX: usize = 64;
/// Waiting deployments of one account.
pub const DEPLOYS_WAITING_PER_ACCOUNT_MAX: usize = 3;
/// Time that a start, or an operator's command, waits for the compilation of
/// accounts' plugins: a plugin may be slow to describe itself.
pub const ACCOUNTS_LOADING_MS: u64 = 5_000;
