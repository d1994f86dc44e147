//! Limits of inputs that are kept for replays.

use crate::time::DAY_MS;

/// Maximum number of kept inputs of one plugin: if a change affects one answer in a
/// hundred, a replay shows it ten times.
pub const KEPT_INPUTS_MAX: u32 = 1_000;
/// Maximum size of one kept input; a longer input is not kept. Most have a few hundred
/// bytes.
pub const KEPT_INPUT_BYTES_MAX: usize = 64 << 10;
/// Maximum size of all kept inputs of one plugin, in memory and on disk: each write reads
/// all of them.
pub const KEPT_INPUTS_BYTES_MAX: usize = 4 << 20;
/// Maximum retention of an input, because it is a caller's data.
pub const KEPT_INPUTS_MS_MAX: u64 = 7 * DAY_MS;
/// Default retention of an input.
pub const KEPT_INPUTS_MS: u64 = DAY_MS;
/// Maximum number of bytes of kept inputs in one change: the change shares its commit
/// with calls that wait to be sealed.
pub const KEPT_INPUTS_BYTES_PER_CHANGE_MAX: usize = 256 << 10;
/// Interval between writes of kept inputs: a crash loses at most the inputs of this time.
pub const KEPT_INPUTS_WRITTEN_EVERY_MS: u64 = 5_000;
/// Pause between writes of a plugin that has filled its ring of kept inputs: otherwise a
/// busy plugin would write and delete at the rate of its calls.
pub const KEPT_INPUTS_FULL_PAUSE_MS: u64 = 60_000;
/// Maximum time of a whole replay, including loading: less than the time-out of the
/// command line.
pub const REPLAY_MS_MAX: u64 = 90_000;
/// Maximum number of inputs that a replay runs at once: few, because callers are served
/// at the same time.
pub const REPLAYS_AT_ONCE: usize = 2;

/// Maximum number of inputs of failed calls of one plugin that are kept in memory: enough
/// to find the call behind a complaint.
pub const FAILED_INPUTS_MAX: usize = 32;
/// Maximum number of bytes of the failed inputs of one plugin.
pub const FAILED_INPUTS_BYTES_MAX: usize = 512 << 10;
