//! Completes the work in progress after a random sequence, and checks the result.

use super::*;

impl World {
    /// Turns off all faults and completes all work in progress.
    pub(in super::super) fn settle_everything(&mut self) {
        self.processor.set_faults(0);
        self.processor.set_slow_refunds(false);
        for _ in 0..4 {
            self.crash();
            // Replays the payment events, which Stripe would redeliver until they are
            // accepted.
            for (_, handle, _) in self.processor.payments() {
                let services = self.services.clone();
                let (parsed, now) = (tollbridge_payment::IntentHandle::parse(&handle).unwrap(), self.now_ms);
                self.run(None, async move {
                    services.payment_service.orders.check_now(&parsed, now).await.map(drop).unwrap()
                });
            }
            self.redeliver_dispute_events();
            let services = self.services.clone();
            for one in services.withdrawals.list("acct_dev", None, 1_000).unwrap() {
                if let Some(transfer) = self.processor.transfer_of(&one.id) {
                    let (services, now) = (self.services.clone(), self.now_ms);
                    self.run(
                        None,
                        async move { services.withdrawals.returned(&one.id, &transfer, now).await.unwrap() },
                    );
                }
            }
            for refund in self.processor.failed_refunds() {
                let (services, now) = (self.services.clone(), self.now_ms);
                let heard = async move { services.payment_service.refunds.follow_up(&refund, now).await.unwrap() };
                self.run(None, heard);
            }
            // The operator rejects or releases withdrawals that are still open.
            for (number, one) in services.withdrawals.open().unwrap().into_iter().enumerate() {
                let (services, now) = (self.services.clone(), self.now_ms);
                let decide = async move {
                    match number % 2 {
                        0 => services.withdrawals.reject(&one.id, "test", now).await.is_ok(),
                        _ => services.withdrawals.release(&one.id, now).await.is_ok(),
                    }
                };
                self.run(None, decide);
            }
            self.now_ms += 3_600_000;
            self.run(None, reconcile(services, self.live, self.now_ms));
        }
        // Let the holds of all earnings end.
        self.now_ms += 3 * DAY_MS;
        self.run(None, reconcile(self.services.clone(), self.live, self.now_ms));
    }

    pub(in super::super) fn check(&self) {
        let balances = self.store.balances().unwrap();
        assert_eq!(balances.iter().map(|(_, amount)| amount.get()).sum::<i64>(), 0, "the books do not balance");
        for (name, amount) in &balances {
            let account = LedgerAccount::parse(name).unwrap();
            assert!(!account.guarded() || !amount.is_negative(), "{name} has {amount}");
        }
        let pending: Vec<_> =
            balances.iter().filter(|(name, _)| name.ends_with(":pending") || name == "refunds").collect();
        assert!(pending.is_empty(), "these accounts should be empty at the end: {pending:?}");
        self.check_disputes();
        let waiting = |collection, prefix: &str| {
            let rows = self.store.list(collection, prefix, 10_000).unwrap();
            rows.into_iter().filter(|(key, _)| key.starts_with(prefix)).count()
        };
        assert_eq!(
            waiting(Collection::Refunds, "taken/"),
            0,
            "earnings that the next release must skip remain at the end"
        );
        assert_eq!(waiting(Collection::Refunds, "unbooked/"), 0, "a dispute is not recorded in the ledger");
        assert_eq!(waiting(Collection::Fees, ""), 0, "a fee is not recorded in the ledger");
        let clearing = self.store.balance("processor:clearing").unwrap();
        assert_eq!(self.processor.balance(), -clearing.get(), "the processor's balance differs from the ledger");
        let transfers = self.processor.transfers();
        let known = self.services.withdrawals.list("acct_dev", None, 10_000).unwrap();
        for one in &known {
            let moved = transfers.get(&one.id).copied();
            let expected = matches!(one.state.name(), "settled" | "returned").then_some(one.amount.get());
            assert_eq!(moved, expected, "{one:?}");
            let reversed = self.processor.transfer_of(&one.id).map_or(0, |transfer| transfer.reversed.get());
            assert_eq!(one.returned().get(), reversed, "{one:?}");
        }
        assert!(transfers.keys().all(|id| known.iter().any(|one| one.id == *id)), "a transfer without a withdrawal");
        assert!(self.services.withdrawals.open().unwrap().is_empty(), "a withdrawal is still in progress");
        assert!(self.services.payment_service.refunds.open().unwrap().is_empty(), "a refund is still in progress");
        // Recomputes every balance from the records and verifies the whole chain.
        self.notary.ledger().verify(&Trust::default()).unwrap();
    }
}
