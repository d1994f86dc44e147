//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;

/// Maximum time of a request to the payment processor. If a request takes longer, its
/// result is looked up.
pub const PROCESSOR_TIME_MS_MAX: u64 = 20_000;
/// Minimum time between two look-ups of the same unpaid order.
pub(crate) const ORDER_LOOKUP_MS_MIN: u64 = 5_000;
/// Time after which an order's payment page is not requested again: Stripe keeps an
/// idempotency key for 24 hours, and one hour is left for clock differences.
pub(crate) const ORDER_REPEAT_MS_MAX: u64 = 23 * 3_600_000;
/// Maximum number of rows of unfinished work (orders, fees, settlements, charges) that
/// one round of the reconciler reads; the next round continues after them.
pub(crate) const RECONCILED_PER_ROUND_MAX: usize = 1_000;
/// Maximum age at which a payment is reviewed automatically: banks return failed refunds
/// within 30 days, and an action that a buyer must confirm expires after 45. An event
/// from the processor triggers a review at any age.
pub const REVIEW_MS_MAX: u64 = 90 * DAY_MS;
/// Maximum number of paid refunds, and of paid withdrawals, that one round reviews: each
/// review takes a request to the processor, so work in progress waits only seconds.
pub const REVIEWED_PER_ROUND_MAX: usize = 50;
/// Maximum number of payments that one round refunds: each takes a request to the
/// processor, so other work waits for half a minute at most.
pub(crate) const DEPARTED_RETURNS_PER_ROUND_MAX: usize = 100;
/// Maximum number of orders, and of fees, settlements and charges, that one round of the
/// reconciler looks up: each look-up takes a request, and the next round continues after
/// them.
pub(crate) const LOOKUPS_PER_ROUND_MAX: usize = 200;
