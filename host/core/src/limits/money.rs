//! Limits of incoming and outgoing money.

use crate::time::DAY_MS;

/// Time to connect to the payment processor, including name resolution and TLS.
pub const PROCESSOR_CONNECT_MS_MAX: u64 = 5_000;
/// Longest request to the payment processor. The result of a longer one is
/// looked up.
pub const PROCESSOR_TIME_MS_MAX: u64 = 20_000;
/// An answer of the payment processor; a page of its books has some 100 KiB.
pub const PROCESSOR_RESPONSE_BYTES_MAX: usize = 2 << 20;
/// Age of the signature of an event from Stripe: Stripe's own tolerance.
pub const STRIPE_EVENT_AGE_S_MAX: u64 = 300;
/// An event from Stripe. Real ones have a few kilobytes.
pub const STRIPE_EVENT_BYTES_MAX: usize = 256 << 10;
/// Time that an order of the processor can be paid. Stripe requires at least
/// half an hour.
pub const ORDER_OPEN_S: u64 = 31 * 60;
/// Shortest time between two look-ups of the same unpaid order.
pub const ORDER_LOOKUP_MS_MIN: u64 = 5_000;
/// Time after which the page of an order is not requested again: Stripe keeps
/// an idempotency key for 24 hours, and a shorter time allows for clock
/// differences.
pub const ORDER_ASKED_AGAIN_MS_MAX: u64 = 23 * 3_600_000;
/// Unpaid orders whose last look-up is remembered; an evicted one is looked up
/// again.
pub const ORDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Rows of unfinished work (orders, fees, settlements, charges) that one round
/// of the reconciler reads; the next round continues after them.
pub const RECONCILED_PER_ROUND_MAX: usize = 1_000;
/// Time after the end of its authorization at which a settlement is looked up,
/// in milliseconds: clocks differ, and chains lag.
pub const SETTLEMENT_OVER_AFTER_MS: u64 = 60_000;

/// Time after the expiry of its challenge at which no request in flight can
/// still charge a token. Seconds.
pub const CHARGE_OVER_AFTER_S: u64 = 3_600;
/// Times that the payer of one intent may request a refund, each after the
/// processor refused: a third refusal is left to the operator.
pub const PAYER_REFUNDS_PER_INTENT_MAX: u64 = 3;
/// Age up to which a payment is reviewed automatically: banks return refunds
/// within 30 days, and an action that a buyer has to confirm expires after 45.
/// An event triggers a review at any age.
pub const REVIEW_MS_MAX: u64 = 90 * DAY_MS;
/// Paid refunds, and paid withdrawals, that one round reviews: each is a
/// request, so work in progress waits for seconds only.
pub const REVIEWED_PER_ROUND_MAX: usize = 50;
/// Time during which the same transfer is requested again: Stripe forgets an
/// idempotency key after a day, and a later request would be a new transfer.
pub const TRANSFER_REPEAT_MS_MAX: u64 = 23 * 60 * 60 * 1000;
/// Time after the last request during which a transfer may still be made: until
/// then, a look-up that finds none proves nothing.
pub const TRANSFER_CONFIRM_MS: u64 = 60 * 60 * 1000;
/// Waiting period of a payout account that replaces another, so that its owner
/// is notified of a change made by someone else.
pub const PAYOUT_CHANGE_WAIT_MS: u64 = DAY_MS;
/// Time for connecting a payout account.
pub const CONNECT_STATE_MS: u64 = 30 * 60 * 1000;
/// Records that one step of releasing earnings reads: a tenth of a second.
pub const HELD_RECORDS_PER_STEP_MAX: u64 = 10_000;
/// Keys with a daily limit whose spending of today is remembered.
pub const SPENDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Records whose parties are indexed in one write.
pub const PARTY_RECORDS_PER_WRITE: u64 = 2_000;
/// Writes of the party index that one request waits for: a million records,
/// some ten seconds. Only a long pause leaves more.
pub const PARTY_STEPS_PER_REQUEST_MAX: usize = 500;
/// Credit below which the account is notified: £1.00, some ten calls of a
/// bridge.
pub const CREDIT_LOW_MILLIPENCE: i64 = 100_000;
/// Pages of the processor's books that one comparison reads: a hundred lines
/// each.
pub const MOVEMENT_PAGES_MAX: usize = 1_000;
/// Largest amount of one checkout: £1,000.00, a card's usual limit.
pub const CHECKOUT_PENCE_MAX: i64 = 100_000;
/// Time that a bridge or agent must be missing before payments for it are
/// refunded automatically: an operator who repairs it within a day keeps the
/// buyers.
pub const DEPARTED_MS: u64 = DAY_MS;
/// Paid intents that one round checks for missing plugins: some 20 ms.
pub const DEPARTED_INTENTS_PER_ROUND_MAX: usize = 5_000;
/// Payments that one round refunds: each is a request to the processor, so
/// other work waits for half a minute at most.
pub const DEPARTED_RETURNS_PER_ROUND_MAX: usize = 100;
/// Orders, fees, settlements and charges, each, that one round of the
/// reconciler looks up: each is a request, and the next round continues after
/// them.
pub const LOOKED_UP_PER_ROUND_MAX: usize = 200;
/// Records of a payer that a dispute searches for earnings on hold.
pub const DISPUTED_RECORDS_MAX: usize = 20_000;
/// Owners whose earnings on hold one dispute takes from; a record has room for
/// twice as many.
pub const DISPUTED_OWNERS_MAX: usize = 30;

/// Records that one list of the operator reads: some seconds of reading. The
/// list reports where it stopped.
pub const OPERATOR_RECORDS_PER_LIST_MAX: u64 = 200_000;
