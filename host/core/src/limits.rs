//! Limits that several crates share and no configuration may exceed, each with its reason.
//! A limit that an operator may change is part of the configuration. A limit of one crate
//! is defined next to its use; `docs/limits.md` lists all of them.

use crate::time::DAY_MS;

/// Maximum request body of any route, unless the configuration sets a lower limit. JSON
/// inputs are small; large inputs are sent as stored resources.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Maximum nesting depth of JSON from untrusted clients; serde_json itself stops at 128.
pub const JSON_DEPTH_MAX: usize = 64;
/// Maximum size of a component file. JavaScript and Python components reach 12 and 18
/// MiB.
pub const COMPONENT_BYTES_MAX: usize = 32 << 20;
/// Maximum linear memory of one plugin instance, all its memories together.
pub const GUEST_MEMORY_BYTES_MAX: usize = 256 << 20;
/// Maximum wall-clock time of one call.
pub const GUEST_TIME_MS_MAX: u64 = 60_000;
/// Time for which an idle connection to another server is kept for the next request.
/// Node.js and uvicorn close theirs after 5 s. A request sent at that moment is lost, and
/// the host cannot know whether it was processed.
pub const EGRESS_IDLE_MS_MAX: u64 = 4_000;
/// Maximum size of a configuration file. Real ones have a few kilobytes; the limit only
/// stops a wrong path, such as a log, from being read completely.
pub const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of requests per window that a tier may allow: higher values serve no
/// purpose and risk overflowing counters.
pub const RATE_LIMIT_MAX: u32 = 1_000_000_000;
/// Maximum size of a sealed record. Log tiles frame entries with 16-bit lengths.
pub const RECORD_BYTES_MAX: usize = 64 << 10;
/// Maximum size of a proof document: two paths of at most 128 hashes and a note.
pub const PROOF_BYTES_MAX: usize = 64 << 10;
/// Maximum loss of a plugin's owner to one caller per day, for nested calls that cost
/// more than the caller pays: £1.00. An owner who deliberately sells below cost loses at
/// most this much to a caller who owns the called plugin.
pub const NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE: i64 = 100_000;
/// Base time for the body of a request to arrive; its length at the rate below adds
/// further time.
pub const BODY_MS_MAX: u64 = 15_000;
/// Minimum rate of a large body: 64 KiB a second, so that the largest deployment holds
/// its connection for less than a quarter of an hour.
pub const BODY_BYTES_PER_S_MIN: u64 = 64 << 10;
/// Maximum number of days of usage that one request may ask for.
pub const USAGE_DAYS_MAX: u32 = 92;
/// Maximum number of kept inputs of one plugin: if a change affects one answer in a
/// hundred, a replay shows it ten times.
pub const KEPT_INPUTS_MAX: u32 = 1_000;
/// Maximum retention of an input, because it is a caller's data.
pub const KEPT_INPUTS_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum number of requests that the operator can look up by id: some minutes of a busy
/// server, days of a quiet one, in 5 MB.
pub const REQUESTS_REMEMBERED_MAX: usize = 20_000;
