//! Limits that several modules share, each with its reason.

/// Maximum size of the JSON Schema in a plugin's description of itself.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Maximum log text of one plugin call; the rest is dropped, with a note in the log.
pub const LOG_BYTES_PER_CALL_MAX: usize = 16 << 10;
/// Maximum number of schemas that one schema expands to when references are followed;
/// limits the work of checking an input. A large bridge has about a hundred.
pub(crate) const SCHEMA_NODES_MAX: usize = 2_048;
/// Maximum compiled size of one regular expression of a schema.
pub(crate) const SCHEMA_PATTERN_BYTES_MAX: usize = 256 << 10;
/// Maximum number of steps for checking the largest input or output of a plugin,
/// estimated from the shape of its schema. A step takes about ten nanoseconds at worst,
/// so a check takes at most 0.4 seconds.
pub(crate) const SCHEMA_STEPS_MAX: u64 = 40_000_000;
/// Maximum number of steps of a check that runs directly on a thread that serves calls:
/// about a millisecond, less than the time slice of a plugin that computes.
pub(crate) const SCHEMA_STEPS_AT_ONCE_MAX: u64 = 250_000;
/// Maximum number of examples in a plugin's description.
pub const EXAMPLES_MAX: usize = 32;
/// Maximum length of a text in a plugin's error, as shown to callers and in logs.
pub const PLUGIN_TEXT_BYTES_MAX: usize = 2 << 10;
/// Maximum length of the input that an agent proposes with a refusal: the host keeps it
/// until the call ends, outside of the plugin's memory limit.
pub const PROPOSED_INPUT_BYTES_MAX: usize = 64 << 10;
/// Maximum length of a line of a plugin's log; longer lines are cut.
pub const LOG_LINE_BYTES_MAX: usize = 2 << 10;
/// Maximum number of lines of a plugin's log that are kept for its owner.
pub const LOG_LINES_KEPT: usize = 256;
/// Maximum time that a component waits to be compiled.
pub const COMPILE_WAIT_MS_MAX: u64 = 600_000;
