//! Payment by wallet: the signed payment is collected once the call is answered, or
//! before the call runs if the call may have nested calls to pay for.

use std::sync::Arc;

use tollbridge_core::finish::Finish;
use tollbridge_payment::{PaymentAuthorization, SettleWhen, WalletPayment};
use tollbridge_plugin::PluginOutput;
use tollbridge_store::StoreError;

use super::call::Call;
use super::checkout_payments::CheckoutPayments;
use super::error::CheckoutError;
use super::input::Input;
use super::sale_payment::SalePayment;
use crate::catalog::Offer;

impl CheckoutPayments {
    /// Returns whether a call may run before its wallet payment is collected. If not, the
    /// money is collected first, or was already collected for an earlier attempt.
    pub(super) fn can_collect_after(&self, offer: &Offer, payment: &WalletPayment) -> Result<bool, StoreError> {
        let after = self.payments.wallet_rail.as_deref().is_some_and(|rail| rail.settles() == SettleWhen::After);
        Ok(after && !offer.plugin.uses_others() && !self.payments.wallet_payments.is_booked(payment)?)
    }

    /// Verifies that a wallet payment is for this call and that the wallet has the money.
    /// Before checking the wallet, refuses a call that cannot be answered.
    pub(super) async fn promise(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        payment: &Arc<WalletPayment>,
    ) -> Result<Arc<WalletPayment>, CheckoutError> {
        self.check_max_cost(call, offer, input)?;
        let checked = payment.check_use(&offer.sold_as(), call.account.as_deref());
        checked.map_err(|problem| self.refusals.refuse(call, offer, Some(problem)))?;
        input.require_complete()?;
        if !self.payments.wallet_payments.is_booked(payment)? {
            let verified = self.service.wallet.verify(payment, call.now_ms).await;
            verified.map_err(|error| self.refusals.not_collected(call, offer, error))?;
        }
        Ok(payment.clone())
    }

    /// Collects the payment that a wallet promised, once the call was answered. A payment
    /// that is already held is returned unchanged.
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

    /// Collects a wallet payment before the call runs, and reserves the price from it.
    /// Continues if the client disconnects.
    pub(super) async fn take(
        &self,
        call: &Call,
        offer: &Offer,
        payment: &Arc<WalletPayment>,
    ) -> Result<PaymentAuthorization, CheckoutError> {
        let (service, payment, now_ms) = (self.service.clone(), payment.clone(), call.now_ms);
        let taking = {
            let payment = payment.clone();
            async move { service.wallet.collect(&payment, now_ms).await }
        };
        Finish::new(taking).await.map_err(|error| self.refusals.not_collected(call, offer, error))?;
        let reserved = self.payments.shares.reserve(|| self.payments.authorizer.authorize_wallet(&payment)).await;
        reserved.map_err(|problem| self.refusals.refuse(call, offer, Some(problem)))
    }
}
