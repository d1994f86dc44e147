//! Limits of files and batches (`/v1/files`, `/v1/batches`,
//! `/v1/messages/batches`).

use crate::time::DAY_MS;

/// Maximum size of a file with the form in which it is uploaded. The file is completely
/// in memory during the upload, and takes two thirds of a tenant's share of body memory.
pub const FILE_BYTES_MAX: usize = 32 << 20;
/// Maximum number of lines in a file, each of which may be a request: at one second per
/// line and four lines at once, three quarters of an hour.
pub const FILE_LINES_MAX: u64 = 10_000;
/// Maximum length of one line; images are embedded in it. Each running line is in memory.
pub const FILE_LINE_BYTES_MAX: usize = 4 << 20;
/// Maximum number of files of one account, including results of batches. At the limit,
/// uploads and new batches are refused until some files are deleted.
pub const FILES_PER_ACCOUNT_MAX: usize = 500;
/// Maximum number of bytes in the files of one account.
pub const FILES_BYTES_PER_ACCOUNT_MAX: u64 = 512 << 20;
/// Retention of a file unless its owner sets a shorter one: the same as for a response.
pub const FILE_KEPT_MS: u64 = 30 * DAY_MS;
/// Minimum retention that the owner of a file may set.
pub const FILE_KEPT_MS_MIN: u64 = 60 * 60 * 1000;
/// Time for which an expired file stays on disk, invisible to its owner: a batch that
/// began in the file's last hour reads it to the end.
pub const FILE_TIDIED_AFTER_MS: u64 = 2 * DAY_MS;
/// Maximum number of bytes of a file in one change, so that other changes wait for
/// milliseconds at most.
pub const FILE_BYTES_PER_CHANGE: usize = 256 << 10;
/// Maximum number of rows that are written or removed in one change.
pub const FILE_ROWS_PER_CHANGE: usize = 500;
/// Maximum number of expired files, or batches, that one clean-up round examines.
pub const FILES_TIDIED_AT_ONCE: usize = 100;
/// Maximum length of a file name.
pub const FILE_NAME_CHARS_MAX: usize = 256;
/// Maximum number of files on one page of a list: the same as at OpenAI.
pub const FILES_PAGE_MAX: usize = 10_000;

/// Time within which a batch must finish; the only supported `completion_window`.
pub const BATCH_WINDOW_MS: u64 = DAY_MS;
/// Retention of a batch.
pub const BATCH_KEPT_MS: u64 = 30 * DAY_MS;
/// Maximum number of unfinished batches of one account.
pub const BATCHES_OPEN_PER_ACCOUNT_MAX: usize = 10;
/// Maximum number of unfinished batches of all accounts. Each is a task with the states
/// of its lines in memory, some hundred kilobytes at most.
pub const BATCHES_OPEN_MAX: usize = 1_000;
/// Maximum number of batches kept for one account. Above it, the oldest finished ones are
/// removed.
pub const BATCHES_PER_ACCOUNT_MAX: usize = 300;
/// Maximum number of lines of all batches that run at once, in addition to interactive
/// requests.
pub const BATCH_LINES_RUNNING_MAX: usize = 64;
/// Maximum number of lines of one account that run at once, so that other accounts always
/// find a free slot.
pub const BATCH_LINES_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Maximum size of the results of one batch. Above it, no further lines are sent, so that
/// long answers do not fill the disk.
pub const BATCH_RESULT_BYTES_MAX: u64 = 128 << 20;
/// Maximum number of attempts at one line whose providers fail. Pauses grow to a quarter
/// of an hour, so that the attempts fill the batch's window.
pub const BATCH_LINE_ATTEMPTS_MAX: u32 = 100;
/// Maximum number of attempts at one line that a provider may have billed to the operator
/// without an answer, for example after a time-out.
pub const BATCH_LINE_BILLED_ATTEMPTS_MAX: u32 = 3;
/// Pause before the second attempt at a line; doubled before each further one.
pub const BATCH_LINE_PAUSE_MS: u64 = 2_000;
/// Maximum pause between attempts at a line.
pub const BATCH_LINE_PAUSE_MS_MAX: u64 = 15 * 60 * 1000;
/// Maximum pause of a batch whose lines have all failed for a while.
pub const BATCH_PAUSE_MS_MAX: u64 = 60_000;
/// Maximum number of invalid lines that are reported for a refused batch.
pub const BATCH_ERRORS_MAX: usize = 20;
/// Maximum length of the id that the client gives a line.
pub const BATCH_CUSTOM_ID_CHARS_MAX: usize = 256;
/// Maximum number of pairs in a batch's metadata, as at OpenAI.
pub const BATCH_METADATA_MAX: usize = 16;
/// Maximum length of a key in a batch's metadata.
pub const BATCH_METADATA_NAME_CHARS_MAX: usize = 64;
/// Maximum length of a value in a batch's metadata.
pub const BATCH_METADATA_VALUE_CHARS_MAX: usize = 512;
/// Maximum page size of a list of batches.
pub const BATCHES_PAGE_MAX: usize = 100;
/// Default page size of a list of batches.
pub const BATCHES_PAGE: usize = 20;
/// Time during which a repeated request to create a batch returns the same batch, if only
/// the client library marks the request as a retry.
pub const BATCH_REPEAT_MS: u64 = 10 * 60 * 1000;
