//! Every bound of the system in one place, each with its reason.
//!
//! What an operator may change is in the configuration; what stands here may
//! not be exceeded by any configuration.

/// Request body of any route, unless the configuration says less. JSON inputs
/// are small; large inputs travel as stored resources.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// What a plugin may return. The answer is kept in memory, sealed and stored.
pub const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// Nesting of JSON that strangers send: serde_json itself stops at 128.
pub const JSON_DEPTH_MAX: usize = 64;
/// A component file. JavaScript and Python components reach 12 and 18 MiB.
pub const COMPONENT_BYTES_MAX: usize = 32 << 20;
/// A manifest or signature file.
pub const MANIFEST_BYTES_MAX: usize = 64 << 10;
/// A JSON Schema that a plugin describes itself with.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Linear memory of one instance, all memories summed.
pub const GUEST_MEMORY_BYTES_MAX: usize = 256 << 20;
/// Wall clock of one call.
pub const GUEST_TIME_MS_MAX: u64 = 60_000;
/// Elements of all tables of one instance.
pub const GUEST_TABLE_ELEMENTS_MAX: usize = 100_000;
/// Bytes that one host call may lift out of a guest; the engine's default of
/// 128 MiB would let a guest make the host allocate that much.
pub const HOST_CALL_BYTES_MAX: usize = 4 << 20;
/// Host calls of one plugin call.
pub const HOST_CALLS_MAX: u32 = 1_000;
/// Log text of one plugin call; the rest is dropped and said to be dropped.
pub const LOG_BYTES_PER_CALL_MAX: usize = 16 << 10;
/// Calls that wait for a free instance of one plugin, as a multiple of what it
/// may run at once. Beyond this the caller is told to come back.
pub const QUEUE_PER_SLOT_MAX: usize = 8;
/// Changes that share one durable write: bounds latency and memory of a batch.
pub const CHANGES_PER_COMMIT_MAX: usize = 1_024;
/// Changes waiting for the writer. Beyond this callers are told to come back.
pub const CHANGES_QUEUED_MAX: usize = 8_192;
/// How long a sealed answer is kept for a caller that lost it.
pub const ANSWER_KEPT_MS: u64 = 24 * 60 * 60 * 1000;
/// Keys of one account.
pub const KEYS_PER_ACCOUNT_MAX: usize = 10;
/// Sign-ups from one client address per day.
pub const SIGNUPS_PER_ADDRESS_PER_DAY_MAX: u32 = 5;
/// Clients (keys and addresses) whose limit windows are remembered. Older ones
/// are forgotten first, which can only make limits milder.
pub const LIMITED_CLIENTS_MAX: usize = 1 << 20;
/// Live versions kept per plugin folder while scanning the registry.
pub const VERSIONS_PER_PLUGIN_MAX: usize = 1_000;
/// Plugins in one registry.
pub const PLUGINS_MAX: usize = 10_000;
/// Length of an `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

// Plugins.

/// Linear memories of one instance. Composed components have one per part.
pub const GUEST_MEMORIES_MAX: u32 = 8;
/// Tables of one instance. Toolchains add small ones for indirect imports.
pub const GUEST_TABLES_MAX: u32 = 16;
/// Core instances of one component; toolchains make four, composition more.
pub const GUEST_CORE_INSTANCES_MAX: u32 = 50;
/// Handles to host resources that one call may hold at once.
pub const GUEST_HANDLES_MAX: usize = 1_000;
/// Random bytes that one host call may ask for.
pub const RANDOM_BYTES_MAX: u64 = 64 << 10;
/// Schemas that one schema expands to, references followed: bounds the work of
/// checking an input. A big bridge has some hundred.
pub const SCHEMA_NODES_MAX: usize = 2_048;
/// Compiled size of one regular expression of a schema.
pub const SCHEMA_PATTERN_BYTES_MAX: usize = 256 << 10;
/// Examples in a plugin's description.
pub const EXAMPLES_MAX: usize = 32;
/// Memory, time and text of a plugin that is asked to describe itself.
pub const DESCRIBE_MS_MAX: u64 = 2_000;
/// A text in a plugin's error, as far as it reaches callers and logs.
pub const PLUGIN_TEXT_BYTES_MAX: usize = 2 << 10;
/// One line of a plugin's log; longer ones are cut.
pub const LOG_LINE_BYTES_MAX: usize = 2 << 10;
/// Lines of a plugin's log that are kept for its owner.
pub const LOG_LINES_KEPT: usize = 256;
/// Compiled code of one component in the cache. Some eight times the component.
pub const COMPILED_BYTES_MAX: u64 = 512 << 20;
/// A key of a plugin's key-value bucket.
pub const KV_KEY_BYTES_MAX: usize = 256;
/// A value of a plugin's key-value bucket.
pub const KV_VALUE_BYTES_MAX: usize = 256 << 10;
/// Keys of one bucket; a bucket's quota is recounted at the first write of a call.
pub const KV_KEYS_MAX: usize = 1_000;
/// Writes of one call, all committed in one transaction.
pub const KV_WRITES_MAX: usize = 100;
/// How long a call waits for another one that changes the same counter.
pub const KV_LOCK_MS_MAX: u64 = 1_000;
/// Requests to other servers in one call.
pub const HTTP_REQUESTS_MAX: u32 = 32;
/// Body of a request that a plugin sends.
pub const HTTP_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Body of a response that a plugin receives.
pub const HTTP_RESPONSE_BYTES_MAX: usize = 4 << 20;
/// Time to connect to another server, names and TLS included.
pub const EGRESS_CONNECT_MS_MAX: u64 = 5_000;
/// Silence of another server after which it is given up.
pub const EGRESS_READ_MS_MAX: u64 = 15_000;
