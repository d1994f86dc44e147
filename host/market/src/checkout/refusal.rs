//! What a caller gets whose call is not paid.

use tollbridge_payment::{IntentHandle, PaymentDeclined, PaymentError, Purchase, QuoteError};

use super::call::{Call, PaymentSource};
use super::error::{CheckoutError, PaymentRequired};
use super::service::Checkout;
use crate::catalog::Offer;

impl Checkout {
    /// What to say when a call is not paid: mostly a fresh quote with the reason.
    pub(super) fn refuse(&self, call: &Call, offer: &Offer, problem: Option<PaymentDeclined>) -> CheckoutError {
        match problem {
            Some(PaymentDeclined::FundsInUse | PaymentDeclined::BeyondShare(_)) => CheckoutError::InProgress,
            Some(PaymentDeclined::Store(error)) => CheckoutError::Store(error),
            Some(PaymentDeclined::IntentUsedUp { handle }) => self.used_up(call, &handle),
            problem => match self.ways_to_pay(call, offer) {
                Ok(required) => CheckoutError::PaymentRequired(Box::new(PaymentRequired { problem, ..required })),
                Err(QuoteError::NoRandomness | QuoteError::UnknownIntent) => CheckoutError::NoRandomness,
            },
        }
    }

    /// A quote to be paid at its link, one that a wallet can pay, and challenges.
    fn ways_to_pay(&self, call: &Call, offer: &Offer) -> Result<PaymentRequired, QuoteError> {
        let (sold_as, account) = (offer.sold_as(), call.account.as_deref());
        let issued = self.payments.quote(&sold_as, offer.price, account, call.now_ms)?;
        let wallet = self.payments.wallet_offer(&sold_as, offer.price, account, call.now_ms)?;
        let purchase = Purchase { bridge: &sold_as, price: offer.price, account, body: &call.body };
        let challenges = self.payments.challenges(&purchase, call.now_ms)?;
        Ok(PaymentRequired { issued, problem: None, lacks: None, wallet, challenges })
    }

    /// Why a payment that was asked for did not come.
    pub(super) fn not_collected(&self, call: &Call, offer: &Offer, error: PaymentError) -> CheckoutError {
        match error {
            PaymentError::Declined(declined) => self.refuse(call, offer, Some(declined)),
            error => error.into(),
        }
    }

    /// Nothing of an intent is left. Its last answer is named only while it can
    /// be had: the rest may have become credit, or gone back, before any call.
    fn used_up(&self, call: &Call, handle: &IntentHandle) -> CheckoutError {
        let answer = match (&call.source, self.has_answer(handle.as_str())) {
            (_, Err(error)) => return error.into(),
            (PaymentSource::Intent(id), Ok(true)) => Some(format!("/v1/payments/{id}/answer")),
            _ => None,
        };
        let message = match answer {
            Some(_) => "this payment intent is used up; its last answer is at `answer`",
            None => {
                "nothing of this payment intent is left: it was used up more than 24 hours ago, became credit or \
                 went back; leave it out for a fresh quote"
            }
        };
        CheckoutError::AlreadySealed { message: message.to_owned(), answer }
    }
}
