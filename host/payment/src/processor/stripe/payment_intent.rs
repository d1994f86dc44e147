//! Stripe's payment intents, created from Shared Payment Tokens.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::error::{LookupError, ProcessorError};
use super::super::order::ProcessorPayment;
use super::super::token_charge::{TokenCharge, TokenChargeStatus};
use super::amount::{format_pence, parse_pence};
use super::checkout_session::INTENT_KEY;
use super::client::StripeClient;
use super::http::{form, path_segment};
use super::search::{Listed, search_around};

/// The version of Stripe's API that supports Shared Payment Tokens.
const TOKENS_API_VERSION: &str = "2026-07-29.preview";

#[derive(Deserialize)]
struct PaymentIntent {
    id: String,
    status: String,
    amount: i64,
    currency: String,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(default)]
    last_payment_error: Option<PaymentFailure>,
}

#[derive(Deserialize)]
struct PaymentFailure {
    #[serde(default)]
    message: Option<String>,
}

impl Listed for PaymentIntent {
    fn id(&self) -> &str {
        &self.id
    }
}

/// Charges a token. A repeat for the same intent returns the same charge, as long
/// as Stripe remembers its key.
pub(super) async fn charge_token(
    client: &StripeClient,
    charge: &TokenCharge<'_>,
) -> Result<TokenChargeStatus, ProcessorError> {
    let fields = form(&[
        ("amount", &format_pence(charge.amount)?),
        ("currency", "gbp"),
        ("confirm", "true"),
        ("shared_payment_granted_token", charge.token),
        ("automatic_payment_methods[enabled]", "true"),
        ("automatic_payment_methods[allow_redirects]", "never"),
        ("description", charge.title),
        (&format!("metadata[{INTENT_KEY}]"), charge.handle),
        ("metadata[challenge_id]", charge.challenge_id),
    ]);
    let key = format!("tb_token_{}", charge.handle);
    let made: PaymentIntent = client.post_at(TOKENS_API_VERSION, "/v1/payment_intents", fields, key).await?;
    // For a repeat, Stripe returns its stored first response, so a pending status may be
    // outdated: look it up.
    match made.status()? {
        TokenChargeStatus::Pending => {
            let path = format!("/v1/payment_intents/{}", path_segment(&made.id));
            Ok(client.get::<PaymentIntent>(&path, &[]).await?.status()?)
        }
        known => Ok(known),
    }
}

/// Searches the payments created since a charge was requested (Unix milliseconds). A paid
/// one takes precedence.
pub(super) async fn find_token_charge(
    client: &StripeClient,
    handle: &str,
    asked_ms: u64,
) -> Result<Option<TokenChargeStatus>, LookupError> {
    let mut unpaid = None;
    let paid = search_around(client, "/v1/payment_intents", asked_ms, |payment: PaymentIntent| {
        if payment.handle() != Some(handle) {
            return Ok(None);
        }
        match payment.status()? {
            paid @ TokenChargeStatus::Paid(_) => Ok(Some(paid)),
            other => {
                unpaid = Some(other);
                Ok(None)
            }
        }
    });
    let paid = paid.await?;
    Ok(paid.or(unpaid))
}

impl PaymentIntent {
    fn handle(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(INTENT_KEY).map(String::as_str)
    }

    /// Returns the status of the charge. A payment that requires an action by the payer
    /// counts as refused: the action needs the client secret, which never leaves this
    /// host.
    fn status(&self) -> Result<TokenChargeStatus, ProcessorError> {
        match self.status.as_str() {
            "succeeded" => Ok(TokenChargeStatus::Paid(ProcessorPayment {
                reference: self.id.clone(),
                amount: parse_pence(self.amount, Some(&self.currency))?,
                handle: self.handle().map(str::to_owned),
            })),
            "requires_action" => {
                Ok(TokenChargeStatus::Refused("the payer's bank requires an action by the payer".to_owned()))
            }
            "requires_payment_method" | "canceled" => {
                let said = self.last_payment_error.as_ref().and_then(|failure| failure.message.as_deref());
                let said = said.unwrap_or("the payment was declined").chars().take(200).collect();
                Ok(TokenChargeStatus::Refused(said))
            }
            _ => Ok(TokenChargeStatus::Pending),
        }
    }
}
