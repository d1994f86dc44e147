//! A model of every possible course of a withdrawal: the processor may answer, lose,
//! delay, repeat or refuse any request, including look-ups, and the host may be killed at
//! any point.
//!
//! The decisions come from the real code: rows, records and changes of `withdrawal.rs`,
//! the steps of `transfer_step.rs`, and the rules of the store. The model adds the
//! control flow of `withdrawals.rs`: only one request at a time processes the withdrawal.
//! A crash ends that request; rows persist.
//!
//! The model assumes Stripe's guarantees: one result per idempotency key for a day, and
//! every request completed and visible to a look-up within
//! [`TRANSFER_CONFIRM_MS`](crate::limits::TRANSFER_CONFIRM_MS).

mod steps;
mod world;

use stateright::{Checker, Model, Property};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, WithdrawStage};
use tollbridge_store::testing::paper_store::PaperStore;
use tollbridge_store::{Change, Draft, Posting};

use self::world::{
    ACCOUNT, AMOUNT, Action, Age, FAULTS, Found, ID, Key, Mistake, PendingRequest, RELEASES, Waiting, WithdrawalModel,
    World, silence,
};
use super::transfer_step::{OperatorTurn, TransferStep};
use super::withdrawal::{Withdrawal, WithdrawalState};

fn reserved(blocked: bool) -> Withdrawal {
    let reason = "rule".to_owned();
    Withdrawal {
        id: ID.to_owned(),
        account: ACCOUNT.to_owned(),
        amount: Millipence::new(AMOUNT),
        destination: "acct_bank".to_owned(),
        created_ms: 1,
        due_ms: 1,
        state: if blocked { WithdrawalState::Blocked { reason } } else { WithdrawalState::Sending },
        reference: None,
        ended_ms: None,
        returned: Millipence::ZERO,
    }
}

impl Model for WithdrawalModel {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let leg = |account, amount, guarded| Posting { account, amount: Millipence::new(amount), guarded };
        let available = LedgerAccount::DevAvailable(ACCOUNT.to_owned()).to_string();
        let postings = vec![leg(available, AMOUNT, true), leg("out".to_owned(), -AMOUNT, false)];
        let earned = Draft { kind: "route", tx: [9; 32], time_ms: 0, postings, body: b"{}".to_vec() };
        let mut store = PaperStore::default();
        store.commit(&Change { record: Some(earned), ..Change::default() }).unwrap();
        vec![World {
            store,
            pending: None,
            age: Age::Repeated,
            key: Key::Unknown,
            sent: 0,
            made: 0,
            visible: false,
            returned: 0,
            unreported: false,
            faults: FAULTS,
            releases: RELEASES,
            moved_unclear: false,
        }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let Some(row) = world.row() else {
            return actions.extend([false, true].map(|blocked| Action::Reserve { blocked }));
        };
        let faulty = world.faults > 0;
        let waits = world.pending.as_ref().map(|pending| pending.waiting);
        let open = !row.is_over();
        if waits.is_none() && open && !matches!(row.state, WithdrawalState::Blocked { .. }) {
            actions.push(Action::Follow);
        }
        if waits == Some(Waiting::LookUp) {
            actions.extend(world.look_ups().map(Action::LookUp));
        }
        if world.sent > 0 {
            for accept in [true, false] {
                actions.push(Action::Execute { accept, arrives: true });
                actions.extend(faulty.then_some(Action::Execute { accept, arrives: false }));
            }
            actions.extend(faulty.then_some(Action::LoseRequest));
        }
        if world.sent == 1 && faulty {
            actions.push(Action::RepeatRequest);
        }
        if faulty && waits == Some(Waiting::Transfer) {
            actions.push(Action::GiveUp);
        }
        if faulty && waits.is_some() {
            actions.push(Action::Crash);
        }
        // In the next age, at least an hour has passed. By then, no request can still be
        // in transit or waiting for an answer.
        let over_an_hour = world.sent == 0 && waits.is_none();
        if open && (world.age == Age::Repeated || world.age == Age::NotRepeated && over_an_hour) {
            actions.push(Action::TimePasses);
        }
        if open && waits.is_none() && self.operator_turn(world, &row) != OperatorTurn::NotYet {
            for found in world.look_ups() {
                actions.push(Action::Operator { release: false, found: found.clone() });
                actions.extend((world.releases > 0).then_some(Action::Operator { release: true, found }));
            }
        }
        if world.made > 0 && world.returned < AMOUNT {
            actions.push(Action::Return);
        }
        if world.unreported {
            actions.push(Action::ReportReturn);
        }
    }

    fn next_state(&self, last: &World, action: Action) -> Option<World> {
        let mut world = last.clone();
        let unclear = matches!(
            action,
            Action::LookUp(Found::Refused | Found::Lost)
                | Action::Execute { arrives: false, .. }
                | Action::GiveUp
                | Action::LoseRequest
        );
        match action {
            Action::Reserve { blocked } => {
                let row = reserved(blocked);
                let record = row.record(WithdrawStage::Reserved, None, 1).unwrap();
                if Self::commit(&mut world, None, &row, Some(record)) && !blocked {
                    self.take(&mut world, &row, TransferStep::Request);
                }
            }
            Action::Follow => world.pending = Some(PendingRequest { before: world.row()?, waiting: Waiting::LookUp }),
            Action::LookUp(found) => {
                world.faults -= u8::from(matches!(found, Found::Refused | Found::Lost));
                self.looked_up(&mut world, &found);
            }
            Action::Execute { accept, arrives } => {
                world.faults -= u8::from(!arrives);
                self.execute(&mut world, accept, arrives);
            }
            Action::GiveUp => {
                world.faults -= 1;
                self.answered(&mut world, Err(silence()));
            }
            Action::LoseRequest => {
                (world.faults, world.sent) = (world.faults - 1, world.sent - 1);
                self.answered(&mut world, Err(silence()));
            }
            Action::RepeatRequest => (world.faults, world.sent) = (world.faults - 1, world.sent + 1),
            Action::Crash => (world.faults, world.pending) = (world.faults - 1, None),
            Action::TimePasses if world.age == Age::Repeated => world.age = Age::NotRepeated,
            // After this time the processor has forgotten the idempotency key, and
            // look-ups show every transfer it made.
            Action::TimePasses => (world.age, world.key, world.visible) = (Age::Decidable, Key::Unknown, true),
            Action::Operator { release, found } => {
                world.faults -= u8::from(matches!(found, Found::Refused | Found::Lost));
                self.decide(&mut world, release, &found);
            }
            Action::Return => (world.returned, world.unreported) = (world.returned + AMOUNT / 2, true),
            Action::ReportReturn => self.notice_return(&mut world),
        }
        world.moved_unclear |= unclear && world.available() != last.available();
        (world != *last).then_some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn at_rest(world: &World) -> bool {
            world.row().is_some_and(|row| row.is_over()) && world.sent == 0 && !world.unreported
        }
        fn has(world: &World, name: &str) -> bool {
            world.row().is_some_and(|row| row.state.name() == name)
        }
        fn is(world: &World, name: &str) -> bool {
            at_rest(world) && has(world, name)
        }
        vec![
            Property::always("nothing is paid twice", |_, world: &World| world.made <= 1 && world.owners() <= AMOUNT),
            Property::always("nothing is lost", |_, world: &World| !at_rest(world) || world.owners() == AMOUNT),
            Property::always("an unclear answer moves nothing", |_, world: &World| !world.moved_unclear),
            Property::eventually("it ends", |_, world| at_rest(world)),
            Property::sometimes("under way", |_, world| has(world, "sending")),
            Property::sometimes("unclear", |_, world| has(world, "being_confirmed")),
            Property::sometimes("stopped", |_, world| has(world, "blocked")),
            Property::sometimes("paid out", |_, world| is(world, "settled")),
            Property::sometimes("refused", |_, world| is(world, "failed")),
            Property::sometimes("rejected", |_, world| is(world, "rejected")),
            Property::sometimes("a part returned", |_, world| {
                is(world, "settled") && world.row().is_some_and(|row| !row.returned().is_zero())
            }),
            Property::sometimes("returned", |_, world| is(world, "returned")),
        ]
    }
}

#[test]
fn no_withdrawal_is_paid_twice_or_lost() {
    let checked = WithdrawalModel::default().checker().spawn_bfs().join();
    println!("{} states", checked.unique_state_count());
    assert!(checked.unique_state_count() > 1_000);
    checked.assert_properties();
}

#[test]
fn the_model_finds_planted_mistakes() {
    for (mistake, property) in [
        (Mistake::LookUpRefusalIsFinal, "an unclear answer moves nothing"),
        (Mistake::LookUpRefusalIsFinal, "nothing is paid twice"),
        (Mistake::LostIsFailed, "nothing is paid twice"),
        (Mistake::OperatorDoesNotWait, "nothing is paid twice"),
        (Mistake::FreshKeys, "nothing is paid twice"),
        (Mistake::ReturnedSumIsAPart, "nothing is paid twice"),
    ] {
        let checked = WithdrawalModel { mistake: Some(mistake) }.checker().spawn_bfs().join();
        assert!(
            checked.discovery(property).is_some(),
            "the model does not detect {mistake:?} through the property `{property}`"
        );
    }
}

/// This match does not compile if a state is added; check the model's properties for the
/// new state.
#[test]
fn the_model_reaches_every_state_of_a_withdrawal() {
    let reached = |state: &WithdrawalState| match state {
        WithdrawalState::Sending => "under way",
        WithdrawalState::Unclear => "unclear",
        WithdrawalState::Blocked { .. } => "stopped",
        WithdrawalState::Settled => "paid out",
        WithdrawalState::Failed { .. } => "refused",
        WithdrawalState::Rejected { .. } => "rejected",
        WithdrawalState::Returned => "returned",
    };
    let reason = String::new;
    let all = [
        WithdrawalState::Sending,
        WithdrawalState::Unclear,
        WithdrawalState::Blocked { reason: reason() },
        WithdrawalState::Settled,
        WithdrawalState::Failed { reason: reason() },
        WithdrawalState::Rejected { reason: reason() },
        WithdrawalState::Returned,
    ];
    let named: Vec<_> = WithdrawalModel::default().properties().iter().map(|property| property.name).collect();
    assert!(all.iter().map(reached).all(|name| named.contains(&name)));
}
