//! Bounds of what people and the programs that act for them do: pages, OAuth,
//! MCP. Each with its reason.

use crate::time::DAY_MS;

// People in browsers.

/// How long a session may rest before its person must sign in again.
pub const SESSION_REST_MS_MAX: u64 = 60 * 60 * 1000;
/// How long a session lasts at all.
pub const SESSION_MS_MAX: u64 = 12 * 60 * 60 * 1000;
/// A form that a page of this server sends.
pub const FORM_BYTES_MAX: usize = 16 << 10;
/// Days that the chart of earnings shows.
pub const EARNINGS_DAYS_SHOWN: u64 = 30;
/// Plugins that the chart of earnings tells apart; the rest are one.
pub const EARNINGS_PLUGINS_SHOWN: usize = 5;
/// Records that are added to the daily sums of earnings in one write.
pub const EARNINGS_RECORDS_PER_WRITE: usize = 2_000;
/// Rows of daily sums that a page reads: some plugins on each of its days.
pub const EARNINGS_ROWS_MAX: usize = 10_000;

/// Records that the page of spending reads at a time.
pub const SPENDING_RECORDS_PER_PAGE: usize = 200;
/// Records of an intent, the newest, in which its refunds are looked for.
pub const REFUND_RECORDS_READ_MAX: usize = 256;
/// Pages of records that one look at spending reads; older ones are left out.
pub const SPENDING_PAGES_READ_MAX: usize = 10;
/// Calls that the page of spending lists.
pub const SPENDING_CALLS_LISTED: usize = 50;

// OAuth.

/// Programs that registered themselves at once. Anybody may; one nobody uses is
/// forgotten after a day.
pub const CLIENTS_MAX: usize = 10_000;
/// Registrations from one client address per day.
pub const REGISTRATIONS_PER_ADDRESS_PER_DAY_MAX: u32 = 50;
/// How long a client is remembered that nobody has consented to.
pub const CLIENT_UNUSED_MS_MAX: u64 = DAY_MS;
/// What a client calls itself; it stands on the page of the consent.
pub const CLIENT_NAME_CHARS_MAX: usize = 80;
/// Redirect addresses of one client: one per environment it runs in.
pub const CLIENT_REDIRECTS_MAX: usize = 10;
/// A redirect address.
pub const REDIRECT_BYTES_MAX: usize = 1_000;
/// Text that a client sends to itself through the consent.
pub const STATE_BYTES_MAX: usize = 2_000;
/// How long a code may be changed for tokens: one redirect and one request.
pub const CODE_MS_MAX: u64 = 60 * 1000;
/// How long an access token lasts.
pub const ACCESS_TOKEN_MS_MAX: u64 = 60 * 60 * 1000;
/// How long a grant lasts that is not used.
pub const GRANT_MS_MAX: u64 = 30 * DAY_MS;
/// Programs that may act for one account at a time.
pub const GRANTS_PER_ACCOUNT_MAX: usize = 50;

// MCP.

/// Tools, resources or prompts in one page of their list: a registry may have
/// thousands.
pub const MCP_LISTED_PER_PAGE: usize = 100;
/// Bridges or agents in one page of the catalogue, with a sentence each.
pub const MCP_CATALOGUE_ENTRIES: usize = 500;
/// Agents that the tool `invoke_agent` names; models read all of them.
pub const MCP_AGENTS_NAMED: usize = 100;
/// How often a call that goes on tells so, to who asked for it.
pub const MCP_PROGRESS_EVERY_MS: u64 = 2_000;
/// How often a task is looked at whose end somebody waits for.
pub const MCP_TASK_LOOK_EVERY_MS: u64 = 250;
/// How long an agent is waited for by a client that can come back for the answer.
pub const MCP_TASK_AFTER_MS: u64 = 1_000;
/// How often such a client is asked to come back.
pub const MCP_TASK_POLL_MS: u64 = 1_000;
/// How long a client waits in one request for its person to pay.
pub const MCP_PAYMENT_WAIT_MS: u64 = 20_000;
/// How often it is looked meanwhile whether the payment has arrived.
pub const MCP_PAYMENT_LOOK_EVERY_MS: u64 = 2_000;

/// Requests that the operator can look up by their ids: some minutes of a busy server,
/// days of a quiet one, in 5 MB.
pub const REQUESTS_REMEMBERED_MAX: usize = 20_000;
