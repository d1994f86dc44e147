//! Steps 4 and 5 of a call: its price is reserved, or the call is refused with a quote.

use std::sync::Arc;

use tollbridge_payment::{CallPayments, PaymentAuthorization, PaymentDeclined, PaymentService};

use super::call::{Call, PaymentSource};
use super::error::CheckoutError;
use super::input::Input;
use super::refusals::Refusals;
use super::sale_payment::SalePayment;
use crate::catalog::Offer;

/// The payment of calls. Payments by wallet and by token are in `wallet` and `token`.
pub(super) struct CheckoutPayments {
    pub(super) payments: Arc<CallPayments>,
    pub(super) service: Arc<PaymentService>,
    pub(super) refusals: Arc<Refusals>,
}

impl CheckoutPayments {
    /// Reserves the price of a call, or verifies a wallet's payment that will be
    /// collected later.
    pub(super) async fn reserve(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
    ) -> Result<SalePayment, CheckoutError> {
        match &call.source {
            PaymentSource::Wallet(payment) if self.can_collect_after(offer, payment)? => {
                self.promise(call, offer, input, payment).await.map(SalePayment::Promised)
            }
            _ => self.hold(call, offer, input).await.map(SalePayment::Held),
        }
    }

    /// Reserves the price of a call, after collecting the payment of a wallet or token.
    pub(super) async fn hold(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
    ) -> Result<PaymentAuthorization, CheckoutError> {
        let (account, payments, price) = (call.account.as_deref(), &self.payments, offer.price);
        // The caller may have paid at the processor without the payment being recorded
        // here yet.
        if let PaymentSource::Intent(id) = &call.source {
            self.service.orders.check_intent(id, call.now_ms).await?;
        }
        self.check_max_cost(call, offer, input)?;
        let authorized = match &call.source {
            PaymentSource::Nothing => return Err(self.refusals.refuse(call, offer, None)),
            PaymentSource::UnusableWallet(why) => {
                return Err(self.refusals.refuse(call, offer, Some(why.clone().into())));
            }
            PaymentSource::UnusableCredential(why) => {
                return Err(self.refusals.refuse(call, offer, Some(why.clone().into())));
            }
            PaymentSource::Token(payment) => return self.charge_token(call, offer, input, payment).await,
            PaymentSource::Wallet(payment) => {
                self.promise(call, offer, input, payment).await?;
                return self.take(call, offer, payment).await;
            }
            PaymentSource::Intent(id) => {
                let sold_as = offer.sold_as();
                payments
                    .shares
                    .reserve(|| payments.authorizer.authorize_intent(id, &sold_as, account, price, call.now_ms))
                    .await
            }
            PaymentSource::Held { task, amount } => {
                let account = account.ok_or(CheckoutError::CreditNeedsKey)?;
                payments.shares.reserve(|| payments.authorizer.authorize_task(account, task, *amount)).await
            }
            PaymentSource::Credit => {
                let (account, spend) = (account.ok_or(CheckoutError::CreditNeedsKey)?, call.spend.as_ref());
                payments
                    .shares
                    .reserve(|| payments.authorizer.authorize_credit_within(account, price, spend, call.now_ms))
                    .await
            }
        };
        authorized.map_err(|problem| self.refusals.refuse(call, offer, Some(problem)))
    }

    /// Refuses a price above the maximum in the header or in the body.
    pub(super) fn check_max_cost(&self, call: &Call, offer: &Offer, input: &Input) -> Result<(), CheckoutError> {
        let price = offer.price;
        let max_cost = call.max_cost.into_iter().chain(input.max_cost()).min();
        match max_cost.filter(|max_cost| price > *max_cost) {
            Some(max_cost) => {
                Err(self.refusals.refuse(call, offer, Some(PaymentDeclined::MaxCostExceeded { price, max_cost })))
            }
            None => Ok(()),
        }
    }
}
