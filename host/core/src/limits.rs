//! Limits that no configuration may exceed, each with its reason. Limits that
//! an operator may change are in the configuration; a limit that concerns only
//! one file, such as a page size, is in that file.

use crate::time::DAY_MS;

mod a2a;
mod agents;
mod artifacts;
mod batches;
mod compile;
mod connections;
mod inference;
mod kept_inputs;
mod mail;
mod money;
mod people;
mod responses;
mod webhooks;

pub use a2a::*;
pub use agents::*;
pub use artifacts::*;
pub use batches::*;
pub use compile::*;
pub use connections::*;
pub use inference::*;
pub use kept_inputs::*;
pub use mail::*;
pub use money::*;
pub use people::*;
pub use responses::*;
pub use webhooks::*;

/// Request body of any route, unless the configuration sets a lower limit. JSON
/// inputs are small; large inputs are sent as stored resources.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Output of a plugin. The answer is kept in memory, sealed and stored.
pub const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// Nesting of JSON from untrusted clients; serde_json itself stops at 128.
pub const JSON_DEPTH_MAX: usize = 64;
/// A component file. JavaScript and Python components reach 12 and 18 MiB.
pub const COMPONENT_BYTES_MAX: usize = 32 << 20;
/// A manifest or signature file.
pub const MANIFEST_BYTES_MAX: usize = 64 << 10;
/// The JSON Schema in a plugin's description of itself.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Linear memory of one instance, all memories summed.
pub const GUEST_MEMORY_BYTES_MAX: usize = 256 << 20;
/// Wall clock of one call.
pub const GUEST_TIME_MS_MAX: u64 = 60_000;
/// Elements of all tables of one instance.
pub const GUEST_TABLE_ELEMENTS_MAX: usize = 100_000;
/// Bytes that one host call may copy out of a guest; the engine's default of
/// 128 MiB would let a guest make the host allocate that much.
pub const HOST_CALL_BYTES_MAX: usize = 4 << 20;
/// Host calls of one plugin call.
pub const HOST_CALLS_MAX: u32 = 1_000;
/// Log text of one plugin call; the rest is dropped, with a note in the log.
pub const LOG_BYTES_PER_CALL_MAX: usize = 16 << 10;
/// Calls that wait for a free instance of one plugin, as a multiple of the
/// number it may run at once. Further callers are asked to retry later.
pub const QUEUE_PER_SLOT_MAX: usize = 8;
/// Calls that wait for a place of their caller or of the pool, in total. Each
/// takes some kilobytes.
pub const CALLS_WAITING_MAX: usize = 8_192;
/// Waiting calls of one account or address: more than a busy program has under
/// way, few enough that some accounts do not fill the queue.
pub const CALLS_WAITING_PER_TENANT_MAX: usize = 512;
/// Changes that share one durable write: bounds latency and memory of a batch.
pub const CHANGES_PER_COMMIT_MAX: usize = 1_024;
/// Changes that wait for the writer. Further callers are asked to retry later.
pub const CHANGES_QUEUED_MAX: usize = 8_192;
/// Retention of a sealed answer for a caller that lost it.
pub const ANSWER_KEPT_MS: u64 = DAY_MS;
/// Keys of one account.
pub const KEYS_PER_ACCOUNT_MAX: usize = 10;
/// Sign-ups from one client address per day.
pub const SIGNUPS_PER_ADDRESS_PER_DAY_MAX: u32 = 5;
/// Clients (accounts and addresses) whose rate-limit windows are remembered.
/// The oldest are evicted first, which can only loosen limits.
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
/// Schemas that one schema expands to, with references followed: limits the
/// work of checking an input. A large bridge has about a hundred.
pub const SCHEMA_NODES_MAX: usize = 2_048;
/// Compiled size of one regular expression of a schema.
pub const SCHEMA_PATTERN_BYTES_MAX: usize = 256 << 10;
/// Steps of one check of the largest input or output that a plugin may have,
/// bounded from the schema's shape. A step takes some ten nanoseconds at worst,
/// so no check takes longer than half a second.
pub const SCHEMA_STEPS_MAX: u64 = 40_000_000;
/// Steps of a check that runs on a thread that serves calls: about a
/// millisecond, less than the time slice of a plugin that computes.
pub const SCHEMA_STEPS_AT_ONCE_MAX: u64 = 250_000;
/// Steps of a check that does not queue with the longest checks: honest schemas
/// need as many for a full megabyte.
pub const SCHEMA_STEPS_MEDIUM_MAX: u64 = 8_000_000;
/// Steps for explaining a mismatch where a schema has alternatives: each
/// alternative is tried again, and its errors are kept in memory until one is
/// reported.
pub const SCHEMA_STEPS_EXPLAINED_MAX: u64 = 1_000_000;
/// Time that a check may wait for its turn and then run.
pub const SCHEMA_CHECK_MS_MAX: u64 = 2_000;
/// Checks of one plugin that wait for a turn in the queue of the longest
/// checks.
pub const SCHEMA_CHECKS_WAITING_MAX: usize = 8;
/// Output that is parsed on a thread that serves calls.
pub const OUTPUT_BYTES_AT_ONCE_MAX: usize = 128 << 10;
/// Memory of the automaton of a pattern. An automaton within this size takes
/// one step per byte for any input, and stays within the engine's cache.
pub const SCHEMA_AUTOMATON_BYTES_MAX: usize = 96 << 10;
/// Examples in a plugin's description.
pub const EXAMPLES_MAX: usize = 32;
/// Time for a plugin to describe itself.
pub const DESCRIBE_MS_MAX: u64 = 2_000;
/// Attempts to load a version that fails while it runs, before it is skipped:
/// on a busy machine, a run can time out.
pub const LOAD_TRIES_MAX: u32 = 3;
/// A text in a plugin's error, as shown to callers and in logs.
pub const PLUGIN_TEXT_BYTES_MAX: usize = 2 << 10;
/// A line of a plugin's log; longer ones are cut.
pub const LOG_LINE_BYTES_MAX: usize = 2 << 10;
/// Lines of a plugin's log that are kept for its owner.
pub const LOG_LINES_KEPT: usize = 256;
/// Calls of a plugin whose time and memory are remembered: enough for a 99th
/// percentile, in 4 KiB.
pub const CALLS_MEASURED_MAX: usize = 256;
/// Compiled code of one component in the cache; about eight times the
/// component.
pub const COMPILED_BYTES_MAX: u64 = 512 << 20;
/// Retention of compiled code that no version in the registry uses: a
/// deployment under way, or files that are missing for a moment, need no
/// recompiling.
pub const COMPILED_UNUSED_MS: u64 = DAY_MS;
/// Interval between sweeps of unused code from the cache.
pub const SWEEP_EVERY_MS: u64 = 60 * 60 * 1000;
/// A key of a plugin's key-value bucket.
pub const KV_KEY_BYTES_MAX: usize = 256;
/// A value of a plugin's key-value bucket.
pub const KV_VALUE_BYTES_MAX: usize = 256 << 10;
/// Keys of one bucket; the size of a bucket is recounted at the first write of
/// a call.
pub const KV_KEYS_MAX: usize = 1_000;
/// Writes of one call, all committed in one transaction.
pub const KV_WRITES_MAX: usize = 100;
/// Bytes that one call may write. They stay in memory until the call ends, and
/// count towards the instance's memory.
pub const KV_WRITE_BYTES_PER_CALL_MAX: usize = 2 << 20;
/// Bytes that the calls of one account or address, or the plugins of one
/// tenant, may write in a burst: a quarter of the largest bucket.
pub const KV_WRITE_BURST_BYTES: u64 = 16 << 20;
/// Bytes per second after the burst. A disk can write hundreds of times as
/// many.
pub const KV_WRITE_BYTES_PER_S: u64 = 256 << 10;
/// Tenants whose written bytes are remembered; one takes some hundred bytes.
pub const WRITERS_REMEMBERED_MAX: usize = 1 << 14;
/// Time that a call waits for another call that changes the same counter.
pub const KV_LOCK_MS_MAX: u64 = 1_000;
/// Requests to other servers in one call.
pub const HTTP_REQUESTS_MAX: u32 = 32;
/// Request body that a plugin sends.
pub const HTTP_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Response body that a plugin receives.
pub const HTTP_RESPONSE_BYTES_MAX: usize = 4 << 20;
/// Time to connect to another server, including name resolution and TLS.
pub const EGRESS_CONNECT_MS_MAX: u64 = 5_000;
/// Silence of another server after which the request fails.
pub const EGRESS_READ_MS_MAX: u64 = 15_000;
/// Time that an idle connection to another server is kept for the next request.
/// Node.js and uvicorn close theirs after 5 s: a request that meets the close
/// is lost, and the host cannot know whether it was processed.
pub const EGRESS_IDLE_MS_MAX: u64 = 4_000;
/// The smallest withdrawal: £5.00, as the specification says.
pub const WITHDRAWAL_PENCE_MIN: i64 = 500;

// Configuration.
/// A configuration file. Real ones have a few kilobytes; the limit only stops a
/// wrong path, such as a log, from being read completely.
pub const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Requests per window that a tier may have: higher values serve no purpose and
/// risk overflowing counters.
pub const RATE_LIMIT_MAX: u32 = 1_000_000_000;
/// Delivery attempts of one webhook after the first.
pub const WEBHOOK_RETRIES_MAX: usize = 20;

// Access.
/// Cached look-ups of keys. Each takes some 300 bytes; an evicted one costs a
/// read of the store.
pub const PRINCIPALS_CACHED_MAX: usize = 1 << 16;
/// Client addresses whose sign-ups of the day are counted.
pub const SIGNUP_ADDRESSES_MAX: usize = 1 << 16;
/// Keys that an account lists, including revoked and expired ones; beyond it
/// the oldest of those are removed, so that repeated rolling does not grow the
/// account.
pub const KEYS_LISTED_MAX: usize = 2 * KEYS_PER_ACCOUNT_MAX;
/// Time that a rolled key may remain valid: long enough for a careful roll-out.
pub const KEY_GRACE_MS_MAX: u64 = 7 * DAY_MS;
/// The label of a key.
pub const KEY_LABEL_CHARS_MAX: usize = 80;
/// An e-mail address (the longest path that RFC 5321 allows).
pub const EMAIL_BYTES_MAX: usize = 254;
/// Entries of `X-Forwarded-For` that are examined, from the right. No operator
/// has that many proxies.
pub const FORWARDED_HOPS_MAX: usize = 32;
/// Delay with which a call may arrive at its limit window. Threads read the
/// clock before they take the lock, so a call may bring a time that is just
/// past; a larger delay means that the clock was set back.
pub const CLOCK_SKEW_MS_MAX: u64 = 60_000;

// The ledger.

/// Canonical JSON, RFC 8785, has the numbers of JavaScript: beyond this, an
/// integer is no longer exact in every reader of a record.
pub const SAFE_INTEGER_MAX: i64 = (1 << 53) - 1;
/// A sealed record. Log tiles frame entries with 16-bit lengths.
pub const RECORD_BYTES_MAX: usize = 64 << 10;
/// The body of a record; it leaves room for the postings.
pub const RECORD_BODY_BYTES_MAX: usize = 40 << 10;
/// Postings of one record: a call has fewer, including all its nested calls.
pub const POSTINGS_PER_RECORD_MAX: usize = 96;
/// Accounts whose earnings one record releases, with two postings each: at
/// least as many as one call with its nested calls may pay, or some would never
/// be released.
pub const RELEASED_PER_RECORD_MAX: usize = 40;
const _: () = assert!(RELEASED_PER_RECORD_MAX > NESTED_CALLS_MAX as usize);
const _: () = assert!(POSTINGS_PER_RECORD_MAX > 2 * RELEASED_PER_RECORD_MAX);
/// The account, intent or task in the name of a ledger account.
pub const LEDGER_PARTY_BYTES_MAX: usize = 64;
/// A name inside a record's body.
pub const LEDGER_NAME_BYTES_MAX: usize = 128;
/// A line of a ledger export: a record whose quotes are all escaped fits.
pub const EXPORT_LINE_BYTES_MAX: usize = 192 << 10;
/// Lowest level of the Merkle tree whose nodes are stored. A lower node is
/// computed from at most eight records, so only one of sixteen records writes
/// to the tree.
pub const NODE_LEVEL_KEPT_MIN: u8 = 4;
/// Signing keys that an export may list; each rotation adds one.
pub const EXPORT_KEYS_MAX: usize = 256;
/// A signed note: our signature and those of many witnesses.
pub const CHECKPOINT_BYTES_MAX: usize = 16 << 10;
/// Signatures of one note; C2SP asks for at least 16.
pub const CHECKPOINT_SIGNATURES_MAX: usize = 32;
/// A proof document: two paths of at most 128 hashes and a note.
pub const PROOF_BYTES_MAX: usize = 64 << 10;
/// Attempts of an export to read the balances at a consistent size of the
/// ledger, while the server continues sealing.
pub const EXPORT_SNAPSHOT_TRIES_MAX: u32 = 1_000;

// Registry.

/// Length of a plugin's, publisher's or skill's name; names become paths.
pub const NAME_BYTES_MAX: usize = 64;
/// Length of a version as text; versions become folder names.
pub const VERSION_BYTES_MAX: usize = 64;
/// Characters of a purpose or of a skill's description: one line on a screen.
pub const PURPOSE_CHARS_MAX: usize = 200;
/// Skills of one agent; they are repeated on the public card.
pub const SKILLS_MAX: usize = 64;
/// Hosts that one plugin may ask for; a longer list suggests that it wants
/// access to all hosts.
pub const ALLOW_HOSTS_MAX: usize = 64;
/// Bridges, and agents, that one plugin may list as its callees; all of this
/// repository's bridges fit.
pub const CALLEES_MAX: usize = 64;
/// Needs of one plugin; each is checked before each of its calls is quoted.
pub const NEEDS_MAX: usize = 16;
/// Schema of the inputs that have a need: a few members and patterns.
pub const NEED_WHEN_BYTES_MAX: usize = 4_096;
/// Calls of one plugin at the same time, whatever its manifest says.
pub const PLUGIN_CONCURRENCY_MAX: u64 = 1_024;
/// Storage of one plugin in its key-value buckets.
pub const KV_BYTES_MAX: u64 = 64 << 20;
/// A `plugin.sig` file is three short lines.
pub const SIGNATURE_BYTES_MAX: usize = 4 << 10;
/// `publishers.toml`: some thousand publishers.
pub const PUBLISHERS_BYTES_MAX: usize = 1 << 20;
/// Time that a version folder must be unchanged before its faults are an error
/// instead of a copy in progress.
pub const REGISTRY_SETTLE_MS: u64 = 1_000;
/// Longest delay between a file event and the scan it causes, however many
/// events follow: a storm of renames must not postpone the scan forever.
pub const REGISTRY_STORM_MS: u64 = 1_000;
/// Entries of the registry that are neither plugin nor version and are listed
/// for the operator; further ones are only counted.
pub const REGISTRY_STRAYS_MAX: usize = 100;
// The store.

/// Bytes of answers and rows that share one durable write: a thousand of the
/// largest would take a gibibyte of memory twice. The last change may exceed
/// the limit.
pub const BYTES_PER_COMMIT_MAX: usize = 16 << 20;
/// Size of a plugin's bucket values from which a change counts as bulk.
pub const BULK_CHANGE_BYTES_MIN: usize = 32 << 10;
/// Bulk bytes that share one durable write, so that other changes wait for
/// milliseconds at most.
pub const BULK_BYTES_PER_COMMIT_MAX: usize = 2 << 20;
/// Bulk changes that wait for their turn; further ones are refused as busy.
pub const BULK_CHANGES_QUEUED_MAX: usize = 64;
/// Index entries of seals and transactions that are buffered in memory, to be
/// written with neighbouring keys: 12 MiB, and some tenths of a second to read
/// back when the store is opened.
pub const INDEX_WAITING_MAX: usize = 65_536;
/// Size of the journal from which its commits are written to the database: some
/// ten thousand calls, and some tenths of a second to read back after a crash.
pub const JOURNAL_BYTES_MAX: u64 = 16 << 20;
/// Rows that one commit of a backup writes: limits its memory.
pub const BACKUP_ROWS_PER_COMMIT_MAX: usize = 1_000;
/// Slices of the key space, of 256, that one commit writes into the indexes:
/// limits a commit after a start that replayed many entries.
pub const INDEX_SLICES_PER_COMMIT_MAX: usize = 16;

// Stored resources.

/// Size of one resource; that of a request body, so that no resource has to be
/// sent in parts.
pub const RESOURCE_BYTES_MAX: usize = 1 << 20;
/// Retention of a resource.
pub const RESOURCE_KEPT_MS: u64 = DAY_MS;
/// Resources that one account may keep at a time.
pub const RESOURCES_PER_ACCOUNT_MAX: usize = 100;
/// Bytes of the resources of one account.
pub const RESOURCES_BYTES_PER_ACCOUNT_MAX: usize = 16 << 20;

// Services of the host for plugins.

/// A table. A list of all address ranges of the world takes some 30 MiB.
pub const TABLE_BYTES_MAX: usize = 64 << 20;
/// Tables of one plugin, including those of the operator.
pub const TABLES_PER_PLUGIN_MAX: usize = 8;
/// All tables in memory at once: sixteen of the largest, so that a registry
/// full of big tables does not exhaust the machine.
pub const TABLES_BYTES_MAX: u64 = 1 << 30;
/// A key of a table.
pub const TABLE_KEY_BYTES_MAX: usize = 1 << 10;
/// A value of a table. A thousand of the largest do not fit into an answer, one
/// does.
pub const TABLE_VALUE_BYTES_MAX: usize = 64 << 10;
/// The first line of a table: four short texts.
pub const TABLE_HEADER_BYTES_MAX: usize = 4 << 10;
/// Keys or entries of a table in one host call: together with the limit of host
/// calls, a million look-ups in one call of a plugin.
pub const TABLE_ROWS_PER_CALL_MAX: usize = 1_000;
/// Reply of one host call that reads a table: it is copied into the guest's
/// memory.
pub const TABLE_REPLY_BYTES_MAX: usize = 1 << 20;
/// Reads of the ledger in one call: a proof may sign a checkpoint, a check
/// verifies signatures.
pub const LEDGER_READS_MAX: u32 = 64;
/// Nested calls of other plugins in one call, at any depth: their postings and
/// names fit into a record.
pub const NESTED_CALLS_MAX: u32 = 32;
/// Depth of nested calls. Each level holds an instance.
pub const NESTED_DEPTH_MAX: u32 = 4;
/// Requests to models in one call of a plugin: each may cost money.
pub const INFERENCE_REQUESTS_MAX: u32 = 16;
/// Messages of one request, and texts that are embedded at once.
pub const INFERENCE_MESSAGES_MAX: usize = 256;
/// Text of one request to a model, in total.
pub const INFERENCE_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Length of one answer; the most that today's models produce.
pub const INFERENCE_TOKENS_MAX: u32 = 128_000;

// Reputation.

/// Records that are counted in one write; for one request, about a second.
pub const REPUTATION_RECORDS_PER_WRITE_MAX: u64 = 1_000;
/// Records that one request counts; the next request continues.
pub const REPUTATION_RECORDS_PER_REQUEST_MAX: u64 = 20_000;
/// Records with their proofs in one answer.
pub const REPUTATION_PAGE_MAX: usize = 100;

// Earning.

/// Payment for a task, as the specification says.
pub const EARN_TASK_PENCE: i64 = 78;
/// Open tasks at once: all are listed on one page.
pub const EARN_TASKS_MAX: usize = 1_000;
/// The description of a task.
pub const EARN_DESCRIPTION_CHARS_MAX: usize = 1_000;
/// Time-out of a bridge that checks a result.
pub const EARN_CHECK_MS_MAX: u64 = 5_000;
/// Largest settlement between agents: £10,000.00.
pub const SETTLE_PENCE_MAX: i64 = 1_000_000;
/// Items of one account in the memory of one agent.
pub const MEMORY_ITEMS_MAX: usize = 1_000;
/// The key of an item.
pub const MEMORY_KEY_BYTES_MAX: usize = 128;
/// The value of an item, as JSON.
pub const MEMORY_VALUE_BYTES_MAX: usize = 64 << 10;
/// Retention of an item unless the client sets one: 30 days.
pub const MEMORY_KEPT_S_DEFAULT: u64 = 30 * 24 * 60 * 60;
/// Longest retention of an item: a year.
pub const MEMORY_KEPT_S_MAX: u64 = 365 * 24 * 60 * 60;

// Risk.

/// Records that the assessment of a payout reads, from the newest: under a
/// second.
pub const RISK_RECORDS_SCANNED_MAX: u64 = 50_000;
/// Accounts that are searched for referrals.
pub const RISK_ACCOUNTS_SCANNED_MAX: usize = 100_000;
