//! Test setup for batches: an in-memory store, and a provider that answers every request
//! with the same word.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tollbridge_core::config::Sources;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_gateway::{BilledCaller, Gateway, GatewayDeps, GatewayError};
use tollbridge_ledger::{Chain, Entry, Ledger, Mode, Notary, Policy, TestCredit};
use tollbridge_payment::{CallPayments, PaymentRails, QuotePolicy, QuoteSigner};
use tollbridge_store::{Change, Db, RedbStore, Store, Writer};

use super::batch::{Batch, BatchCounts, BatchStatus, BatchTimes, RequestMark};
use super::endpoint::BatchEndpoint;
use super::host::{BatchHost, LineCaller, LineRefusal};
use super::service::Batches;

pub(super) const NOW: u64 = 1_780_000_000_000;

/// Returns a time that starts at `NOW` and advances with the real clock.
pub(super) fn passing_time() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    NOW + u64::try_from(START.get_or_init(Instant::now).elapsed().as_millis()).unwrap()
}

/// Returns a new batch.
pub(super) fn batch(endpoint: BatchEndpoint) -> Batch {
    Batch {
        id: "batch_0123".to_owned(),
        endpoint,
        input_file_id: "file-in".to_owned(),
        status: BatchStatus::Validating,
        errors: Vec::new(),
        output_file_id: None,
        error_file_id: None,
        created_ms: NOW,
        times: BatchTimes::default(),
        counts: BatchCounts::default(),
        metadata: BTreeMap::new(),
        key: String::new(),
        output: "file-out".to_owned(),
        refused: "file-err".to_owned(),
        results_kept_ms: 86_400_000,
        rest: None,
        request: RequestMark::default(),
    }
}

/// Returns a batch line with a chat request.
pub(super) fn line(custom_id: &str) -> String {
    let body = json!({"model": "small", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]});
    let line = json!({"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body});
    format!("{line}\n")
}

/// A data folder with one account that has credit, and a provider.
pub(super) struct World {
    pub(super) db: Db,
    pub(super) provider: Provider,
    notary: Arc<Notary>,
    store: Arc<dyn Store>,
}

impl World {
    pub(super) async fn start(account: &str, credit: i64) -> Self {
        let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
        let db = Db::new(store.clone(), Arc::new(writer));
        let ledger = Ledger::open(store.clone(), &[7; 32], "toll.example").unwrap();
        let split = Sources::default().load().unwrap().config.split;
        let policy = Policy { mode: Mode::Sandbox, display_name: "Test".to_owned(), split };
        let opening = db.clone();
        let open = move || Notary::open(ledger, opening, Path::new("/nonexistent/checkpoints"), policy, NOW).unwrap();
        let notary = Arc::new(tokio::task::spawn_blocking(open).await.unwrap());
        if credit > 0 {
            let grant = Entry::Grant(TestCredit { account: account.to_owned(), amount: Millipence::new(credit) });
            let record = Some(grant.draft([9; 32], NOW).unwrap());
            db.submit(Change { record, ..Change::default() }).await.unwrap();
        }
        Self { db, provider: Provider::start().await, notary, store }
    }

    /// Opens the batches as the server does at its start.
    pub(super) fn batches(&self) -> Arc<Batches> {
        self.batches_at(|| NOW)
    }

    pub(super) fn batches_at(&self, now_ms: fn() -> u64) -> Arc<Batches> {
        let file = format!(
            "[inference]\nusd_gbp = 1\n[inference.providers.fake]\nkind = \"openai\"\nbase_url = \"{}\"\n\
             models = [{{ id = \"small\", input_usd_per_mtok = 1000, output_usd_per_mtok = 2000, context = 10000, max_output = 40 }}]\n",
            self.provider.url
        );
        let sources = Sources { file: Some(("t.toml".to_owned(), file)), ..Sources::default() };
        let quoting = QuotePolicy { ttl_s: 900, minimum_charge: Millipence::new(1) };
        let signer = QuoteSigner::new(tollbridge_core::vault::SecretBytes::new([5; 32]));
        let payments = Arc::new(CallPayments::new(signer, self.store.clone(), quoting, PaymentRails::default()));
        let deps = GatewayDeps { payments, notary: self.notary.clone(), db: self.db.clone() };
        let gateway = Gateway::new(sources.load().unwrap().config.inference, deps, &|_| None).unwrap();
        Batches::new(Arc::new(gateway), self.db.clone(), Arc::new(Host), now_ms)
    }
}

/// A batch host whose API keys are the names of accounts.
struct Host;

impl BatchHost for Host {
    fn caller(&self, key: &str, _: BatchEndpoint, _: u64) -> Result<LineCaller, LineRefusal> {
        let billed = BilledCaller { account: key.to_owned(), key: "key_a".to_owned(), spend: None, upto: None };
        Ok(LineCaller { billed, share: FairShare::single(key) })
    }

    fn check(&self, _: &[u8], _: BatchEndpoint) -> Result<(), LineRefusal> {
        Ok(())
    }

    fn refusal(&self, error: GatewayError, _: BatchEndpoint) -> LineRefusal {
        let status = if matches!(error, GatewayError::InsufficientCredit { .. }) { 402 } else { 400 };
        LineRefusal { status, body: json!({"error": {"message": error.to_string()}}) }
    }
}

/// A fake provider that answers every request.
pub(super) struct Provider {
    pub(super) url: String,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    open: AtomicU64,
    most: AtomicU64,
    slow_ms: AtomicU64,
}

impl Provider {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let counts = Arc::new(Counts::default());
        let shared = counts.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Self { url, counts }
    }

    pub(super) fn slow(&self, time: Duration) {
        self.counts.slow_ms.store(time.as_millis().try_into().unwrap(), Ordering::SeqCst);
    }

    /// Returns the number of requests received.
    pub(super) fn requests(&self) -> u64 {
        self.counts.requests.load(Ordering::SeqCst)
    }

    /// Returns the maximum number of requests that were open at once.
    pub(super) fn at_once(&self) -> u64 {
        self.counts.most.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, counts: Arc<Counts>) -> Option<()> {
    let answer = json!({"id": "x", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}})
    .to_string();
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        while buffer.len() < end + length.unwrap_or(0) {
            if stream.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        }
        buffer.drain(..end + length.unwrap_or(0));
        counts.requests.fetch_add(1, Ordering::SeqCst);
        let open = counts.open.fetch_add(1, Ordering::SeqCst) + 1;
        counts.most.fetch_max(open, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(counts.slow_ms.load(Ordering::SeqCst))).await;
        counts.open.fetch_sub(1, Ordering::SeqCst);
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", answer.len());
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(answer.as_bytes()).await.ok()?;
    }
}
