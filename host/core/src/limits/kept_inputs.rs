//! Limits of inputs that are kept to be replayed.

use crate::time::DAY_MS;

/// Inputs of one plugin: enough that a change of one answer in a hundred is seen ten
/// times.
pub const KEPT_INPUTS_MAX: u32 = 1_000;
/// One input; a longer one is passed over. Most are a few hundred bytes.
pub const KEPT_INPUT_BYTES_MAX: usize = 64 << 10;
/// All inputs of one plugin, in memory as on disk: each batch reads what is kept of
/// its plugin.
pub const KEPT_INPUTS_BYTES_MAX: usize = 4 << 20;
/// How long an input is kept at most: it is what a caller sent.
pub const KEPT_INPUTS_MS_MAX: u64 = 7 * DAY_MS;
/// How long one is kept unless the configuration says otherwise.
pub const KEPT_INPUTS_MS: u64 = DAY_MS;
/// What one change writes of them: it shares its commit with calls that wait to be
/// sealed.
pub const KEPT_INPUTS_BYTES_PER_CHANGE_MAX: usize = 256 << 10;
/// How often they are written: what a crash may lose.
pub const KEPT_INPUTS_WRITTEN_EVERY_MS: u64 = 5_000;
/// How long a plugin that filled its ring waits for its next batch: a busy one
/// would else write and delete as fast as it is called.
pub const KEPT_INPUTS_FULL_PAUSE_MS: u64 = 60_000;
/// A whole replay, loading included: less than the command line waits.
pub const REPLAY_MS_MAX: u64 = 90_000;
/// Inputs that a replay runs at once: few, because callers are served beside it.
pub const REPLAYS_AT_ONCE: usize = 2;

/// Inputs of calls that one plugin failed, in memory: enough to find the call that
/// somebody complains about.
pub const FAILED_INPUTS_MAX: usize = 32;
/// What those of one plugin may take together.
pub const FAILED_INPUTS_BYTES_MAX: usize = 512 << 10;
