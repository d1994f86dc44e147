//! Steps that open and win disputes, and the final check of all disputes.

use super::*;

impl World {
    /// Opens a dispute of a payment, or wins the payment's earlier dispute.
    pub(super) fn dispute(&mut self, which: usize, crash_after: Option<usize>) {
        let Some((payment, handle, amount)) = pick(&self.processor.payments(), which) else { return };
        let won = self.disputed.contains(&payment);
        if !won {
            self.disputed.push(payment.clone());
        }
        self.processor.dispute(&payment, if won { 0 } else { amount });
        self.deliver_dispute_event(&payment, &handle, amount, won, crash_after);
    }

    /// Delivers the event of a dispute. Returns whether the dispute was recorded; `None`
    /// if a crash interrupted this.
    pub(super) fn deliver_dispute_event(
        &mut self,
        payment: &str,
        handle: &str,
        amount: i64,
        won: bool,
        crash_after: Option<usize>,
    ) -> Option<bool> {
        let (services, now) = (self.services.clone(), self.now_ms);
        let mut charged = vec![ProcessorFee { transaction: format!("txn_dp_{payment}"), amount: DISPUTE_FEE }];
        if won {
            let fee = DISPUTE_FEE.checked_neg().unwrap();
            charged.push(ProcessorFee { transaction: format!("txn_won_{payment}"), amount: fee });
        }
        let disputed = ProcessorDispute {
            id: format!("dp_{payment}"),
            payment: payment.to_owned(),
            handle: Some(handle.to_owned()),
            amount: Millipence::new(amount),
            status: if won { DisputeStatus::Won } else { DisputeStatus::FundsWithdrawn },
            fees: charged,
        };
        self.run(crash_after, async move { services.payment_service.disputes.book(&disputed, now).await.is_ok() })
    }

    /// Delivers the events of all disputes a second time.
    pub(in super::super) fn redeliver_dispute_events(&mut self) {
        for (payment, handle, amount) in self.processor.payments() {
            if self.disputed.contains(&payment) {
                let booked = self.deliver_dispute_event(&payment, &handle, amount, false, None);
                assert_eq!(booked, Some(true), "a dispute must be recorded when its event is delivered again");
                if self.processor.disputed(&payment) == Some(0) {
                    self.deliver_dispute_event(&payment, &handle, amount, true, None);
                }
            }
        }
    }

    /// Disputes a payment at the processor without delivering an event.
    pub(in super::super) fn dispute_without_event(&mut self, which: usize) {
        let (payment, _, amount) = pick(&self.processor.payments(), which).unwrap();
        self.processor.dispute(&payment, amount);
    }

    /// Opens the services again, with `tasks` instead of the task queue as the holder of
    /// reserved prices.
    pub(in super::super) fn with_tasks(&mut self, tasks: &Arc<dyn TaskReservations>) {
        self.services = HostServices::open(&self.store, &self.writer, &self.notary, &self.processor, Some(tasks));
    }

    /// Checks that the losses from disputes (earnings taken from owners, and write-offs)
    /// do not exceed what was spent on calls or refunded. All other disputed money must
    /// have been unspent, or must have been returned.
    pub(super) fn check_disputes(&self) {
        let (mut spent, mut refunded, mut lost) = (0, 0, BTreeMap::<String, i64>::new());
        for seq in 0..self.store.head().unwrap().size {
            let record = Record::parse(&self.store.record(seq).unwrap().unwrap()).unwrap();
            match Entry::read(&record.kind, &record.body).unwrap() {
                Entry::Route(_) => {
                    spent -= record.postings.iter().map(|leg| leg.amount.get().min(0)).sum::<i64>();
                }
                Entry::Dispute(dispute) if dispute.stage == DisputeStage::Opened => {
                    let credit = dispute.credit.map_or(0, |credit| credit.amount.get());
                    let borne = dispute.amount.get() - dispute.recovered.get() - credit;
                    let held: i64 = dispute.held.iter().map(|one| one.amount.get()).sum();
                    assert!((0..=borne).contains(&held), "{held} of {borne}");
                    lost.insert(dispute.dispute, borne);
                }
                Entry::Dispute(dispute) if dispute.stage == DisputeStage::Relieved => {
                    *lost.get_mut(&dispute.dispute).unwrap() -= dispute.amount.get();
                }
                Entry::Dispute(dispute) => drop(lost.remove(&dispute.dispute)),
                Entry::Refund(refund) => match refund.stage {
                    RefundStage::Paid => refunded += refund.amount.get(),
                    RefundStage::Returned => refunded -= refund.amount.get(),
                    RefundStage::Owed | RefundStage::Failed => {}
                },
                _ => {}
            }
        }
        let lost: i64 = lost.values().sum();
        assert!(lost <= spent + refunded, "disputes lost {lost}, but only {spent} was spent and {refunded} refunded");
    }
}
