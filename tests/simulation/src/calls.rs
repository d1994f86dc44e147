//! Calls of wares (plugins): making, repeating, abandoning and canceling them, and noting
//! the answers.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tollbridge_agents::{AgentError, Invocation, InvocationOutcome};
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::{Call, CallAnswer, CheckoutError, PaymentSource};
use tollbridge_x402::TransactionHash;

use crate::book::{CallMode, CallNote, Reported, SignedNote, Source};
use crate::clock::now_ms;
use crate::credentials;
use crate::host::Host;
use crate::operation::CallPlan;
use crate::plugins::WARES;
use crate::wallets::wallet;

/// Prefix of the idempotency keys that the host derives for requests with a payment but
/// without an idempotency key.
const BY_PAYMENT: &str = "payment_";

pub(crate) async fn call(host: &Arc<Host>, wish: CallPlan) {
    let (at, note) = {
        let book = &mut *host.world.book.lock().unwrap();
        let number = book.next();
        let note = CallNote {
            request: format!("req_{number}"),
            who: wish.who,
            ware: wish.ware,
            manner: wish.manner,
            source: wish.source.clone(),
            key: match &wish.source {
                Source::Wallet(at) if !wish.key => Some(format!("{BY_PAYMENT}of_wallet_{at}")),
                Source::Token(at) if !wish.key => Some(format!("{BY_PAYMENT}of_token_{at}")),
                _ => wish.key.then(|| format!("key_{number}")),
            },
            n: wish.n,
            other_body: false,
            reported: Reported::Unknown,
        };
        book.calls.push(note.clone());
        (book.calls.len() - 1, note)
    };
    send(host, at, note, wish.wait_ms).await;
}

/// Makes a call that a person's wallet pays: signs the offer for its price, then calls.
pub(crate) async fn call_by_wallet(host: &Arc<Host>, who: usize, ware: usize) {
    let world = &host.world;
    let sold_as = WARES[ware].sold_as();
    let (account, price) = {
        let book = world.book.lock().unwrap();
        (book.people[who].clone(), Millipence::new(WARES[ware].price))
    };
    let Ok(Some(offer)) = host.payments.wallet_offers.exact(&sold_as, price, Some(&account), now_ms()) else { return };
    let nonce = {
        let mut nonce = [0; 32];
        nonce[..8].copy_from_slice(&world.chance.below(u64::MAX).to_be_bytes());
        nonce
    };
    let payment = wallet(who).pay(&offer.requirements, nonce, now_ms() / 1000);
    let Ok(Ok(read)) = host.payments.wallet_payments.read(&payment, now_ms()) else { return };
    let at = {
        let book = &mut *world.book.lock().unwrap();
        let (handle, transaction) = (read.handle().to_owned(), TransactionHash::new(nonce).to_string());
        book.signed.push(SignedNote { payment, challenge: None, handle, transaction, ware });
        book.signed.len() - 1
    };
    let manner = if WARES[ware].kind == PluginKind::Bridge { CallMode::Call } else { CallMode::Invoke };
    let (source, n) = (Source::Wallet(at), world.chance.below(1_000));
    let wish = CallPlan { who, ware, manner, source, key: world.chance.percent(30), n, wait_ms: 30_000 };
    call_and_repeat(host, wish).await;
}

/// Makes a call; a caller that gets an unclear outcome repeats the call.
pub(crate) async fn call_and_repeat(host: &Arc<Host>, wish: CallPlan) {
    let (world, source) = (&host.world, wish.source.clone());
    call(host, wish).await;
    for _ in 0..world.chance.below(3) {
        tokio::time::sleep(world.chance.millis(0, 20_000)).await;
        let last = {
            let book = world.book.lock().unwrap();
            book.calls.iter().rposition(|note| note.source == source)
        };
        if let Some(last) = last {
            repeat(host, last, false).await;
        }
    }
}

/// Sends the request of an earlier call again. Without an idempotency key, the host
/// treats it as a new request.
pub(crate) async fn repeat(host: &Arc<Host>, call: usize, other_body: bool) {
    let (at, note) = {
        let book = &mut *host.world.book.lock().unwrap();
        let number = book.next();
        let first = book.calls[call].clone();
        let other_body = first.key.is_some() && (other_body || first.other_body);
        let n = if other_body { first.n + 1_000 } else { first.n };
        let note = CallNote { request: format!("req_{number}"), n, other_body, reported: Reported::Unknown, ..first };
        book.calls.push(note.clone());
        (book.calls.len() - 1, note)
    };
    send(host, at, note, 30_000).await;
}

async fn send(host: &Arc<Host>, at: usize, note: CallNote, wait_ms: u64) {
    let world = &host.world;
    let call = request(host, &note);
    let hangs_up = !world.is_calm() && world.chance.percent(8);
    let patience = if hangs_up { world.chance.millis(0, 400) } else { Duration::from_secs(3_600) };
    let reported = match tokio::time::timeout(patience, ask(host, &note, call, wait_ms)).await {
        Ok(reported) => reported,
        Err(_) => Reported::Unknown,
    };
    world.log.note(format!("{} {}: {}", note.request, WARES[note.ware].name, shown(&reported)));
    let book = &mut *world.book.lock().unwrap();
    if let Reported::Answered { seal, .. } = &reported {
        book.seals.push(seal.clone());
    }
    book.calls[at].reported = reported;
}

fn shown(reported: &Reported) -> String {
    match reported {
        Reported::Answered { seal, .. } => format!("answered, {}", &seal[..8]),
        other => format!("{other:?}"),
    }
}

/// Returns a request body that contains the number `n`.
pub(crate) fn body(kind: PluginKind, n: u64) -> Bytes {
    let body = match kind {
        PluginKind::Bridge => json!({ "n": n }),
        PluginKind::Agent => json!({ "task": "double it", "input": { "n": n } }),
    };
    Bytes::from(body.to_string())
}

fn request(host: &Host, note: &CallNote) -> Call {
    let book = host.world.book.lock().unwrap();
    let ware = WARES[note.ware];
    let body = body(ware.kind, note.n);
    let route = match (ware.kind, note.manner) {
        (PluginKind::Bridge, _) => format!("POST /v1/oracle/{}", ware.name),
        (PluginKind::Agent, CallMode::Queue) => format!("POST /v1/agents/{}/enqueue", ware.name),
        (PluginKind::Agent, _) => format!("POST /v1/agents/{}/invoke", ware.name),
    };
    Call {
        request_id: note.request.clone(),
        now_ms: now_ms(),
        account: Some(book.people[note.who].clone()),
        share: FairShare::single(book.people[note.who].as_str()),
        kind: ware.kind,
        name: ware.name.to_owned(),
        route,
        source: match note.source {
            Source::Credit => PaymentSource::Credit,
            Source::Intent(at) => PaymentSource::Intent(book.intents[at].id.clone()),
            Source::Wallet(at) => match &book.signed[at] {
                SignedNote { challenge: Some(challenge), payment, .. } => {
                    credentials::of_wallet(host, challenge, payment, &body)
                }
                SignedNote { payment, .. } => match host.payments.wallet_payments.read(payment, now_ms()).unwrap() {
                    Ok(payment) => PaymentSource::Wallet(Arc::new(payment)),
                    Err(declined) => PaymentSource::UnusableWallet(declined),
                },
            },
            Source::Token(at) => credentials::of_token(host, &book.tokens[at], &body),
        },
        body,
        idempotency_key: note.key.clone().filter(|key| !key.starts_with(BY_PAYMENT)),
        queued: None,
        spend: None,
        max_cost: None,
    }
}

/// Sends the request to a random host; a host that cannot answer it forwards it to
/// the leader.
async fn ask(host: &Arc<Host>, note: &CallNote, call: Call, wait_ms: u64) -> Reported {
    let fellow = {
        let fellows = host.fellows.lock();
        let serves = WARES[note.ware].keeps_nothing() && !fellows.is_empty() && host.world.chance.percent(70);
        serves.then(|| fellows[host.world.chance.index(fellows.len())].clone())
    };
    if let Some(fellow) = fellow
        && let Some(reported) = fellow.answer(&call).await
    {
        return reported;
    }
    host.catch_up(WARES[note.ware].kind == PluginKind::Bridge).await;
    match note.manner {
        CallMode::Call => host.checkout().run(call).await.map_or_else(|error| refused(&error), answered),
        CallMode::Queue => match host.agents.enqueue(call).await {
            Ok(task) => Reported::Accepted(task),
            Err(error) => not_done(&error),
        },
        CallMode::Invoke => match host.agents.invoke(Invocation { call, wait: Duration::from_millis(wait_ms) }).await {
            Ok(InvocationOutcome::Completed { answer, .. }) => answered(answer),
            Ok(InvocationOutcome::Accepted { task_id }) => Reported::Accepted(task_id),
            Err(error) => not_done(&error),
        },
    }
}

pub(crate) fn answered(answer: CallAnswer) -> Reported {
    match answer {
        CallAnswer::Free(body) => Reported::Answered { seal: String::new(), body: body.into() },
        CallAnswer::Paid { sealed, .. } => {
            Reported::Answered { seal: hex::encode(sealed.seal()), body: sealed.into_body().into() }
        }
        CallAnswer::Replayed(answer) => Reported::Answered { seal: hex::encode(answer.seal), body: answer.body.into() },
    }
}

/// Classifies an error. The call may have been charged only if the error reports an
/// unclear outcome.
pub(crate) fn refused(error: &CheckoutError) -> Reported {
    let why = error.to_string();
    if why.contains(&CheckoutError::Lost.to_string()) { Reported::Unknown } else { Reported::Refused(why) }
}

fn not_done(error: &AgentError) -> Reported {
    match error {
        AgentError::Call(error) => refused(error),
        // Only creating the proof failed: the call itself was answered and charged.
        AgentError::Proof(_) => Reported::Unknown,
        other => Reported::Refused(other.to_string()),
    }
}

pub(crate) async fn cancel(host: &Host, call: usize) {
    let world = &host.world;
    let (task, account) = {
        let book = world.book.lock().unwrap();
        let note = &book.calls[call];
        let Reported::Accepted(task) = &note.reported else { return };
        (task.clone(), book.people[note.who].clone())
    };
    let reported = host.agents.cancel(&account, &task).await;
    world.log.note(format!(
        "cancel {task}: {}",
        reported.map_or_else(|error| error.to_string(), |view| view.state.as_str().to_owned())
    ));
}
