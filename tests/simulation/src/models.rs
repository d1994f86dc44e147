//! Model requests that wallets pay by `upto`: the gateway's steps from the signature to
//! the payer's answer, with a scripted model instead of a provider.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::time::Instant;
use tollbridge_core::finish::Finish;
use tollbridge_core::in_flight::{InFlight, InFlightGuard};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::InferenceCharge;
use tollbridge_ledger::idempotency::{IdempotencyError, IdempotencyKey, RequestIdentity, replay};
use tollbridge_payment::{PaymentError, QuoteTerms, UptoCall, UptoHold, UptoSale};
use tollbridge_store::{Collection, Hash};

use crate::book::{ModelRequestNote, PermitNote, Reported};
use crate::clock::{DAY_MS, now_ms};
use crate::host::Host;
use crate::ledger_reader::LedgerReader;
use crate::wallets::RISK;
use crate::world::World;

const ROUTE: &str = "POST /v1/chat/completions";
/// Time for which the auditor counts an unpaid cost as at risk. It is slightly less than
/// a day: the simulated clock is sometimes set back, so the host's day may end earlier or
/// later than the auditor's.
const COUNTED_MS: u64 = DAY_MS - 3_600_000;

/// The model requests made to one host process.
#[derive(Default)]
pub(crate) struct Models {
    in_flight: InFlight<Hash>,
    runs: Mutex<Vec<Run>>,
}

/// One request to the model.
struct Run {
    handle: String,
    payer: String,
    /// The maximum cost while the model runs, then the actual cost; 0 if the model
    /// failed.
    cost: i64,
    has_answered: bool,
    began_ms: u64,
}

/// Returns the maximum cost of the request with a given number.
pub(crate) fn worst_of(n: u64) -> Millipence {
    Millipence::new(10_000 + (n % 97).cast_signed() * 1_000)
}

/// Returns the model's answer to the request with a given number.
pub(crate) fn answer_to(n: u64) -> Vec<u8> {
    json!({ "choices": [{ "twice": 2 * n }] }).to_string().into_bytes()
}

/// Unpaid answers of this process: their payers, and the total amount at risk.
struct Unpaid {
    payers: Vec<String>,
    at_risk: i64,
}

impl Models {
    fn unpaid(&self, ledger: &LedgerReader) -> Unpaid {
        let runs = self.runs.lock().unwrap();
        let counts =
            |run: &&Run| !run.has_answered || (!is_booked(ledger, &run.handle) && run.began_ms + COUNTED_MS > now_ms());
        let payers = runs.iter().filter(|run| run.has_answered).filter(counts).map(|run| run.payer.clone());
        Unpaid { payers: payers.collect(), at_risk: runs.iter().filter(counts).map(|run| run.cost).sum() }
    }

    fn begin(&self, run: Run) -> usize {
        let mut runs = self.runs.lock().unwrap();
        runs.push(run);
        runs.len() - 1
    }

    fn end(&self, run: usize, cost: i64) {
        let run = &mut self.runs.lock().unwrap()[run];
        (run.has_answered, run.cost) = (cost > 0, cost);
    }
}

fn is_booked(ledger: &LedgerReader, handle: &str) -> bool {
    ledger.of_kind("inference").any(|line| line.body["wallet"]["intent"] == handle)
}

/// Repeats a request that a wallet has signed for; sometimes sends two repeats at once.
pub(crate) async fn ask_again(host: &Arc<Host>, permit: usize) {
    let world = &host.world;
    let asked = {
        let book = world.book.lock().unwrap();
        book.asks.iter().filter(|note| note.permit == permit).map(|note| note.n).min().unwrap_or(0)
    };
    let key = world.chance.percent(15).then(|| format!("key_{}", world.chance.below(1_000)));
    let n = if world.chance.percent(20) { asked + 1_000 } else { asked };
    let at_once = if world.chance.percent(20) { 6 } else { 1 };
    let asks = (0..at_once).map(|_| ask(host, permit, n, key.clone()));
    futures_util::future::join_all(asks).await;
}

/// Signs for the maximum cost of a model request and sends the request; some clients then
/// repeat it.
pub(crate) async fn buy_answer(host: &Arc<Host>, who: usize) {
    let world = &host.world;
    let n = world.chance.below(1_000);
    let Some(permit) = crate::permits::sign(host, who, worst_of(n)) else {
        return world.log.note("no model is offered by upto");
    };
    let at_once = if world.chance.percent(20) { 5 } else { 1 };
    futures_util::future::join_all((0..at_once).map(|_| ask(host, permit, n, None))).await;
    for _ in 0..world.chance.below(3) {
        tokio::time::sleep(world.chance.millis(0, 30_000)).await;
        ask_again(host, permit).await;
    }
}

/// Sends one request and notes its outcome.
async fn ask(host: &Arc<Host>, permit: usize, n: u64, key: Option<String>) {
    let world = &host.world;
    let (at, note, signed) = {
        let book = &mut *world.book.lock().unwrap();
        let request = format!("req_{}", book.next());
        let note = ModelRequestNote { request, permit, n, key, reported: Reported::Unknown };
        book.asks.push(note.clone());
        (book.asks.len() - 1, note, book.permits[permit].clone())
    };
    let hangs_up = !world.is_calm() && world.chance.percent(10);
    let patience = if hangs_up { world.chance.millis(0, 4_000) } else { Duration::from_secs(3_600) };
    let reported = match tokio::time::timeout(patience, answer(host, &signed, &note)).await {
        Ok(reported) => reported.unwrap_or_else(|reported| reported),
        Err(_) => Reported::Unknown,
    };
    let shown = match &reported {
        Reported::Answered { seal, .. } => format!("answered, {}", &seal[..8]),
        other => format!("{other:?}"),
    };
    world.log.note(format!("{} of {}: {shown}", note.request, signed.handle));
    let book = &mut *world.book.lock().unwrap();
    if let Reported::Answered { seal, .. } = &reported {
        book.seals.push(seal.clone());
    }
    book.asks[at].reported = reported;
}

/// Runs the gateway's steps for a request, in order.
async fn answer(host: &Arc<Host>, signed: &PermitNote, note: &ModelRequestNote) -> Result<Reported, Reported> {
    host.catch_up(false).await;
    let came_ms = now_ms();
    let read = host.payments.wallet_payments.read(&signed.payment, came_ms).map_err(|_| Reported::Unknown)?;
    let payment = Arc::new(read.map_err(|declined| Reported::Refused(declined.to_string()))?);
    let product = QuoteTerms::product_name(UptoCall::PRODUCT);
    let is_for_models = payment.check_use(&product, None);
    is_for_models.map_err(|declined| Reported::Refused(declined.to_string()))?;
    let call = UptoCall::new(host.payment_service.wallet.clone(), payment.clone()).unwrap();
    let (key, body) = (note.key.clone().unwrap_or_else(|| payment.repeat_key()), json!({ "n": note.n }).to_string());
    let key = IdempotencyKey::parse(&key).unwrap();
    let identity = RequestIdentity::of_inference(&payment.tenant(), ROUTE, Some(key), body.as_bytes()).unwrap();
    if let Some(reported) = replayed(host, &identity)? {
        return Ok(reported);
    }
    let in_flight = host.models.in_flight.begin(identity.tx);
    let in_flight = in_flight.ok_or_else(|| Reported::Refused("the request is in progress".to_owned()))?;
    if call.resume(came_ms).await.map_err(reported_error)?
        && let Some(reported) = replayed(host, &identity)?
    {
        return Ok(reported);
    }
    let worst = worst_of(note.n);
    if worst > call.most() {
        return Err(Reported::Refused(format!(
            "the signature allows {}, but the request may cost {worst}",
            call.most()
        )));
    }
    let before = host.models.unpaid(&LedgerReader::read(host.db.store()));
    let hold = call.admit(worst, came_ms).await.map_err(reported_error)?;
    must_be_within_risk(host, signed, &before, worst);
    let run = Run {
        handle: signed.handle.clone(),
        payer: signed.payer.clone(),
        cost: worst.get(),
        has_answered: false,
        began_ms: came_ms,
    };
    let open = Open { hold, run: host.models.begin(run), identity, note: note.clone(), payer: signed.payer.clone() };
    // The request is finished and settled even if the client hangs up.
    Finish::new(answer_open(host.clone(), open, in_flight)).await
}

/// Checks, before the model is called, that the request was not answered yet, that its
/// wallet has no unpaid answer, and that the unpaid total stays within the limit.
fn must_be_within_risk(host: &Host, signed: &PermitNote, before: &Unpaid, worst: Millipence) {
    let ledger = LedgerReader::read(host.db.store());
    let now = host.models.unpaid(&ledger).at_risk + worst.get();
    let row = host.db.get(Collection::Settlements, &format!("open/{}", signed.handle)).unwrap();
    let mut wrong = Vec::new();
    if row.is_some() || is_booked(&ledger, &signed.handle) {
        wrong.push(format!("{}: a model is asked again for an answered request", signed.handle));
    }
    if before.payers.contains(&signed.payer) {
        wrong.push(format!("{}: {} has another unpaid answer", signed.handle, signed.payer));
    }
    if now > RISK.get() {
        wrong.push(format!("{}: {now} millipence are at risk, but the limit is {}", signed.handle, RISK.get()));
    }
    host.world.book.lock().unwrap().wrong.extend(wrong);
}

/// A request that has been accepted and that the model will answer.
struct Open {
    hold: UptoHold,
    run: usize,
    identity: RequestIdentity,
    note: ModelRequestNote,
    payer: String,
}

async fn answer_open(host: Arc<Host>, open: Open, _in_flight: InFlightGuard<Hash>) -> Result<Reported, Reported> {
    let Open { hold, run, identity, note, payer } = open;
    let left = hold.answer_by().unwrap().saturating_duration_since(Instant::now());
    // `left` is measured by the real clock, so round it to whole seconds to keep the run
    // reproducible.
    let left = Duration::from_secs((left + Duration::from_millis(500)).as_secs());
    let model = run_model(&host.world, hold.worst());
    let Ok(Some(cost)) = tokio::time::timeout(left, model).await else {
        host.models.end(run, 0);
        return Err(Reported::Refused("the provider has no answer".to_owned()));
    };
    host.models.end(run, cost.get());
    let (answered_ms, body) = (now_ms(), Bytes::from(answer_to(note.n)));
    let charge = InferenceCharge {
        account: payer,
        amount: cost,
        cached_tokens: 0,
        estimated: false,
        input_tokens: 9,
        model: "sim".to_owned(),
        output_tokens: 3,
        provider: "sim".to_owned(),
        request_id: note.request,
        wallet: None,
    };
    let kept = identity.stored_answer(None, "application/json", Bytes::new(), answered_ms);
    let sale = UptoSale { tx: identity.tx, charge, answer: kept, body: body.clone() };
    let change = hold.settle(sale, answered_ms).await.map_err(reported_error)?;
    let sealed = host.notary.seal(change, body).await.map_err(|_| Reported::Unknown)?;
    hold.paid(cost);
    Ok(Reported::Answered { seal: hex::encode(sealed.seal()), body: sealed.into_body().into() })
}

/// Runs the model and returns the cost of its answer; `None` if the model fails.
async fn run_model(world: &World, worst: Millipence) -> Option<Millipence> {
    let time =
        if world.chance.percent(8) { world.chance.millis(4_000, 150_000) } else { world.chance.millis(1, 4_000) };
    tokio::time::sleep(time).await;
    if !world.is_calm() && world.chance.percent(12) {
        return None;
    }
    let most = worst.get().unsigned_abs();
    let cost = match world.chance.below(8) {
        0 => most,
        1 => 1 + world.chance.below(3),
        _ => 1 + world.chance.below(most),
    };
    Some(Millipence::new(cost.cast_signed()))
}

fn replayed(host: &Host, identity: &RequestIdentity) -> Result<Option<Reported>, Reported> {
    match replay(host.db.store(), &host.notary, identity) {
        Ok(found) => {
            Ok(found.map(|answer| Reported::Answered { seal: hex::encode(answer.seal), body: answer.body.into() }))
        }
        Err(why @ (IdempotencyError::KeyReused | IdempotencyError::AlreadySealed)) => {
            Err(Reported::Refused(why.to_string()))
        }
        Err(_) => Err(Reported::Unknown),
    }
}

/// Classifies an error: it counts as a refusal only if it means that nothing was paid.
fn reported_error(error: PaymentError) -> Reported {
    match error {
        PaymentError::Declined(why) => Reported::Refused(why.to_string()),
        PaymentError::FundsInUse => Reported::Refused(error.to_string()),
        _ => Reported::Unknown,
    }
}
