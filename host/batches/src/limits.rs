//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;

/// Maximum number of lines in a file, each of which may be a request. At one second per
/// line and four lines at once, 10,000 lines take 2,500 seconds.
pub(crate) const FILE_LINES_MAX: u64 = 10_000;
/// Maximum length of one line; images are embedded in it. Each running line is in memory.
pub(crate) const FILE_LINE_BYTES_MAX: usize = 4 << 20;
/// Maximum number of files of one account, including results of batches. At the limit,
/// uploads and new batches are refused until some files are deleted.
pub(crate) const FILES_PER_ACCOUNT_MAX: usize = 500;
/// Maximum number of bytes in the files of one account.
pub(crate) const FILES_BYTES_PER_ACCOUNT_MAX: u64 = 512 << 20;
/// Retention of a file unless its owner sets a shorter one: the same as for a response.
pub const FILE_KEPT_MS: u64 = 30 * DAY_MS;
/// Time for which an expired file stays on disk, invisible to its owner, so that a batch
/// that began in the file's last hour can read it to the end.
pub(crate) const FILE_TIDIED_AFTER_MS: u64 = 2 * DAY_MS;
/// Maximum number of bytes of a file in one change, so that other changes wait for
/// milliseconds at most.
pub(crate) const FILE_BYTES_PER_CHANGE: usize = 256 << 10;
/// Maximum number of rows that are written or removed in one change.
pub(crate) const FILE_ROWS_PER_CHANGE: usize = 500;
/// Maximum number of expired files, or batches, that one clean-up round examines.
pub(crate) const FILES_TIDIED_AT_ONCE: usize = 100;
/// Time within which a batch must finish; the only supported `completion_window`.
pub(crate) const BATCH_WINDOW_MS: u64 = DAY_MS;
/// Maximum number of unfinished batches of one account.
pub(crate) const BATCHES_OPEN_PER_ACCOUNT_MAX: usize = 10;
/// Maximum number of unfinished batches of all accounts. Each is a task with the states
/// of its lines in memory, some hundred kilobytes at most.
pub(crate) const BATCHES_OPEN_MAX: usize = 1_000;
/// Maximum number of lines of one account that run at once, so that other accounts always
/// find a free slot.
pub(crate) const BATCH_LINES_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Maximum number of invalid lines that are reported for a refused batch.
pub(crate) const BATCH_ERRORS_MAX: usize = 20;
