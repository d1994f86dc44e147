//! Any sequence of paying, calling, refunding, disputing and withdrawing, over
//! a processor that goes wrong at random and a host that is killed at random:
//! at the end the books hold, and agree with the processor's to the penny.
//!
//! A crash is a future that is dropped at one of its pauses, and rooms that are
//! built again over what is on disk.

mod world;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;

use world::{Cut, DAY_MS, Step, World, world};

use crate::money::SplitPolicy;
use crate::store::Store;

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<bool>(), 300_i64..900).prop_map(|(product, pence)| Step::Open { product, pence }),
        5 => any::<usize>().prop_map(Step::Buy),
        12 => any::<usize>().prop_map(Step::Call),
        4 => Just(Step::CallOnCredit),
        1 => any::<usize>().prop_map(Step::Refund),
        2 => any::<usize>().prop_map(Step::ToCredit),
        2 => any::<usize>().prop_map(Step::Dispute),
        3 => Just(Step::Withdraw),
        1 => any::<usize>().prop_map(Step::Reverse),
        1 => any::<bool>().prop_map(|live| Step::Bridge { live }),
        5 => Just(Step::Follow),
        1 => (0_u64..3).prop_map(Step::Days),
        1 => Just(Step::Crash),
    ]
}

/// Plays a story; a crash in the middle of every `crashes`-th step, after a
/// number of pauses that differs each time.
fn play(seed: u64, split: SplitPolicy, steps: impl IntoIterator<Item = Step>, crashes: usize) {
    let mut world = world(seed, split);
    world.processor.set_faults(20);
    for (number, step) in steps.into_iter().enumerate() {
        let crash = (number % crashes == 0).then_some(1 + number / crashes % 9);
        world.step(step, crash);
    }
    world.calm_down();
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
        play(seed, split, steps, crashes);
    }
}

/// Any split that sums to a hundred, in tenths of a percent.
fn any_split() -> impl Strategy<Value = SplitPolicy> {
    (0_u16..=1_000, 0_u16..=1_000).prop_map(|(one, other)| {
        let (developer, rest) = (one.max(other), 1_000 - one.max(other));
        let platform = rest.min(one.min(other));
        SplitPolicy::new(developer, platform, rest - platform, developer).unwrap()
    })
}

/// The split of the interface's guide.
fn guide() -> SplitPolicy {
    SplitPolicy::new(780, 195, 25, 780).unwrap()
}

/// Ten thousand steps with `TOLLBRIDGE_LONG=1`, else a tenth.
#[test]
fn a_long_day_with_crashes_agrees_to_the_penny() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let long = std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1");
    let mut runner = TestRunner::deterministic();
    let strategy = any_step();
    let steps = (0..if long { 10_000 } else { 1_000 }).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    play(42, guide(), steps.collect::<Vec<_>>(), 7);
}

#[test]
fn what_a_dispute_took_sets_nothing_free_early() {
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
    let first = world.rooms.payments.standing(&world.intents[0], world.now_ms).unwrap().quote.handle;
    let disputed = world.processor.payments().iter().position(|(_, handle, _)| handle == first.as_str());
    world.step(Step::Dispute(disputed.unwrap()), None);
    assert_eq!((pending(&world), free(&world)), (78_000, 0));
    let loss = world.store.balance("write_off").unwrap();
    assert_eq!(loss.get(), -22_000, "of five pounds, four were left and 78 p were on hold");
    // The first day ends: what the first call earned is gone, the second's is not free yet.
    world.now_ms = began + 25 * 3_600_000;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (78_000, 0));
    world.now_ms = began + 37 * 3_600_000;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (0, 78_000));
    // It is won: back on hold, for a day like everything.
    world.step(Step::Dispute(disputed.unwrap()), None);
    assert_eq!((pending(&world), free(&world)), (78_000, 78_000));
    world.now_ms += DAY_MS;
    world.step(Step::Follow, None);
    assert_eq!((pending(&world), free(&world)), (0, 2 * 78_000));
    world.calm_down();
    world.check();
}

#[test]
fn a_dispute_takes_back_the_credit_that_a_payment_became() {
    // With other credit of the account, in pence, and without.
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
        // Five pounds: one call, the rest becomes credit, one more call on that.
        let bought = usize::from(other > 0);
        let open = Step::Open { product: false, pence: 300 };
        for step in [open, Step::Buy(0), Step::Call(bought), Step::ToCredit(bought), Step::CallOnCredit] {
            world.step(step, None);
        }
        assert_eq!((amount(&world, credit), amount(&world, pending)), (300_000 + 1_000 * other, 2 * 78_000));
        let intent = world.rooms.payments.standing(&world.intents[bought], world.now_ms).unwrap().quote.handle;
        let disputed = world.processor.payments().iter().position(|(_, handle, _)| handle == intent.as_str());
        world.step(Step::Dispute(disputed.unwrap()), None);
        // Where there is other credit, that was spent first: all four pounds are still there.
        let held = if other > 0 { 78_000 } else { 0 };
        assert_eq!((amount(&world, credit), amount(&world, pending)), (credit_left, held));
        assert_eq!(amount(&world, "write_off"), -loss);
        world.step(Step::Dispute(disputed.unwrap()), None);
        assert_eq!((amount(&world, credit), amount(&world, pending)), (300_000 + 1_000 * other, 2 * 78_000));
        assert_eq!(amount(&world, "write_off"), 0);
        world.calm_down();
        world.check();
    }
}

#[test]
fn a_cut_future_is_dropped_at_its_pause() {
    let mut cut = pin!(Cut { inner: Box::pin(std::future::pending::<()>()), left: 2 });
    let mut context = Context::from_waker(Waker::noop());
    assert!(cut.as_mut().poll(&mut context).is_pending());
    assert!(cut.as_mut().poll(&mut context).is_pending());
    assert!(matches!(cut.as_mut().poll(&mut context), Poll::Ready(None)));
}
