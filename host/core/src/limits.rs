//! Limits that no configuration may exceed, each with its reason. A limit that an
//! operator may change is part of the configuration; a limit that concerns only one file,
//! such as a page size, is defined in that file.

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

/// Maximum request body of any route, unless the configuration sets a lower limit. JSON
/// inputs are small; large inputs are sent as stored resources.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Maximum output of a plugin. The answer is kept in memory, sealed and stored.
pub const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// Maximum nesting depth of JSON from untrusted clients; serde_json itself stops at 128.
pub const JSON_DEPTH_MAX: usize = 64;
/// Maximum size of a component file. JavaScript and Python components reach 12 and 18
/// MiB.
pub const COMPONENT_BYTES_MAX: usize = 32 << 20;
/// Maximum size of a manifest or signature file.
pub const MANIFEST_BYTES_MAX: usize = 64 << 10;
/// Maximum size of the JSON Schema in a plugin's description of itself.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Maximum linear memory of one plugin instance, all its memories together.
pub const GUEST_MEMORY_BYTES_MAX: usize = 256 << 20;
/// Maximum wall-clock time of one call.
pub const GUEST_TIME_MS_MAX: u64 = 60_000;
/// Maximum number of elements in all WebAssembly tables of one plugin instance.
pub const GUEST_TABLE_ELEMENTS_MAX: usize = 100_000;
/// Maximum number of bytes that one host call may copy out of a plugin; the engine's
/// default of 128 MiB would let a plugin make the host allocate that much.
pub const HOST_CALL_BYTES_MAX: usize = 4 << 20;
/// Maximum number of host calls in one plugin call.
pub const HOST_CALLS_MAX: u32 = 1_000;
/// Maximum log text of one plugin call; the rest is dropped, with a note in the log.
pub const LOG_BYTES_PER_CALL_MAX: usize = 16 << 10;
/// Maximum number of calls that wait for a free instance of one plugin, as a multiple of
/// the calls it may run at once. Further callers are asked to retry later.
pub const QUEUE_PER_SLOT_MAX: usize = 8;
/// Maximum number of calls that wait for a slot, in total. Each takes some kilobytes.
pub const CALLS_WAITING_MAX: usize = 8_192;
/// Maximum number of waiting calls of one account or address: more than a busy program
/// has under way, but few enough that a few accounts cannot fill the queue.
pub const CALLS_WAITING_PER_TENANT_MAX: usize = 512;
/// Maximum number of changes in one durable write; limits the latency and memory of a
/// batch.
pub const CHANGES_PER_COMMIT_MAX: usize = 1_024;
/// Maximum number of changes that wait for the writer. Further callers are asked to retry
/// later.
pub const CHANGES_QUEUED_MAX: usize = 8_192;
/// Retention of a sealed answer, for a caller that lost it.
pub const ANSWER_KEPT_MS: u64 = DAY_MS;
/// Maximum number of keys of one account.
pub const KEYS_PER_ACCOUNT_MAX: usize = 10;
/// Maximum number of sign-ups from one client address per day.
pub const SIGNUPS_PER_ADDRESS_PER_DAY_MAX: u32 = 5;
/// Maximum number of clients (accounts and addresses) whose rate-limit windows are
/// remembered. The oldest are evicted first, which can only loosen limits.
pub const LIMITED_CLIENTS_MAX: usize = 1 << 20;
/// Maximum number of live versions in one plugin folder that a scan of the registry
/// keeps.
pub const VERSIONS_PER_PLUGIN_MAX: usize = 1_000;
/// Maximum number of plugins in one registry.
pub const PLUGINS_MAX: usize = 10_000;
/// Maximum length of an `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

// Limits of plugins.

/// Maximum number of linear memories of one instance. Composed components have one per
/// part.
pub const GUEST_MEMORIES_MAX: u32 = 8;
/// Maximum number of tables of one instance. Toolchains add small ones for indirect
/// imports.
pub const GUEST_TABLES_MAX: u32 = 16;
/// Maximum number of core instances of one component; toolchains make four, composition
/// more.
pub const GUEST_CORE_INSTANCES_MAX: u32 = 50;
/// Maximum number of handles to host resources that one call may hold at once.
pub const GUEST_HANDLES_MAX: usize = 1_000;
/// Maximum number of random bytes that one host call may request.
pub const RANDOM_BYTES_MAX: u64 = 64 << 10;
/// Maximum number of schemas that one schema expands to when references are followed;
/// limits the work of checking an input. A large bridge has about a hundred.
pub const SCHEMA_NODES_MAX: usize = 2_048;
/// Maximum compiled size of one regular expression of a schema.
pub const SCHEMA_PATTERN_BYTES_MAX: usize = 256 << 10;
/// Maximum number of steps for checking the largest input or output of a plugin,
/// estimated from the shape of its schema. A step takes some ten nanoseconds at worst, so
/// no check takes longer than half a second.
pub const SCHEMA_STEPS_MAX: u64 = 40_000_000;
/// Maximum number of steps of a check that runs directly on a thread that serves calls:
/// about a millisecond, less than the time slice of a plugin that computes.
pub const SCHEMA_STEPS_AT_ONCE_MAX: u64 = 250_000;
/// Maximum number of steps of a check that need not wait in the queue of the longest
/// checks: honest schemas need as many for a full megabyte.
pub const SCHEMA_STEPS_MEDIUM_MAX: u64 = 8_000_000;
/// Maximum number of steps for explaining a mismatch if a schema has alternatives: each
/// alternative is checked again, and its errors are kept in memory until one is reported.
pub const SCHEMA_STEPS_EXPLAINED_MAX: u64 = 1_000_000;
/// Maximum time of a check, including its time in the queue.
pub const SCHEMA_CHECK_MS_MAX: u64 = 2_000;
/// Maximum number of checks of one plugin in the queue of the longest checks.
pub const SCHEMA_CHECKS_WAITING_MAX: usize = 8;
/// Maximum size of an output that is parsed directly on a thread that serves calls.
pub const OUTPUT_BYTES_AT_ONCE_MAX: usize = 128 << 10;
/// Maximum memory of the automaton of a pattern. An automaton within this size takes one
/// step per byte for any input, and stays within the cache of the regex engine.
pub const SCHEMA_AUTOMATON_BYTES_MAX: usize = 96 << 10;
/// Maximum number of examples in a plugin's description.
pub const EXAMPLES_MAX: usize = 32;
/// Maximum time for a plugin to describe itself.
pub const DESCRIBE_MS_MAX: u64 = 2_000;
/// Maximum number of attempts to load a version whose code fails while loading, before
/// the version is skipped: on a busy machine, code can time out.
pub const LOAD_TRIES_MAX: u32 = 3;
/// Maximum length of a text in a plugin's error, as shown to callers and in logs.
pub const PLUGIN_TEXT_BYTES_MAX: usize = 2 << 10;
/// Maximum length of a line of a plugin's log; longer lines are cut.
pub const LOG_LINE_BYTES_MAX: usize = 2 << 10;
/// Maximum number of lines of a plugin's log that are kept for its owner.
pub const LOG_LINES_KEPT: usize = 256;
/// Maximum number of calls of a plugin whose time and memory are remembered: enough for a
/// 99th percentile, in 4 KiB.
pub const CALLS_MEASURED_MAX: usize = 256;
/// Maximum size of one component's compiled code in the cache; compiled code is about
/// eight times the size of its component.
pub const COMPILED_BYTES_MAX: u64 = 512 << 20;
/// Retention of compiled code that no version in the registry uses. During a deployment,
/// or if files are missing for a moment, nothing needs to be recompiled.
pub const COMPILED_UNUSED_MS: u64 = DAY_MS;
/// Interval between deletions of unused compiled code from the cache.
pub const SWEEP_EVERY_MS: u64 = 60 * 60 * 1000;
/// Maximum length of a key in a plugin's key-value bucket.
pub const KV_KEY_BYTES_MAX: usize = 256;
/// Maximum size of a value in a plugin's key-value bucket.
pub const KV_VALUE_BYTES_MAX: usize = 256 << 10;
/// Maximum number of keys in one bucket; the size of a bucket is recounted at the first
/// write of a call.
pub const KV_KEYS_MAX: usize = 1_000;
/// Maximum number of key-value writes in one call, all committed in one transaction.
pub const KV_WRITES_MAX: usize = 100;
/// Maximum number of bytes that one call may write to key-value buckets. They stay in
/// memory until the call ends, and count towards the instance's memory.
pub const KV_WRITE_BYTES_PER_CALL_MAX: usize = 2 << 20;
/// Maximum number of bytes that the calls of one account or address, or the plugins of
/// one tenant, may write to key-value buckets in a burst: a quarter of the largest
/// bucket.
pub const KV_WRITE_BURST_BYTES: u64 = 16 << 20;
/// Bytes per second that a writer may write to key-value buckets after its burst. A disk
/// can write hundreds of times as many.
pub const KV_WRITE_BYTES_PER_S: u64 = 256 << 10;
/// Maximum number of tenants whose written bytes are remembered; each takes some hundred
/// bytes.
pub const WRITERS_REMEMBERED_MAX: usize = 1 << 14;
/// Maximum time that a call waits for another call that changes the same counter.
pub const KV_LOCK_MS_MAX: u64 = 1_000;
/// Maximum number of requests to other servers in one call.
pub const HTTP_REQUESTS_MAX: u32 = 32;
/// Maximum request body that a plugin sends.
pub const HTTP_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Maximum response body that a plugin receives.
pub const HTTP_RESPONSE_BYTES_MAX: usize = 4 << 20;
/// Maximum time to connect to another server, including name resolution and TLS.
pub const EGRESS_CONNECT_MS_MAX: u64 = 5_000;
/// Maximum time without data from another server, after which the request fails.
pub const EGRESS_READ_MS_MAX: u64 = 15_000;
/// Time for which an idle connection to another server is kept for the next request.
/// Node.js and uvicorn close theirs after 5 s. A request sent at that moment is lost, and
/// the host cannot know whether it was processed.
pub const EGRESS_IDLE_MS_MAX: u64 = 4_000;
/// Minimum amount of a withdrawal: £5.00, as the specification requires.
pub const WITHDRAWAL_PENCE_MIN: i64 = 500;

// Limits of the configuration.
/// Maximum size of a configuration file. Real ones have a few kilobytes; the limit only
/// stops a wrong path, such as a log, from being read completely.
pub const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of requests per window that a tier may allow: higher values serve no
/// purpose and risk overflowing counters.
pub const RATE_LIMIT_MAX: u32 = 1_000_000_000;
/// Maximum number of delivery attempts of one webhook after the first.
pub const WEBHOOK_RETRIES_MAX: usize = 20;

// Limits of access (keys, sign-ups, rate limits).
/// Maximum number of cached key look-ups. Each takes some 300 bytes; an evicted one costs
/// a read of the store.
pub const PRINCIPALS_CACHED_MAX: usize = 1 << 16;
/// Maximum number of client addresses whose sign-ups of the day are counted.
pub const SIGNUP_ADDRESSES_MAX: usize = 1 << 16;
/// Maximum number of listed keys of an account, including revoked and expired ones; above
/// it the oldest of those are removed, so that repeated rolling does not grow the
/// account.
pub const KEYS_LISTED_MAX: usize = 2 * KEYS_PER_ACCOUNT_MAX;
/// Maximum time for which a rolled key may remain valid: long enough for a careful
/// roll-out.
pub const KEY_GRACE_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum length of a key's label.
pub const KEY_LABEL_CHARS_MAX: usize = 80;
/// Maximum length of an e-mail address (the longest path that RFC 5321 allows).
pub const EMAIL_BYTES_MAX: usize = 254;
/// Maximum number of `X-Forwarded-For` entries that are examined, from the right. No
/// operator has that many proxies.
pub const FORWARDED_HOPS_MAX: usize = 32;
/// Maximum delay between reading the clock for a call and counting the call in its
/// rate-limit window. Threads read the clock before they take the lock, so a call's time
/// may be slightly in the past; a larger delay means that the clock was set back.
pub const CLOCK_SKEW_MS_MAX: u64 = 60_000;

// Limits of the ledger.

/// Largest integer in a record. Canonical JSON (RFC 8785) has the numbers of JavaScript:
/// above this limit, not every reader of a record represents an integer exactly.
pub const SAFE_INTEGER_MAX: i64 = (1 << 53) - 1;
/// Maximum size of a sealed record. Log tiles frame entries with 16-bit lengths.
pub const RECORD_BYTES_MAX: usize = 64 << 10;
/// Maximum size of a record's body, which leaves room for the postings.
pub const RECORD_BODY_BYTES_MAX: usize = 40 << 10;
/// Maximum number of postings in one record. A call has fewer, including all its nested
/// calls.
pub const POSTINGS_PER_RECORD_MAX: usize = 96;
/// Maximum number of accounts whose earnings one record releases, with two postings each.
/// One call with its nested calls may pay as many accounts; with a lower limit, some
/// earnings would never be released.
pub const RELEASED_PER_RECORD_MAX: usize = 40;
const _: () = assert!(RELEASED_PER_RECORD_MAX > NESTED_CALLS_MAX as usize);
const _: () = assert!(POSTINGS_PER_RECORD_MAX > 2 * RELEASED_PER_RECORD_MAX);
/// Maximum length of the account, intent or task in the name of a ledger account.
pub const LEDGER_PARTY_BYTES_MAX: usize = 64;
/// Maximum length of a name inside a record's body.
pub const LEDGER_NAME_BYTES_MAX: usize = 128;
/// Maximum length of a line in a ledger export: a record whose quotes are all escaped
/// fits.
pub const EXPORT_LINE_BYTES_MAX: usize = 192 << 10;
/// Lowest level of the Merkle tree whose nodes are stored. A lower node is computed from
/// at most eight records, so only one in sixteen records writes to the tree.
pub const NODE_LEVEL_KEPT_MIN: u8 = 4;
/// Maximum number of signing keys in an export; each rotation adds one.
pub const EXPORT_KEYS_MAX: usize = 256;
/// Maximum size of a signed note: our signature and those of many witnesses.
pub const CHECKPOINT_BYTES_MAX: usize = 16 << 10;
/// Maximum number of signatures of one note; C2SP asks for at least 16.
pub const CHECKPOINT_SIGNATURES_MAX: usize = 32;
/// Maximum size of a proof document: two paths of at most 128 hashes and a note.
pub const PROOF_BYTES_MAX: usize = 64 << 10;
/// Maximum number of attempts of an export to read the balances at a consistent size of
/// the ledger, while the server continues sealing.
pub const EXPORT_SNAPSHOT_TRIES_MAX: u32 = 1_000;

// Limits of the registry.

/// Maximum length of the name of a plugin, publisher or skill; names become paths.
pub const NAME_BYTES_MAX: usize = 64;
/// Maximum length of a version as text; versions become folder names.
pub const VERSION_BYTES_MAX: usize = 64;
/// Maximum length of a purpose or of a skill's description: one line on a screen.
pub const PURPOSE_CHARS_MAX: usize = 200;
/// Maximum number of skills of one agent; they are repeated on the public card.
pub const SKILLS_MAX: usize = 64;
/// Maximum number of hosts in a plugin's `allow_hosts`; a longer list suggests that the
/// plugin wants access to all hosts.
pub const ALLOW_HOSTS_MAX: usize = 64;
/// Maximum number of bridges, and of agents, that one plugin may list as its callees; all
/// of this repository's bridges fit.
pub const CALLEES_MAX: usize = 64;
/// Maximum number of needs (declared requirements) of one plugin; each is checked before
/// a call of the plugin is quoted.
pub const NEEDS_MAX: usize = 16;
/// Maximum size of the schema that selects the inputs to which a need applies: a few
/// members and patterns.
pub const NEED_WHEN_BYTES_MAX: usize = 4_096;
/// Maximum number of concurrent calls of one plugin, whatever its manifest says.
pub const PLUGIN_CONCURRENCY_MAX: u64 = 1_024;
/// Maximum storage of one plugin in its key-value buckets.
pub const KV_BYTES_MAX: u64 = 64 << 20;
/// Maximum size of a `plugin.sig` file, which is three short lines.
pub const SIGNATURE_BYTES_MAX: usize = 4 << 10;
/// Maximum size of `publishers.toml`: some thousand publishers.
pub const PUBLISHERS_BYTES_MAX: usize = 1 << 20;
/// Time for which a version folder must be unchanged before a fault in it is reported as
/// an error; until then, a copy may be in progress.
pub const REGISTRY_SETTLE_MS: u64 = 1_000;
/// Maximum delay between a file event and the scan that it triggers, however many events
/// follow: a storm of renames must not postpone the scan forever.
pub const REGISTRY_STORM_MS: u64 = 1_000;
/// Maximum number of unrecognised registry entries (neither plugin nor version) that are
/// listed for the operator; further ones are only counted.
pub const REGISTRY_STRAYS_MAX: usize = 100;
// Limits of the store.

/// Maximum number of bytes of answers and rows in one durable write: a thousand of the
/// largest would take a gibibyte of memory twice. The last change may exceed the limit.
pub const BYTES_PER_COMMIT_MAX: usize = 16 << 20;
/// Size of a plugin's bucket values from which a change counts as a bulk change.
pub const BULK_CHANGE_BYTES_MIN: usize = 32 << 10;
/// Maximum number of bytes of bulk changes in one durable write, so that other changes
/// wait for milliseconds at most.
pub const BULK_BYTES_PER_COMMIT_MAX: usize = 2 << 20;
/// Maximum number of bulk changes in the queue; further ones are refused as busy.
pub const BULK_CHANGES_QUEUED_MAX: usize = 64;
/// Maximum number of index entries of seals and transactions that are buffered in memory,
/// to be written with neighbouring keys: 12 MiB, which take some tenths of a second to
/// read back when the store is opened.
pub const INDEX_WAITING_MAX: usize = 65_536;
/// Size of the journal at which its commits are written to the database: some ten
/// thousand calls, which take some tenths of a second to read back after a crash.
pub const JOURNAL_BYTES_MAX: u64 = 16 << 20;
/// Maximum number of rows in one commit of a backup; limits its memory.
pub const BACKUP_ROWS_PER_COMMIT_MAX: usize = 1_000;
/// Maximum number of slices of the key space (of 256) that one commit writes to the
/// indexes; limits a commit after a start that replayed many entries.
pub const INDEX_SLICES_PER_COMMIT_MAX: usize = 16;

// Limits of stored resources.

/// Maximum size of one resource: that of a request body, so that no resource must be sent
/// in parts.
pub const RESOURCE_BYTES_MAX: usize = 1 << 20;
/// Retention of a stored resource.
pub const RESOURCE_KEPT_MS: u64 = DAY_MS;
/// Maximum number of resources of one account at a time.
pub const RESOURCES_PER_ACCOUNT_MAX: usize = 100;
/// Maximum number of bytes in the resources of one account.
pub const RESOURCES_BYTES_PER_ACCOUNT_MAX: usize = 16 << 20;

// Limits of the host's services for plugins.

/// Maximum size of a table file. A list of all address ranges of the world takes some 30
/// MiB.
pub const TABLE_BYTES_MAX: usize = 64 << 20;
/// Maximum number of tables of one plugin, including those of the operator.
pub const TABLES_PER_PLUGIN_MAX: usize = 8;
/// Maximum size of all tables in memory: sixteen of the largest, so that a registry full
/// of big tables does not exhaust the machine.
pub const TABLES_BYTES_MAX: u64 = 1 << 30;
/// Maximum length of a key in a table.
pub const TABLE_KEY_BYTES_MAX: usize = 1 << 10;
/// Maximum size of a value in a table. One value of this size fits into an answer, a
/// thousand do not.
pub const TABLE_VALUE_BYTES_MAX: usize = 64 << 10;
/// Maximum length of the first line of a table file: four short texts.
pub const TABLE_HEADER_BYTES_MAX: usize = 4 << 10;
/// Maximum number of table keys or entries in one host call: together with the limit of
/// host calls, a million look-ups in one call of a plugin.
pub const TABLE_ROWS_PER_CALL_MAX: usize = 1_000;
/// Maximum reply of one host call that reads a table: the reply is copied into the
/// plugin's memory.
pub const TABLE_REPLY_BYTES_MAX: usize = 1 << 20;
/// Maximum number of ledger reads in one call: a proof may sign a checkpoint, and a check
/// verifies signatures.
pub const LEDGER_READS_MAX: u32 = 64;
/// Maximum number of nested calls of other plugins in one call, at any depth: their
/// postings and names fit into a record.
pub const NESTED_CALLS_MAX: u32 = 32;
/// Maximum depth of nested calls. Each level holds an instance.
pub const NESTED_DEPTH_MAX: u32 = 4;
/// Maximum number of requests to models in one call of a plugin: each may cost money.
pub const INFERENCE_REQUESTS_MAX: u32 = 16;
/// Maximum number of messages in one request to a model, and of texts that are embedded
/// at once.
pub const INFERENCE_MESSAGES_MAX: usize = 256;
/// Maximum text of one request to a model, in total.
pub const INFERENCE_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Maximum length of a model's answer, in tokens: the most that today's models produce.
pub const INFERENCE_TOKENS_MAX: u32 = 128_000;

// Limits of reputation.

/// Maximum number of records that are counted in one write: about a second for the
/// request that causes it.
pub const REPUTATION_RECORDS_PER_WRITE_MAX: u64 = 1_000;
/// Maximum number of records that one request counts; the next request continues.
pub const REPUTATION_RECORDS_PER_REQUEST_MAX: u64 = 20_000;
/// Maximum number of records, with their proofs, in one answer.
pub const REPUTATION_PAGE_MAX: usize = 100;

// Limits of earning tasks.

/// Payment for one earning task, as the specification requires.
pub const EARN_TASK_PENCE: i64 = 78;
/// Maximum number of open tasks at once: all are listed on one page.
pub const EARN_TASKS_MAX: usize = 1_000;
/// Maximum length of a task's description.
pub const EARN_DESCRIPTION_CHARS_MAX: usize = 1_000;
/// Time-out of a bridge that checks a task's result.
pub const EARN_CHECK_MS_MAX: u64 = 5_000;
/// Maximum amount of one settlement between agents: £10,000.00.
pub const SETTLE_PENCE_MAX: i64 = 1_000_000;
/// Maximum number of items of one account in the memory of one agent.
pub const MEMORY_ITEMS_MAX: usize = 1_000;
/// Maximum length of the key of a memory item.
pub const MEMORY_KEY_BYTES_MAX: usize = 128;
/// Maximum size of the value of a memory item, as JSON.
pub const MEMORY_VALUE_BYTES_MAX: usize = 64 << 10;
/// Retention of a memory item unless the client sets another: 30 days.
pub const MEMORY_KEPT_S_DEFAULT: u64 = 30 * 24 * 60 * 60;
/// Maximum retention of a memory item: a year.
pub const MEMORY_KEPT_S_MAX: u64 = 365 * 24 * 60 * 60;

// Limits of risk assessment.

/// Maximum number of records that the assessment of a payout reads, from the newest:
/// under a second.
pub const RISK_RECORDS_SCANNED_MAX: u64 = 50_000;
/// Maximum number of accounts that are searched for referrals.
pub const RISK_ACCOUNTS_SCANNED_MAX: usize = 100_000;
