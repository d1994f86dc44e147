//! Request handlers, which enforce Stripe's rules about parameters.

use serde_json::{Value, json};

use super::now_s;
use super::world::{Fields, World};

/// The answer to a request; an `Err` is a refusal that is not stored under the
/// idempotency key.
pub(super) type Done = Result<(u16, Value), (u16, Value)>;

impl World {
    /// Performs a request.
    pub(super) fn act(&mut self, method: &str, path: &str, fields: &Fields) -> Done {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        match (method, parts.as_slice()) {
            ("POST", ["v1", "checkout", "sessions"]) => self.open_session(fields),
            ("GET", ["v1", "checkout", "sessions"]) => self.list("sessions", "payment_intent", fields),
            ("GET", ["v1", "checkout", "sessions", id]) => self.find("sessions", id),
            ("POST", ["v1", "test_helpers", "shared_payment", "granted_tokens"]) => self.grant_token(fields),
            ("POST", ["v1", "payment_intents"]) => self.charge_token(fields),
            ("GET", ["v1", "payment_intents"]) => self.list("payment_intents", "customer", fields),
            ("GET", ["v1", "payment_intents", id]) => self.payment_intent(id, fields),
            ("GET", ["v1", "disputes", id]) => self.find("disputes", id),
            ("GET", ["v1", "transfers", id]) => self.find("transfers", id),
            ("POST", ["v1", "refunds"]) => self.refund(fields),
            ("GET", ["v1", "refunds", id]) => self.find("refunds", id),
            ("GET", ["v1", "refunds"]) => self.list("refunds", "payment_intent", fields),
            ("POST", ["v1", "transfers"]) => self.transfer(fields),
            ("GET", ["v1", "transfers"]) => self.list("transfers", "transfer_group", fields),
            ("GET", ["v1", "balance_transactions"]) => self.list("balance_transactions", "source", fields),
            ("GET", ["v1", "balance"]) => {
                let amount = [json!({ "amount": self.balance(), "currency": "gbp" })];
                Ok((200, json!({ "object": "balance", "available": amount, "pending": [], "livemode": false })))
            }
            ("POST", ["oauth", "token"]) => self.token(fields),
            _ => Err(missing(path)),
        }
    }

    fn find(&mut self, kind: &str, id: &str) -> Done {
        self.table(kind).get(id).map(|found| (200, shown(found))).ok_or_else(|| missing(id))
    }

    /// Returns a payment, with its charge and balance transaction if requested.
    fn payment_intent(&mut self, id: &str, fields: &Fields) -> Done {
        known(fields, &["expand[]"])?;
        let (status, mut found) = self.find("payment_intents", id)?;
        match fields.get("expand[]").map(String::as_str) {
            None => {}
            Some("latest_charge.balance_transaction") => {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let mut charge = self.find("charges", &text(&found["latest_charge"]))?.1;
                let line = text(&charge["balance_transaction"]);
                charge["balance_transaction"] = self.table("balance_transactions").get(&line).cloned().into();
                found["latest_charge"] = charge;
            }
            Some(other) => {
                return Err(invalid("parameter_invalid", &format!("This property cannot be expanded: {other}")));
            }
        }
        Ok((status, found))
    }

    /// Lists objects, newest first like Stripe.
    fn list(&mut self, kind: &str, by: &str, fields: &Fields) -> Done {
        known(fields, &[by, "limit", "starting_after", "created[gte]", "created[lte]"])?;
        let limit: usize = number(fields, "limit").unwrap_or(10).clamp(1, 100) as usize;
        let since = number(fields, "created[gte]").unwrap_or(0);
        let until = number(fields, "created[lte]").unwrap_or(i64::MAX);
        let after = fields.get("starting_after");
        let wanted = |one: &&Value| {
            fields.get(by).is_none_or(|value| one[by] == **value)
                && (since..=until).contains(&one["created"].as_i64().unwrap_or(0))
                && after.is_none_or(|after| one["id"].as_str() < Some(after))
        };
        let all: Vec<Value> = self.table(kind).values().rev().filter(wanted).map(shown).collect();
        let page: Vec<&Value> = all.iter().take(limit).collect();
        Ok((200, json!({ "object": "list", "url": "/v1", "data": page, "has_more": all.len() > limit })))
    }

    fn open_session(&mut self, fields: &Fields) -> Done {
        known(
            fields,
            &[
                "mode",
                "client_reference_id",
                "success_url",
                "cancel_url",
                "expires_at",
                "line_items[0][quantity]",
                "line_items[0][price_data][currency]",
                "line_items[0][price_data][unit_amount]",
                "line_items[0][price_data][product_data][name]",
                "metadata[tollbridge_intent]",
                "payment_intent_data[metadata][tollbridge_intent]",
            ],
        )?;
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let amount = number(fields, "line_items[0][price_data][unit_amount]").unwrap_or(0);
        let expires = number(fields, "expires_at").unwrap_or(0);
        let now = now_s().cast_signed();
        if text("mode") != "payment" || text("line_items[0][price_data][currency]") != "gbp" {
            return Err(invalid("mode", "only payments in gbp are known here"));
        }
        if amount < 30 {
            return Err(invalid(
                "amount_too_small",
                "The Checkout Session's total amount due must add up to at least £0.30",
            ));
        }
        if !(now + 30 * 60..=now + 24 * 3600 + 60).contains(&expires) {
            return Err(invalid("expires_at", "must be between 30 minutes and 24 hours from now"));
        }
        if !text("success_url").starts_with("http") {
            return Err(invalid("success_url", "Not a valid URL"));
        }
        let id = self.new_id("cs_test");
        let session = json!({
            "id": id, "object": "checkout.session", "mode": "payment", "status": "open", "payment_status": "unpaid",
            "amount_total": amount, "currency": "gbp", "client_reference_id": text("client_reference_id"),
            "payment_intent": null, "url": format!("https://checkout.stripe.test/c/pay/{id}"), "expires_at": expires,
            "metadata": { "tollbridge_intent": text("metadata[tollbridge_intent]") },
            "payment_intent_metadata": {
                "tollbridge_intent": text("payment_intent_data[metadata][tollbridge_intent]"),
            },
            "created": now, "livemode": false,
        });
        self.table("sessions").insert(id, session.clone());
        Ok((200, shown(&session)))
    }

    fn refund(&mut self, fields: &Fields) -> Done {
        known(fields, &["payment_intent", "amount", "metadata[tollbridge_refund]"])?;
        let intent = fields.get("payment_intent").cloned().unwrap_or_default();
        let found = self.table("charges").values().find(|charge| charge["payment_intent"] == intent).cloned();
        let Some(mut charge) = found else { return Err(missing(&intent)) };
        let whole = charge["amount"].as_i64().unwrap_or(0);
        let refunded = charge["amount_refunded"].as_i64().unwrap_or(0);
        let amount = number(fields, "amount").unwrap_or(whole);
        if amount < 1 || refunded + amount > whole {
            let message = "Refund amount is greater than unrefunded amount on charge";
            return invalid("charge_already_refunded", message).map_kept();
        }
        let open = ["needs_response", "under_review", "lost"];
        let disputed =
            |one: &Value| one["payment_intent"] == intent && open.iter().any(|status| one["status"] == *status);
        if self.table("disputes").values().any(disputed) {
            return invalid("charge_disputed", "The charge has been charged back; cannot issue a refund.").map_kept();
        }
        charge["amount_refunded"] = (refunded + amount).into();
        let charge_id = charge["id"].as_str().unwrap_or_default().to_owned();
        self.table("charges").insert(charge_id.clone(), charge);
        let id = self.new_id("re");
        self.movement("refund", &id, -amount, 0);
        let status = if self.slow_refunds { "pending" } else { "succeeded" };
        let metadata = fields.get("metadata[tollbridge_refund]").map(|id| json!({ "tollbridge_refund": id }));
        let refund = json!({
            "id": id, "object": "refund", "amount": amount, "currency": "gbp", "payment_intent": intent,
            "charge": charge_id, "status": status, "metadata": metadata.unwrap_or_else(|| json!({})),
            "created": now_s(),
        });
        self.table("refunds").insert(id, refund.clone());
        Ok((200, refund))
    }

    fn transfer(&mut self, fields: &Fields) -> Done {
        known(fields, &["amount", "currency", "destination", "transfer_group", "metadata[tollbridge_withdrawal]"])?;
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let amount = number(fields, "amount").unwrap_or(0);
        if amount < 1 || text("currency") != "gbp" {
            return Err(invalid("parameter_invalid_integer", "Invalid positive integer"));
        }
        if !self.connected.contains(&text("destination")) {
            return Err(invalid("resource_missing", "No such destination"));
        }
        if amount > self.balance() {
            let message = "You have insufficient available funds in your Stripe account.";
            // Validation has passed, so Stripe stores this refusal under the idempotency
            // key.
            return invalid("balance_insufficient", message).map_kept();
        }
        let id = self.new_id("tr");
        self.movement("transfer", &id, -amount, 0);
        let transfer = json!({
            "id": id, "object": "transfer", "amount": amount, "amount_reversed": 0, "currency": "gbp",
            "destination": text("destination"), "transfer_group": text("transfer_group"), "reversed": false,
            "metadata": { "tollbridge_withdrawal": text("metadata[tollbridge_withdrawal]") }, "created": now_s(),
        });
        self.table("transfers").insert(id, transfer.clone());
        Ok((200, transfer))
    }

    fn token(&mut self, fields: &Fields) -> Done {
        known(fields, &["grant_type", "code"])?;
        let code = fields.get("code").cloned().unwrap_or_default();
        let Some(account) = self.codes.remove(&code) else {
            let description = "Authorization code does not exist";
            return Err((400, json!({ "error": "invalid_grant", "error_description": description })));
        };
        self.connected.push(account.clone());
        Ok((
            200,
            json!({
                "access_token": "sk_test_of_the_account", "livemode": false, "refresh_token": "rt", "scope": "read_write",
                "stripe_publishable_key": "pk_test", "stripe_user_id": account, "token_type": "bearer",
            }),
        ))
    }
}

/// Returns an object in the form in which it is sent to the client.
fn shown(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(members) = object.as_object_mut() {
        members.remove("payment_intent_metadata");
    }
    object
}

/// Marks a refusal after validation, which Stripe stores under the idempotency key.
trait KeepRefusal {
    fn map_kept(self) -> Done;
}

impl KeepRefusal for (u16, Value) {
    fn map_kept(self) -> Done {
        Ok(self)
    }
}

pub(super) fn number(fields: &Fields, name: &str) -> Option<i64> {
    fields.get(name)?.parse().ok()
}

pub(super) fn known(fields: &Fields, names: &[&str]) -> Result<(), (u16, Value)> {
    match fields.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(invalid("parameter_unknown", &format!("Received unknown parameter: {name}"))),
        None => Ok(()),
    }
}

pub(super) fn missing(what: &str) -> (u16, Value) {
    let error = json!({ "type": "invalid_request_error", "code": "resource_missing", "message": format!("No such object: '{what}'") });
    (404, json!({ "error": error }))
}

pub(super) fn invalid(code: &str, message: &str) -> (u16, Value) {
    (400, json!({ "error": { "type": "invalid_request_error", "code": code, "message": message } }))
}
