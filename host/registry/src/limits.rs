//! Limits that several modules share, each with its reason.

/// Maximum output of a plugin. The answer is kept in memory, sealed and stored.
pub const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// Maximum size of a manifest or signature file.
pub const MANIFEST_BYTES_MAX: usize = 64 << 10;
/// Maximum number of live versions in one plugin folder that a scan of the registry
/// keeps.
pub const VERSIONS_PER_PLUGIN_MAX: usize = 1_000;
/// Maximum number of plugins in one registry.
pub const PLUGINS_MAX: usize = 10_000;
/// Maximum length of the name of a plugin, publisher or skill; names become paths.
pub const NAME_BYTES_MAX: usize = 64;
/// Maximum length of a purpose or of a skill's description: one line on a screen.
pub(crate) const PURPOSE_CHARS_MAX: usize = 200;
/// Maximum number of needs (declared requirements) of one plugin; each is checked before
/// a call of the plugin is quoted.
pub(crate) const NEEDS_MAX: usize = 16;
/// Maximum size of the schema that selects the inputs to which a need applies; such a
/// schema has only a few members and patterns.
pub(crate) const NEED_WHEN_BYTES_MAX: usize = 4_096;
/// Maximum size of a `plugin.sig` file, which is three short lines.
pub const SIGNATURE_BYTES_MAX: usize = 4 << 10;
/// Maximum size of a table file. A list of all address ranges of the world takes some 30
/// MiB.
pub const TABLE_BYTES_MAX: usize = 64 << 20;
/// Maximum number of tables of one plugin, including those of the operator.
pub const TABLES_PER_PLUGIN_MAX: usize = 8;
/// Maximum total size of the tables in memory: sixteen tables of the maximum size (16 ×
/// 64 MiB), so that a registry full of big tables does not exhaust the machine.
pub(crate) const TABLES_BYTES_MAX: u64 = 1 << 30;
/// Maximum size of a value in a table. One value of this size fits into an answer, a
/// thousand do not.
pub const TABLE_VALUE_BYTES_MAX: usize = 64 << 10;
/// Maximum size of the instructions that a declared agent sends to its model with each
/// task.
pub(crate) const INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
