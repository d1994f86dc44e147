//! Bounds of money in and out.

use crate::time::DAY_MS;

/// Time to connect to the payment processor, names and TLS included.
pub const PROCESSOR_CONNECT_MS_MAX: u64 = 5_000;
/// Longest request to the payment processor. What takes longer is looked up.
pub const PROCESSOR_TIME_MS_MAX: u64 = 20_000;
/// An answer of the payment processor; a page of its books has some 100 KiB.
pub const PROCESSOR_RESPONSE_BYTES_MAX: usize = 2 << 20;
/// How old the signature of an event from Stripe may be: its own tolerance.
pub const STRIPE_EVENT_AGE_S_MAX: u64 = 300;
/// An event from Stripe. Real ones have a few kilobytes.
pub const STRIPE_EVENT_BYTES_MAX: usize = 256 << 10;
/// How long an opened order of the processor can be paid. Stripe wants at least
/// half an hour.
pub const ORDER_OPEN_S: u64 = 31 * 60;
/// Shortest time between two look-ups of the same unpaid order.
pub const ORDER_LOOKUP_MS_MIN: u64 = 5_000;
/// How long after an order was placed its page may be asked for again: Stripe
/// keeps an idempotency key for 24 hours, and less is sure whatever clocks say.
pub const ORDER_ASKED_AGAIN_MS_MAX: u64 = 23 * 3_600_000;
/// Unpaid orders whose last look-up is remembered; a forgotten one is looked up
/// once more.
pub const ORDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Rows of unfinished work (orders, fees, settlements, charges) that one round of the
/// reconciler reads; the next goes on behind them.
pub const RECONCILED_PER_ROUND_MAX: usize = 1_000;
/// So long after its authorization ran out a settlement is looked up, in
/// milliseconds: clocks differ, and chains are late.
pub const SETTLEMENT_OVER_AFTER_MS: u64 = 60_000;

/// So long after its challenge has expired a token is charged by no request that is
/// still on its way. Seconds.
pub const CHARGE_OVER_AFTER_S: u64 = 3_600;
/// How often the payer of one intent may ask for its money back, each time after
/// the processor refused: what it refuses three times is for the operator.
pub const PAYER_REFUNDS_PER_INTENT_MAX: u64 = 3;
/// How long something that was paid is looked at again by itself: banks give
/// refunds back within 30 days, and what a buyer has to confirm is given up after 45.
/// An event leads to a look at any age.
pub const REVIEW_MS_MAX: u64 = 90 * DAY_MS;
/// Paid refunds, and likewise withdrawals, that one round looks at again: each is a
/// request, so that what is under way waits for seconds only.
pub const REVIEWED_PER_ROUND_MAX: usize = 50;
/// How long the same transfer is asked for again: Stripe forgets an idempotency
/// key after a day, and a transfer that is asked for after that is a new one.
pub const TRANSFER_REPEAT_MS_MAX: u64 = 23 * 60 * 60 * 1000;
/// How long after that a transfer may still be made that was asked for last:
/// before its end a look-up that finds none proves nothing.
pub const TRANSFER_CONFIRM_MS: u64 = 60 * 60 * 1000;
/// How long a payout account that took the place of another has to wait, so
/// that its owner hears of a change that somebody else made.
pub const PAYOUT_CHANGE_WAIT_MS: u64 = DAY_MS;
/// How long somebody may take to connect a payout account.
pub const CONNECT_STATE_MS: u64 = 30 * 60 * 1000;
/// Records that one step of releasing earnings looks at: a tenth of a second.
pub const HELD_RECORDS_PER_STEP_MAX: u64 = 10_000;
/// Keys with a daily limit whose sum of today is remembered.
pub const SPENDERS_REMEMBERED_MAX: usize = 1 << 14;
/// Records whose parties are indexed in one write.
pub const PARTY_RECORDS_PER_WRITE: u64 = 2_000;
/// Writes of the index of parties that one request waits for: a million records,
/// some ten seconds. Only after a long pause are there more.
pub const PARTY_STEPS_PER_REQUEST_MAX: usize = 500;
/// Credit below which its account is told: £1.00, some ten calls of a bridge.
pub const CREDIT_LOW_MILLIPENCE: i64 = 100_000;
/// Pages of the processor's books that one comparison reads: a hundred lines each.
pub const MOVEMENT_PAGES_MAX: usize = 1_000;
/// Largest amount of one checkout: £1,000.00, a card's usual limit.
pub const CHECKOUT_PENCE_MAX: i64 = 100_000;
/// How long a bridge or agent must be gone before what was paid for it goes back
/// by itself: an operator who repairs it within a day keeps its buyers.
pub const DEPARTED_MS: u64 = DAY_MS;
/// Paid intents that one round looks at for something that is gone: some 20 ms.
pub const DEPARTED_INTENTS_PER_ROUND_MAX: usize = 5_000;
/// Payments that one round gives back: each asks the processor, so that others
/// under way wait for half a minute at most.
pub const DEPARTED_RETURNS_PER_ROUND_MAX: usize = 100;
/// Orders, fees, settlements and charges, each, that are looked up in one round of
/// the reconciler: each is a request, and the next round goes on behind them.
pub const LOOKED_UP_PER_ROUND_MAX: usize = 200;
/// Records of a payer that a dispute looks at for earnings on hold.
pub const DISPUTED_RECORDS_MAX: usize = 20_000;
/// Owners whose earnings on hold one dispute takes from; a record has room for
/// twice as many.
pub const DISPUTED_OWNERS_MAX: usize = 30;

/// Records that one list of the operator's looks at: some seconds of reading. The
/// list says where it stopped.
pub const OPERATOR_RECORDS_PER_LIST_MAX: u64 = 200_000;
