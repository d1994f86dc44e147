//! Responses to calls that have not been paid.

use std::sync::Arc;

use tollbridge_payment::{CallPayments, IntentHandle, PaymentDeclined, PaymentError, Purchase, QuoteError};

use super::call::{Call, PaymentSource};
use super::error::{CheckoutError, PaymentRequired};
use super::stored_answers::StoredAnswers;
use crate::catalog::Offer;

/// The responses to calls that have not been paid.
pub(super) struct Refusals {
    pub(super) payments: Arc<CallPayments>,
    pub(super) answers: Arc<StoredAnswers>,
}

impl Refusals {
    /// Returns the error for a call that is not paid: usually a new quote, with the
    /// reason the payment was declined.
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

    /// Creates a quote with a payment link, a wallet offer, and challenges.
    fn ways_to_pay(&self, call: &Call, offer: &Offer) -> Result<PaymentRequired, QuoteError> {
        let (sold_as, account) = (offer.sold_as(), call.account.as_deref());
        let issued = self.payments.quotes.issue(&sold_as, offer.price, account, call.now_ms)?;
        let wallet = self.payments.wallet_offers.exact(&sold_as, offer.price, account, call.now_ms)?;
        let purchase = Purchase { bridge: &sold_as, price: offer.price, account, body: &call.body };
        let challenges = self.payments.challenges.issue(&purchase, call.now_ms)?;
        Ok(PaymentRequired { issued, problem: None, lacks: None, wallet, challenges })
    }

    /// Returns the error for a payment that could not be collected.
    pub(super) fn not_collected(&self, call: &Call, offer: &Offer, error: PaymentError) -> CheckoutError {
        match error {
            PaymentError::Declined(declined) => self.refuse(call, offer, Some(declined)),
            error => error.into(),
        }
    }

    /// Returns the error for an intent without money. The error refers to the intent's
    /// last answer only if that answer is still stored. There may be none: the remaining
    /// money may have become credit or been refunded before any call.
    fn used_up(&self, call: &Call, handle: &IntentHandle) -> CheckoutError {
        let answer = match (&call.source, self.answers.has_of_intent(handle.as_str())) {
            (_, Err(error)) => return error.into(),
            (PaymentSource::Intent(id), Ok(true)) => Some(format!("/v1/payments/{id}/answer")),
            _ => None,
        };
        let message = match answer {
            Some(_) => "this payment intent is used up; its last answer is at `answer`",
            None => {
                "this payment intent has no money left: it was used up more than 24 hours ago, became credit or \
                 was refunded; leave it out for a new quote"
            }
        };
        CheckoutError::AlreadySealed { message: message.to_owned(), answer }
    }
}
