//! Payment by token: the payment processor charges the token before the call runs, but
//! after checking that the call can be answered.

use std::sync::Arc;

use tollbridge_core::finish::Finish;
use tollbridge_payment::{PaymentAuthorization, TokenPayment};

use super::call::Call;
use super::checkout_payments::CheckoutPayments;
use super::error::CheckoutError;
use super::input::Input;
use crate::catalog::Offer;

impl CheckoutPayments {
    /// Charges a payment token, and reserves the price of this call from the payment.
    /// Continues if the client disconnects.
    pub(super) async fn charge_token(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        payment: &Arc<TokenPayment>,
    ) -> Result<PaymentAuthorization, CheckoutError> {
        let checked = payment.check_use(&offer.sold_as(), call.account.as_deref());
        checked.map_err(|problem| self.refusals.refuse(call, offer, Some(problem)))?;
        input.require_complete()?;
        let (service, charged, now_ms) = (self.service.clone(), payment.clone(), call.now_ms);
        let charging = async move { service.tokens.collect(&charged, now_ms).await };
        Finish::new(charging).await.map_err(|error| self.refusals.not_collected(call, offer, error))?;
        let tx = call.identity()?.tx;
        let reserved =
            self.payments.shares.reserve(|| self.payments.authorizer.authorize_token(payment, offer.price, &tx)).await;
        reserved.map_err(|problem| self.refusals.refuse(call, offer, Some(problem)))
    }
}
