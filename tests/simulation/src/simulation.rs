//! One simulation: several processes of the host, one after another, on one disk. At the
//! end all faults stop, and the auditor checks the result.

use std::sync::{Arc, Once};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, join_all};
use tollbridge_access::{EmailDigestKey, KeyMode, SignUpRequest, sign_up};
use tollbridge_core::planted::Defect;
use tollbridge_webhooks::Registration;

use crate::auditor::{Problems, audit, nothing_held, open_work, survived};
use crate::book::Reported;
use crate::clock::{self, now_ms};
use crate::disk::DiskFault;
use crate::fellows::start_peer_hosts;
use crate::host::Host;
use crate::operation::{self, CallPlan, Operation};
use crate::people::{connect, perform};
use crate::world::{Engine, World};
use crate::{calls, entropy};

const START_MS: u64 = 1_790_000_000_000;
const PEOPLE: usize = 6;
/// Maximum number of host processes that may die while people perform operations.
const PROCESSES_MAX: u64 = 4;
/// Number of people who act concurrently, each with `OPERATIONS` operations per process.
const CROWD: u64 = 4;
const OPERATIONS: u64 = 14;
/// Maximum number of rounds without faults after which all open work must be finished.
const CALM_ROUNDS: usize = 24;

/// The result of running a seed.
pub(crate) struct Outcome {
    pub(crate) engine: Engine,
    pub(crate) digest: String,
    pub(crate) problems: Problems,
    pub(crate) lines: Vec<String>,
}

/// Runs a seed in its own thread, with its own randomness and clock.
pub(crate) fn run(seed: u64, engine: Engine, defect: Option<Defect>) -> Outcome {
    // Libraries draw some random values once per process, such as keys of hash maps. A
    // first run draws them here, so that no seed depends on which seed runs first.
    static FIRST: Once = Once::new();
    FIRST.call_once(|| drop(run_alone(u64::MAX, Engine::Disk, None)));
    run_alone(seed, engine, defect)
}

fn run_alone(seed: u64, engine: Engine, defect: Option<Defect>) -> Outcome {
    let simulation = move || {
        entropy::seed(seed);
        clock::set(START_MS);
        Defect::plant(defect);
        let world = World::new(seed, engine);
        let mut problems = Simulation { world: world.clone(), problems: Vec::new() }.run();
        let logs = world.shared.as_ref().map_or(1, Arc::strong_count);
        if (Arc::strong_count(&world), logs) != (1, 1) {
            problems
                .push(format!("hosts that ended are still in memory, with {} references to the shared log", logs - 1));
        }
        Outcome { engine, digest: world.log.digest(), problems, lines: world.log.lines() }
    };
    let thread = std::thread::Builder::new().name(format!("seed {seed}")).stack_size(8 << 20);
    match thread.spawn(simulation).unwrap().join() {
        Ok(outcome) => outcome,
        Err(panic) => {
            let why = panic.downcast_ref::<String>().cloned();
            let why = why.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Outcome { engine, digest: String::new(), problems: vec![format!("panic: {why:?}")], lines: Vec::new() }
        }
    }
}

/// The way in which a process ends if no fault has killed it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Stop,
    Kill { power_cut: bool },
}

type Act = Box<dyn FnOnce(Arc<Host>) -> BoxFuture<'static, ()>>;

struct Simulation {
    world: Arc<World>,
    problems: Problems,
}

impl Simulation {
    fn run(mut self) -> Problems {
        let chance = self.world.chance.clone();
        self.process(None, End::Stop, Box::new(|host| set_up_accounts(host).boxed()));
        self.process(None, End::Stop, Box::new(|host| set_up_payouts(host).boxed()));
        self.process(None, End::Stop, Box::new(|host| set_up_earnings(host).boxed()));
        self.world.set_calm(false);
        for _ in 0..1 + chance.below(PROCESSES_MAX) {
            let mishap = any_mishap(&self.world);
            let end = match chance.below(3) {
                0 => End::Stop,
                end => End::Kill { power_cut: end == 1 },
            };
            self.process(mishap, end, Box::new(|host| run_people(host).boxed()));
            if !self.problems.is_empty() {
                return self.problems;
            }
        }
        self.world.set_calm(true);
        let (found, held) = std::sync::mpsc::channel();
        let last: Act = Box::new(move |host| {
            async move {
                settle(host.clone()).await;
                let _ = found.send(nothing_held(&host));
            }
            .boxed()
        });
        self.process(None, End::Stop, last);
        self.problems.extend(held.try_recv().unwrap_or_default());
        let (found, problems) = std::sync::mpsc::channel();
        let last: Act = Box::new(move |host| {
            async move {
                let _ = found.send(audit(&host));
            }
            .boxed()
        });
        self.process(None, End::Stop, last);
        self.problems.extend(problems.try_recv().unwrap_or_else(|_| vec!["the auditor did not run".to_owned()]));
        self.problems
    }

    /// Runs one process from start to end; if it dies while it starts, it is started
    /// again.
    fn process(&mut self, mishap: Option<DiskFault>, end: End, act: Act) {
        let world = self.world.clone();
        world.disk.plan(mishap);
        let (mut act, mut starts) = (Some(act), 0);
        while let Some(next) = act.take() {
            starts += 1;
            world.log.note(format!("a process starts; {mishap:?}"));
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            let outcome = runtime.block_on(async {
                clock::begin();
                let host = Host::open(&world);
                let outcome = match host {
                    Ok(host) => {
                        self.problems.extend(survived(&host));
                        tokio::select! {
                            biased;
                            () = died(&world) => {}
                            () = async {
                                host.join().await;
                                next(host.clone()).await;
                            } => finish(&host, end).await,
                        }
                        Ok(())
                    }
                    Err(why) => Err((why, next)),
                };
                clock::end();
                outcome
            });
            if end != End::Stop || outcome.is_err() {
                world.disk.kill(end == End::Kill { power_cut: true });
            }
            drop(runtime);
            if let Err((why, next)) = outcome {
                world.log.note(format!("the host does not start: {why}"));
                if !world.disk.had_mishap() || starts > 3 {
                    self.problems.push(format!("the data folder cannot be opened: {why}"));
                    return;
                }
                act = Some(next);
            }
            world.disk.restart(&world.chance);
        }
    }
}

async fn finish(host: &Host, end: End) {
    if end == End::Stop {
        let _ = host.webhooks.close().await;
        let _ = host.engine.settle();
    }
}

/// Waits until the simulated disk reports that the process has ended.
async fn died(world: &World) {
    while !world.disk.is_over() {
        world.disk.over.notified().await;
    }
    world.log.note("the process dies");
}

fn any_mishap(world: &World) -> Option<DiskFault> {
    if world.shared.is_some() && world.chance.percent(50) {
        let (at, written) = (world.chance.index(60), world.chance.percent(50));
        return Some(DiskFault::CutOff { at, written });
    }
    let at = world.chance.index(if world.chance.percent(30) { 20 } else { 160 });
    match world.chance.below(6) {
        0 | 1 => Some(DiskFault::CutAtWrite(at)),
        2 => Some(DiskFault::CutAfterSync(at / 2)),
        3 => Some(DiskFault::NoSpace(at)),
        4 => Some(DiskFault::SyncFails(at / 2)),
        _ => None,
    }
}

async fn set_up_accounts(host: Arc<Host>) {
    for _ in 0..PEOPLE {
        let key = EmailDigestKey::new([0; 32]);
        let wish = SignUpRequest::default();
        let new = sign_up(host.db.store(), &key, KeyMode::Live, wish, now_ms(), |_| None).unwrap();
        let id = new.account.id.clone();
        host.db.submit(new.change).await.unwrap();
        host.world.book.lock().unwrap().people.push(id);
    }
}

async fn set_up_payouts(host: Arc<Host>) {
    let world = host.world.clone();
    for who in 3..PEOPLE {
        connect(&host, who).await;
    }
    for who in [0, 4] {
        let account = world.book.lock().unwrap().people[who].clone();
        let name = format!("hook{who}.example");
        let wish = Registration {
            url: format!("https://{name}/events"),
            events: vec!["agent.completed".to_owned(), "billing.split".to_owned()],
            secret: None,
        };
        let (_, secret) = host.webhooks.register(&account, wish).await.unwrap();
        world.receivers.know(&name, secret);
        world.book.lock().unwrap().hooks.insert(who, name);
    }
    for who in 0..PEOPLE {
        perform(&host, Operation::BuyCredit { who, pence: 6_000 }).await;
    }
    {
        let books = &mut *world.stripe.books.lock().unwrap();
        books.open_sessions().iter().for_each(|session| books.pay(session));
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
}

/// Makes some calls first, so that there are withdrawable earnings from the first day on.
async fn set_up_earnings(host: Arc<Host>) {
    for (who, ware) in [(0, 4), (1, 4), (2, 4), (1, 0), (2, 3), (0, 2), (1, 5), (2, 5), (0, 5), (1, 3)] {
        for _ in 0..2 {
            perform(&host, Operation::Call(CallPlan::at_once(who, ware))).await;
        }
    }
    clock::jump(26 * 3_600_000);
    host.follow().await;
}

/// Lets several people act concurrently, each with a number of operations.
async fn run_people(host: Arc<Host>) {
    let world = host.world.clone();
    start_peer_hosts(&host);
    let people = (0..1 + world.chance.below(CROWD)).map(|_| {
        let host = host.clone();
        let world = &world;
        async move {
            for _ in 0..2 + host.world.chance.below(OPERATIONS) {
                tokio::time::sleep(host.world.chance.millis(0, 2_500)).await;
                let next = operation::any(&world.chance, &world.book.lock().unwrap(), world.takes_credentials);
                perform(&host, next).await;
            }
        }
    });
    tokio::join!(join_all(people), call_all_hosts(&host));
    if world.chance.percent(50) {
        tokio::time::sleep(world.chance.millis(0, 40_000)).await;
    }
}

/// If there are several hosts, calls all of them at once from one account, and repeats
/// calls that are in progress.
async fn call_all_hosts(host: &Arc<Host>) {
    let world = &host.world;
    if world.shared.is_none() || world.chance.percent(40) {
        return;
    }
    tokio::time::sleep(world.chance.millis(2_000, 6_000)).await;
    let who = world.chance.index(PEOPLE);
    let calls = (0..world.chance.below(30)).map(|_| async {
        tokio::time::sleep(world.chance.millis(0, 3_000)).await;
        let wish = CallPlan { key: true, ..CallPlan::at_once(who, world.chance.index(2)) };
        let again = async {
            tokio::time::sleep(world.chance.millis(0, 60)).await;
            let calls = world.book.lock().unwrap().calls.len();
            if world.chance.percent(30) && calls > 0 {
                calls::repeat(host, calls - 1, false).await;
            }
        };
        tokio::join!(perform(host, Operation::Call(wish)), again);
    });
    join_all(calls).await;
}

/// Finishes all open work; callers that do not know the outcome of a request repeat it.
async fn settle(host: Arc<Host>) {
    let world = host.world.clone();
    for round in 0..CALM_ROUNDS {
        tokio::time::sleep(Duration::from_secs(if round == 0 { 240 } else { 70 })).await;
        if round == 0 {
            ask_again(&host).await;
            for who in 0..PEOPLE {
                perform(&host, Operation::Call(CallPlan::at_once(who, world.chance.index(4)))).await;
            }
        }
        if round == CALM_ROUNDS / 3 {
            for who in 3..PEOPLE {
                perform(&host, Operation::Withdraw { who }).await;
            }
        }
        for _ in 0..60 {
            if !host.deliver_events().await {
                break;
            }
        }
        clock::jump(7 * 3_600_000);
        host.follow().await;
        for (number, one) in host.withdrawals.open().unwrap_or_default().into_iter().enumerate() {
            // The operator decides about withdrawals that have been unconfirmed for more
            // than a day.
            let reported = match number % 2 {
                0 => host.withdrawals.reject(&one.id, "test", now_ms()).await.map(drop),
                _ => host.withdrawals.release(&one.id, now_ms()).await.map(drop),
            };
            world.log.note(format!(
                "the operator decides on {}: {:?}",
                one.id,
                reported.map_err(|error| error.to_string())
            ));
        }
        let is_quiet = open_work(&host, &world.stripe.books.lock().unwrap()).is_empty();
        if is_quiet && round > 12 {
            break;
        }
    }
    tokio::time::sleep(Duration::from_secs(130)).await;
}

/// Repeats every request that has an idempotency key and whose outcome its caller does
/// not know.
async fn ask_again(host: &Arc<Host>) {
    let unknown: Vec<usize> = {
        let book = host.world.book.lock().unwrap();
        let unknown =
            book.calls.iter().enumerate().filter(|(_, note)| note.reported == Reported::Unknown && note.key.is_some());
        unknown.map(|(at, _)| at).collect()
    };
    for at in unknown {
        calls::repeat(host, at, false).await;
    }
    let permits = host.world.book.lock().unwrap().permits.len();
    for permit in (0..permits).filter(|permit| permit % 2 == 0) {
        perform(host, Operation::AskModelAgain { permit }).await;
    }
}
