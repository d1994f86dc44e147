//! A model of the life of an intent: it is ordered, paid, drawn on by calls, turned into
//! credit and refunded, while the processor may answer, lose, delay, repeat or refuse any
//! request, including look-ups, and the host may be killed at any point.
//!
//! All decisions are made by the real code: the rows and changes of orders, payments and
//! refunds, `order_step.rs`, `refund_step.rs`, `balance_holds::taken_with` and the rules
//! of the store. The model adds the order of steps in `orders.rs`, `refunds.rs`,
//! `recorder.rs` and `checkout/run.rs` (hold, run, seal, drop the hold); holds and
//! requests in flight are in memory, so a crash drops them.
//!
//! Assumptions about the processor: requests with the same idempotency key have the same
//! result, and an expired page cannot be paid. Not modeled: a second payment at another
//! page, disputes, and a refund that fails after it was paid.

mod steps;
mod world;

use stateright::{Checker, HasDiscoveries, Model, Property};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payer;
use tollbridge_store::Collection;

use self::steps::{change_of, is_fault, outcomes, stated};
use self::world::{
    ATTEMPTS, Action, CALLS, CHARGE, CREDITS, FAULTS, HANDLE, Intents, Mistake, PRICE, Page, REFUNDS, RefundState,
    TASKS, Task, World, order, refund,
};
use super::refund_row::{RefundKeyRange, RefundRow, RefundStatus};
use super::refund_step::after_request;

impl Model for Intents {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World { faults: FAULTS, ..World::default() }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let room = world.tasks.len() < TASKS;
        let running = |wanted: fn(&Task) -> bool| world.tasks.iter().filter(|task| wanted(task)).count();
        for (attempt, _) in world.pages.iter().filter(|(_, page)| **page == Page::Open) {
            actions.extend([Action::Buy(*attempt), Action::Expire(*attempt)]);
        }
        for (id, _) in world.refunds.iter().filter(|(_, (state, _))| *state == RefundState::Pending) {
            actions.extend([true, false].map(|paid| Action::Resolve(id.clone(), paid)));
        }
        for (place, task) in world.tasks.iter().enumerate() {
            let possible = outcomes(task).iter().filter(|outcome| world.faults > 0 || !is_fault(task, **outcome));
            actions.extend(possible.map(|outcome| Action::Go(place, *outcome)));
            actions.extend((*task == Task::Call).then_some(Action::Fail(place)));
        }
        if room {
            self.beginnings(world, actions);
        }
        if world.faults > 0 && running(|_| true) > 0 {
            actions.push(Action::Crash);
        }
    }

    fn next_state(&self, last: &World, action: Action) -> Option<World> {
        let mut world = last.clone();
        let mut unclear = false;
        match action {
            Action::Place => Self::place(&mut world),
            Action::Follow => {
                let bytes = world.order()?;
                let session = order(&bytes).session;
                world.start(session.map_or(Task::OpenPage(bytes.clone()), |session| Task::LookUpOrder(bytes, session)));
            }
            Action::Buy(attempt) => drop(world.pages.insert(attempt, Page::Paid)),
            Action::Expire(attempt) => drop(world.pages.insert(attempt, Page::Expired)),
            Action::Call => {
                if self.hold(&mut world, Millipence::new(PRICE)) {
                    world.start(Task::Call);
                }
            }
            Action::Refund => self.begin_refund(&mut world),
            Action::FollowRefund(id) => {
                let row = world.open_refund(&id)?;
                world.start(Task::LookUpRefund(row));
            }
            Action::ToCredit => {
                let amount = world.balance();
                if amount > Millipence::ZERO && self.hold(&mut world, amount) {
                    world.start(Task::ToCredit(amount.get()));
                }
            }
            Action::Go(place, outcome) => {
                let task = world.tasks.remove(place);
                unclear = is_fault(&task, outcome);
                world.faults -= u8::from(unclear);
                self.run_step(&mut world, task, outcome);
            }
            Action::Fail(place) => {
                world.tasks.remove(place);
                self.release(&mut world, PRICE);
            }
            Action::Resolve(id, paid) => {
                let (state, _) = world.refunds.get_mut(&id)?;
                *state = if paid { RefundState::Paid } else { RefundState::Failed };
            }
            Action::Crash => {
                world.faults -= 1;
                (world.tasks, world.held) = (Vec::new(), 0);
            }
        }
        world.moved_unclear |= unclear && world.balance() != last.balance();
        (world != *last).then_some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn any_refund(world: &World, wanted: fn(&RefundStatus) -> bool) -> bool {
            let row = world.store.get(Collection::Refunds, &format!("{}rf_1", RefundKeyRange::Past.prefix()));
            row.is_some_and(|bytes| wanted(&refund(bytes).state))
        }
        vec![
            Property::always("nothing is both refunded and spent", |_, world: &World| {
                world.spent() <= world.at_processor().max(0)
            }),
            Property::always("every answered call is paid", |_, world: &World| !world.answered_unpaid),
            Property::always("an unclear answer moves no money", |_, world: &World| !world.moved_unclear),
            Property::always("every hold is released", |_, world: &World| !world.tasks.is_empty() || world.held == 0),
            Property::always("at rest the ledger matches the processor", |_, world: &World| {
                !world.at_rest() || world.at_processor() == world.spent() + world.balance().get()
            }),
            Property::always("a state without further actions is at rest", |model: &Self, world: &World| {
                let mut actions = Vec::new();
                model.actions(world, &mut actions);
                !actions.is_empty() || world.at_rest()
            }),
            Property::sometimes("paid at the second page", |_, world: &World| world.is_paid() && world.pages.len() > 1),
            Property::sometimes("refunded", |_, world| any_refund(world, |state| *state == RefundStatus::Paid)),
            Property::sometimes("a refund fails and the money is spent", |_, world| {
                any_refund(world, |state| matches!(state, RefundStatus::Failed { .. })) && world.spent() == CHARGE
            }),
            Property::sometimes("part spent, part refunded", |_, world: &World| {
                world.spent() == PRICE && world.at_processor() == PRICE
            }),
        ]
    }
}

impl Intents {
    /// Adds the actions that start a new task, in addition to the steps of running tasks.
    fn beginnings(&self, world: &World, actions: &mut Vec<Action>) {
        let count = |wanted: fn(&Task) -> bool| world.tasks.iter().filter(|task| wanted(task)).count();
        let orders = count(|task| matches!(task, Task::OpenPage(_) | Task::LookUpOrder(..)));
        let has_order = world.order().is_some();
        // An event and a reconciliation round may look up the same order at the same
        // time.
        if has_order && orders < 2 {
            actions.push(Action::Follow);
        }
        if !has_order && !world.is_paid() && u64::try_from(world.pages.len()).unwrap() < ATTEMPTS && orders == 0 {
            actions.push(Action::Place);
        }
        if !world.is_paid() {
            return;
        }
        let calls = count(|task| matches!(task, Task::Call));
        if usize::from(world.calls) + calls < usize::from(CALLS) {
            actions.push(Action::Call);
        }
        if world.refunded < REFUNDS {
            actions.push(Action::Refund);
        }
        if world.credited < CREDITS && count(|task| matches!(task, Task::ToCredit(_))) == 0 {
            actions.push(Action::ToCredit);
        }
        if count(|task| matches!(task, Task::LookUpRefund(_) | Task::AskRefund(_))) < 2 {
            actions.extend(world.open_refunds().map(Action::FollowRefund));
        }
    }
}

#[test]
fn no_intent_is_spent_twice_or_lost() {
    let checked = Intents::default().checker().spawn_bfs().join();
    println!("{} states", checked.unique_state_count());
    assert!(checked.unique_state_count() > 5_000);
    checked.assert_properties();
}

#[test]
fn the_model_finds_planted_mistakes() {
    for (mistake, property) in [
        (Mistake::LookUpRefusalIsFinal, "an unclear answer moves no money"),
        (Mistake::LookUpRefusalIsFinal, "nothing is both refunded and spent"),
        (Mistake::LostIsFailed, "nothing is both refunded and spent"),
        (Mistake::FreshKeys, "nothing is both refunded and spent"),
        (Mistake::HoldsAreNotCounted, "every answered call is paid"),
        (Mistake::RefundTakesWhatIsHeld, "every answered call is paid"),
        (Mistake::LostLookUpRemovesTheOrder, "at rest the ledger matches the processor"),
        (Mistake::HoldIsNotReleased, "every hold is released"),
    ] {
        let checked = Intents { mistake: Some(mistake) }.checker().finish_when(found(property)).spawn_bfs().join();
        assert!(checked.discovery(property).is_some(), "injecting {mistake:?} must violate `{property}`");
    }
}

fn found(property: &'static str) -> HasDiscoveries {
    HasDiscoveries::AnyOf([property].into())
}

/// Tests that the model covers every final state of a refund. The match stops compiling
/// when a state is added, so the new state must be handled here.
#[test]
fn the_model_covers_every_outcome_of_a_refund() {
    let row = RefundRow {
        id: "rf_1".to_owned(),
        payer: Payer::Intent(HANDLE.to_owned()),
        payment: None,
        amount: Millipence::new(CHARGE),
        reason: "asked".to_owned(),
        created_ms: 1,
        state: RefundStatus::Owed,
        relieved: Millipence::ZERO,
    };
    for state in [RefundState::Pending, RefundState::Paid, RefundState::Failed] {
        let change = change_of(&row, after_request(Ok(stated(state, "rf_1"))).unwrap());
        let stored = change.and_then(|change| change.puts.into_iter().find_map(|put| put.value));
        let expected = match stored.map(|bytes| refund(&bytes).state) {
            None => RefundState::Pending,
            Some(RefundStatus::Paid) => RefundState::Paid,
            Some(RefundStatus::Failed { .. }) => RefundState::Failed,
            // Reachable only if a refund fails after it was paid, which is not modeled.
            Some(RefundStatus::Owed | RefundStatus::Failing { .. }) => panic!("the refund is not final"),
        };
        assert_eq!(expected, state);
    }
}
