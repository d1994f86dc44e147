//! Tests of subscriptions, and of the deletion of old events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use tollbridge_core::config::Sources;
use tollbridge_core::egress::Egress;
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::events;
use tollbridge_ledger::events::OPERATOR;
use tollbridge_ledger::{Chain, Earnings, Entry, Payer, Route, TestCredit};
use tollbridge_store::{Change, Db, Expect, OutboxPosition, Store, Writer};
use tollbridge_store::{OutboxListener, OutboxRow, RedbStore};

use super::endpoint::WebhookEndpoint;
use super::*;
use crate::delivery_worker::{DeliveryContext, attempt_places};
use crate::limits::{OUTBOX_KEPT_MS, OUTBOX_ROWS_PER_ACCOUNT_MAX};

const NOW: u64 = 1_780_000_000_000;

struct Bench {
    context: Arc<DeliveryContext>,
    endpoint_index: Arc<EndpointIndex>,
}

fn bench(clock: fn() -> u64) -> Bench {
    let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
    let endpoint_index = Arc::new(EndpointIndex::default());
    let writer =
        Writer::start(store.clone(), Box::new(Chain::new()), Some(endpoint_index.clone()), |why| panic!("{why}"));
    let writer = Arc::new(writer.unwrap());
    let settings = Sources::default().load().unwrap().config.webhooks;
    let context = DeliveryContext {
        egress: Egress::new(Vec::new()).unwrap(),
        db: Db::new(store, writer),
        endpoint_rows: Arc::new(EndpointRows::new(&SecretBytes::new([5; 32])).unwrap()),
        endpoint_index: endpoint_index.clone(),
        signature_header: settings.signature_header,
        retries: settings.retries,
        clock,
        healthy: attempt_places(),
        failing: attempt_places(),
        lag_ms: AtomicU64::default(),
        ending: AtomicBool::default(),
    };
    Bench { context: Arc::new(context), endpoint_index }
}

fn endpoint(account: &str, id: &str, subscribed: &[&str]) -> WebhookEndpoint {
    WebhookEndpoint {
        id: id.to_owned(),
        account: account.to_owned(),
        url: "https://example.com/hook".to_owned(),
        events: subscribed.iter().map(|name| (*name).to_owned()).collect(),
        secrets: Vec::new(),
        created_ms: NOW,
        after: None,
        disabled: None,
    }
}

impl Bench {
    async fn keep(&self, endpoint: &WebhookEndpoint, progress: &DeliveryProgress) {
        let puts =
            vec![self.context.endpoint_rows.put(endpoint, Expect::Any).unwrap(), progress.put(&endpoint.id).unwrap()];
        self.context.db.submit(Change { puts, ..Change::default() }).await.unwrap();
        self.endpoint_index.add(endpoint);
    }

    async fn publish_event(&self, account: &str, time_ms: u64) -> Option<u64> {
        let events =
            events::announce(self.context.db.writer(), vec![events::webhook_test(account, time_ms)]).await.unwrap();
        events.and_then(|receipt| receipt.sealed).map(|(seq, _)| seq)
    }

    fn rows(&self, account: &str) -> usize {
        self.context.db.outbox(account, None, usize::MAX).unwrap().len()
    }
}

#[tokio::test]
async fn events_without_listeners_are_not_written() {
    let bench = bench(|| NOW);
    assert_eq!(bench.publish_event("a", NOW).await, None);
    let mut hook = endpoint("a", "wh_1", &["earn.completed"]);
    bench.keep(&hook, &DeliveryProgress::default()).await;
    for (account, event, expect) in [
        ("a", events::EARN_COMPLETED, true),
        ("a", events::WEBHOOK_TEST, true),
        ("a", events::BILLING_SPLIT, false),
        ("b", events::EARN_COMPLETED, false),
        (OPERATOR, events::EARN_COMPLETED, false),
    ] {
        assert_eq!(bench.endpoint_index.listens_to(account, event), expect, "{account} {event}");
    }
    assert!(bench.publish_event("a", NOW).await.is_some() && bench.publish_event("b", NOW).await.is_none());
    hook.disabled = Some("gone".to_owned());
    bench.endpoint_index.add(&hook);
    assert!(!bench.endpoint_index.listens_to("a", events::EARN_COMPLETED));
    bench.endpoint_index.remove(&hook.account, &hook.id);
    assert!(!bench.endpoint_index.listens_to("a", events::WEBHOOK_TEST));
    // After a restart, the index has the same endpoints and the same number of rows.
    hook.disabled = None;
    bench.keep(&hook, &DeliveryProgress::default()).await;
    let again = EndpointIndex::load(bench.context.db.store()).unwrap();
    assert!(again.listens_to("a", events::EARN_COMPLETED));
    assert_eq!(again.account("a").unwrap().rows(), bench.rows("a") as u64);
}

#[tokio::test]
async fn an_endpoint_too_far_behind_is_excluded_until_it_catches_up() {
    let bench = bench(|| NOW);
    bench.keep(&endpoint("a", "wh_1", &["*"]), &DeliveryProgress::default()).await;
    let account = bench.endpoint_index.account("a").unwrap();
    bench.endpoint_index.written("a", usize::try_from(OUTBOX_ROWS_PER_ACCOUNT_MAX).unwrap());
    assert!(!bench.endpoint_index.listens_to("a", events::BILLING_SPLIT));
    assert_eq!(account.missed(), 1);
    account.forgotten(1);
    assert!(bench.endpoint_index.listens_to("a", events::BILLING_SPLIT));
    assert_eq!(account.missed(), 1);
}

#[tokio::test]
async fn only_what_was_served_and_is_old_is_forgotten() {
    let bench = bench(|| NOW + OUTBOX_KEPT_MS);
    let hook = endpoint("a", "wh_1", &["*"]);
    bench.keep(&hook, &DeliveryProgress::default()).await;
    let mut places = Vec::new();
    for time_ms in [NOW - 2, NOW - 1, NOW - 1, NOW + 1] {
        places.push(bench.publish_event("a", time_ms).await.unwrap());
    }
    // No event was processed yet.
    janitor::clean_up(&bench.context).await.unwrap();
    assert_eq!(bench.rows("a"), 4);
    // All events were attempted, but the second one waits for a retry.
    let served = DeliveryProgress {
        cursor: Some(OutboxPosition { seq: places[3], index: u16::MAX }),
        ..DeliveryProgress::default()
    };
    let waiting = queue::PendingDelivery {
        place: OutboxPosition { seq: places[1], index: 0 },
        due_ms: NOW,
        tried: queue::AttemptHistory::default(),
    };
    let puts = vec![served.put("wh_1").unwrap(), waiting.put_waiting("wh_1").unwrap()];
    bench.context.db.submit(Change { puts, ..Change::default() }).await.unwrap();
    janitor::clean_up(&bench.context).await.unwrap();
    assert_eq!(bench.rows("a"), 3);
    let puts = vec![waiting.remove_waiting("wh_1")];
    bench.context.db.submit(Change { puts, ..Change::default() }).await.unwrap();
    janitor::clean_up(&bench.context).await.unwrap();
    // The newest event is recent enough to be kept for replay.
    assert_eq!(bench.rows("a"), 1);
    assert_eq!(bench.endpoint_index.account("a").unwrap().rows(), 1);
    // Without an endpoint, no event can be replayed.
    bench.endpoint_index.remove(&hook.account, &hook.id);
    janitor::clean_up(&bench.context).await.unwrap();
    assert_eq!(bench.rows("a"), 0);
}

#[test]
fn the_queue_reads_back_in_order() {
    let store = RedbStore::in_memory().unwrap();
    let at = |seq: u64, due_ms: u64| queue::PendingDelivery {
        place: OutboxPosition { seq, index: 3 },
        due_ms,
        tried: queue::AttemptHistory {
            attempts: 2,
            status: Some(500),
            error: Some("HTTP 500".to_owned()),
            dead_ms: None,
        },
    };
    let (late, soon) = (at(1, 900), at(70_000, 80));
    let puts = [&late, &soon].map(|one| one.put_waiting("wh_1").unwrap()).to_vec();
    store.commit(&[Change { puts, ..Change::default() }], &mut Chain::new()).unwrap();
    assert_eq!(queue::waiting(&store, "wh_1", 9).unwrap(), [soon, late]);
    assert_eq!(queue::waiting(&store, "wh_", 9).unwrap(), []);
    assert_eq!(queue::keys(&store, "wh_1", 9).unwrap().len(), 2);
}

/// Tests that the outbox stores no data for the event, and that the body to send is built
/// from the record.
#[tokio::test]
async fn the_split_of_a_call_is_read_from_its_record() {
    let bench = bench(|| NOW);
    bench.keep(&endpoint("dev", "wh_1", &["*"]), &DeliveryProgress::default()).await;
    let shares = SplitPolicy::new(800, 175, 25, 800).unwrap().split(Millipence::new(10_000));
    let call = Entry::Route(Route {
        plugin: "echo".to_owned(),
        plugin_kind: PluginKind::Agent,
        version: "1.0.0".to_owned(),
        component_sha256: [1; 32],
        payer: Payer::Account("caller".to_owned()),
        nested: Vec::new(),
        task: None,
        owner: "dev".to_owned(),
        earnings: Earnings::Pending,
        gross: shares.gross,
        inference: None,
        shares: shares.into(),
        policy: [9; 32],
        request_id: "req_1".to_owned(),
        salt: [2; 16],
        request_sha256: [3; 32],
        answer_sha256: [4; 32],
    });
    let grant = Entry::Grant(TestCredit { account: "caller".to_owned(), amount: shares.gross });
    for (tx, entry, outbox) in [
        (1, grant, Vec::new()),
        (2, call, vec![events::billing_split_of_call("dev", NOW), events::webhook_test("dev", NOW)]),
    ] {
        let record = Some(entry.draft([tx; 32], NOW).unwrap());
        bench.context.db.submit(Change { record, outbox, ..Change::default() }).await.unwrap();
    }
    let store = bench.context.db.store();
    let rows = store.outbox("dev", None, 9).unwrap();
    let sent: Vec<_> = rows.iter().map(|row| events::complete(store, row.clone()).unwrap()).collect();
    let events = events::billing_split("dev", "agent/echo", &shares.into(), &[9; 32], NOW);
    assert!(rows[0].data.is_empty() && !events.data.is_empty());
    assert_eq!(sent, [OutboxRow { data: events.data, ..rows[0].clone() }, rows[1].clone()]);
    // An event whose record lacks the data causes an error, not an empty event.
    let stray = OutboxRow { place: OutboxPosition { seq: 0, index: 0 }, ..rows[0].clone() };
    assert!(events::complete(store, stray).is_err());
}

#[tokio::test]
async fn abandoned_deliveries_are_replayed_from_a_given_time() {
    let bench = bench(|| NOW);
    let mut hook = endpoint("a", "wh_1", &["*"]);
    // Disable the endpoint, so that nothing is sent in the meantime.
    hook.disabled = Some("gone".to_owned());
    bench.keep(&hook, &DeliveryProgress { dead: 3, ..DeliveryProgress::default() }).await;
    let dead = |seq: u64, dead_ms: u64| {
        let tried = queue::AttemptHistory { attempts: 3, dead_ms: Some(dead_ms), ..queue::AttemptHistory::default() };
        let place = OutboxPosition { seq, index: 0 };
        queue::PendingDelivery { place, due_ms: dead_ms, tried }.put_dead("wh_1").unwrap()
    };
    let puts = vec![dead(1, NOW - 5), dead(2, NOW - 1), dead(3, NOW)];
    bench.context.db.submit(Change { puts, ..Change::default() }).await.unwrap();
    let webhooks = Webhooks::idle(
        bench.context.db.clone(),
        bench.context.endpoint_rows.clone(),
        bench.endpoint_index.clone(),
        &Sources::default().load().unwrap().config.webhooks,
        || NOW,
        tokio::runtime::Handle::current(),
        Egress::new(Vec::new()).unwrap(),
    );
    webhooks.begin().unwrap();
    assert_eq!((webhooks.owner_of("wh_1").as_deref(), webhooks.owner_of("wh_2")), (Some("a"), None));
    assert_eq!(webhooks.replay("a", "wh_1", &Replay::DeadSince(NOW + 1)).await.unwrap(), 0);
    assert_eq!(webhooks.replay("a", "wh_1", &Replay::DeadSince(NOW - 1)).await.unwrap(), 2);
    let view = webhooks.all().await.remove(0);
    assert_eq!((view.progress.dead, view.progress.waiting), (1, 2));
    let left = queue::dead(bench.context.db.store(), "wh_1", None, 10).unwrap();
    assert_eq!(left.iter().map(|one| one.place.seq).collect::<Vec<_>>(), [1]);
}
