//! Limits of incoming and outgoing money.

use crate::time::DAY_MS;

/// Maximum time to connect to the payment processor, including name resolution and TLS.
pub const PROCESSOR_CONNECT_MS_MAX: u64 = 5_000;
/// Maximum time of a request to the payment processor. If a request takes longer, its
/// result is looked up.
pub const PROCESSOR_TIME_MS_MAX: u64 = 20_000;
/// Maximum size of an answer of the payment processor; a page of its books has some 100
/// KiB.
pub const PROCESSOR_RESPONSE_BYTES_MAX: usize = 2 << 20;
/// Maximum age of the signature of an event from Stripe: Stripe's own tolerance.
pub const STRIPE_EVENT_AGE_S_MAX: u64 = 300;
/// Maximum size of an event from Stripe. Real ones have a few kilobytes.
pub const STRIPE_EVENT_BYTES_MAX: usize = 256 << 10;
/// Time for which an order at the processor can be paid. Stripe requires at least half an
/// hour.
pub const ORDER_OPEN_S: u64 = 31 * 60;
/// Minimum time between two look-ups of the same unpaid order.
pub const ORDER_LOOKUP_MS_MIN: u64 = 5_000;
/// Time after which the payment page of an order is no longer requested again: Stripe
/// keeps an idempotency key for 24 hours, and a shorter time allows for clock
/// differences.
pub const ORDER_ASKED_AGAIN_MS_MAX: u64 = 23 * 3_600_000;
/// Maximum number of unpaid orders whose last look-up is remembered; an evicted order is
/// looked up again.
pub const ORDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Maximum number of rows of unfinished work (orders, fees, settlements, charges) that
/// one round of the reconciler reads; the next round continues after them.
pub const RECONCILED_PER_ROUND_MAX: usize = 1_000;
/// Time from the end of a settlement's authorization until the settlement is looked up,
/// in milliseconds: clocks differ, and chains lag.
pub const SETTLEMENT_OVER_AFTER_MS: u64 = 60_000;

/// Time from the expiry of a token's challenge until no request in flight can still
/// charge the token, in seconds.
pub const CHARGE_OVER_AFTER_S: u64 = 3_600;
/// Maximum number of times that the payer of one intent may request a refund that the
/// processor refuses: after the third refusal, the refund is left to the operator.
pub const PAYER_REFUNDS_PER_INTENT_MAX: u64 = 3;
/// Maximum age at which a payment is reviewed automatically: banks return refunds within
/// 30 days, and an action that a buyer must confirm expires after 45. An event from the
/// processor triggers a review at any age.
pub const REVIEW_MS_MAX: u64 = 90 * DAY_MS;
/// Maximum number of paid refunds, and of paid withdrawals, that one round reviews: each
/// takes a request, so work in progress waits for seconds only.
pub const REVIEWED_PER_ROUND_MAX: usize = 50;
/// Maximum time for which the same transfer is requested again: Stripe forgets an
/// idempotency key after a day, and a later request would make a new transfer.
pub const TRANSFER_REPEAT_MS_MAX: u64 = 23 * 60 * 60 * 1000;
/// Time from the last request for a transfer until the transfer can no longer be made:
/// before that, a look-up that finds no transfer proves nothing.
pub const TRANSFER_CONFIRM_MS: u64 = 60 * 60 * 1000;
/// Time before a payout account that replaces another can be used, so that the owner is
/// notified in case someone else made the change.
pub const PAYOUT_CHANGE_WAIT_MS: u64 = DAY_MS;
/// Maximum time for connecting a payout account.
pub const CONNECT_STATE_MS: u64 = 30 * 60 * 1000;
/// Maximum number of records that one step of releasing earnings reads: a tenth of a
/// second.
pub const HELD_RECORDS_PER_STEP_MAX: u64 = 10_000;
/// Maximum number of keys with a daily limit whose spending of today is remembered.
pub const SPENDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Maximum number of records whose parties are indexed in one write.
pub const PARTY_RECORDS_PER_WRITE: u64 = 2_000;
/// Maximum number of writes of the party index that one request waits for: a million
/// records, some ten seconds. More records are only left after a long pause.
pub const PARTY_STEPS_PER_REQUEST_MAX: usize = 500;
/// Credit below which an account is notified: £1.00, some ten calls of a bridge.
pub const CREDIT_LOW_MILLIPENCE: i64 = 100_000;
/// Maximum number of pages of the processor's books that one comparison reads: a hundred
/// lines each.
pub const MOVEMENT_PAGES_MAX: usize = 1_000;
/// Maximum amount of one checkout: £1,000.00, a card's usual limit.
pub const CHECKOUT_PENCE_MAX: i64 = 100_000;
/// Time for which a bridge or agent must be missing before payments for it are refunded
/// automatically: an operator who repairs it within a day keeps the buyers.
pub const DEPARTED_MS: u64 = DAY_MS;
/// Maximum number of paid intents that one round checks for missing plugins: some 20 ms.
pub const DEPARTED_INTENTS_PER_ROUND_MAX: usize = 5_000;
/// Maximum number of payments that one round refunds: each takes a request to the
/// processor, so other work waits for half a minute at most.
pub const DEPARTED_RETURNS_PER_ROUND_MAX: usize = 100;
/// Maximum number of orders, and of fees, settlements and charges, that one round of the
/// reconciler looks up: each takes a request, and the next round continues after them.
pub const LOOKED_UP_PER_ROUND_MAX: usize = 200;
/// Maximum number of a payer's records that a dispute searches for earnings on hold.
pub const DISPUTED_RECORDS_MAX: usize = 20_000;
/// Maximum number of owners from whose held earnings one dispute takes money; a record
/// has room for twice as many.
pub const DISPUTED_OWNERS_MAX: usize = 30;

/// Maximum number of records that one list of the operator reads: some seconds of
/// reading. The list reports where it stopped.
pub const OPERATOR_RECORDS_PER_LIST_MAX: u64 = 200_000;
