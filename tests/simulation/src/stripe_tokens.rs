//! Shared Payment Tokens at the simulated Stripe: payers grant them, and the host charges
//! them. Under a different idempotency key, Stripe charges a token again: preventing that
//! is the host's job.

use serde_json::{Value, json};

use crate::chance::Chance;
use crate::clock::now_ms;
use crate::stripe_books::{Answer, Books, Fields, refusal};

/// Payments per page of a list; small, so that lists have several pages.
const PAGE: usize = 4;

/// The decision of the payer's bank about a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bank {
    Pays,
    Declines,
    WantsThePayer,
    /// The bank decides only after this number of milliseconds.
    Thinks {
        ms: u64,
        pays: bool,
    },
}

/// A token that a payer granted.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    bank: Bank,
    /// The maximum charge in pence.
    most: i64,
    expires_ms: u64,
}

/// A charge that failed or is still pending.
#[derive(Clone, Debug)]
pub(crate) struct Charge {
    pub(crate) token: String,
    handle: String,
    amount: i64,
    created_s: i64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Succeeded,
    Declined,
    WantsThePayer,
    Processing { until_ms: u64, pays: bool },
}

impl Charge {
    pub(crate) fn object(&self, id: &str) -> Value {
        let declined = (self.state == State::Declined).then(|| json!({ "message": "Your card was declined." }));
        json!({
            "id": id, "amount": self.amount, "currency": "gbp", "last_payment_error": declined,
            "metadata": { "tollbridge_intent": self.handle },
            "status": match self.state {
                State::Succeeded => "succeeded",
                State::Declined => "requires_payment_method",
                State::WantsThePayer => "requires_action",
                State::Processing { .. } => "processing",
            },
        })
    }
}

impl Books {
    /// Grants a token for at most this number of pence.
    pub(crate) fn grant(&mut self, chance: &Chance, pence: i64) -> String {
        let bank = match chance.below(20) {
            0 | 1 => Bank::Declines,
            2 => Bank::WantsThePayer,
            3 => Bank::Thinks { ms: chance.below(3 * 3_600_000), pays: chance.percent(60) },
            4..=6 => Bank::Thinks { ms: chance.below(60_000), pays: chance.percent(60) },
            _ => Bank::Pays,
        };
        let most = if chance.percent(5) { pence - 1 } else { pence };
        let lasts_ms = if chance.percent(5) { chance.below(5_000) } else { 3_600_000 };
        let id = self.id("spt");
        self.tokens.insert(id.clone(), Token { bank, most, expires_ms: now_ms() + lasts_ms });
        id
    }

    pub(crate) fn charge(&mut self, fields: &Fields) -> Answer {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let (token, handle) = (text("shared_payment_granted_token"), text("metadata[tollbridge_intent]"));
        let (amount, now) = (text("amount").parse().unwrap_or(0), now_ms());
        let Some(granted) = self.tokens.get(&token) else { return refusal(404, "resource_missing") };
        if amount < 1 || amount > granted.most || now >= granted.expires_ms {
            return refusal(400, "shared_payment_granted_token_not_usable");
        }
        let state = match granted.bank {
            Bank::Pays => State::Succeeded,
            Bank::Declines => State::Declined,
            Bank::WantsThePayer => State::WantsThePayer,
            Bank::Thinks { ms, pays } => State::Processing { until_ms: now + ms, pays },
        };
        let (id, created_s) = (self.id("pi"), (now / 1000).cast_signed());
        let charge = Charge { token, handle: handle.clone(), amount, created_s, state };
        let object = charge.object(&id);
        self.charges.insert(id.clone(), charge);
        match state {
            State::Succeeded => self.take(id, &handle, amount),
            State::Declined => {
                let error = json!({
                    "type": "card_error", "code": "card_declined", "message": "Your card was declined.",
                    "payment_intent": object,
                });
                return (402, json!({ "error": error }));
            }
            State::WantsThePayer | State::Processing { .. } => {}
        }
        (200, object)
    }

    /// Completes the pending charges whose banks have decided by now.
    pub(crate) fn settle_charges(&mut self) {
        let now = now_ms();
        let mut paid = Vec::new();
        for (id, charge) in &mut self.charges {
            let State::Processing { until_ms, pays } = charge.state else { continue };
            if until_ms <= now {
                charge.state = if pays { State::Succeeded } else { State::Declined };
                paid.extend(pays.then(|| (id.clone(), charge.handle.clone(), charge.amount)));
            }
        }
        for (id, handle, amount) in paid {
            self.take(id, &handle, amount);
        }
    }

    /// Returns one page of payments, paid or not, newest first.
    pub(crate) fn payments_between(&self, fields: &Fields) -> Answer {
        let number = |name: &str| fields.get(name).and_then(|text| text.parse::<i64>().ok());
        let between = number("created[gte]").unwrap_or(0)..=number("created[lte]").unwrap_or(i64::MAX);
        let charges = self.charges.iter().map(|(id, charge)| (id, charge.created_s));
        let others = self.payments.iter().filter(|(id, _)| !self.charges.contains_key(*id));
        let mut all: Vec<_> = charges.chain(others.map(|(id, paid)| (id, paid.created_s))).collect();
        all.retain(|(id, created)| between.contains(created) && fields.get("starting_after").is_none_or(|a| *id < a));
        all.sort_unstable_by(|one, other| other.cmp(one));
        let has_more = all.len() > PAGE;
        let page: Vec<Value> = all.into_iter().take(PAGE).map(|(id, _)| self.payment(id).1).collect();
        (200, json!({ "object": "list", "data": page, "has_more": has_more }))
    }
}
