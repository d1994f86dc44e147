//! Stripe, spoken to directly: the dozen requests that Tollbridge needs.
//!
//! `docs/stripe.md` lists every assumption about Stripe with the page of its
//! documentation. What is believed is only what Stripe answers to a look-up;
//! events merely say when to look.

mod books;
mod signature;
mod wire;

use serde::Deserialize;
use serde_json::Value;

use super::processor::{
    DisputeStatus, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorDispute, ProcessorError, ProcessorFee,
    ProcessorPayment, ProcessorRefund,
};
use tollbridge_core::config::{BaseUrl, Secret};
use tollbridge_core::money::Millipence;

pub use signature::{StripeSignatureError, StripeWebhookSecret};
use wire::{Wire, form};

/// Beside every object that we make at Stripe: the intent it belongs to.
const INTENT_KEY: &str = "tollbridge_intent";
const REFUND_KEY: &str = "tollbridge_refund";

pub struct StripeProcessor {
    wire: Wire,
    api: String,
    connect: String,
    secret_key: Secret,
    client_id: Option<String>,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    url: Option<String>,
    status: Option<String>,
    payment_status: String,
    amount_total: Option<i64>,
    currency: Option<String>,
    payment_intent: Option<String>,
    client_reference_id: Option<String>,
}

#[derive(Deserialize)]
struct Refund {
    id: String,
    status: Option<String>,
    failure_reason: Option<String>,
    #[serde(default)]
    metadata: Option<std::collections::BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Transfer {
    reversed: bool,
    transfer_group: Option<String>,
}

#[derive(Deserialize)]
struct List<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct Dispute {
    id: String,
    amount: i64,
    currency: String,
    status: String,
    payment_intent: Option<String>,
    /// What took the money, and what gave it back.
    #[serde(default)]
    balance_transactions: Vec<BalanceLine>,
}

/// A line of Stripe's books, as far as what it cost.
#[derive(Deserialize)]
struct BalanceLine {
    id: String,
    fee: i64,
    currency: String,
}

/// A payment with its charge in full, and the line of the charge.
#[derive(Deserialize)]
struct ChargedIntent {
    latest_charge: Option<SettledCharge>,
}

#[derive(Deserialize)]
struct SettledCharge {
    balance_transaction: Option<BalanceLine>,
}

#[derive(Deserialize)]
struct PaymentIntent {
    #[serde(default)]
    metadata: Option<std::collections::BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Connected {
    stripe_user_id: String,
}

impl StripeProcessor {
    pub fn new(
        secret_key: Secret,
        client_id: Option<String>,
        api: &BaseUrl,
        connect: &BaseUrl,
    ) -> Result<Self, ProcessorError> {
        let wire = Wire::new()?;
        Ok(Self { wire, api: api.to_string(), connect: connect.to_string(), secret_key, client_id })
    }

    pub(super) async fn open(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        let fields = form(&[
            ("mode", "payment"),
            ("client_reference_id", &order.handle),
            ("success_url", &order.return_url),
            ("cancel_url", &order.return_url),
            ("expires_at", &order.expires_s.to_string()),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", "gbp"),
            ("line_items[0][price_data][unit_amount]", &pence(order.amount)?),
            ("line_items[0][price_data][product_data][name]", &order.title),
            (&format!("metadata[{INTENT_KEY}]"), &order.handle),
            (&format!("payment_intent_data[metadata][{INTENT_KEY}]"), &order.handle),
        ]);
        let key = format!("tb_session_{}_{}", order.handle, order.attempt);
        let session: Session = self.post("/v1/checkout/sessions", &fields, &key).await?;
        let url = session.url.ok_or_else(|| unclear("a session without an address"))?;
        Ok(PaymentPage { session: session.id, url })
    }

    pub(super) async fn order(&self, session: &str) -> Result<PaymentOrderStatus, ProcessorError> {
        let found: Session = self.get(&format!("/v1/checkout/sessions/{}", wire::segment(session)), &[]).await?;
        if found.payment_status == "paid" {
            let (Some(reference), Some(amount)) = (found.payment_intent, found.amount_total) else {
                return Err(unclear("a paid session without a payment"));
            };
            let amount = sterling(amount, found.currency.as_deref())?;
            return Ok(PaymentOrderStatus::Paid(ProcessorPayment {
                reference,
                amount,
                handle: found.client_reference_id,
            }));
        }
        // A complete session that is not paid waits for a slow way of paying.
        Ok(if found.status.as_deref() == Some("expired") {
            PaymentOrderStatus::Expired
        } else {
            PaymentOrderStatus::Open
        })
    }

    pub(super) async fn refund(
        &self,
        refund: &str,
        payment: &str,
        amount: Millipence,
    ) -> Result<ProcessorRefund, ProcessorError> {
        let fields = form(&[
            ("payment_intent", payment),
            ("amount", &pence(amount)?),
            (&format!("metadata[{REFUND_KEY}]"), refund),
        ]);
        let made: Refund = self.post("/v1/refunds", &fields, &format!("tb_refund_{refund}")).await?;
        Ok(made.state())
    }

    pub(super) async fn find_refund(
        &self,
        refund: &str,
        payment: &str,
    ) -> Result<Option<ProcessorRefund>, ProcessorError> {
        let found: List<Refund> = self.get("/v1/refunds", &[("payment_intent", payment), ("limit", "100")]).await?;
        let ours =
            |one: &&Refund| one.metadata.as_ref().and_then(|all| all.get(REFUND_KEY)).is_some_and(|id| id == refund);
        Ok(found.data.iter().find(ours).map(Refund::state))
    }

    pub(super) fn connect_url(&self, state: &str, return_url: &str) -> Result<String, ProcessorError> {
        let client = self.client_id.as_deref();
        let client = client.ok_or(ProcessorError::NotConfigured("set payments.stripe.client_id"))?;
        let mut url = reqwest::Url::parse(&format!("{}/oauth/authorize", self.connect))
            .map_err(|_| ProcessorError::NotConfigured("payments.stripe.connect_base is not an address"))?;
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", client),
            ("scope", "read_write"),
            ("state", state),
            ("redirect_uri", return_url),
        ]);
        Ok(url.into())
    }

    pub(super) async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        let fields = form(&[("grant_type", "authorization_code"), ("code", code)]);
        let url = format!("{}/oauth/token", self.connect);
        let answer = self.wire.post(&url, self.secret_key.expose(), &fields, None).await?;
        let connected: Connected = read(answer)?;
        Ok(connected.stripe_user_id)
    }

    pub(super) async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        let fields = form(&[
            ("amount", &pence(amount)?),
            ("currency", "gbp"),
            ("destination", destination),
            ("transfer_group", withdrawal),
            ("metadata[tollbridge_withdrawal]", withdrawal),
        ]);
        let made: Named = self.post("/v1/transfers", &fields, &format!("tb_transfer_{withdrawal}")).await?;
        Ok(made.id)
    }

    pub(super) async fn find_transfer(&self, withdrawal: &str) -> Result<Option<String>, ProcessorError> {
        let query = [("transfer_group", withdrawal), ("limit", "1")];
        let found: List<Named> = self.get("/v1/transfers", &query).await?;
        Ok(found.data.into_iter().next().map(|transfer| transfer.id))
    }

    /// The withdrawal of a transfer, if all of it came back.
    pub async fn reversed_transfer(&self, id: &str) -> Result<Option<String>, ProcessorError> {
        let found: Transfer = self.get(&format!("/v1/transfers/{}", wire::segment(id)), &[]).await?;
        Ok(found.transfer_group.filter(|_| found.reversed))
    }

    /// What Stripe keeps of a payment; it may be some time before it says so.
    pub(super) async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, ProcessorError> {
        let path = format!("/v1/payment_intents/{}", wire::segment(payment));
        let found: ChargedIntent = self.get(&path, &[("expand[]", "latest_charge.balance_transaction")]).await?;
        found.latest_charge.and_then(|charge| charge.balance_transaction).map(BalanceLine::charged).transpose()
    }

    /// A dispute as it stands now, and the intent of the payment it is about.
    pub async fn dispute(&self, id: &str) -> Result<ProcessorDispute, ProcessorError> {
        let found: Dispute = self.get(&format!("/v1/disputes/{}", wire::segment(id)), &[]).await?;
        let payment = found.payment_intent.ok_or_else(|| unclear("a dispute without a payment"))?;
        let path = format!("/v1/payment_intents/{}", wire::segment(&payment));
        let intent: PaymentIntent = self.get(&path, &[]).await?;
        let state = match found.status.as_str() {
            "won" => DisputeStatus::Won,
            inquiry if inquiry.starts_with("warning_") => DisputeStatus::Inquiry,
            _ => DisputeStatus::FundsWithdrawn,
        };
        Ok(ProcessorDispute {
            id: found.id,
            payment,
            handle: intent.metadata.and_then(|mut all| all.remove(INTENT_KEY)),
            amount: sterling(found.amount, Some(&found.currency))?,
            state,
            charged: found.balance_transactions.into_iter().map(BalanceLine::charged).collect::<Result<_, _>>()?,
        })
    }

    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        fields: &[(String, String)],
        key: &str,
    ) -> Result<T, ProcessorError> {
        let url = format!("{}{path}", self.api);
        read(self.wire.post(&url, self.secret_key.expose(), fields, Some(key)).await?)
    }

    async fn get<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, ProcessorError> {
        let url = format!("{}{path}", self.api);
        read(self.wire.get(&url, self.secret_key.expose(), query).await?)
    }
}

impl Refund {
    fn state(&self) -> ProcessorRefund {
        match self.status.as_deref() {
            Some("succeeded") => ProcessorRefund::Paid { reference: self.id.clone() },
            Some("failed" | "canceled") => {
                ProcessorRefund::Failed { reason: self.failure_reason.clone().unwrap_or_else(|| "failed".to_owned()) }
            }
            _ => ProcessorRefund::Pending,
        }
    }
}

impl BalanceLine {
    fn charged(self) -> Result<ProcessorFee, ProcessorError> {
        Ok(ProcessorFee { fee: sterling(self.fee, Some(&self.currency))?, line: self.id })
    }
}

/// An amount in whole pence, as Stripe takes it.
fn pence(amount: Millipence) -> Result<String, ProcessorError> {
    match (amount.get().rem_euclid(1000), amount.get().div_euclid(1000)) {
        (0, pence) if pence > 0 => Ok(pence.to_string()),
        _ => Err(ProcessorError::Rejected {
            code: "amount".to_owned(),
            message: format!("{amount} is not an amount in whole pence"),
        }),
    }
}

/// An amount as Stripe states it, which must be in pounds sterling.
fn sterling(pence: i64, currency: Option<&str>) -> Result<Millipence, ProcessorError> {
    match (currency, Millipence::from_pence(pence)) {
        (Some("gbp"), Some(amount)) => Ok(amount),
        _ => Err(unclear("an amount that is not in pounds sterling")),
    }
}

fn read<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T, ProcessorError> {
    serde_json::from_value(answer).map_err(|error| unclear(&format!("an answer of another shape: {error}")))
}

fn unclear(what: &str) -> ProcessorError {
    ProcessorError::OutcomeUnknown(format!("Stripe answered with {what}"))
}
