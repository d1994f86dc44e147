//! Limits of people and the programs that act for them (pages, OAuth, MCP), each with its
//! reason.

use crate::time::DAY_MS;

// Limits of people in browsers.

/// Maximum idle time of a session before the user must sign in again.
pub const SESSION_REST_MS_MAX: u64 = 60 * 60 * 1000;
/// Maximum lifetime of a session.
pub const SESSION_MS_MAX: u64 = 12 * 60 * 60 * 1000;
/// Maximum size of a form that a page of this server submits.
pub const FORM_BYTES_MAX: usize = 16 << 10;
/// Number of days in the chart of earnings.
pub const EARNINGS_DAYS_SHOWN: u64 = 30;
/// Maximum number of plugins that the chart of earnings shows separately; the rest are
/// combined.
pub const EARNINGS_PLUGINS_SHOWN: usize = 5;
/// Maximum number of records that are added to the daily sums of earnings in one write.
pub const EARNINGS_RECORDS_PER_WRITE: usize = 2_000;
/// Maximum number of rows of daily sums that a page reads: some plugins on each of its
/// days.
pub const EARNINGS_ROWS_MAX: usize = 10_000;

/// Number of records that the page of spending reads at a time.
pub const SPENDING_RECORDS_PER_PAGE: usize = 200;
/// Maximum number of an intent's newest records that are searched for its refunds.
pub const REFUND_RECORDS_READ_MAX: usize = 256;
/// Maximum number of pages of records that one view of spending reads; older ones are
/// omitted.
pub const SPENDING_PAGES_READ_MAX: usize = 10;
/// Number of calls that the page of spending lists.
pub const SPENDING_CALLS_LISTED: usize = 50;

// Limits of OAuth.

/// Maximum number of registered OAuth clients. Registration is open to any program; an
/// unused one is deleted after a day.
pub const CLIENTS_MAX: usize = 10_000;
/// Maximum number of registrations from one client address per day.
pub const REGISTRATIONS_PER_ADDRESS_PER_DAY_MAX: u32 = 50;
/// Retention of an OAuth client to which no user has consented.
pub const CLIENT_UNUSED_MS_MAX: u64 = DAY_MS;
/// Maximum length of an OAuth client's name, shown on the consent page.
pub const CLIENT_NAME_CHARS_MAX: usize = 80;
/// Maximum number of redirect addresses of one OAuth client: one per environment it runs
/// in.
pub const CLIENT_REDIRECTS_MAX: usize = 10;
/// Maximum length of a redirect address.
pub const REDIRECT_BYTES_MAX: usize = 1_000;
/// Maximum length of the `state` parameter, which a client receives back unchanged after
/// the consent.
pub const STATE_BYTES_MAX: usize = 2_000;
/// Time for exchanging an authorization code for tokens: one redirect and one request.
pub const CODE_MS_MAX: u64 = 60 * 1000;
/// Lifetime of an access token.
pub const ACCESS_TOKEN_MS_MAX: u64 = 60 * 60 * 1000;
/// Lifetime of a grant that is not used.
pub const GRANT_MS_MAX: u64 = 30 * DAY_MS;
/// Maximum number of programs that may act for one account at a time.
pub const GRANTS_PER_ACCOUNT_MAX: usize = 50;

// Limits of MCP.

/// Number of tools, resources or prompts on one page of their list: a registry may have
/// thousands.
pub const MCP_LISTED_PER_PAGE: usize = 100;
/// Number of bridges or agents on one page of the catalogue, with a sentence each.
pub const MCP_CATALOGUE_ENTRIES: usize = 500;
/// Maximum number of agents that the tool `invoke_agent` names; models read all of them.
pub const MCP_AGENTS_NAMED: usize = 100;
/// Interval between progress notifications for a call that is still running.
pub const MCP_PROGRESS_EVERY_MS: u64 = 2_000;
/// Interval between checks of a task that a client waits for.
pub const MCP_TASK_LOOK_EVERY_MS: u64 = 250;
/// Time that a request waits for an agent if the client can poll for the answer.
pub const MCP_TASK_AFTER_MS: u64 = 1_000;
/// Polling interval suggested to a client that polls for an agent's answer.
pub const MCP_TASK_POLL_MS: u64 = 1_000;
/// Time that one request waits for its user to pay.
pub const MCP_PAYMENT_WAIT_MS: u64 = 20_000;
/// Interval between checks for the user's payment.
pub const MCP_PAYMENT_LOOK_EVERY_MS: u64 = 2_000;

/// Maximum number of requests that the operator can look up by id: some minutes of a busy
/// server, days of a quiet one, in 5 MB.
pub const REQUESTS_REMEMBERED_MAX: usize = 20_000;
