//! State of the fake: its objects, books and idempotency keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};

use anyhow::{Context, Result, ensure};
use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::fault::Faults;
use super::now_s;

/// The API version of the fake.
pub(super) const VERSION: &str = "2024-06-20";

pub(super) type Fields = BTreeMap<String, String>;

/// The answer stored under an idempotency key.
pub(super) struct Kept {
    pub(super) fingerprint: String,
    pub(super) status: u16,
    pub(super) body: Value,
}

#[derive(Default)]
pub(super) struct World {
    tables: HashMap<String, BTreeMap<String, Value>>,
    /// Connected accounts by OAuth code; a code is removed when it is used.
    pub(super) codes: HashMap<String, String>,
    /// Connected accounts, to which transfers can be made.
    pub(super) connected: Vec<String>,
    pub(super) keys: HashMap<String, Kept>,
    pub(super) faults: Faults,
    /// Whether new refunds stay pending at the bank.
    pub(super) slow_refunds: bool,
    pub(super) complaints: Vec<String>,
    pub(super) asked: Vec<(String, String)>,
    made: u64,
}

/// Returns 64 random bits as text, so that names differ between tests.
pub(super) fn random_name() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

impl World {
    /// Returns the objects of a kind by id; ids sort by creation time.
    pub(super) fn table(&mut self, kind: &str) -> &mut BTreeMap<String, Value> {
        self.tables.entry(kind.to_owned()).or_default()
    }

    pub(super) fn new_id(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}_{:06}{}", self.made, random_name())
    }

    /// Records requests that violate Stripe's rules, such as a POST without an
    /// idempotency key.
    pub(super) fn inspect(&mut self, method: &str, path: &str, version: bool, headers: &HeaderMap) {
        let official = headers.contains_key("x-stripe-client-user-agent");
        if official {
            // Requests of Stripe's official client are not checked, because it sends its
            // own version.
            return;
        }
        if !version {
            self.complaints.push(format!("{method} {path}: no Stripe-Version: {VERSION}"));
        }
        if method == "POST" && path.starts_with("/v1/") && !headers.contains_key("idempotency-key") {
            self.complaints.push(format!("{method} {path}: no Idempotency-Key"));
        }
    }

    /// Connects an account; returns a single-use code.
    pub(super) fn authorize(&mut self) -> String {
        let (code, account) = (self.new_id("ac"), self.new_id("acct"));
        self.codes.insert(code.clone(), account);
        code
    }

    /// Adds a balance transaction.
    pub(super) fn movement(&mut self, kind: &str, source: &str, amount: i64, fee: i64) -> String {
        let id = self.new_id("txn");
        let line = json!({
            "id": id, "object": "balance_transaction", "type": kind, "source": source, "amount": amount, "fee": fee,
            "net": amount - fee, "currency": "gbp", "created": now_s(), "status": "available",
        });
        self.table("balance_transactions").insert(id.clone(), line);
        id
    }

    pub(super) fn balance(&mut self) -> i64 {
        self.table("balance_transactions").values().filter_map(|line| line["net"].as_i64()).sum()
    }

    pub(super) fn pay(&mut self, session: &str) -> Result<Value> {
        let mut found = self.table("sessions").get(session).cloned().context("no such session")?;
        ensure!(found["status"] == "open", "the session is not open: {found}");
        let amount = found["amount_total"].as_i64().context("no amount")?;
        let paid = self.charged(amount, &found["payment_intent_metadata"]);
        found["status"] = "complete".into();
        found["payment_status"] = "paid".into();
        found["payment_intent"] = paid["id"].clone();
        self.table("sessions").insert(session.to_owned(), found.clone());
        Ok(found)
    }

    /// Books a payment by card.
    pub(super) fn charged(&mut self, amount: i64, metadata: &Value) -> Value {
        let (intent, charge) = (self.new_id("pi"), self.new_id("ch"));
        // 1.5 % and 20 p, rounded up: the fee for a British card.
        let fee = (amount * 15 + 999) / 1000 + 20;
        let line = self.movement("charge", &charge, amount, fee);
        let paid = json!({
            "id": intent, "object": "payment_intent", "amount": amount, "currency": "gbp", "status": "succeeded",
            "latest_charge": charge, "metadata": metadata, "created": now_s(), "livemode": false,
        });
        self.table("payment_intents").insert(intent.clone(), paid.clone());
        let charged = json!({
            "id": charge, "object": "charge", "amount": amount, "amount_refunded": 0, "currency": "gbp",
            "payment_intent": intent, "balance_transaction": line, "metadata": {}, "created": now_s(),
        });
        self.table("charges").insert(charge, charged);
        paid
    }

    pub(super) fn expire(&mut self, session: &str) -> Result<Value> {
        let found = self.table("sessions").get_mut(session).context("no such session")?;
        ensure!(found["status"] == "open", "the session is not open: {found}");
        found["status"] = "expired".into();
        found["url"] = Value::Null;
        Ok(found.clone())
    }

    pub(super) fn dispute(&mut self, intent: &str, status: &str) -> Result<Value> {
        let paid = self.table("payment_intents").get(intent).cloned().context("no such payment")?;
        let amount = paid["amount"].as_i64().context("no amount")?;
        let known = self.table("disputes").values().find(|one| one["payment_intent"] == intent).cloned();
        let mut dispute = match known {
            Some(known) => known,
            None => {
                let id = self.new_id("dp");
                json!({
                    "id": id, "object": "dispute", "amount": amount, "currency": "gbp", "payment_intent": intent,
                    "charge": paid["latest_charge"], "status": "", "created": now_s(), "livemode": false,
                    "balance_transactions": [], "reason": "fraudulent",
                    "evidence_details": { "due_by": now_s() + 7 * 86_400, "has_evidence": false, "past_due": false,
                        "submission_count": 0 },
                })
            }
        };
        let id = dispute["id"].as_str().context("no id")?.to_owned();
        let was_taken = matches!(dispute["status"].as_str(), Some("needs_response" | "under_review"));
        let moved = match status {
            "needs_response" if !was_taken => Some(self.movement("adjustment", &id, -amount, 1_500)),
            "won" if was_taken => Some(self.movement("adjustment", &id, amount, 0)),
            _ => None,
        };
        let line = moved.and_then(|line| self.table("balance_transactions").get(&line).cloned());
        if let Some(lines) = dispute["balance_transactions"].as_array_mut() {
            lines.extend(line);
        }
        dispute["status"] = status.into();
        self.table("disputes").insert(id, dispute.clone());
        Ok(dispute)
    }

    /// Reverses a further amount of a transfer.
    pub(super) fn reverse(&mut self, transfer: &str, amount: i64) -> Result<Value> {
        let found = self.table("transfers").get_mut(transfer).context("no such transfer")?;
        let (whole, before) = (found["amount"].as_i64().unwrap_or(0), found["amount_reversed"].as_i64().unwrap_or(0));
        ensure!(amount > 0 && before + amount <= whole, "{before} of {whole} are already reversed");
        found["amount_reversed"] = (before + amount).into();
        // Stripe sets `reversed` only after a full reversal.
        found["reversed"] = (before + amount == whole).into();
        let found = found.clone();
        self.movement("transfer_refund", transfer, amount, 0);
        Ok(found)
    }

    /// Fails a refund at the bank: the money returns to the platform's balance.
    pub(super) fn fail_refund(&mut self, refund: &str, reason: &str) -> Result<Value> {
        let mut found = self.table("refunds").get(refund).cloned().context("no such refund")?;
        ensure!(found["status"] == "succeeded" || found["status"] == "pending", "the refund has ended: {found}");
        let amount = found["amount"].as_i64().context("no amount")?;
        let line = self.movement("refund_failure", refund, amount, 0);
        found["status"] = "failed".into();
        found["failure_reason"] = reason.into();
        found["failure_balance_transaction"] = line.into();
        self.table("refunds").insert(refund.to_owned(), found.clone());
        let charge = found["charge"].as_str().unwrap_or_default().to_owned();
        if let Some(charge) = self.table("charges").get_mut(&charge) {
            charge["amount_refunded"] = (charge["amount_refunded"].as_i64().unwrap_or(0) - amount).into();
        }
        Ok(found)
    }
}
