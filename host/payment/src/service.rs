//! The payment service: all steps between a quote and a sealed record, for any
//! processor.

use std::sync::{Arc, Weak};

use tollbridge_access::AccessControl;
use tollbridge_ledger::Parties;
use tollbridge_store::{Collection, Db};

use super::balance_comparison::BalanceAudit;
use super::call_payments::CallPayments;
use super::context::PaymentContext;
use super::delistings::Delistings;
use super::disputes::{Disputes, TaskReservations};
use super::error::PaymentError;
use super::fees::ProcessorFees;
use super::mpp::TokenCharges;
use super::orders::PaymentOrders;
use super::poll_throttle::PollThrottle;
use super::processor::PaymentProcessor;
use super::recorder::PaymentRecorder;
use super::refund_row::RefundKeyRange;
use super::refunds::Refunds;
use super::report::ReconcileReport;
use super::review_schedule::ReviewSchedule;
use super::stripe_events::StripeEvents;
use super::wallet::WalletSettlements;

/// The parts that take payments, refund them, and look up pending operations.
pub struct PaymentService {
    /// Payments and their remainders.
    pub recorder: Arc<PaymentRecorder>,
    /// Orders at the processor.
    pub orders: Arc<PaymentOrders>,
    /// Refunds.
    pub refunds: Arc<Refunds>,
    /// Disputes.
    pub disputes: Arc<Disputes>,
    /// Refunds for plugins that were removed.
    pub delistings: Delistings,
    /// Stripe's events.
    pub stripe_events: StripeEvents,
    /// Payments by wallet.
    pub wallet: Arc<WalletSettlements>,
    /// Payments by token.
    pub tokens: Arc<TokenCharges>,
    /// Comparison of the processor's books with the ledger.
    pub audit: BalanceAudit,
    fees: Arc<ProcessorFees>,
    context: Arc<PaymentContext>,
}

impl PaymentService {
    /// Builds the service. `base_url`, to which buyers return, has no trailing slash. One
    /// payment for a tier buys `tier_days` days.
    pub fn new(
        payments: Arc<CallPayments>,
        processor: Arc<dyn PaymentProcessor>,
        db: Db,
        access: Arc<AccessControl>,
        base_url: String,
        tier_days: u32,
    ) -> Self {
        let parties = Arc::new(Parties::new(db.clone()));
        let throttle = PollThrottle::default();
        let context =
            Arc::new(PaymentContext { payments, processor, db, throttle, booking: tokio::sync::Mutex::default() });
        let recorder = Arc::new(PaymentRecorder { context: context.clone(), access, tier_days });
        let orders = Arc::new(PaymentOrders {
            context: context.clone(),
            recorder: recorder.clone(),
            base_url,
            schedule: ReviewSchedule::of(Collection::Orders, ""),
        });
        let refunds = Arc::new(Refunds {
            context: context.clone(),
            recorder: recorder.clone(),
            reviews: ReviewSchedule::of(Collection::Refunds, RefundKeyRange::Paid.prefix()),
        });
        let tokens = Arc::new(TokenCharges::new(context.clone(), recorder.clone()));
        let fees =
            Arc::new(ProcessorFees { context: context.clone(), schedule: ReviewSchedule::of(Collection::Fees, "") });
        let disputes = Arc::new(Disputes {
            context: context.clone(),
            orders: orders.clone(),
            refunds: refunds.clone(),
            tokens,
            fees: fees.clone(),
            parties,
            tasks: None,
        });
        Self::assemble(context, recorder, orders, refunds, fees, disputes)
    }

    /// Lets disputes reclaim amounts reserved by queued tasks. The queue owns this
    /// service: pass the `Weak` of its `Arc::new_cyclic`.
    #[must_use]
    pub fn with_tasks(self, tasks: Weak<dyn TaskReservations>) -> Self {
        let Self { recorder, orders, refunds, disputes, fees, context, .. } = self;
        let disputes = Arc::new(Disputes {
            context: context.clone(),
            orders: orders.clone(),
            refunds: refunds.clone(),
            tokens: disputes.tokens.clone(),
            fees: fees.clone(),
            parties: disputes.parties.clone(),
            tasks: Some(tasks),
        });
        Self::assemble(context, recorder, orders, refunds, fees, disputes)
    }

    fn assemble(
        context: Arc<PaymentContext>,
        recorder: Arc<PaymentRecorder>,
        orders: Arc<PaymentOrders>,
        refunds: Arc<Refunds>,
        fees: Arc<ProcessorFees>,
        disputes: Arc<Disputes>,
    ) -> Self {
        Self {
            delistings: Delistings { context: context.clone(), recorder: recorder.clone(), refunds: refunds.clone() },
            stripe_events: StripeEvents {
                context: context.clone(),
                orders: orders.clone(),
                refunds: refunds.clone(),
                disputes: disputes.clone(),
            },
            wallet: Arc::new(WalletSettlements::new(context.clone(), recorder.clone())),
            tokens: disputes.tokens.clone(),
            audit: BalanceAudit { context: context.clone(), fees: fees.clone(), disputes: disputes.clone() },
            recorder,
            orders,
            refunds,
            disputes,
            fees,
            context,
        }
    }

    /// Returns the payment components that every call uses.
    pub fn payments(&self) -> &Arc<CallPayments> {
        &self.context.payments
    }

    /// Looks up every pending order, refund and dispute and every unknown fee, and
    /// reviews some of the paid refunds. This also completes operations that a crash
    /// interrupted, because each is stored durably before its request to the processor.
    ///
    /// # Errors
    ///
    /// Fails if a write fails. Unclear answers of the processor are only counted.
    pub async fn reconcile(&self, now_ms: u64) -> Result<ReconcileReport, PaymentError> {
        let mut report = ReconcileReport::default();
        self.orders.reconcile(now_ms, &mut report).await?;
        self.refunds.reconcile(now_ms, &mut report).await?;
        self.refunds.review_paid(now_ms, &mut report).await?;
        self.disputes.reconcile(now_ms, &mut report).await?;
        self.fees.reconcile(now_ms, &mut report).await?;
        self.wallet.reconcile(now_ms, &mut report).await?;
        self.tokens.reconcile(now_ms, &mut report).await?;
        Ok(report)
    }
}
