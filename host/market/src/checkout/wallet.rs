//! Payment by wallet: what was signed is taken once there is an answer, or before
//! where others are paid below the call.

use std::sync::Arc;

use tollbridge_core::finish::Finish;
use tollbridge_core::money::Millipence;
use tollbridge_payment::{PaymentAuthorization, SettleWhen, WalletPayment};
use tollbridge_runtime::plugins::PluginOutput;
use tollbridge_store::StoreError;

use super::call::Call;
use super::error::CheckoutError;
use super::input::Input;
use super::service::Checkout;
use crate::catalog::Offer;

/// What pays for a call that is about to run.
pub(super) enum SalePayment {
    /// Its price is reserved.
    Held(PaymentAuthorization),
    /// A wallet has signed for it, and has the money. Only for calls that nobody
    /// answers below: those are paid even if the call fails.
    Promised(Arc<WalletPayment>),
}

impl SalePayment {
    /// What the call costs.
    pub(super) fn amount(&self) -> Millipence {
        match self {
            Self::Held(payment) => payment.amount,
            Self::Promised(payment) => payment.price(),
        }
    }
}

impl Checkout {
    /// Whether a call may run on a promise: else its money is taken before, or it
    /// was taken for an earlier try.
    pub(super) fn may_promise(&self, offer: &Offer, payment: &WalletPayment) -> Result<bool, StoreError> {
        let after = self.payments.wallet().is_some_and(|rail| rail.settles() == SettleWhen::After);
        Ok(after && !offer.plugin.uses_others() && !self.payments.is_wallet_payment_booked(payment)?)
    }

    /// Finds out whether what a wallet signed is for this call, and whether it has
    /// the money. Nobody's money is asked about for what cannot be answered.
    pub(super) async fn promise(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        payment: &Arc<WalletPayment>,
    ) -> Result<Arc<WalletPayment>, CheckoutError> {
        self.check_max_cost(call, offer)?;
        let checked = self.payments.check_wallet_payment(payment, &offer.sold_as(), call.account.as_deref());
        checked.map_err(|problem| self.refuse(call, offer, Some(problem)))?;
        input.require_complete()?;
        if !self.payments.is_wallet_payment_booked(payment)? {
            let verified = self.payment_service.wallet.verify(payment, call.now_ms).await;
            verified.map_err(|error| self.not_collected(call, offer, error))?;
        }
        Ok(payment.clone())
    }

    /// Takes what was promised, once there is an answer.
    pub(super) async fn collect(
        &self,
        call: &Call,
        offer: &Offer,
        payment: SalePayment,
        output: Result<PluginOutput, CheckoutError>,
    ) -> Result<(PaymentAuthorization, Result<PluginOutput, CheckoutError>), CheckoutError> {
        match payment {
            SalePayment::Held(payment) => Ok((payment, output)),
            SalePayment::Promised(payment) => {
                let output = output?;
                Ok((self.take(call, offer, &payment).await?, Ok(output)))
            }
        }
    }

    /// Takes the money of a wallet, and reserves it. Who hangs up meanwhile changes
    /// nothing.
    pub(super) async fn take(
        &self,
        call: &Call,
        offer: &Offer,
        payment: &Arc<WalletPayment>,
    ) -> Result<PaymentAuthorization, CheckoutError> {
        let (service, payment, now_ms) = (self.payment_service.clone(), payment.clone(), call.now_ms);
        let taking = {
            let payment = payment.clone();
            async move { service.wallet.collect(&payment, now_ms).await }
        };
        Finish::new(taking).await.map_err(|error| self.not_collected(call, offer, error))?;
        let reserved = self.payments.reserve(|| self.payments.authorize_wallet(&payment)).await;
        reserved.map_err(|problem| self.refuse(call, offer, Some(problem)))
    }
}
