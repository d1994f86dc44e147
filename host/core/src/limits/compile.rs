//! Bounds of compiling components. Strangers send them, and a small one can keep
//! a compiler busy for minutes: what costs most is found before compiling, the
//! rest is stopped by the limits of the process that compiles.
//!
//! For comparison, the largest of the plugins of this repository: a function of
//! 34,830 bytes, one with 131 locals, bytes times locals 1.8 million, 6,374
//! functions, 88 types, 3 modules in 13 instances, 2.4 MB of code; it is
//! compiled with 110 MB in some seconds.

/// Body of one function. The main loop of an interpreter for a script language
/// has a quarter of it.
pub const FUNCTION_BYTES_MAX: u64 = 512 << 10;
/// Locals of one function. WebAssembly itself allows 50,000; code that nobody
/// optimised has some thousand.
pub const FUNCTION_LOCALS_MAX: u64 = 10_000;
/// Bytes times locals of one function: what placing values in registers costs
/// grows with both. At the limit it takes five seconds and half a gigabyte.
pub const FUNCTION_WORK_MAX: u64 = 64 << 20;
/// Functions of all modules of a component. One in Python has some 30,000.
pub const COMPONENT_FUNCTIONS_MAX: u64 = 200_000;
/// Types of all modules and components in one.
pub const COMPONENT_TYPES_MAX: u64 = 20_000;
/// Modules and components inside one. Python's runtime is linked from twenty.
pub const COMPONENT_MODULES_MAX: u64 = 100;
/// Instances that a component makes of them, and of parts of them.
pub const COMPONENT_INSTANCES_MAX: u64 = 1_000;
/// How deep components and modules lie in each other; toolchains make two.
pub const COMPONENT_DEPTH_MAX: u64 = 8;
/// Bodies of all functions: most of the largest component.
pub const COMPONENT_CODE_BYTES_MAX: u64 = 24 << 20;
/// Memory of the process that compiles: twice what a component in Python takes.
pub const COMPILE_MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Processor time of that process: six times what a component in Python takes.
pub const COMPILE_CPU_S_MAX: u64 = 60;
/// How long it may take by the clock: on a busy machine it gets a third of a
/// processor at worst, being of the lowest priority but one.
pub const COMPILE_MS_MAX: u64 = 180_000;
/// How much that process gives way to calls: with 10, calls get nine tenths of a
/// processor that both want.
pub const COMPILE_NICE: i32 = 10;
/// Components of accounts that are compiled at once, each of another account:
/// one that takes long leaves a place for others.
pub const COMPILES_OF_ACCOUNTS_MAX: usize = 2;
/// Components of the operator's publishers that are compiled at once, if there
/// are as many processors.
pub const COMPILES_OF_OPERATOR_MAX: usize = 4;
/// Components of accounts that wait to be compiled, in memory.
pub const COMPILES_WAITING_MAX: usize = 64;
/// Of one account: a deployment, and a version that is loaded again.
pub const COMPILES_WAITING_PER_ACCOUNT_MAX: usize = 4;
/// How long they wait.
pub const COMPILE_WAIT_MS_MAX: u64 = 600_000;
/// Plugins that describe themselves at once, of the operator and of accounts, of
/// which each has one: each takes an instance that no call has.
pub const DESCRIBES_MAX: usize = 4;
/// Versions of one kind of publisher that are loaded at once; their bytes are in
/// memory.
pub const LOADS_MAX: usize = 16;
/// Deployments that are made at once, each of another account.
pub const DEPLOYS_MAX: usize = 16;
/// Deployments that wait for one, in memory.
pub const DEPLOYS_WAITING_MAX: usize = 64;
/// Of one account.
pub const DEPLOYS_WAITING_PER_ACCOUNT_MAX: usize = 3;
/// How long a start, and a decision of the operator's, waits for plugins of
/// accounts that are compiled: a plugin may take its time to describe itself.
pub const ACCOUNTS_LOADING_MS: u64 = 5_000;
