//! Limits of inputs that are kept for replays.

use crate::time::DAY_MS;

/// Inputs of one plugin: enough that a change in one of a hundred answers shows
/// up ten times.
pub const KEPT_INPUTS_MAX: u32 = 1_000;
/// One input; a longer one is not kept. Most are a few hundred bytes.
pub const KEPT_INPUT_BYTES_MAX: usize = 64 << 10;
/// All inputs of one plugin, in memory and on disk: each write reads all kept
/// inputs of its plugin.
pub const KEPT_INPUTS_BYTES_MAX: usize = 4 << 20;
/// Longest retention of an input, because it is a caller's data.
pub const KEPT_INPUTS_MS_MAX: u64 = 7 * DAY_MS;
/// Retention of an input unless the configuration says otherwise.
pub const KEPT_INPUTS_MS: u64 = DAY_MS;
/// Bytes of kept inputs that one change writes: it shares its commit with calls
/// that wait to be sealed.
pub const KEPT_INPUTS_BYTES_PER_CHANGE_MAX: usize = 256 << 10;
/// Interval between writes: the most that a crash may lose.
pub const KEPT_INPUTS_WRITTEN_EVERY_MS: u64 = 5_000;
/// Pause of a plugin that filled its ring before its next write: a busy one
/// would otherwise write and delete at the rate of its calls.
pub const KEPT_INPUTS_FULL_PAUSE_MS: u64 = 60_000;
/// A whole replay, including loading: less than the time-out of the command
/// line.
pub const REPLAY_MS_MAX: u64 = 90_000;
/// Inputs that a replay runs at once: few, because callers are served at the
/// same time.
pub const REPLAYS_AT_ONCE: usize = 2;

/// Inputs of failed calls of one plugin, in memory: enough to find the call
/// behind a complaint.
pub const FAILED_INPUTS_MAX: usize = 32;
/// Bytes of the failed inputs of one plugin.
pub const FAILED_INPUTS_BYTES_MAX: usize = 512 << 10;
