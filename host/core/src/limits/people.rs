//! Limits of people and the programs that act for them: pages, OAuth, MCP, each
//! with its reason.

use crate::time::DAY_MS;

// People in browsers.

/// Idle time of a session before its person must sign in again.
pub const SESSION_REST_MS_MAX: u64 = 60 * 60 * 1000;
/// Longest lifetime of a session.
pub const SESSION_MS_MAX: u64 = 12 * 60 * 60 * 1000;
/// A form that a page of this server submits.
pub const FORM_BYTES_MAX: usize = 16 << 10;
/// Days in the chart of earnings.
pub const EARNINGS_DAYS_SHOWN: u64 = 30;
/// Plugins that the chart of earnings shows separately; the rest are combined.
pub const EARNINGS_PLUGINS_SHOWN: usize = 5;
/// Records that are added to the daily sums of earnings in one write.
pub const EARNINGS_RECORDS_PER_WRITE: usize = 2_000;
/// Rows of daily sums that a page reads: some plugins on each of its days.
pub const EARNINGS_ROWS_MAX: usize = 10_000;

/// Records that the page of spending reads at a time.
pub const SPENDING_RECORDS_PER_PAGE: usize = 200;
/// Newest records of an intent that are searched for its refunds.
pub const REFUND_RECORDS_READ_MAX: usize = 256;
/// Pages of records that one view of spending reads; older ones are omitted.
pub const SPENDING_PAGES_READ_MAX: usize = 10;
/// Calls that the page of spending lists.
pub const SPENDING_CALLS_LISTED: usize = 50;

// OAuth.

/// Registered programs at once. Registration is open to any client; an unused
/// one is deleted after a day.
pub const CLIENTS_MAX: usize = 10_000;
/// Registrations from one client address per day.
pub const REGISTRATIONS_PER_ADDRESS_PER_DAY_MAX: u32 = 50;
/// Retention of a client without any consent.
pub const CLIENT_UNUSED_MS_MAX: u64 = DAY_MS;
/// The name of a client, shown on the consent page.
pub const CLIENT_NAME_CHARS_MAX: usize = 80;
/// Redirect addresses of one client: one per environment it runs in.
pub const CLIENT_REDIRECTS_MAX: usize = 10;
/// A redirect address.
pub const REDIRECT_BYTES_MAX: usize = 1_000;
/// The `state` parameter, which a client passes to itself through the consent.
pub const STATE_BYTES_MAX: usize = 2_000;
/// Time for exchanging a code for tokens: one redirect and one request.
pub const CODE_MS_MAX: u64 = 60 * 1000;
/// Lifetime of an access token.
pub const ACCESS_TOKEN_MS_MAX: u64 = 60 * 60 * 1000;
/// Lifetime of an unused grant.
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
/// Interval between progress notifications for a call that continues.
pub const MCP_PROGRESS_EVERY_MS: u64 = 2_000;
/// Interval between checks of a task that a client waits for.
pub const MCP_TASK_LOOK_EVERY_MS: u64 = 250;
/// Time that an agent is awaited for a client that can poll for the answer.
pub const MCP_TASK_AFTER_MS: u64 = 1_000;
/// Polling interval suggested to such a client.
pub const MCP_TASK_POLL_MS: u64 = 1_000;
/// Time that one request waits for its person to pay.
pub const MCP_PAYMENT_WAIT_MS: u64 = 20_000;
/// Interval between checks for the payment.
pub const MCP_PAYMENT_LOOK_EVERY_MS: u64 = 2_000;

/// Requests that the operator can look up by id: some minutes of a busy server,
/// days of a quiet one, in 5 MB.
pub const REQUESTS_REMEMBERED_MAX: usize = 20_000;
