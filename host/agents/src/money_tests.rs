//! Random sequences of payments, calls, refunds, disputes and withdrawals, with a
//! processor that fails at random and a host that crashes at random. At the end the books
//! must balance and agree with the processor's balance to the penny.
//!
//! A crash drops a future at one of its await points; afterwards the services are rebuilt
//! over the data on disk.

mod world;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use futures_util::future::{BoxFuture, FutureExt};
use proptest::prelude::*;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_payment::{PaymentDeclined, PaymentError, TaskReservations};
use tollbridge_store::{Refusal, Store, SubmitError};

use world::{CrashAfter, DAY_MS, Step, World, world};

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<bool>(), 300_i64..900).prop_map(|(product, pence)| Step::Open { product, pence }),
        5 => any::<usize>().prop_map(Step::Buy),
        12 => any::<usize>().prop_map(Step::Call),
        4 => Just(Step::CallOnCredit),
        3 => Just(Step::Queue),
        1 => any::<usize>().prop_map(Step::Answer),
        1 => any::<usize>().prop_map(Step::Cancel),
        1 => any::<usize>().prop_map(Step::Refund),
        2 => any::<usize>().prop_map(Step::ToCredit),
        2 => any::<usize>().prop_map(Step::Dispute),
        3 => Just(Step::Withdraw),
        1 => any::<usize>().prop_map(Step::Reverse),
        2 => any::<usize>().prop_map(Step::RefundFails),
        1 => any::<bool>().prop_map(Step::SlowRefunds),
        1 => any::<bool>().prop_map(|live| Step::Bridge { live }),
        5 => Just(Step::Follow),
        1 => (0_u64..3).prop_map(Step::Days),
        1 => Just(Step::Crash),
    ]
}

/// Runs the steps on a new host. Every `crashes`-th step is interrupted by a crash after
/// a varying number of await points.
fn run_steps(seed: u64, split: SplitPolicy, steps: impl IntoIterator<Item = Step>, crashes: usize) {
    let mut world = world(seed, split);
    world.nesting = true;
    world.processor.set_faults(20);
    for (number, step) in steps.into_iter().enumerate() {
        let crash = (number % crashes == 0).then_some(1 + number / crashes % 9);
        world.step(step, crash);
    }
    world.settle_everything();
    world.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_books_hold_after_any_story(
        seed in any::<u64>(),
        steps in proptest::collection::vec(any_step(), 1..120),
        crashes in 2_usize..9,
        split in any_split(),
    ) {
        run_steps(seed, split, steps, crashes);
    }
}

/// Returns a strategy for splits in tenths of a percent that sum to 100 percent.
fn any_split() -> impl Strategy<Value = SplitPolicy> {
    (0_u16..=1_000, 0_u16..=1_000).prop_map(|(one, other)| {
        let (developer, rest) = (one.max(other), 1_000 - one.max(other));
        let platform = rest.min(one.min(other));
        SplitPolicy::new(developer, platform, rest - platform, developer).unwrap()
    })
}

/// Returns the split used in the API documentation.
fn guide() -> SplitPolicy {
    SplitPolicy::new(780, 195, 25, 780).unwrap()
}

/// Runs 10,000 steps if `TOLLBRIDGE_LONG=1`, otherwise 1,000.
#[test]
fn a_long_day_with_crashes_agrees_to_the_penny() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let long = std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1");
    let mut runner = TestRunner::deterministic();
    let strategy = any_step();
    let steps = (0..if long { 10_000 } else { 1_000 }).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    run_steps(42, guide(), steps.collect::<Vec<_>>(), 7);
}

#[test]
fn a_dispute_releases_no_earnings_early() {
    let mut world = world(7, guide());
    let pending = |world: &World| world.store.balance("dev:acct_dev:pending").unwrap().get();
    let free = |world: &World| world.store.balance("dev:acct_dev:available").unwrap().get();
    let began = world.now_ms;
    for (call, hour) in [0, 12].into_iter().enumerate() {
        world.now_ms = began + hour * 3_600_000;
        for step in [Step::Open { product: false, pence: 300 }, Step::Buy(0), Step::Call(call)] {
            world.step(step, None);
        }
    }
    assert_eq!(pending(&world), 2 * 78_000);
    let first = world.services.payments.intents.status(&world.intents[0], world.now_ms).unwrap().quote.handle;
    let disputed = world.processor.payments().iter().position(|(_, handle, _)| handle == first.as_str());
    world.step(Step::Dispute(disputed.unwrap()), None);
    assert_eq!((pending(&world), free(&world)), (78_000, 0));
    let loss = world.store.balance("write_off").unwrap();
    assert_eq!(loss.get(), -22_000, "of the disputed five pounds, four were unspent and 78 p were on hold");
    // The hold of the first day ends, but the dispute took the earnings of the first
    // call; those of the second call are still on hold.
    world.now_ms = began + 25 * 3_600_000;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (78_000, 0));
    world.now_ms = began + 37 * 3_600_000;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (0, 78_000));
    // The dispute is won: the returned earnings are on hold again, for a day as usual.
    world.step(Step::Dispute(disputed.unwrap()), None);
    assert_eq!((pending(&world), free(&world)), (78_000, 78_000));
    world.now_ms += DAY_MS;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (0, 2 * 78_000));
    world.settle_everything();
    world.check();
}

#[test]
fn a_dispute_takes_back_the_credit_that_a_payment_became() {
    // Other credit of the account in pence; expected remaining credit; expected loss.
    for (other, credit_left, loss) in [(0, 0, 44_000), (300, 200_000, 22_000)] {
        let mut world = world(9, guide());
        let amount =
            |world: &World, account: &str| world.store.balance(&account.replace("BUYER", &world.buyer)).unwrap().get();
        let [credit, pending] = ["credit:BUYER", "dev:acct_dev:pending"];
        if other > 0 {
            for step in [Step::Open { product: true, pence: other }, Step::Buy(0), Step::Follow] {
                world.step(step, None);
            }
        }
        // Five pounds are paid: one call is made, the remainder becomes credit, and
        // credit pays for one more call.
        let bought = usize::from(other > 0);
        let open = Step::Open { product: false, pence: 300 };
        for step in [open, Step::Buy(0), Step::Call(bought), Step::ToCredit(bought), Step::CallOnCredit] {
            world.step(step, None);
        }
        assert_eq!((amount(&world, credit), amount(&world, pending)), (300_000 + 1_000 * other, 2 * 78_000));
        let intent = world.services.payments.intents.status(&world.intents[bought], world.now_ms).unwrap().quote.handle;
        let disputed = world.processor.payments().iter().position(|(_, handle, _)| handle == intent.as_str());
        world.step(Step::Dispute(disputed.unwrap()), None);
        // If the account has other credit, calls spend that first, so all four pounds of
        // credit from the disputed payment are unspent.
        let held = if other > 0 { 78_000 } else { 0 };
        assert_eq!((amount(&world, credit), amount(&world, pending)), (credit_left, held));
        assert_eq!(amount(&world, "write_off"), -loss);
        world.step(Step::Dispute(disputed.unwrap()), None);
        assert_eq!((amount(&world, credit), amount(&world, pending)), (300_000 + 1_000 * other, 2 * 78_000));
        assert_eq!(amount(&world, "write_off"), 0);
        world.settle_everything();
        world.check();
    }
}

/// Before a dispute is recorded, the reserved prices of queued tasks are returned, so
/// that only spent money is lost.
#[test]
fn a_dispute_takes_credit_that_waits_in_tasks() {
    for topped_up in [false, true] {
        let mut world = world(11, guide());
        // The account gets five pounds of credit, bought directly or converted from an
        // intent.
        world.step(Step::Open { product: !topped_up, pence: if topped_up { 300 } else { 500 } }, None);
        world.step(Step::Buy(0), None);
        if topped_up {
            let intent = world.intents[0].clone();
            world.deliver_payment_event(&intent);
            world.step(Step::ToCredit(0), None);
        }
        world.step(Step::Follow, None);
        assert_eq!(world.credit(), 500_000);
        for step in [Step::CallOnCredit, Step::Queue, Step::Queue, Step::Queue, Step::Queue] {
            world.step(step, None);
        }
        assert_eq!((world.credit(), world.tasks().len()), (0, 4));
        world.step(Step::Answer(0), None);
        world.step(Step::Dispute(0), None);
        // Two calls were paid for; the dispute ended the other three tasks.
        assert_eq!((world.credit(), world.tasks().len()), (0, 0));
        assert_eq!(world.amount("dev:acct_dev:pending"), 0, "the dispute takes the earnings of two calls");
        assert_eq!(world.amount("write_off"), -2 * 22_000);
        world.step(Step::Dispute(0), None);
        assert_eq!((world.credit(), world.amount("write_off")), (300_000, 0), "it was won");
        world.settle_everything();
        world.check();
    }
}

#[test]
fn a_dispute_cancels_as_few_tasks_as_possible() {
    let mut world = world(12, guide());
    for _ in 0..2 {
        for step in [Step::Open { product: true, pence: 500 }, Step::Buy(0), Step::Follow] {
            world.step(step, None);
        }
    }
    for _ in 0..7 {
        world.step(Step::Queue, None);
    }
    let oldest = world.tasks_by_age();
    world.step(Step::Dispute(0), None);
    // Three of the five pounds were unspent; two had to be returned from tasks.
    assert_eq!((world.credit(), world.amount("write_off")), (0, 0));
    assert_eq!(world.tasks_by_age(), oldest[..5], "the dispute ends the newest tasks first");
    for _ in 0..5 {
        world.step(Step::Cancel(0), None);
    }
    assert_eq!(world.credit(), 500_000, "the whole undisputed payment is credit again");
    world.settle_everything();
    world.check();
}

/// A dispute also takes money that calls in flight have reserved: their answers are not
/// sealed, and no balance becomes negative.
#[test]
fn a_dispute_takes_what_calls_in_flight_have_reserved() {
    let mut world = world(13, guide());
    for step in [Step::Open { product: true, pence: 500 }, Step::Buy(0), Step::Follow] {
        world.step(step, None);
    }
    let draw = world.services.payments.authorizer.authorize_credit(&world.buyer, Millipence::new(100_000)).unwrap();
    world.step(Step::Dispute(0), None);
    assert_eq!((world.credit(), world.amount("write_off")), (0, 0));
    let refused = world.sell(&draw, Vec::new());
    assert!(matches!(refused, Err(SubmitError::Refused(Refusal::Insufficient { .. }))), "{refused:?}");
    drop(draw);
    let another = world.services.payments.authorizer.authorize_credit(&world.buyer, Millipence::new(100_000));
    assert!(matches!(another, Err(PaymentDeclined::InsufficientCredit(left)) if left.is_zero()), "{another:?}");
    world.settle_everything();
    world.check();
}

/// Two intents of one account become credit. If both payments are disputed, the two
/// disputes take the earnings from different calls, although the calls were paid from the
/// joint credit.
#[test]
fn disputes_of_two_payments_take_for_no_spending_twice() {
    let mut world = world(14, guide());
    for intent in 0..2 {
        for step in [Step::Open { product: false, pence: 300 }, Step::Buy(0)] {
            world.step(step, None);
        }
        let paid = world.intents[intent].clone();
        world.deliver_payment_event(&paid);
        world.step(Step::ToCredit(intent), None);
    }
    assert_eq!(world.credit(), 1_000_000);
    for owner in ["acct_old", "acct_new"] {
        world.owner = owner.to_owned();
        for _ in 0..3 {
            world.step(Step::CallOnCredit, None);
        }
    }
    world.step(Step::Dispute(0), None);
    // Four pounds of credit were unspent; the fifth pound had paid for the latest call.
    assert_eq!((world.credit(), world.amount("write_off")), (0, -22_000));
    assert_eq!(world.amount("dev:acct_new:pending"), 2 * 78_000);
    world.step(Step::Dispute(1), None);
    let left = ["dev:acct_old:pending", "dev:acct_new:pending"].map(|account| world.amount(account));
    assert_eq!((left, world.amount("write_off")), ([0, 0], -6 * 22_000));
    // The first dispute is won; the second dispute keeps what it took.
    world.step(Step::Dispute(0), None);
    assert_eq!((world.credit(), world.amount("write_off")), (400_000, -5 * 22_000));
    assert_eq!(world.amount("dev:acct_new:pending"), 78_000);
    world.settle_everything();
    world.check();
}

/// If a buyer disputes a payment whose refund is due, the refund is not paid, and its
/// money must not become the buyer's credit.
#[test]
fn a_dispute_takes_what_a_refund_cannot_give_back() {
    let mut world = world(15, guide());
    for step in [Step::Open { product: false, pence: 301 }, Step::Buy(0), Step::Call(0)] {
        world.step(step, None);
    }
    world.dispute_without_event(0);
    // The host crashes before the processor answers.
    world.step(Step::Refund(0), Some(2));
    assert_eq!(world.amount("refunds"), 400_000, "the refund must be owed");
    world.step(Step::Dispute(0), None);
    assert_eq!((world.amount("refunds"), world.amount("write_off")), (0, -22_000));
    world.settle_everything();
    world.check();
}

/// Four pounds of an intent are refunded; the refund is paid at once or pending at the
/// bank. The payment is disputed, and days later the refund fails: the money must not be
/// paid out twice.
#[test]
fn a_refund_that_fails_after_a_dispute_relieves_the_dispute() {
    for (slow, heard) in [(false, true), (false, false), (true, true), (true, false)] {
        let mut world = world(17, guide());
        for step in [Step::Open { product: false, pence: 301 }, Step::Buy(0), Step::Call(0)] {
            world.step(step, None);
        }
        world.step(Step::SlowRefunds(slow), None);
        world.step(Step::Refund(0), None);
        let handle = world.services.payments.intents.status(&world.intents[0], world.now_ms).unwrap().quote.handle;
        let unearned = format!("unearned:{}", handle.as_str());
        assert_eq!((world.amount(&unearned), world.amount("refunds")), (0, if slow { 400_000 } else { 0 }));
        world.step(Step::Dispute(0), None);
        assert_eq!((world.amount("write_off"), world.amount("dev:acct_dev:pending")), (-422_000, 0));
        world.now_ms += 5 * DAY_MS;
        // An even argument makes the bank report the failure by an event; with an odd
        // one, a look-up finds it.
        world.step(Step::RefundFails(if heard { 0 } else { 1 }), None);
        world.step(Step::Follow, None);
        assert_eq!((world.amount(&unearned), world.amount("refunds")), (0, 0), "{slow} {heard}");
        assert_eq!(world.amount("write_off"), -22_000, "{slow} {heard}: only the price of the call is lost");
        // The dispute is won: the payer also gets back the amount that the failed refund
        // covered.
        world.step(Step::Dispute(0), None);
        assert_eq!((world.amount(&unearned), world.amount("write_off")), (400_000, 0));
        assert_eq!(world.amount("dev:acct_dev:pending"), 78_000);
        world.settle_everything();
        world.check();
    }
}

/// The money of a failed refund returns to its source and may be spent or refunded again,
/// regardless of the order of events and of a crash at any point.
#[test]
fn a_refund_that_fails_after_it_was_paid_is_the_payers_again() {
    for crash in (1..8).map(Some).chain([None]) {
        let mut world = world(18, guide());
        for step in [Step::Open { product: true, pence: 500 }, Step::Buy(0), Step::Follow, Step::Refund(0)] {
            world.step(step, None);
        }
        assert_eq!((world.credit(), world.amount("refunds")), (0, 0));
        let clearing = world.amount("processor:clearing");
        world.step(Step::RefundFails(0), crash);
        for _ in 0..2 {
            world.step(Step::Follow, None);
            assert_eq!((world.credit(), world.amount("refunds")), (500_000, 0), "{crash:?}");
            assert_eq!(world.amount("processor:clearing"), clearing - 500_000);
        }
        world.step(Step::CallOnCredit, None);
        world.step(Step::Refund(0), None);
        assert_eq!(world.credit(), 0, "the money must be refundable again");
        world.settle_everything();
        world.check();
    }
}

/// Partial reversals of a transfer add up, however often each is reported.
#[test]
fn parts_of_a_transfer_that_come_back_are_the_owners_again() {
    for crash in (1..6).map(Some).chain([None]) {
        let mut world = world(19, guide());
        for _ in 0..7 {
            for step in [Step::Open { product: true, pence: 500 }, Step::Buy(0), Step::Follow, Step::CallOnCredit] {
                world.step(step, None);
            }
        }
        world.now_ms += 2 * DAY_MS;
        for step in [Step::Follow, Step::Withdraw, Step::Follow] {
            world.step(step, None);
        }
        let available = |world: &World| world.amount("dev:acct_dev:available");
        assert_eq!((world.processor.transfers().values().sum::<i64>(), available(&world)), (546_000, 0));
        // One third is reversed and reported by an event, the second third is found by a
        // look-up, then the remainder is reversed.
        for (which, back) in [(4, 182_000), (1, 364_000), (0, 546_000)] {
            world.step(Step::Reverse(which), crash);
            world.now_ms += DAY_MS;
            world.step(Step::Follow, None);
            world.step(Step::Follow, None);
            assert_eq!(available(&world), back, "{crash:?}");
        }
        world.settle_everything();
        assert_eq!(available(&world), 546_000);
        world.check();
    }
}

/// Task reservations that always have more to return, so that a dispute is never
/// recorded.
struct EndlessReservations(AtomicUsize);

impl TaskReservations for EndlessReservations {
    fn reclaim<'a>(&'a self, _: &'a str, _: Millipence) -> BoxFuture<'a, Result<Millipence, PaymentError>> {
        let more = self.0.load(Ordering::SeqCst).saturating_sub(1);
        let back = if self.0.swap(more, Ordering::SeqCst) > 0 { 1 } else { 0 };
        std::future::ready(Ok(Millipence::new(back))).boxed()
    }
}

#[test]
fn a_dispute_that_cannot_be_booked_is_kept_in_mind() {
    let mut world = world(16, guide());
    for step in [Step::Open { product: true, pence: 500 }, Step::Buy(0), Step::Follow, Step::CallOnCredit] {
        world.step(step, None);
    }
    let reservations: Arc<dyn TaskReservations> = Arc::new(EndlessReservations(AtomicUsize::new(20)));
    world.with_tasks(&reservations);
    world.step(Step::Dispute(0), None);
    assert_eq!((world.credit(), world.services.payment_service.disputes.unbooked().unwrap().len()), (400_000, 1));
    world.redeliver_dispute_events();
    assert_eq!((world.credit(), world.amount("write_off")), (0, -22_000));
    assert!(world.services.payment_service.disputes.unbooked().unwrap().is_empty());
    world.settle_everything();
    world.check();
}

#[test]
fn a_cut_future_is_dropped_at_its_pause() {
    let mut cut = pin!(CrashAfter { inner: Box::pin(std::future::pending::<()>()), left: 2 });
    let mut context = Context::from_waker(Waker::noop());
    assert!(cut.as_mut().poll(&mut context).is_pending());
    assert!(cut.as_mut().poll(&mut context).is_pending());
    assert!(matches!(cut.as_mut().poll(&mut context), Poll::Ready(None)));
}
