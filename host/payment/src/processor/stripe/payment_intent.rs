//! Stripe's payment intents, created from Shared Payment Tokens.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::error::{LookupError, ProcessorError};
use super::super::order::ProcessorPayment;
use super::super::token_charge::{TokenCharge, TokenChargeStatus};
use super::amount::{format_pence, parse_pence};
use super::checkout_session::INTENT_KEY;
use super::client::StripeClient;
use super::http::{form, path_segment, unexpected};

/// The version of Stripe's API that supports Shared Payment Tokens.
const TOKENS_API_VERSION: &str = "2026-07-29.preview";
/// Maximum number of list pages read: ten thousand payments at a hundred per page.
const LIST_PAGES_MAX: usize = 100;
/// Seconds before the request for a charge from which its payment is searched; allows for
/// clock differences.
const LOST_BEFORE_S: u64 = 3_600;
/// Seconds after the request up to which the payment is searched: a lost charge is
/// requested again for at most 23 hours, and clocks differ.
const LOST_AFTER_S: u64 = 2 * 86_400;

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

#[derive(Deserialize)]
struct PaymentIntentList {
    data: Vec<PaymentIntent>,
    has_more: bool,
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
    // The response stored under the key shows the status at that time, so look up a
    // pending one.
    match made.status()? {
        TokenChargeStatus::Pending => {
            let path = format!("/v1/payment_intents/{}", path_segment(&made.id));
            Ok(client.get::<PaymentIntent>(&path, &[]).await?.status()?)
        }
        known => Ok(known),
    }
}

/// Searches the payments created since a charge was requested (Unix milliseconds).
/// A paid one takes precedence.
pub(super) async fn find_token_charge(
    client: &StripeClient,
    handle: &str,
    asked_ms: u64,
) -> Result<Option<TokenChargeStatus>, LookupError> {
    let asked_s = asked_ms / 1000;
    let from = asked_s.saturating_sub(LOST_BEFORE_S).to_string();
    let until = asked_s.saturating_add(LOST_AFTER_S).to_string();
    let (mut after, mut found) = (None::<String>, None);
    for _ in 0..LIST_PAGES_MAX {
        let mut query = vec![("limit", "100"), ("created[gte]", from.as_str()), ("created[lte]", until.as_str())];
        query.extend(after.as_deref().map(|id| ("starting_after", id)));
        let list: PaymentIntentList = client.get("/v1/payment_intents", &query).await?;
        after = list.data.last().map(|payment| payment.id.clone());
        for payment in list.data.into_iter().filter(|payment| payment.handle() == Some(handle)) {
            match payment.status()? {
                paid @ TokenChargeStatus::Paid(_) => return Ok(Some(paid)),
                other => found = Some(other),
            }
        }
        if !list.has_more || after.is_none() {
            return Ok(found);
        }
    }
    Err(unexpected("more payments than the search limit").into())
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
