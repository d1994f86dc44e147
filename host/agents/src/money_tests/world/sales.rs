//! Steps that make calls, immediate and queued, with nested calls.

use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::plugin_kind::PluginKind;

use super::*;

impl World {
    /// Seals a call; fails if a payer's credit does not cover the call.
    pub(in super::super) fn sell(&self, draw: &PaymentAuthorization, puts: Vec<Put>) -> Result<(), SubmitError> {
        let (owner, inference, mut nested) = self.nested_calls(draw.amount);
        let shares = split_tree(&self.split, (draw.amount, inference), &mut nested).unwrap();
        let entry = Entry::Route(Route {
            plugin: BRIDGE.to_owned(),
            plugin_kind: PluginKind::Bridge,
            version: "1.0.0".to_owned(),
            component_sha256: [1; 32],
            payer: draw.payer.clone(),
            owner,
            earnings: Earnings::Pending,
            gross: draw.amount,
            inference,
            nested,
            task: None,
            shares,
            policy: self.policy,
            request_id: "req_1".to_owned(),
            salt: [2; 16],
            request_sha256: salted(&[2; 16], b"{}"),
            answer_sha256: salted(&[2; 16], b"{}"),
        });
        let record = Some(entry.draft(random_tx().unwrap(), self.now_ms).unwrap());
        self.writer.submit_blocking(Change { puts, record, ..Change::default() }).map(drop)
    }

    /// Returns the owner of the called plugin, the cost of models, and the nested calls.
    /// There are four cases: no nested call, a cheap one, one that costs more than the
    /// call itself, and one that makes a further nested call.
    fn nested_calls(&self, gross: Millipence) -> (String, Option<Millipence>, Vec<Nested>) {
        let of = |percent: i64| Millipence::new(gross.get() * percent / 100);
        let zero = Millipence::ZERO;
        let call = |owner: &str, parent, percent| Nested {
            failed: false,
            component_sha256: [1; 32],
            gross: of(percent),
            inference: None,
            owner: owner.to_owned(),
            parent,
            plugin: "below".to_owned(),
            plugin_kind: PluginKind::Bridge,
            shares: RecordedShares { developer: zero, platform: zero, treasury: zero },
            version: "1.0.0".to_owned(),
        };
        let owner = self.owner.clone();
        match if self.nesting { self.now_ms / 20_000 % 4 } else { 0 } {
            1 => (owner, None, vec![call("acct_below", 0, 40)]),
            2 => (self.buyer.clone(), None, vec![call("acct_below", 0, 150)]),
            3 => (owner, Some(of(5)), vec![call("acct_below", 0, 60), call("acct_third", 1, 30)]),
            _ => (owner, None, Vec::new()),
        }
    }

    /// Returns the ids of the open tasks.
    pub(in super::super) fn tasks(&self) -> Vec<String> {
        self.store.list(Collection::OpenTasks, "", 1_000).unwrap().into_iter().map(|(id, _)| id).collect()
    }

    pub(super) fn queue(&mut self, crash_after: Option<usize>) {
        let services = self.services.clone();
        let Ok(draw) = services.payments.authorizer.authorize_credit(&self.buyer, PRICE) else { return };
        let call = Call {
            request_id: "req_1".to_owned(),
            now_ms: self.now_ms,
            account: Some(self.buyer.clone()),
            share: FairShare::single(self.buyer.as_str()),
            kind: PluginKind::Agent,
            name: "helper".to_owned(),
            route: "POST /v1/agents/enqueue helper".to_owned(),
            body: bytes::Bytes::from_static(b"{}"),
            source: PaymentSource::Credit,
            idempotency_key: None,
            queued: None,
            spend: None,
            max_cost: None,
        };
        let identity = call.identity().unwrap();
        self.run(
            crash_after,
            async move { services.agents.insert_queued(&call, identity, (PRICE, draw)).await.is_ok() },
        );
    }

    /// Answers a task: one change writes the record of the answer and ends the task.
    pub(super) fn answer(&mut self, which: usize) {
        let Some(task) = pick(&self.tasks(), which) else { return };
        let Ok(draw) = self.services.payments.authorizer.authorize_task(&self.buyer, &task, PRICE) else { return };
        let before = self.store.get(Collection::Tasks, &task).unwrap().unwrap();
        let mut row: serde_json::Value = serde_json::from_slice(&before).unwrap();
        row["state"] = "completed".into();
        let put = |collection, value, expect| Put { collection, key: task.clone(), value, expect };
        let puts = vec![
            put(Collection::Tasks, Some(serde_json::to_vec(&row).unwrap()), Expect::Exactly(before)),
            put(Collection::OpenTasks, None, Expect::Any),
        ];
        if self.sell(&draw, puts).is_ok() {
            // Rebuilds the in-memory queue, as a restart does.
            self.crash();
        }
    }

    /// Returns the ids of the open tasks, oldest first.
    pub(in super::super) fn tasks_by_age(&self) -> Vec<String> {
        let age = |task: &String| {
            let row = self.store.get(Collection::Tasks, task).unwrap().unwrap();
            serde_json::from_slice::<serde_json::Value>(&row).unwrap()["created_ms"].as_u64()
        };
        let mut tasks = self.tasks();
        tasks.sort_by_key(age);
        tasks
    }
}

/// Opens the agent service over the data on disk. Its catalog has no agents.
pub(super) fn queue(
    payment_service: PaymentService,
    (store, writer): (&Arc<RedbStore>, &Arc<Writer>),
    notary: &Arc<Notary>,
    tasks: Option<&Arc<dyn TaskReservations>>,
) -> Arc<AgentService> {
    let (store, writer): (Arc<dyn Store>, _) = (store.clone(), writer.clone());
    let folder = tempfile::tempdir().unwrap();
    let keys = Arc::new(Keyring::open(folder.path()).unwrap());
    let proofs = Arc::new(ProofIssuer::new(keys, notary.clone(), store.clone()));
    let checkout = |queue| {
        let payment_service = payment_service.with_tasks(tasks.map_or(queue, Arc::downgrade));
        let (catalog, services) = (Arc::new(Catalog::default()), Services::none());
        let (service, notary) = (Arc::new(payment_service), notary.clone());
        Arc::new(Checkout::new(catalog, service, Db::new(store, writer.clone()), notary, services, 1))
    };
    let agents = AgentService::new(proofs, || START_MS, checkout);
    // Wait for the writer: writes that were submitted before a crash are now either on
    // disk or lost.
    writer.submit_blocking(Change::default()).unwrap();
    agents.attempts.recover().unwrap();
    agents
}
