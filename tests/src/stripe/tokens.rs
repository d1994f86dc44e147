//! Shared Payment Tokens: granted to the seller, each charged at most once.

use serde_json::{Value, json};

use super::now_s;
use super::objects::{Done, invalid, known, missing, number};
use super::world::{Fields, World};

/// The API version that supports tokens.
pub(super) const TOKENS_VERSION: &str = "2026-07-29.preview";

/// Stripe's test cards; a charge's outcome depends on the card.
const CARDS: [&str; 4] = ["pm_card_visa", "pm_card_chargeDeclined", "pm_card_authenticationRequired", "pm_slow"];

/// Form fields that a request for a charge may have.
const CHARGE: [&str; 9] = [
    "amount",
    "currency",
    "confirm",
    "shared_payment_granted_token",
    "automatic_payment_methods[enabled]",
    "automatic_payment_methods[allow_redirects]",
    "description",
    "metadata[tollbridge_intent]",
    "metadata[challenge_id]",
];

impl World {
    /// Grants the seller a token, like Stripe's test helper.
    pub(super) fn grant_token(&mut self, fields: &Fields) -> Done {
        known(
            fields,
            &[
                "payment_method",
                "usage_limits[currency]",
                "usage_limits[max_amount]",
                "usage_limits[expires_at]",
                "seller_details[network_id]",
            ],
        )?;
        let card = fields.get("payment_method").cloned().unwrap_or_default();
        if !CARDS.contains(&card.as_str()) {
            return Err(missing(&card));
        }
        let max = number(fields, "usage_limits[max_amount]").unwrap_or(0);
        let id = self.new_id("spt").replace("spt_", "spt_test_");
        let token = json!({
            "id": id, "object": "shared_payment.granted_token", "created": now_s(), "payment_method": card,
            "usage_limits": {
                "currency": fields.get("usage_limits[currency]"), "max_amount": max,
                "expires_at": number(fields, "usage_limits[expires_at]"),
            },
            "used_by": null, "livemode": false,
        });
        self.table("granted_tokens").insert(id, token.clone());
        Ok((200, token))
    }

    /// Creates a payment from a token, and confirms it at once.
    pub(super) fn charge_token(&mut self, fields: &Fields) -> Done {
        known(fields, &CHARGE)?;
        let text = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let amount = number(fields, "amount").unwrap_or(0);
        if amount < 30 {
            return Err(invalid("amount_too_small", "Amount must be at least £0.30 gbp"));
        }
        if text("confirm") != "true" || text("automatic_payment_methods[allow_redirects]") != "never" {
            return Err(invalid("parameter_missing", "a token is confirmed at once and without redirects"));
        }
        let id = text("shared_payment_granted_token");
        let Some(mut token) = self.table("granted_tokens").get(&id).cloned() else { return Err(missing(&id)) };
        let limits = token["usage_limits"].clone();
        if !token["used_by"].is_null() {
            return Err(invalid("shared_payment_token_used", "This shared payment token has already been used."));
        }
        if limits["currency"] != text("currency") || limits["max_amount"].as_i64() < Some(amount) {
            return Err(invalid("shared_payment_token_limit", "The amount is beyond the limits of the token."));
        }
        if limits["expires_at"].as_i64().is_some_and(|at| at < now_s().cast_signed()) {
            return Err(invalid("shared_payment_token_expired", "The shared payment token has expired."));
        }
        let metadata = json!({
            "tollbridge_intent": text("metadata[tollbridge_intent]"), "challenge_id": text("metadata[challenge_id]"),
        });
        let card = token["payment_method"].as_str().unwrap_or_default().to_owned();
        let mut payment = match card.as_str() {
            "pm_card_visa" => self.charged(amount, &metadata),
            _ => self.not_charged(amount, &metadata),
        };
        let declined = json!({
            "type": "card_error", "code": "card_declined", "decline_code": "generic_decline",
            "message": "Your card was declined.",
        });
        payment["status"] = match card.as_str() {
            "pm_card_visa" => "succeeded",
            "pm_card_authenticationRequired" => "requires_action",
            "pm_slow" => "processing",
            _ => "requires_payment_method",
        }
        .into();
        let payment_id = payment["id"].as_str().unwrap_or_default().to_owned();
        if card == "pm_card_chargeDeclined" {
            payment["last_payment_error"] = declined.clone();
        } else {
            token["used_by"] = payment_id.clone().into();
        }
        self.table("granted_tokens").insert(id, token);
        self.table("payment_intents").insert(payment_id, payment.clone());
        match card.as_str() {
            "pm_card_chargeDeclined" => {
                let mut error = declined;
                error["payment_intent"] = payment;
                Ok((402, json!({ "error": error })))
            }
            _ => Ok((200, payment)),
        }
    }

    fn not_charged(&mut self, amount: i64, metadata: &Value) -> Value {
        let id = self.new_id("pi");
        json!({
            "id": id, "object": "payment_intent", "amount": amount, "currency": "gbp", "latest_charge": null,
            "metadata": metadata, "created": now_s(), "livemode": false,
        })
    }

    /// Completes a payment that is processing.
    pub(super) fn finish_payment(&mut self, id: &str) {
        let Some(slow) = self.table("payment_intents").remove(id) else { return };
        let mut paid = self.charged(slow["amount"].as_i64().unwrap_or(0), &slow["metadata"]);
        let made = paid["id"].as_str().unwrap_or_default().to_owned();
        paid["id"] = id.into();
        self.table("payment_intents").remove(&made);
        self.table("payment_intents").insert(id.to_owned(), paid.clone());
        let charge = paid["latest_charge"].as_str().unwrap_or_default().to_owned();
        if let Some(charge) = self.table("charges").get_mut(&charge) {
            charge["payment_intent"] = id.into();
        }
    }
}
