//! The state of the simulated Stripe: objects, money and idempotency keys. Amounts are in
//! pence. It never reads the host's data.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::clock::{DAY_MS, now_ms};
use crate::stripe_tokens::{Charge, Token};

pub(crate) type Fields = BTreeMap<String, String>;
/// Status and body of an answer.
pub(crate) type Answer = (u16, Value);

/// The fee of a dispute in pence, charged whether it is won or lost.
const DISPUTE_FEE: i64 = 1_500;
/// The platform's initial balance in pence, high enough for all transfers.
pub(crate) const DEPOSIT: i64 = 10_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) handle: String,
    pub(crate) amount: i64,
    created_s: i64,
    expires_s: i64,
    pub(crate) payment: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Paid {
    pub(crate) handle: String,
    pub(crate) amount: i64,
    pub(crate) refunded: i64,
    fee: i64,
    pub(crate) created_s: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Refund {
    pub(crate) payment: String,
    pub(crate) ours: String,
    pub(crate) amount: i64,
    /// Whether the bank returned the refund.
    pub(crate) failed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) withdrawal: String,
    pub(crate) destination: String,
    pub(crate) amount: i64,
    /// The part of the transfer that was reversed.
    pub(crate) reversed: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Dispute {
    pub(crate) payment: String,
    pub(crate) status: &'static str,
}

struct Kept {
    fingerprint: String,
    answer: Answer,
    since_ms: u64,
}

/// An event that is delivered again until the host accepts it.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: &'static str,
    pub(crate) object: Value,
}

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) payments: BTreeMap<String, Paid>,
    pub(crate) tokens: BTreeMap<String, Token>,
    pub(crate) charges: BTreeMap<String, Charge>,
    pub(crate) refunds: BTreeMap<String, Refund>,
    pub(crate) transfers: BTreeMap<String, Transfer>,
    pub(crate) disputes: BTreeMap<String, Dispute>,
    /// The platform's balance.
    pub(crate) balance: i64,
    /// Payout accounts by OAuth code; a code is created when a person agrees to connect
    /// an account.
    codes: BTreeMap<String, String>,
    connected: BTreeSet<String>,
    keys: BTreeMap<String, Kept>,
    pub(crate) events: VecDeque<Event>,
    made: u64,
}

pub(crate) fn refusal(status: u16, code: &str) -> Answer {
    (status, json!({ "error": { "type": "invalid_request_error", "code": code, "message": "no" } }))
}

fn list(data: Vec<Value>) -> Answer {
    (200, json!({ "object": "list", "data": data, "has_more": false }))
}

impl Books {
    pub(crate) fn new() -> Self {
        Self { balance: DEPOSIT, ..Self::default() }
    }

    pub(crate) fn id(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}_{:06}", self.made)
    }

    /// Performs a request, at most once per idempotency key. If `refuses` is set,
    /// transfers are rejected as if the destination could not receive them.
    pub(crate) fn answer(
        &mut self,
        method: &str,
        path: &str,
        fields: &Fields,
        key: Option<&str>,
        refuses: bool,
    ) -> Answer {
        self.settle_charges();
        let now = now_ms();
        self.keys.retain(|_, kept| now.saturating_sub(kept.since_ms) < DAY_MS);
        let fingerprint = format!("{path} {fields:?}");
        if let Some(kept) = key.and_then(|key| self.keys.get(key)) {
            return match kept.fingerprint == fingerprint {
                true => kept.answer.clone(),
                false => (400, json!({ "error": { "type": "idempotency_error", "message": "other parameters" } })),
            };
        }
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let answer = match (method, parts.as_slice()) {
            ("POST", ["v1", "checkout", "sessions"]) => self.open_session(fields),
            ("GET", ["v1", "checkout", "sessions", id]) => self.session(id),
            ("GET", ["v1", "checkout", "sessions"]) => self.sessions_between(fields),
            ("POST", ["v1", "payment_intents"]) => self.charge(fields),
            ("GET", ["v1", "payment_intents"]) => self.payments_between(fields),
            ("GET", ["v1", "payment_intents", id]) => self.payment(id),
            ("GET", ["v1", "disputes", id]) => self.dispute_object(id),
            ("GET", ["v1", "transfers", id]) => self.transfer_of(id),
            ("GET", ["v1", "transfers"]) => {
                let group = fields.get("transfer_group").cloned().unwrap_or_default();
                let found = self.transfers.iter().filter(|(_, one)| one.withdrawal == group);
                list(found.map(|(id, one)| transfer_object(id, one)).collect())
            }
            ("GET", ["v1", "refunds"]) => {
                let payment = fields.get("payment_intent").cloned().unwrap_or_default();
                let found = self.refunds.iter().filter(|(_, one)| one.payment == payment);
                list(found.map(|(id, one)| refund_object(id, one)).collect())
            }
            ("GET", ["v1", "refunds", id]) => match self.refunds.get(*id) {
                Some(refund) => (200, refund_object(id, refund)),
                None => refusal(404, "resource_missing"),
            },
            ("POST", ["v1", "refunds"]) => self.refund(fields),
            ("POST", ["v1", "transfers"]) => self.transfer(fields, refuses),
            ("POST", ["oauth", "token"]) => self.token(fields),
            _ => refusal(404, "resource_missing"),
        };
        if let (Some(key), "POST") = (key, method) {
            self.keys.insert(key.to_owned(), Kept { fingerprint, answer: answer.clone(), since_ms: now });
        }
        answer
    }

    fn open_session(&mut self, fields: &Fields) -> Answer {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let number = |name: &str| text(name).parse().unwrap_or(0);
        let id = self.id("cs");
        let session = Session {
            handle: text("client_reference_id"),
            amount: number("line_items[0][price_data][unit_amount]"),
            created_s: (now_ms() / 1000).cast_signed(),
            expires_s: number("expires_at"),
            payment: None,
        };
        self.sessions.insert(id.clone(), session);
        self.session(&id)
    }

    /// Returns one page of sessions, newest first.
    fn sessions_between(&self, fields: &Fields) -> Answer {
        let number = |name: &str| fields.get(name).and_then(|text| text.parse::<i64>().ok());
        let (from, until) = (number("created[gte]").unwrap_or(0), number("created[lte]").unwrap_or(i64::MAX));
        let between = |one: &&Session| (from..=until).contains(&one.created_s);
        let after = fields.get("starting_after");
        let all = self.sessions.iter().rev().filter(|(id, one)| between(one) && after.is_none_or(|after| *id < after));
        let page: Vec<Value> = all.map(|(id, _)| self.session(id).1).collect();
        list(page)
    }

    fn session(&self, id: &str) -> Answer {
        let Some(session) = self.sessions.get(id) else { return refusal(404, "resource_missing") };
        let expired = session.payment.is_none() && session.expires_s * 1000 < now_ms().cast_signed();
        let status = if expired { "expired" } else { "open" };
        (
            200,
            json!({
                "id": id, "url": format!("https://pay.test/{id}"), "amount_total": session.amount, "currency": "gbp",
                "status": if session.payment.is_some() { "complete" } else { status },
                "payment_status": if session.payment.is_some() { "paid" } else { "unpaid" },
                "payment_intent": session.payment, "client_reference_id": session.handle,
                "expires_at": session.expires_s,
            }),
        )
    }

    pub(crate) fn payment(&self, id: &str) -> Answer {
        let Some(paid) = self.payments.get(id) else {
            return match self.charges.get(id) {
                Some(charge) => (200, charge.object(id)),
                None => refusal(404, "resource_missing"),
            };
        };
        let line = json!({ "id": format!("txn_{id}"), "fee": paid.fee, "currency": "gbp" });
        let metadata = json!({ "tollbridge_intent": paid.handle });
        (
            200,
            json!({
                "id": id, "status": "succeeded", "amount": paid.amount, "currency": "gbp", "metadata": metadata,
                "latest_charge": { "balance_transaction": line },
            }),
        )
    }

    fn dispute_object(&self, id: &str) -> Answer {
        let found = self.disputes.get(id).and_then(|one| Some((one, self.payments.get(&one.payment)?)));
        let Some((dispute, paid)) = found else { return refusal(404, "resource_missing") };
        let mut lines = vec![json!({ "id": format!("txn_{id}"), "fee": DISPUTE_FEE, "currency": "gbp" })];
        if dispute.status == "won" {
            lines.push(json!({ "id": format!("txn_won_{id}"), "fee": -DISPUTE_FEE, "currency": "gbp" }));
        }
        (
            200,
            json!({
                "id": id, "amount": paid.amount, "currency": "gbp", "status": dispute.status,
                "payment_intent": dispute.payment, "balance_transactions": lines,
            }),
        )
    }

    fn transfer_of(&self, id: &str) -> Answer {
        let Some(transfer) = self.transfers.get(id) else { return refusal(404, "resource_missing") };
        (200, transfer_object(id, transfer))
    }

    fn refund(&mut self, fields: &Fields) -> Answer {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let (payment, amount) = (text("payment_intent"), text("amount").parse().unwrap_or(0));
        let is_disputed = self.disputes.values().any(|one| one.payment == payment && one.status != "won");
        let Some(paid) = self.payments.get_mut(&payment) else { return refusal(404, "resource_missing") };
        if is_disputed || amount < 1 || paid.refunded + amount > paid.amount {
            return refusal(400, if is_disputed { "charge_disputed" } else { "charge_already_refunded" });
        }
        paid.refunded += amount;
        self.balance -= amount;
        let id = self.id("re");
        let refund = Refund { payment, ours: text("metadata[tollbridge_refund]"), amount, failed: false };
        let object = refund_object(&id, &refund);
        self.refunds.insert(id, refund);
        (200, object)
    }

    fn transfer(&mut self, fields: &Fields, refuses: bool) -> Answer {
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let amount = text("amount").parse().unwrap_or(0);
        if refuses || amount < 1 || !self.connected.contains(&text("destination")) {
            return refusal(400, "account_closed");
        }
        let id = self.id("tr");
        self.balance -= amount;
        let (withdrawal, destination) = (text("transfer_group"), text("destination"));
        self.transfers.insert(id.clone(), Transfer { withdrawal, destination, amount, reversed: 0 });
        self.transfer_of(&id)
    }

    fn token(&mut self, fields: &Fields) -> Answer {
        let code = fields.get("code").cloned().unwrap_or_default();
        let Some(account) = self.codes.remove(&code) else {
            return (400, json!({ "error": "invalid_grant", "error_description": "used" }));
        };
        self.connected.insert(account.clone());
        (200, json!({ "stripe_user_id": account }))
    }

    /// Connects a payout account; returns a single-use code and the account.
    pub(crate) fn authorize(&mut self) -> (String, String) {
        let (code, account) = (self.id("ac"), self.id("acct"));
        self.codes.insert(code.clone(), account.clone());
        (code, account)
    }

    fn queue_event(&mut self, kind: &'static str, object: Value) {
        self.events.push_back(Event { kind, object });
    }

    /// Returns the sessions that can be paid at the moment.
    pub(crate) fn open_sessions(&self) -> Vec<String> {
        let now = now_ms().cast_signed();
        let open = self.sessions.iter().filter(|(_, one)| one.payment.is_none() && one.expires_s * 1000 >= now);
        open.map(|(id, _)| id.clone()).collect()
    }

    /// Records a successful payment: adds it, less the fee, to the platform's balance.
    pub(crate) fn take(&mut self, id: String, handle: &str, amount: i64) {
        // The fee is 1.5 % plus 20 p.
        let fee = (amount * 15 + 999) / 1000 + 20;
        self.balance += amount - fee;
        let created_s = (now_ms() / 1000).cast_signed();
        self.payments.insert(id, Paid { handle: handle.to_owned(), amount, refunded: 0, fee, created_s });
    }

    /// Pays a session as a buyer.
    pub(crate) fn pay(&mut self, session: &str) {
        let id = self.id("pi");
        let Some(found) = self.sessions.get_mut(session) else { return };
        found.payment = Some(id.clone());
        let (handle, amount) = (found.handle.clone(), found.amount);
        self.take(id, &handle, amount);
        self.queue_event("checkout.session.completed", json!({ "id": session, "client_reference_id": handle }));
    }

    /// Disputes a payment as its buyer; a refunded payment cannot be disputed.
    pub(crate) fn dispute(&mut self, payment: &str) {
        let known = self.disputes.values().any(|one| one.payment == payment);
        let Some(paid) = self.payments.get(payment).filter(|paid| paid.refunded == 0 && !known) else { return };
        self.balance -= paid.amount + DISPUTE_FEE;
        let id = self.id("dp");
        self.disputes.insert(id.clone(), Dispute { payment: payment.to_owned(), status: "needs_response" });
        self.queue_event("charge.dispute.created", json!({ "id": id }));
    }

    /// Closes a dispute.
    pub(crate) fn close_dispute(&mut self, id: &str, won: bool) {
        let Some(dispute) = self.disputes.get_mut(id).filter(|one| one.status == "needs_response") else { return };
        dispute.status = if won { "won" } else { "lost" };
        let amount = self.payments.get(&dispute.payment).map_or(0, |paid| paid.amount);
        if won {
            self.balance += amount + DISPUTE_FEE;
        }
        self.queue_event("charge.dispute.closed", json!({ "id": id }));
    }

    /// Fails a refund: the money returns to the platform, even long after the refund was
    /// paid.
    pub(crate) fn fail_refund(&mut self, id: &str) {
        let Some(refund) = self.refunds.get_mut(id).filter(|one| !one.failed) else { return };
        refund.failed = true;
        let (payment, amount) = (refund.payment.clone(), refund.amount);
        if let Some(paid) = self.payments.get_mut(&payment) {
            paid.refunded -= amount;
        }
        self.balance += amount;
        self.queue_event("refund.failed", json!({ "id": id }));
    }

    /// Reverses a part of a transfer, or all that has not been reversed yet.
    pub(crate) fn reverse(&mut self, id: &str, whole: bool) {
        let Some(transfer) = self.transfers.get_mut(id) else { return };
        let left = transfer.amount - transfer.reversed;
        let part = if whole { left } else { left / 2 };
        if part == 0 {
            return;
        }
        transfer.reversed += part;
        self.balance += part;
        self.queue_event("transfer.reversed", json!({ "id": id }));
    }
}

fn transfer_object(id: &str, transfer: &Transfer) -> Value {
    let Transfer { withdrawal, destination, amount, reversed } = transfer;
    json!({
        "id": id, "amount": amount, "currency": "gbp", "destination": destination, "transfer_group": withdrawal,
        "amount_reversed": reversed, "reversed": reversed == amount,
    })
}

fn refund_object(id: &str, refund: &Refund) -> Value {
    let status = if refund.failed { "failed" } else { "succeeded" };
    json!({ "id": id, "status": status, "metadata": { "tollbridge_refund": refund.ours } })
}
