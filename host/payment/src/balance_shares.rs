//! `BalanceShares`: this host's shares of the balances that several hosts spend from.

use std::sync::Arc;

use tollbridge_store::{StoreError, SubmitError};

use super::balance_holds::BalanceHolds;
use super::declined::PaymentDeclined;
use super::host_reservations::{Backoff, HostReservations};

/// Coordinates holds between hosts: each host announces how much of a balance its calls
/// may hold, so that no two hosts reserve the same money. A single host announces
/// nothing.
pub struct BalanceShares {
    holds: Arc<BalanceHolds>,
    /// Reservations shared with other hosts; `None` on a single host.
    reservations: Option<Arc<HostReservations>>,
}

impl BalanceShares {
    pub(crate) fn new(holds: Arc<BalanceHolds>, reservations: Option<Arc<HostReservations>>) -> Self {
        Self { holds, reservations }
    }

    /// Runs `attempt`, and repeats it while this host's share of a balance is too small.
    /// Between attempts, this host announces a larger share, or waits for other hosts to
    /// give up theirs.
    ///
    /// # Errors
    ///
    /// Returns the error of `attempt`; [`PaymentDeclined::FundsInUse`] if the share stays
    /// too small.
    pub async fn reserve<T>(&self, attempt: impl Fn() -> Result<T, PaymentDeclined>) -> Result<T, PaymentDeclined> {
        let mut patience = None;
        loop {
            let shortfall = match attempt() {
                Err(PaymentDeclined::BeyondShare(shortfall)) => shortfall,
                outcome => return outcome,
            };
            let Some(reservations) = &self.reservations else { return Err(PaymentDeclined::FundsInUse) };
            let patience = patience.get_or_insert_with(Backoff::new);
            if shortfall.is_elsewhere() {
                // Give up the unused share first: two hosts that each keep a share and
                // wait for the other's would deadlock.
                self.holds.give_up(&shortfall.account);
            }
            match reservations.cover(&shortfall, patience).await {
                Ok(true) => {}
                Ok(false) => return Err(PaymentDeclined::FundsInUse),
                Err(error) => {
                    let source = Box::new(error);
                    return Err(StoreError { doing: "announcing this host's reservations", source }.into());
                }
            }
        }
    }

    /// Reads the latest writes of other hosts, which may have released money; call it
    /// before declining a call. Returns whether other hosts exist, in which case the
    /// caller may try again.
    ///
    /// # Errors
    ///
    /// Fails if the writes of other hosts cannot be read.
    pub async fn look_again(&self) -> Result<bool, SubmitError> {
        match &self.reservations {
            Some(reservations) => reservations.look_again().await,
            None => Ok(false),
        }
    }

    /// Waits until this host lowers one of its shares, and writes the lower share.
    /// Handles one change; call it in a loop.
    pub async fn keep(&self) {
        let Some(reservations) = &self.reservations else { return std::future::pending().await };
        if let Err(error) = reservations.write_given_up().await {
            tracing::warn!(%error, "cannot release reservations that this host no longer needs");
        }
    }

    /// Gives up amounts that were reserved in advance and not used. Call it
    /// periodically.
    pub fn sweep(&self) {
        self.holds.sweep();
    }

    /// Deletes the reservations of hosts that are no longer live.
    pub async fn clean_up(&self) {
        let Some(reservations) = &self.reservations else { return };
        if let Err(error) = reservations.clean_up().await {
            tracing::warn!(%error, "cannot delete the reservations of hosts that have left");
        }
    }
}
