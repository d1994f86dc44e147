//! Limits that several modules share, each with its reason.

/// Maximum number of attempts to load a version before it is skipped. More than one,
/// because code can time out on a busy machine.
pub(crate) const LOAD_TRIES_MAX: u32 = 3;
/// Minimum amount of a withdrawal: £5.00, as the specification requires.
pub(crate) const WITHDRAWAL_PENCE_MIN: i64 = 500;
/// Maximum depth of nested calls. Each level occupies a plugin instance.
pub(crate) const NESTED_DEPTH_MAX: u32 = 4;
/// Payment for one earning task, as the specification requires.
pub const EARN_TASK_PENCE: i64 = 78;
/// Maximum retention of a memory item: a year.
pub const MEMORY_KEPT_S_MAX: u64 = 365 * 24 * 60 * 60;
/// Maximum time that a start of the host, or an operator's command, waits for accounts'
/// plugins to load. Short, because such a plugin may be slow to describe itself.
pub(crate) const ACCOUNTS_LOADING_MS: u64 = 5_000;
/// Maximum size of all kept inputs of one plugin, in memory and on disk: each write reads
/// all of them.
pub(crate) const KEPT_INPUTS_BYTES_MAX: usize = 4 << 20;
/// Maximum time for which a transfer request is repeated with the same idempotency key.
/// Stripe forgets the key after a day, so a later repeat would make a second transfer.
pub(crate) const TRANSFER_REPEAT_MS_MAX: u64 = 23 * 60 * 60 * 1000;
/// Time after the last transfer request during which the processor may still make the
/// transfer. Only after this time does a look-up that finds no transfer prove that there
/// is none.
pub(crate) const TRANSFER_CONFIRM_MS: u64 = 60 * 60 * 1000;
