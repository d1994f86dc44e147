//! `Turns`: execution slots for work that accounts cause, separate from the operator's
//! slots.
//!
//! Invariants: accounts share their slots fairly and never use the operator's; a slot is
//! freed no matter how its holder ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fair_limiter::{FairLimiter, FairPermit, FairShare, NoPermit, TenantName};
use crate::fair_queue::FairLimits;

/// The operator's slots, and the slots that all accounts share.
#[derive(Clone, Debug)]
pub struct Turns {
    operator: Arc<Semaphore>,
    accounts: Arc<FairLimiter>,
}

/// A reserved slot, freed when dropped.
#[derive(Debug)]
#[must_use = "dropping it frees the slot"]
pub struct Turn {
    _place: Place,
}

/// The permit for a slot; it is held but never read.
#[derive(Debug)]
enum Place {
    Operator { _permit: OwnedSemaphorePermit },
    Account { _permit: FairPermit },
}

impl Turns {
    /// Creates the slots, all of them free.
    pub fn new(operator: usize, accounts: FairLimits) -> Self {
        Self { operator: Arc::new(Semaphore::new(operator)), accounts: FairLimiter::new(accounts) }
    }

    /// Reserves a slot for an account, or for the operator if `account` is `None`,
    /// waiting at most `wait`.
    ///
    /// # Errors
    /// Too many requests wait, or no slot became free in time.
    pub async fn take(&self, account: Option<&TenantName>, wait: Duration) -> Result<Turn, NoPermit> {
        let place = match account {
            Some(account) => {
                let share = FairShare::single(account.clone());
                Place::Account { _permit: self.accounts.acquire(&share, wait).await? }
            }
            None => {
                let permit = tokio::time::timeout(wait, self.operator.clone().acquire_owned()).await;
                // Acquiring fails only if the semaphore is closed, which never happens.
                Place::Operator { _permit: permit.map_err(|_| NoPermit::TimedOut)?.map_err(|_| NoPermit::Full)? }
            }
        };
        Ok(Turn { _place: place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn accounts_wait_for_each_other_and_the_operator_for_none() {
        let limits = FairLimits { running: 2, running_per_tenant: 1, waiting: 8, waiting_per_tenant: 2 };
        let turns = Turns::new(1, limits);
        let [one, two, three] = ["one", "two", "three"].map(TenantName::from);
        let _first = turns.take(Some(&one), Duration::ZERO).await.unwrap();
        assert_eq!(turns.take(Some(&one), Duration::ZERO).await.unwrap_err(), NoPermit::TimedOut);
        let second = turns.take(Some(&two), Duration::ZERO).await.unwrap();
        assert_eq!(turns.take(Some(&three), Duration::ZERO).await.unwrap_err(), NoPermit::TimedOut);
        let operators = turns.take(None, Duration::ZERO).await.unwrap();
        assert_eq!(turns.take(None, Duration::ZERO).await.unwrap_err(), NoPermit::TimedOut);
        drop((second, operators));
        assert!(turns.take(Some(&three), Duration::ZERO).await.is_ok());
        assert!(turns.take(None, Duration::ZERO).await.is_ok());
    }
}
