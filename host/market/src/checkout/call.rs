//! One incoming call, and the identity by which repeats of it are recognized.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::idempotency::{IdempotencyKey, OnRepeat, RequestIdentity};
use tollbridge_payment::{
    CredentialDeclined, DailySpendLimit, PaymentDeclined, TokenPayment, WalletDeclined, WalletPayment,
};
use tollbridge_store::{Hash, Put};

use super::error::CheckoutError;

/// The payment method of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum PaymentSource {
    /// No payment; the caller gets a quote.
    Nothing,
    /// A payment intent, by its secret id.
    Intent(String),
    /// The prepaid credit of the caller's account.
    Credit,
    /// A payment that a wallet signed for an offer of this host.
    Wallet(Arc<WalletPayment>),
    /// A wallet payment that is invalid; the caller gets a quote with the reason.
    UnusableWallet(WalletDeclined),
    /// A payment token, which the payment processor charges.
    Token(Arc<TokenPayment>),
    /// A payment credential that is invalid; the caller gets a quote with the reason.
    UnusableCredential(CredentialDeclined),
    /// Money that was reserved when the task was queued.
    Held {
        /// Id of the task.
        task: String,
        /// Reserved amount.
        amount: Millipence,
    },
}

/// Additional data of a call that runs an agent's task.
#[derive(Clone, Debug, Default)]
pub struct TaskContext {
    /// Transaction id of the task, derived from the request that created the task, so
    /// that a repeat of that request finds the answer.
    pub tx: Hash,
    /// SHA-256 of the method, path and body of that request.
    pub fingerprint: Hash,
    /// Rows to write in the same change as the call's record.
    pub puts: Vec<Put>,
    /// Whether the task queue runs the call; no client repeats such a call.
    pub carried_on: bool,
}

/// A call that has passed admission: the middleware has checked its key, tier and limits.
#[derive(Clone, Debug)]
pub struct Call {
    /// Id of the HTTP request.
    pub request_id: String,
    /// Time of the call, Unix milliseconds.
    pub now_ms: u64,
    /// The account of the API key, if the request had one.
    pub account: Option<String>,
    /// Tenant whose share of call slots the call uses, and the call's priority.
    pub share: FairShare,
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin.
    pub name: String,
    /// Method and path pattern of the route; a repeat must use the same route.
    pub route: String,
    /// Body of the request; empty if there was none.
    pub body: Bytes,
    /// Payment method of the call.
    pub source: PaymentSource,
    /// `Idempotency-Key` header of the request.
    pub idempotency_key: Option<String>,
    /// Task data; only for calls of agents.
    pub queued: Option<Box<TaskContext>>,
    /// Daily limit on the credit that the API key may spend.
    pub spend: Option<DailySpendLimit>,
    /// Maximum cost that the caller accepts.
    pub max_cost: Option<Millipence>,
}

impl Call {
    /// Refuses an invalid `Idempotency-Key`; applies to free and paid calls.
    pub fn check_key(&self) -> Result<(), CheckoutError> {
        if let Some(key) = &self.idempotency_key {
            IdempotencyKey::parse(key)?;
        }
        Ok(())
    }

    /// Returns the key by which repeats of the call are recognized: the
    /// `Idempotency-Key`, otherwise one derived from the payment. A wallet signature and
    /// a challenge are single-use, so sending one again requests the same answer. If a
    /// wallet payment has an identifier chosen by the payer, another signature with that
    /// identifier also counts as a repeat. `None` for calls that the task queue runs.
    pub fn repeat_key(&self) -> Option<Cow<'_, str>> {
        match (&self.idempotency_key, &self.source) {
            (Some(key), _) => Some(Cow::Borrowed(key)),
            (None, _) if self.continues_earlier() => None,
            (None, PaymentSource::Wallet(payment)) => Some(Cow::Owned(payment.repeat_key())),
            (None, PaymentSource::Token(payment)) => Some(Cow::Borrowed(payment.challenge_id())),
            (None, _) => None,
        }
    }

    /// Returns the row that marks the call's payment credential as used, so that it
    /// cannot pay for another call.
    pub fn token_use(&self, tx: &Hash) -> Option<Put> {
        match &self.source {
            PaymentSource::Token(payment) => Some(payment.used_by(tx)),
            _ => None,
        }
    }

    /// Returns the reason to decline the payment credential if `row`, which could not be
    /// written, is the one that marks the credential as used; otherwise `None`.
    pub(super) fn token_declined(&self, row: &str) -> Option<PaymentDeclined> {
        match &self.source {
            PaymentSource::Token(payment) => payment.declined_at(row),
            _ => None,
        }
    }

    fn continues_earlier(&self) -> bool {
        self.queued.as_ref().is_some_and(|task| task.carried_on)
    }

    /// Returns whether repeats are recognized by an identifier that the payer chose.
    pub(super) fn repeats_by_identifier(&self) -> bool {
        match (&self.idempotency_key, &self.source) {
            (None, PaymentSource::Wallet(payment)) => payment.identifier().is_some(),
            _ => false,
        }
    }

    /// Returns the identity of the call. If the call has a repeat key, the transaction id
    /// is derived from scope, route and key, so that a repeat is always the same
    /// transaction; otherwise the transaction id is random, or that of the task.
    pub fn identity(&self) -> Result<RequestIdentity, CheckoutError> {
        let Some(key) = self.repeat_key() else {
            if let Some(queued) = &self.queued {
                let TaskContext { tx, fingerprint, .. } = **queued;
                return Ok(RequestIdentity { tx, fingerprint, on_repeat: OnRepeat::Never });
            }
            return Ok(RequestIdentity::of_unkeyed_call(&self.route, &self.body)?);
        };
        let scope = match (&self.account, &self.source) {
            // The scope is the payer, not the account, because different payers may
            // choose the same identifier.
            (_, PaymentSource::Wallet(payment)) if self.repeats_by_identifier() => Cow::Owned(payment.tenant()),
            (Some(account), _) => Cow::Borrowed(account.as_str()),
            (None, PaymentSource::Intent(id)) => Cow::Borrowed(id.as_str()),
            (None, PaymentSource::Wallet(payment)) => Cow::Borrowed(payment.handle()),
            (None, PaymentSource::Token(payment)) => Cow::Borrowed(payment.handle()),
            // Without a payment the call is not sealed, so there is never a stored answer
            // to return.
            (None, _) => Cow::Borrowed(""),
        };
        Ok(RequestIdentity::of_call(&scope, &self.route, IdempotencyKey::parse(&key)?, &self.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(account: Option<&str>, route: &str, key: Option<&str>, body: &'static str) -> Call {
        Call {
            request_id: "req_1".to_owned(),
            now_ms: 0,
            account: account.map(str::to_owned),
            share: FairShare::single("caller"),
            kind: PluginKind::Bridge,
            name: "echo".to_owned(),
            route: route.to_owned(),
            body: Bytes::from_static(body.as_bytes()),
            source: PaymentSource::Credit,
            idempotency_key: key.map(str::to_owned),
            queued: None,
            spend: None,
            max_cost: None,
        }
    }

    #[test]
    fn the_same_key_is_the_same_transaction() {
        let one = call(Some("a"), "POST /x", Some("k"), "{}").identity().unwrap();
        let same = call(Some("a"), "POST /x", Some("k"), "{\"a\":1}").identity().unwrap();
        assert_eq!(one.tx, same.tx);
        assert_ne!(one.fingerprint, same.fingerprint);
        for other in [
            call(Some("b"), "POST /x", Some("k"), "{}"),
            call(Some("a"), "POST /y", Some("k"), "{}"),
            call(Some("a"), "POST /x", Some("l"), "{}"),
            call(Some("a"), "POST /x", None, "{}"),
        ] {
            assert_ne!(one.tx, other.identity().unwrap().tx);
        }
    }

    /// A task that the queue runs is sealed under the identity of the caller's request,
    /// which may have used another route.
    #[test]
    fn a_queued_task_is_what_its_caller_asked() {
        let asked = call(Some("a"), "POST /v1/route reading", Some("k"), "{}").identity().unwrap();
        let RequestIdentity { tx, fingerprint, .. } = asked;
        let mut carried_on = call(Some("a"), "POST /v1/agents/scholar/invoke", None, "{}");
        carried_on.queued = Some(Box::new(TaskContext { tx, fingerprint, puts: Vec::new(), carried_on: true }));
        let carried_on = carried_on.identity().unwrap();
        assert_eq!((carried_on.tx, carried_on.fingerprint), (asked.tx, asked.fingerprint));
    }

    #[test]
    fn refuses_keys_that_do_not_fit_a_header() {
        for key in ["", "a b", "ü", &"k".repeat(256)] {
            assert!(call(Some("a"), "POST /x", Some(key), "{}").check_key().is_err(), "{key}");
        }
    }
}
