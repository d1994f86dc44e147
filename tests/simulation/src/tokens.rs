//! Calls paid by processor tokens (MPP, method `stripe`), by honest payers and by clients
//! that try to pay for two calls with one token.

use std::sync::Arc;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_mpp::{Method, StripeCharge};

use crate::book::{CallMode, IntentNote, Source, TokenNote};
use crate::host::Host;
use crate::operation::CallPlan;
use crate::plugins::WARES;
use crate::{calls, credentials};

/// Requests a challenge for a call, obtains a token for it, and makes the call with the
/// token. A second client may call with the same challenge at the same time, under
/// another idempotency key or with another token; the payer repeats the call later.
pub(crate) async fn call_by_token(host: &Arc<Host>, who: usize, ware: usize) {
    let chance = &host.world.chance;
    let n = chance.below(1_000);
    let Some(at) = take_challenge(host, who, ware, n) else { return };
    let manner = match (WARES[ware].kind, chance.percent(50)) {
        (PluginKind::Bridge, _) => CallMode::Call,
        (PluginKind::Agent, true) => CallMode::Invoke,
        (PluginKind::Agent, false) => CallMode::Queue,
    };
    let wait_ms = [50, 2_000, 30_000][chance.index(3)];
    let wish = CallPlan { who, ware, manner, source: Source::Token(at), key: chance.percent(30), n, wait_ms };
    if chance.percent(10) {
        tokio::time::sleep(chance.millis(0, 20_000)).await;
    }
    let rival = chance.percent(40).then(|| rival(host, wish.clone()));
    tokio::join!(calls::call_and_repeat(host, wish), async {
        if let Some(rival) = rival {
            rival.await;
        }
    });
}

/// Makes a competing call that pays for the same challenge, with the same token or
/// another one. A challenge may be paid only once.
async fn rival(host: &Arc<Host>, wish: CallPlan) {
    let chance = &host.world.chance;
    tokio::time::sleep(chance.millis(0, 3_000)).await;
    let Source::Token(at) = wish.source else { return };
    let source = match chance.below(3) {
        0 => Source::Token(another_token(host, at)),
        _ => Source::Token(at),
    };
    calls::call(host, CallPlan { source, key: chance.percent(60), ..wish }).await;
}

/// Requests the challenge of a call and obtains a token for it; returns the token's index
/// in the book, or `None` if the host offers no token payment.
fn take_challenge(host: &Host, who: usize, ware: usize, n: u64) -> Option<usize> {
    let (book, body) = (&mut *host.world.book.lock().unwrap(), calls::body(WARES[ware].kind, n));
    let challenge = credentials::challenge(host, &book.people[who], ware, &body, &Method::STRIPE)?;
    let asked = StripeCharge::read(&challenge.request().unwrap()).unwrap();
    let charge = i64::try_from(asked.amount.0).unwrap();
    let token = host.world.stripe.books.lock().unwrap().grant(&host.world.chance, charge);
    let mut note = TokenNote { challenge, token, handle: String::new(), ware, charge };
    let PaymentSource::Token(payment) = credentials::of_token(host, &note, &body) else { return None };
    note.handle = payment.handle().to_owned();
    let (id, handle) = (payment.expose_intent_id().to_owned(), note.handle.clone());
    book.intents.push(IntentNote { id, handle, ware: Some(ware), who });
    book.tokens.push(note);
    Some(book.tokens.len() - 1)
}

/// Obtains another token for the challenge of the token with index `at`; returns the new
/// token's index.
fn another_token(host: &Host, at: usize) -> usize {
    let book = &mut *host.world.book.lock().unwrap();
    let note = book.tokens[at].clone();
    let token = host.world.stripe.books.lock().unwrap().grant(&host.world.chance, note.charge);
    book.tokens.push(TokenNote { token, ..note });
    book.tokens.len() - 1
}
