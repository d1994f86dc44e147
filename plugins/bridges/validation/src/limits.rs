//! Every bound of this plugin, each with its reason.

/// Text of all schemas of a call. Schemas of real interfaces stay far below.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Schemas that one may refer to. Each is looked at once more than the first.
pub const SCHEMAS_MAX: usize = 50;
/// Nesting of an output: as of all JSON that strangers send.
pub const DEPTH_MAX: usize = 64;
/// Nesting of a schema, two for most levels (64 of them) and more for keywords
/// that take more of the stack: a component has 64 KiB of it.
pub const NESTING_MAX: usize = 128;
/// Values in an output, so that a finding for each of them fits in memory.
pub const VALUES_MAX: usize = 200_000;
/// Compiled size of one regular expression.
pub const REGEX_BYTES_MAX: usize = 1 << 20;
/// Text of one regular expression.
pub const PATTERN_BYTES_MAX: usize = 4 << 10;
/// Regular expressions of all schemas: each is compiled in every call.
pub const PATTERNS_MAX: usize = 200;
/// Times a part of a schema meets a value of the output.
pub const CHECKS_MAX: u64 = 3_000_000;
/// Times a part of a schema meets a value that it has already met: branches
/// that refer to each other can multiply these without end.
pub const REPEATS_MAX: u64 = 50_000;
/// Values that findings of alternatives (`anyOf`, `oneOf`) hold copies of.
pub const COPIES_MAX: u64 = 1_000_000;
/// Assertions of one call.
pub const ASSERTIONS_MAX: usize = 1_000;
/// Findings of one call, unless the caller wants fewer.
pub const ERRORS_MAX: usize = 500;
/// Findings of one call, if the caller does not say.
pub const ERRORS_DEFAULT: usize = 100;
/// What is shown of a value in a finding, in bytes.
pub const SHOWN_BYTES_MAX: usize = 200;
/// A message of a finding, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 400;
/// A path of a finding, in bytes; longer ones are cut.
pub const PATH_BYTES_MAX: usize = 1_000;
