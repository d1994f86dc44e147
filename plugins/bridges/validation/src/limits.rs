//! Every bound of this plugin, each with its reason.

/// Text of all schemas of a call. Schemas of real interfaces stay far below.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Schemas that one may refer to. Each is looked at once more than the first.
pub const SCHEMAS_MAX: usize = 50;
/// Nesting of an output: as of all JSON that strangers send.
pub const DEPTH_MAX: usize = 64;
/// Nesting of a schema. The draft's schema of schemas goes down it in the stack, of which
/// a component has 64 KiB: measured there, 85 levels of any keyword fit.
pub const NESTING_MAX: usize = 64;
/// Schemas that are open at once, one within the other or after a reference, while
/// a value is checked, in the same stack: measured there, 512 of any kind fit.
pub const OPEN_MAX: usize = 384;
/// Values in an output.
pub const VALUES_MAX: usize = 200_000;
/// Compiled size of one regular expression.
pub const REGEX_BYTES_MAX: usize = 1 << 20;
/// Compiled size of all regular expressions of all schemas, so that they fit in memory.
pub const REGEXES_BYTES_MAX: usize = 16 << 20;
/// Text of one regular expression.
pub const PATTERN_BYTES_MAX: usize = 4 << 10;
/// Regular expressions of all schemas: each is compiled in every call.
pub const PATTERNS_MAX: usize = 200;
/// Steps of a check: a part of a schema meets a value, a member is looked up, a
/// value is compared. References can multiply these without end.
pub const STEPS_MAX: u64 = 3_000_000;
/// Bytes of a text that are looked through in one step.
pub const STEP_BYTES: usize = 64;
/// Assertions of one call.
pub const ASSERTIONS_MAX: usize = 1_000;
/// Findings of one call, unless the caller wants fewer.
pub const ERRORS_MAX: usize = 500;
/// Findings of one call, if the caller does not say.
pub const ERRORS_DEFAULT: usize = 100;
/// What is shown of a value in a finding, in bytes.
pub const SHOWN_BYTES_MAX: usize = 200;
/// Nesting of a value that is shown whole: answers are JSON of 64 levels as well.
pub const SHOWN_DEPTH_MAX: usize = 32;
/// A message of a finding, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 400;
/// A path of a finding, in bytes; longer ones are cut.
pub const PATH_BYTES_MAX: usize = 1_000;
