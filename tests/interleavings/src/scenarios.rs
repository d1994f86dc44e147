//! Concurrent operations, and the properties that must hold in any order. Each
//! scenario runs thousands of times in different orders.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use shuttle::thread::{spawn, yield_now};
use tollbridge_access::{RateLimitKey, RateLimits};
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::limits::NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Chain;
use tollbridge_store::{Change, Draft, Posting, RedbStore, Store};

use crate::balance_holds::BalanceHolds;
use crate::in_flight::InFlight;
use crate::owner_losses::OwnerLosses;
use crate::rate_limiter::RateLimiter;
use crate::spend_limiter::{DailySpendLimit, SpendLimiter};
use crate::table_cache::TableCache;

const THREADS: u8 = 4;
const PRICE: i64 = 2_000;
const CREDIT: i64 = 5_000;
const PAYER: &str = "credit:acct_a";
/// A fixed time; daily counters stay within one day.
const NOW_MS: u64 = 1_700_000_000_000;

/// An in-memory store with a single writer, as in the host.
struct Books {
    store: Arc<RedbStore>,
    chain: crate::Mutex<Chain>,
}

impl Books {
    fn with_credit() -> Self {
        let books = Self { store: Arc::new(RedbStore::in_memory().unwrap()), chain: crate::Mutex::new(Chain::new()) };
        assert!(books.pay(0, -CREDIT));
        books
    }

    /// Debits the credit; returns false if the store refuses the debit.
    fn pay(&self, number: u8, amount: i64) -> bool {
        let leg = |account: &str, amount, guarded| Posting {
            account: account.to_owned(),
            amount: Millipence::new(amount),
            guarded,
        };
        let postings = vec![leg(PAYER, -amount, true), leg("sandbox:grants", amount, false)];
        let record = Draft { kind: "grant", tx: [number; 32], time_ms: NOW_MS, postings, body: b"{}".to_vec() };
        let change = Change { record: Some(record), ..Change::default() };
        let mut chain = self.chain.lock();
        self.store.commit(&[change], &mut *chain).unwrap().remove(0).is_ok()
    }

    fn credit(&self) -> i64 {
        self.store.balance(PAYER).unwrap().get()
    }
}

fn in_parallel(work: impl Fn(u8) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let threads: Vec<_> = (1..=THREADS)
        .map(|number| {
            let work = work.clone();
            spawn(move || work(number))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Concurrent calls hold a price, seal a record and drop the hold: a held amount can
/// always be paid, and no hold remains at the end.
pub fn holds_are_covered() {
    let books = Arc::new(Books::with_credit());
    let holds = Arc::new(BalanceHolds::new(books.store.clone()));
    let sold = Arc::new(AtomicI64::new(0));
    let (own_books, own_holds, own_sold) = (books.clone(), holds.clone(), sold.clone());
    in_parallel(move |number| {
        let Ok(hold) = own_holds.hold(PAYER, Millipence::new(PRICE)) else { return };
        // The last call fails, so that the scenario has a failed call too.
        if number < THREADS {
            assert!(own_books.pay(number, PRICE), "paying a held amount must succeed");
            own_sold.fetch_add(PRICE, Ordering::SeqCst);
        }
        drop(hold);
    });
    let left = books.credit();
    assert_eq!(left, CREDIT - sold.load(Ordering::SeqCst));
    assert!(holds.hold(PAYER, Millipence::new(left)).is_ok(), "something is still held");
}

/// Uses a deliberately broken `BalanceHolds`, which checks first and reserves later. It
/// must panic in some orders, which proves that Shuttle tries the orders in which such a
/// bug shows.
pub fn racy_holds() {
    let taken = Arc::new(crate::Mutex::new(0_i64));
    let own = taken.clone();
    in_parallel(move |_| {
        let free = CREDIT - *own.lock();
        if free >= PRICE {
            *own.lock() += PRICE;
        }
    });
    assert!(*taken.lock() <= CREDIT, "the holds exceed the credit");
}

/// A key spends at most its daily limit, and a failed call's reservation is released.
pub fn a_daily_limit_is_kept() {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let limiter = Arc::new(SpendLimiter::new(store));
    let limit = DailySpendLimit { key: "key_a".to_owned(), per_day: Millipence::new(CREDIT) };
    let spent = Arc::new(AtomicI64::new(0));
    let (own, own_limit, own_spent) = (limiter.clone(), limit.clone(), spent.clone());
    in_parallel(move |number| {
        let Ok(mut reservation) = own.reserve(&own_limit, Millipence::new(PRICE), NOW_MS) else { return };
        yield_now();
        if number % 2 == 0 {
            return;
        }
        // The call costs half of its reservation.
        reservation.reduce_to(Millipence::new(PRICE / 2));
        reservation.commit();
        own_spent.fetch_add(PRICE / 2, Ordering::SeqCst);
    });
    let spent = spent.load(Ordering::SeqCst);
    assert!(spent <= CREDIT, "{spent}");
    let rest = Millipence::new(CREDIT - spent);
    let last = limiter.reserve(&limit, rest, NOW_MS).expect("the reservation of a failed call must be released");
    assert!(limiter.reserve(&limit, Millipence::new(1), NOW_MS).is_err(), "more than the limit");
    drop(last);
}

/// A rate-limit window admits exactly its limit of calls, even when they are concurrent.
pub fn a_window_admits_its_limit() {
    let limiter = Arc::new(RateLimiter::new());
    let limits = RateLimits { per_minute: 3, per_hour: 5 };
    let passed = Arc::new(AtomicUsize::new(0));
    let (own, own_passed) = (limiter.clone(), passed.clone());
    in_parallel(move |number| {
        for _ in 0..2 {
            if own.try_acquire(RateLimitKey::V4(1), limits, NOW_MS).is_allowed() {
                own_passed.fetch_add(1, Ordering::SeqCst);
            }
        }
        assert!(own.try_acquire(RateLimitKey::V4(100 + u32::from(number)), limits, NOW_MS).is_allowed());
    });
    assert_eq!(passed.load(Ordering::SeqCst), 3);
    assert_eq!(limiter.status(RateLimitKey::V4(1), limits, NOW_MS).remaining_minute, 0);
}

/// The calls of one caller cost a plugin's owner at most the daily limit.
pub fn owner_losses_stay_bounded() {
    let losses = Arc::new(OwnerLosses::default());
    let part = Millipence::new(NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE / 3);
    let caller = FairShare::single("acct_c").tenant;
    let paid = Arc::new(AtomicI64::new(0));
    let (own, own_caller, own_paid) = (losses.clone(), caller.clone(), paid.clone());
    in_parallel(move |number| {
        let Some(reservation) = own.reserve("acct_o", &own_caller, part, NOW_MS) else { return };
        yield_now();
        if number > 1 {
            reservation.commit();
            own_paid.fetch_add(part.get(), Ordering::SeqCst);
        }
    });
    let paid = paid.load(Ordering::SeqCst);
    assert!(paid <= NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE, "{paid}");
    let rest = Millipence::new(NESTED_LOSS_PER_CALLER_PER_DAY_MILLIPENCE - paid);
    assert!(losses.reserve("acct_o", &caller, rest, NOW_MS).is_some(), "a released amount is still reserved");
}

/// `InFlight` lets only one thread at a time hold an idempotency key, and at the end no
/// key is held.
pub fn a_flight_has_one_holder() {
    let flights = InFlight::<&str>::default();
    let inside = Arc::new(AtomicUsize::new(0));
    let (own, own_inside) = (flights.clone(), inside.clone());
    in_parallel(move |number| {
        let keys = if number % 2 == 0 { vec!["a", "b"] } else { vec!["b", "c"] };
        let Some(guard) = own.begin_all(keys) else { return };
        assert_eq!(own_inside.fetch_add(1, Ordering::SeqCst), 0, "two hold one key");
        yield_now();
        own_inside.fetch_sub(1, Ordering::SeqCst);
        drop(guard);
    });
    assert!(["a", "b", "c"].iter().all(|key| !flights.contains(key)));
}

/// Plugins that load the same text concurrently share one table.
pub fn a_text_is_one_table() {
    let cache = Arc::new(TableCache::default());
    let about = r##"#{"version":"1","as_of":"2026-01-01","licence":"CC0-1.0","source":"by hand"}"##;
    let text = format!("{about}\na\t1\n").into_bytes();
    let one = cache.add(text.clone()).unwrap();
    let (own, own_text) = (cache.clone(), text);
    in_parallel(move |_| {
        let (first, second) = (own.add(own_text.clone()).unwrap(), own.add(own_text.clone()).unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(own.usage().0, 1);
    });
    assert_eq!(cache.usage(), (1, one.bytes() as u64));
    drop(one);
    assert_eq!(cache.usage(), (0, 0));
}
