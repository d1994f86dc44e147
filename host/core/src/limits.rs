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
/// Maximum linear memory of one plugin instance, summed over all its memories.
pub const GUEST_MEMORY_BYTES_MAX: usize = 256 << 20;
/// Maximum wall-clock time of one call.
pub const GUEST_TIME_MS_MAX: u64 = 60_000;
/// Keep-alive time of an idle outgoing connection. It is below the 5 s after which
/// Node.js and uvicorn close idle connections: a request sent while the server closes the
/// connection is lost, and the host cannot know whether it was processed.
pub const EGRESS_IDLE_MS_MAX: u64 = 4_000;
/// Maximum size of a configuration file. Real files have a few kilobytes; the limit only
/// prevents a wrong file, such as a log, from being read completely.
pub const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of requests per window that a tier may allow: higher values serve no
/// purpose and risk overflowing counters.
pub const RATE_LIMIT_MAX: u32 = 1_000_000_000;
/// Maximum size of a sealed record. Log tiles frame entries with 16-bit lengths.
pub const RECORD_BYTES_MAX: usize = 64 << 10;
/// Maximum size of a proof document: two paths of at most 128 hashes and a note.
pub const PROOF_BYTES_MAX: usize = 64 << 10;
/// Maximum amount that a plugin's owner can lose to one caller per day through nested
/// calls that cost more than the caller pays: £1.00. It bounds the loss of an owner who
/// sells below cost to a caller who owns the nested plugin.
pub const NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE: i64 = 100_000;
/// Time allowed for a request body to arrive, before the allowance for its length
/// ([`BODY_BYTES_PER_S_MIN`]) is added.
pub const BODY_MS_MAX: u64 = 15_000;
/// Minimum transfer rate of a large request body: at 64 KiB/s, even the largest
/// deployment takes less than 15 minutes.
pub const BODY_BYTES_PER_S_MIN: u64 = 64 << 10;
/// Maximum number of days of usage that one request may cover.
pub const USAGE_DAYS_MAX: u32 = 92;
/// Maximum number of inputs kept per plugin. If a change affects one answer in a hundred,
/// replaying 1,000 inputs shows it about ten times.
pub const KEPT_INPUTS_MAX: u32 = 1_000;
/// Maximum retention of a kept input; it is limited because inputs are callers' data.
pub const KEPT_INPUTS_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum number of requests that the operator can look up by id. They cover some
/// minutes on a busy server, or days on a quiet one, and use about 5 MB.
pub const REQUESTS_REMEMBERED_MAX: usize = 20_000;
