//! Every way that a withdrawal can go, over a processor that answers, loses,
//! delays, repeats or refuses anything, look-ups included, and a host that is
//! killed at any point.
//!
//! What decides is the real code: rows, records and changes of `withdrawal.rs`,
//! the steps of `transfer_step.rs`, and the rules of the store. The model adds
//! the order of `withdrawals.rs`: one request under way at a time (the turn),
//! which a crash ends while rows stay.
//!
//! Of the processor it takes for granted what Stripe promises: one result per
//! idempotency key for a day, and that what it was asked is done, and found by a
//! look-up, within [`TRANSFER_CONFIRM_MS`].

use std::hash::Hash;

use stateright::{Checker, Model, Property};
use tollbridge_core::limits::{TRANSFER_CONFIRM_MS, TRANSFER_REPEAT_MS_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, WithdrawStage};
use tollbridge_payment::{LookupError, ProcessorError};
use tollbridge_store::testing::paper_store::PaperStore;
use tollbridge_store::{Change, Collection, Draft, Posting};

use super::transfer_step::{
    OperatorTurn, ReturnStep, TransferStep, after_look_up, after_request, after_return, operator_turn,
};
use super::withdrawal::{Withdrawal, WithdrawalState, own_key};

const AMOUNT: i64 = 500_000;
const ID: &str = "wd_1";
const ACCOUNT: &str = "acct_1";
/// How much may go wrong in one story: crashes, losses, delays, repeats.
const FAULTS: u8 = 5;
const RELEASES: u8 = 2;

/// A mistake that is planted to see that the model finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// A refused look-up counts as a refused transfer.
    LookUpRefusalIsFinal,
    /// A lost answer counts as a refused transfer.
    LostIsFailed,
    /// The operator decides as soon as the transfer is not asked for any more.
    OperatorDoesNotWait,
    /// Each request has a key of its own.
    FreshKeys,
    /// A transfer that comes back before it is confirmed is forgotten.
    EarlyReturnIsForgotten,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Waiting {
    LookUp,
    Transfer,
}

/// Whoever has the turn, in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asking {
    before: Withdrawal,
    waiting: Waiting,
}

/// What the processor remembers under the idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Unknown,
    Made,
    Refused,
}

/// How long ago the transfer was first due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Age {
    Repeated,
    NotRepeated,
    Decidable,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    store: PaperStore,
    asking: Option<Asking>,
    age: Age,
    key: Key,
    /// Requests on their way to the processor.
    sent: u8,
    made: u8,
    /// Whether look-ups show what was made.
    visible: bool,
    came_back: bool,
    /// The processor has still to tell that it came back.
    untold: bool,
    faults: u8,
    releases: u8,
    /// An answer that said nothing has moved money.
    moved_unclear: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Truth,
    /// What was made is not shown yet.
    Nothing,
    Refused,
    Lost,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Reserve {
        blocked: bool,
    },
    Follow,
    LookUp(Found),
    /// The processor does what it was asked, and its answer arrives or not.
    Execute {
        accept: bool,
        arrives: bool,
    },
    /// Nobody waits any more; the request is still on its way.
    GiveUp,
    LoseRequest,
    RepeatRequest,
    Crash,
    TimePasses,
    Operator {
        release: bool,
        found: Found,
    },
    ComeBack,
    TellReturn,
}

#[derive(Default)]
struct Withdrawing {
    mistake: Option<Mistake>,
}

impl World {
    fn row(&self) -> Option<Withdrawal> {
        let bytes = self.store.get(Collection::Withdrawals, &own_key(ACCOUNT, ID))?;
        Some(serde_json::from_slice(bytes).unwrap())
    }

    fn waited_ms(&self) -> u64 {
        match self.age {
            Age::Repeated => 0,
            Age::NotRepeated => TRANSFER_REPEAT_MS_MAX + 1,
            Age::Decidable => TRANSFER_REPEAT_MS_MAX + TRANSFER_CONFIRM_MS + 1,
        }
    }

    fn available(&self) -> i64 {
        self.store.balance(&LedgerAccount::DevAvailable(ACCOUNT.to_owned()).to_string())
    }

    /// What the owner has or can ask for again.
    fn owners(&self) -> i64 {
        self.available() + AMOUNT * (i64::from(self.made) - i64::from(self.came_back))
    }

    fn found(&self, found: &Found) -> Result<Option<String>, LookupError> {
        match found {
            Found::Truth => Ok((self.made > 0).then(|| "tr_1".to_owned())),
            Found::Nothing => Ok(None),
            Found::Refused => Err(refused().into()),
            Found::Lost => Err(silence().into()),
        }
    }

    fn look_ups(&self) -> impl Iterator<Item = Found> {
        let hidden = self.made > 0 && !self.visible;
        let faults = if self.faults > 0 { vec![Found::Refused, Found::Lost] } else { Vec::new() };
        std::iter::once(Found::Truth).chain(hidden.then_some(Found::Nothing)).chain(faults)
    }
}

fn refused() -> ProcessorError {
    ProcessorError::Rejected { code: "resource_missing".to_owned(), message: "no".to_owned() }
}

fn silence() -> ProcessorError {
    ProcessorError::OutcomeUnknown("silence".to_owned())
}

impl Withdrawing {
    fn commit(world: &mut World, before: Option<&Withdrawal>, after: &Withdrawal, record: Option<Draft>) -> bool {
        let puts = after.puts(before).unwrap();
        world.store.commit(&Change { puts, record, ..Change::default() }).is_ok()
    }

    /// `Withdrawals::send`, from an answer on.
    fn take(&self, world: &mut World, before: &Withdrawal, step: TransferStep) {
        match step {
            TransferStep::Request => {
                world.sent += 1;
                if self.mistake == Some(Mistake::FreshKeys) {
                    world.key = Key::Unknown;
                }
                world.asking = Some(Asking { before: before.clone(), waiting: Waiting::Transfer });
            }
            TransferStep::End { state, reference } => {
                let (after, record) = before.ended(state, reference, 1).unwrap();
                Self::commit(world, Some(before), &after, Some(record));
            }
            TransferStep::Unclear if before.state != WithdrawalState::Unclear => {
                let after = Withdrawal { state: WithdrawalState::Unclear, ..before.clone() };
                Self::commit(world, Some(before), &after, None);
            }
            TransferStep::Unclear | TransferStep::AwaitOperator => {}
        }
    }

    fn looked_up(&self, world: &mut World, found: &Found) {
        let Some(Asking { before, .. }) = world.asking.take() else { return };
        let step = match (self.mistake, found) {
            (Some(Mistake::LookUpRefusalIsFinal), Found::Refused) => after_request(Err(refused())),
            _ => after_look_up(world.found(found), world.waited_ms()),
        };
        self.take(world, &before, step);
    }

    fn answered(&self, world: &mut World, answer: Result<String, ProcessorError>) {
        if !world.asking.as_ref().is_some_and(|asking| asking.waiting == Waiting::Transfer) {
            return;
        }
        let Some(Asking { before, .. }) = world.asking.take() else { return };
        let step = match (self.mistake, &answer) {
            (Some(Mistake::LostIsFailed), Err(ProcessorError::OutcomeUnknown(_))) => after_request(Err(refused())),
            _ => after_request(answer),
        };
        self.take(world, &before, step);
    }

    fn operator_turn(&self, world: &World, row: &Withdrawal) -> OperatorTurn {
        let early = if self.mistake == Some(Mistake::OperatorDoesNotWait) { TRANSFER_CONFIRM_MS } else { 0 };
        operator_turn(&row.state, world.waited_ms() + early)
    }

    /// `Withdrawals::release` and `Withdrawals::reject`, which take the turn.
    fn decide(&self, world: &mut World, release: bool, found: &Found) {
        let Some(row) = world.row() else { return };
        if self.operator_turn(world, &row) == OperatorTurn::AfterLookUp {
            match world.found(found) {
                Ok(None) => {}
                Ok(Some(reference)) => {
                    let step = TransferStep::End { state: WithdrawalState::Settled, reference: Some(reference) };
                    return self.take(world, &row, step);
                }
                Err(_) => return,
            }
        }
        if release {
            let after = row.released(1);
            if Self::commit(world, Some(&row), &after, None) {
                (world.age, world.releases) = (Age::Repeated, world.releases - 1);
                self.take(world, &after, TransferStep::Request);
            }
        } else {
            let state = WithdrawalState::Rejected { reason: "no".to_owned() };
            self.take(world, &row, TransferStep::End { state, reference: None });
        }
    }

    fn told(&self, world: &mut World) {
        let Some(row) = world.row() else { return };
        match after_return(&row.state) {
            ReturnStep::Restore => {
                let (after, record) = row.returned(1).unwrap();
                world.untold = !Self::commit(world, Some(&row), &after, Some(record));
            }
            ReturnStep::Later => world.untold = self.mistake != Some(Mistake::EarlyReturnIsForgotten),
            ReturnStep::Ignore => world.untold = false,
        }
    }

    fn execute(&self, world: &mut World, accept: bool, arrives: bool) {
        world.sent -= 1;
        if world.key == Key::Unknown {
            world.key = if accept { Key::Made } else { Key::Refused };
            world.made += u8::from(accept);
            world.visible = false;
        }
        let answer = match (arrives, world.key) {
            (false, _) => Err(silence()),
            (true, Key::Made) => Ok("tr_1".to_owned()),
            (true, _) => Err(refused()),
        };
        // One that nobody waits for is heard by nobody.
        self.answered(world, answer);
    }
}

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
    }
}

impl Model for Withdrawing {
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
            asking: None,
            age: Age::Repeated,
            key: Key::Unknown,
            sent: 0,
            made: 0,
            visible: false,
            came_back: false,
            untold: false,
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
        let waits = world.asking.as_ref().map(|asking| asking.waiting);
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
        // An hour is longer than any request takes; a moment is not.
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
        if world.made > 0 && !world.came_back {
            actions.push(Action::ComeBack);
        }
        if world.untold {
            actions.push(Action::TellReturn);
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
            Action::Follow => world.asking = Some(Asking { before: world.row()?, waiting: Waiting::LookUp }),
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
            Action::Crash => (world.faults, world.asking) = (world.faults - 1, None),
            Action::TimePasses if world.age == Age::Repeated => world.age = Age::NotRepeated,
            // The processor has forgotten the key, and shows what it has made.
            Action::TimePasses => (world.age, world.key, world.visible) = (Age::Decidable, Key::Unknown, true),
            Action::Operator { release, found } => {
                world.faults -= u8::from(matches!(found, Found::Refused | Found::Lost));
                self.decide(&mut world, release, &found);
            }
            Action::ComeBack => (world.came_back, world.untold) = (true, true),
            Action::TellReturn => self.told(&mut world),
        }
        world.moved_unclear |= unclear && world.available() != last.available();
        (world != *last).then_some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn at_rest(world: &World) -> bool {
            world.row().is_some_and(|row| row.is_over()) && world.sent == 0 && !world.untold
        }
        fn is(world: &World, name: &str) -> bool {
            at_rest(world) && world.row().is_some_and(|row| row.state.name() == name)
        }
        vec![
            Property::always("nothing is paid twice", |_, world: &World| world.made <= 1 && world.owners() <= AMOUNT),
            Property::always("nothing is lost", |_, world: &World| !at_rest(world) || world.owners() == AMOUNT),
            Property::always("an unclear answer moves nothing", |_, world: &World| !world.moved_unclear),
            Property::eventually("it ends", |_, world| at_rest(world)),
            Property::sometimes("paid out", |_, world| is(world, "settled")),
            Property::sometimes("refused", |_, world| is(world, "failed")),
            Property::sometimes("rejected", |_, world| is(world, "rejected")),
            Property::sometimes("returned", |_, world| is(world, "returned")),
        ]
    }
}

#[test]
fn no_withdrawal_is_paid_twice_or_lost() {
    let checked = Withdrawing::default().checker().spawn_bfs().join();
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
        (Mistake::EarlyReturnIsForgotten, "nothing is lost"),
    ] {
        let checked = Withdrawing { mistake: Some(mistake) }.checker().spawn_bfs().join();
        assert!(checked.discovery(property).is_some(), "{mistake:?} is not found by `{property}`");
    }
}

/// The model reads the real rows, so a state that is added is a state of the
/// model; this names those that it has to reach.
#[test]
fn the_model_reaches_every_state_of_a_withdrawal() {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let names = seen.clone();
    let visit = move |path: stateright::Path<World, Action>| {
        let row = path.last_state().row();
        names.lock().unwrap().extend(row.map(|row| row.state.name()));
    };
    Withdrawing::default().checker().visitor(visit).spawn_bfs().join();
    let reason = String::new();
    for state in [
        WithdrawalState::Sending,
        WithdrawalState::Unclear,
        WithdrawalState::Blocked { reason: reason.clone() },
        WithdrawalState::Settled,
        WithdrawalState::Failed { reason: reason.clone() },
        WithdrawalState::Rejected { reason },
        WithdrawalState::Returned,
    ] {
        // A state that is added does not compile here until the model knows it.
        match &state {
            WithdrawalState::Sending
            | WithdrawalState::Unclear
            | WithdrawalState::Blocked { .. }
            | WithdrawalState::Settled
            | WithdrawalState::Failed { .. }
            | WithdrawalState::Rejected { .. }
            | WithdrawalState::Returned => {}
        }
        assert!(seen.lock().unwrap().contains(state.name()), "{} is never reached", state.name());
    }
}
