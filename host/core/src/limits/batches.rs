//! Bounds of files and batches (`/v1/files`, `/v1/batches`, `/v1/messages/batches`).

use crate::time::DAY_MS;

/// A file and the form around it. It is in memory as a whole while it comes, and takes
/// two thirds of what a tenant's bodies may take.
pub const FILE_BYTES_MAX: usize = 32 << 20;
/// Lines of a file, each of which may be a request: with a second each and four at
/// once, three quarters of an hour.
pub const FILE_LINES_MAX: u64 = 10_000;
/// One line: pictures travel inside it. As many are in memory as run at once.
pub const FILE_LINE_BYTES_MAX: usize = 4 << 20;
/// Files of one account, results of batches included. At the bound nothing is uploaded
/// and no batch is begun until some are deleted.
pub const FILES_PER_ACCOUNT_MAX: usize = 500;
/// Likewise their bytes.
pub const FILES_BYTES_PER_ACCOUNT_MAX: u64 = 512 << 20;
/// How long a file is kept, unless its owner says less: as long as a response.
pub const FILE_KEPT_MS: u64 = 30 * DAY_MS;
/// The least that an owner may say.
pub const FILE_KEPT_MS_MIN: u64 = 60 * 60 * 1000;
/// How long an expired file stays on the disk, unseen: a batch that began in its last
/// hour reads it to its own end.
pub const FILE_TIDIED_AFTER_MS: u64 = 2 * DAY_MS;
/// Bytes of a file that are written in one change, so that seals of others wait for
/// milliseconds at most.
pub const FILE_BYTES_PER_CHANGE: usize = 256 << 10;
/// Rows that are written or removed in one change.
pub const FILE_ROWS_PER_CHANGE: usize = 500;
/// Expired files, or batches, that are looked at in one round of tidying.
pub const FILES_TIDIED_AT_ONCE: usize = 100;
/// The name of a file.
pub const FILE_NAME_CHARS_MAX: usize = 256;
/// Files on one page of a list: as many as OpenAI gives.
pub const FILES_PAGE_MAX: usize = 10_000;

/// How long a batch may take; the only `completion_window` there is.
pub const BATCH_WINDOW_MS: u64 = DAY_MS;
/// How long a batch is remembered.
pub const BATCH_KEPT_MS: u64 = 30 * DAY_MS;
/// Batches of one account that are not over.
pub const BATCHES_OPEN_PER_ACCOUNT_MAX: usize = 10;
/// Batches of all accounts that are not over; each is a task with its lines' standing
/// in memory, some hundred kilobytes at most.
pub const BATCHES_OPEN_MAX: usize = 1_000;
/// Batches that are remembered of one account. Beyond it the oldest that are over go.
pub const BATCHES_PER_ACCOUNT_MAX: usize = 300;
/// Lines of all batches that run at once, beside the requests that clients wait for.
pub const BATCH_LINES_RUNNING_MAX: usize = 64;
/// Of those, lines of one account, so that others always find a place.
pub const BATCH_LINES_RUNNING_PER_ACCOUNT_MAX: usize = 4;
/// Results of one batch. Beyond it lines are not asked any more, so that an account
/// fills no disk with long answers.
pub const BATCH_RESULT_BYTES_MAX: u64 = 128 << 20;
/// Attempts at one line whose providers fail. Pauses grow to a quarter of an hour, so
/// that they fill the window.
pub const BATCH_LINE_ATTEMPTS_MAX: u32 = 100;
/// Of those, attempts that a provider may have billed to the operator without an
/// answer, as after a time-out.
pub const BATCH_LINE_BILLED_ATTEMPTS_MAX: u32 = 3;
/// Pause before the second attempt at a line; doubled before each further one.
pub const BATCH_LINE_PAUSE_MS: u64 = 2_000;
/// The longest such pause.
pub const BATCH_LINE_PAUSE_MS_MAX: u64 = 15 * 60 * 1000;
/// The longest pause of a batch of which no line was answered for a while.
pub const BATCH_PAUSE_MS_MAX: u64 = 60_000;
/// Wrong lines that are told of a batch that is refused.
pub const BATCH_ERRORS_MAX: usize = 20;
/// The client's name for a line.
pub const BATCH_CUSTOM_ID_CHARS_MAX: usize = 256;
/// Pairs of a batch's metadata, as at OpenAI.
pub const BATCH_METADATA_MAX: usize = 16;
/// A name in it.
pub const BATCH_METADATA_NAME_CHARS_MAX: usize = 64;
/// A value in it.
pub const BATCH_METADATA_VALUE_CHARS_MAX: usize = 512;
/// Batches on one page of a list.
pub const BATCHES_PAGE_MAX: usize = 100;
/// Likewise, where nobody says.
pub const BATCHES_PAGE: usize = 20;
/// How long a repeat of a request that begins a batch gets the same batch, where only
/// the client library says that it repeats.
pub const BATCH_REPEAT_MS: u64 = 10 * 60 * 1000;
