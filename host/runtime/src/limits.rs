//! Limits that several modules share, each with its reason.

/// Maximum number of elements in all WebAssembly tables of one plugin instance.
pub(crate) const GUEST_TABLE_ELEMENTS_MAX: usize = 100_000;
/// Maximum number of host calls in one plugin call.
pub(crate) const HOST_CALLS_MAX: u32 = 1_000;
/// Maximum number of linear memories of one instance. Composed components have one per
/// part.
pub(crate) const GUEST_MEMORIES_MAX: u32 = 8;
/// Maximum number of tables of one instance. Toolchains add small ones for indirect
/// imports.
pub(crate) const GUEST_TABLES_MAX: u32 = 16;
/// Maximum number of core instances of one component. Toolchains create four; composed
/// components have more.
pub(crate) const GUEST_CORE_INSTANCES_MAX: u32 = 50;
/// Maximum number of handles to host resources that one call may hold at once.
pub(crate) const GUEST_HANDLES_MAX: usize = 1_000;
/// Maximum time for a plugin to describe itself.
pub(crate) const DESCRIBE_MS_MAX: u64 = 2_000;
/// Maximum size of one component's compiled code in the cache; compiled code is about
/// eight times the size of its component.
pub(crate) const COMPILED_BYTES_MAX: u64 = 512 << 20;
/// Maximum size of a value in a plugin's key-value bucket.
pub(crate) const KV_VALUE_BYTES_MAX: usize = 256 << 10;
/// Maximum number of keys in one bucket; the size of a bucket is recounted at the first
/// write of a call.
pub(crate) const KV_KEYS_MAX: usize = 1_000;
/// Maximum number of key-value writes in one call, all committed in one transaction.
pub(crate) const KV_WRITES_MAX: usize = 100;
/// Maximum number of bytes that the calls of one account or address, or the plugins of
/// one tenant, may write to key-value buckets in a burst: a quarter of the largest
/// bucket.
pub(crate) const KV_WRITE_BURST_BYTES: u64 = 16 << 20;
/// Bytes per second that a writer may write to key-value buckets after its burst. A disk
/// can write hundreds of times as many.
pub(crate) const KV_WRITE_BYTES_PER_S: u64 = 256 << 10;
/// Maximum number of table keys or entries in one host call. With `HOST_CALLS_MAX` host
/// calls, one call of a plugin can look up a million of them.
pub(crate) const TABLE_ROWS_PER_CALL_MAX: usize = 1_000;
/// Maximum reply of one host call that reads a table: the reply is copied into the
/// plugin's memory.
pub(crate) const TABLE_REPLY_BYTES_MAX: usize = 1 << 20;
/// Maximum number of requests to models in one call of a plugin: each may cost money.
pub(crate) const INFERENCE_REQUESTS_MAX: u32 = 16;
/// Maximum length of a model's answer, in tokens: the most that today's models produce.
pub(crate) const INFERENCE_TOKENS_MAX: u32 = 128_000;
/// Maximum number of plugins that describe themselves at the same time: one limit for the
/// operator's plugins, and the same limit for plugins of accounts (one per account). Each
/// occupies an instance that calls cannot use.
pub(crate) const DESCRIBES_MAX: usize = 4;
