//! A model of every possible course of a task: it is queued or run immediately; it is
//! answered, fails, is retried or is canceled, or its reserved price is reclaimed. The
//! plugin and the host may answer, fail or be busy, and the host may crash at any point.
//!
//! The decisions are made by the real code: the rows and changes of `task.rs`,
//! `enqueue.rs` and `end.rs`, the steps of `task_step.rs` and `retry.rs`, the errors of
//! `CheckoutError`, and the rules of the store. The model adds the order of steps in
//! `invoke.rs`, `attempt.rs`, `service.rs`, `clawback.rs` and `worker.rs`. The queue,
//! slots and running calls are in memory, and lost in a crash. The record of a call is
//! reduced to two postings here.

mod steps;
mod world;

use stateright::{Checker, HasDiscoveries, Model, Property};

use self::world::{
    Action, CANCELS, Caller, FUNDS, Mistake, PRICE, STEPS, Step, Tasks, World, credit, held, row, unearned,
};
use super::task::{TaskPayment, TaskState};

impl Model for Tasks {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::funded()]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if !world.begun {
            return actions.extend([
                Action::Enqueue { intent: false },
                Action::Enqueue { intent: true },
                Action::Invoke,
            ]);
        }
        for (place, step) in world.steps.iter().enumerate() {
            actions.extend(Self::ways(world, place, step));
        }
        let is_called = world.count(|step| *step == Step::Call) > 0;
        if is_called && world.caller == Caller::Waits && world.count(|step| *step == Step::Persist) == 0 {
            actions.push(Action::PatienceEnds);
        }
        let room = world.steps.len() < STEPS;
        if room && world.queued > 0 {
            actions.push(Action::Take);
        }
        if room && world.cancels < CANCELS && world.state().is_some_and(TaskState::is_open) {
            actions.push(Action::Cancel);
            // Only a reserved price can be reclaimed.
            let is_held = world.row().is_some_and(|bytes| row(&bytes).payment == TaskPayment::Held);
            actions.extend(is_held.then_some(Action::Reclaim));
        }
        if !world.old && world.is_open() {
            actions.push(Action::Ages);
        }
        if world.faults > 0 && !world.at_rest() {
            actions.push(Action::Crash);
        }
    }

    fn next_state(&self, last: &World, action: Action) -> Option<World> {
        let mut world = last.clone();
        match action {
            Action::Enqueue { intent } => Self::enqueue(&mut world, intent),
            Action::Invoke => Self::invoke(&mut world),
            Action::PatienceEnds => self.patience_ends(&mut world),
            Action::Take => self.take(&mut world),
            Action::Cancel | Action::Reclaim => {
                world.cancels += 1;
                let bytes = world.row()?;
                world.start(if action == Action::Cancel { Step::Cancel(bytes) } else { Step::Reclaim(bytes) });
            }
            Action::Ages => world.old = true,
            Action::Go(place, answer) => {
                let step = world.steps.remove(place);
                world.faults -= u8::from(answer == world::Answer::HostIsBusy);
                self.go(&mut world, step, answer);
            }
            Action::WriteFails(place) => {
                let step = world.steps.remove(place);
                world.faults -= 1;
                self.write_fails(&mut world, step);
            }
            Action::Crash => {
                world.faults -= 1;
                Self::crash(&mut world);
            }
        }
        (world != *last).then_some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn ended(world: &World, state: TaskState, charged: bool) -> bool {
            world.at_rest() && world.state() == Some(state) && (world.earned() == PRICE) == charged
        }
        vec![
            Property::always("a task is charged at most once", |_, world: &World| world.earned() <= PRICE),
            Property::always("canceled is never charged", |_, world: &World| !world.canceled || world.earned() == 0),
            Property::always("a refused call is not charged", |_, world: &World| {
                world.caller != Caller::IsRefused || world.earned() == 0
            }),
            Property::always("charged exactly if completed", |_, world: &World| {
                let completed = world.state().is_none_or(|state| state == TaskState::Completed);
                !world.at_rest() || if world.earned() > 0 { completed } else { !completed || world.row().is_none() }
            }),
            Property::always("nothing is lost", |_, world: &World| {
                let funds = world.store.balance(&credit()) + world.store.balance(&unearned());
                !world.at_rest() || world.store.balance(&held()) == 0 && funds + world.earned() == 2 * FUNDS
            }),
            Property::always("every slot is released once", |_, world: &World| {
                world.slots >= 0 && (!world.at_rest() || world.slots == 0)
            }),
            Property::always("a state without actions is at rest", |model: &Self, world: &World| {
                let mut actions = Vec::new();
                model.actions(world, &mut actions);
                !actions.is_empty() || world.at_rest()
            }),
            Property::sometimes("waits", |_, world: &World| world.state() == Some(TaskState::Queued)),
            Property::sometimes("runs on", |_, world: &World| world.state() == Some(TaskState::Working)),
            Property::sometimes("answered", |_, world| ended(world, TaskState::Completed, true)),
            Property::sometimes("given up", |_, world| ended(world, TaskState::Failed, false)),
            Property::sometimes("canceled", |_, world| ended(world, TaskState::Canceled, false)),
            Property::sometimes("a caller waits on", |_, world: &World| world.caller == Caller::WaitsOn),
        ]
    }
}

#[test]
fn no_task_is_charged_twice_or_for_nothing() {
    let checked = Tasks::default().checker().spawn_bfs().join();
    println!("{} states", checked.unique_state_count());
    assert!(checked.unique_state_count() > 1_000);
    checked.assert_properties();
}

#[test]
fn the_model_finds_planted_mistakes() {
    for (mistake, property) in [
        (Mistake::MarkedAfterTheRow, "canceled is never charged"),
        (Mistake::CancelIgnoresTheSeal, "canceled is never charged"),
        (Mistake::AttemptIgnoresTheSeal, "charged exactly if completed"),
        (Mistake::SealWithoutTheRow, "canceled is never charged"),
        (Mistake::RetryReplacesAnyRow, "canceled is never charged"),
        (Mistake::TransactionPerAttempt, "a task is charged at most once"),
        (Mistake::UnwrittenIsRefused, "a refused call is not charged"),
        (Mistake::SlotIsNotGivenBack, "every slot is released once"),
    ] {
        let first = HasDiscoveries::AnyOf([property].into());
        let checked = Tasks { mistake: Some(mistake) }.checker().finish_when(first).spawn_bfs().join();
        assert!(checked.discovery(property).is_some(), "injecting {mistake:?} must violate `{property}`");
    }
}

/// Tests that the model has a property for every state of a task. The match stops
/// compiling when a state is added, so the new state must be handled here.
#[test]
fn the_model_reaches_every_state_of_a_task() {
    let reached = |state| match state {
        TaskState::Queued => "waits",
        TaskState::Working => "runs on",
        TaskState::Completed => "answered",
        TaskState::Failed => "given up",
        TaskState::Canceled => "canceled",
    };
    let named: Vec<_> = Tasks::default().properties().iter().map(|property| property.name).collect();
    let all = [TaskState::Queued, TaskState::Working, TaskState::Completed, TaskState::Failed, TaskState::Canceled];
    assert!(all.into_iter().map(reached).all(|name| named.contains(&name)));
}
