//! Earnings on hold, as far as disputes and the end of holds must agree on them.
//!
//! Earnings are set free in the order of the records that brought them. When a
//! dispute takes some away, the same amount of what would be set free next is
//! passed over: a row says how much for each account.
//!
//! Invariant: what is pending of an account is what records brought that were not
//! looked at yet, less what is to be passed over.

use tollbridge_core::money::Millipence;
use tollbridge_store::{Collection, Expect, Put, Store, StoreError};

/// Row of `Collection::Meta`: every record below this number has been looked at.
const BELOW: &str = "holds_released_below";
/// Before the account in rows of `Collection::Refunds`.
const PASSED: &str = "taken/";

/// How far the records have been gone through whose hold has ended.
pub struct HoldReleaseCursor {
    pub below: u64,
    row: Option<Vec<u8>>,
}

impl HoldReleaseCursor {
    pub fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let row = store.get(Collection::Meta, BELOW)?;
        let below = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { below, row })
    }

    /// Moves the place on, or only says that it must still be where it was.
    pub fn put(&self, below: u64) -> Put {
        let value = match (&self.row, below == self.below) {
            (row, true) => row.clone(),
            (_, false) => Some(below.to_string().into_bytes()),
        };
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Meta, key: BELOW.to_owned(), value, expect }
    }
}

/// How much of what an account will be set free next is passed over.
pub struct ClawbackOffset {
    key: String,
    row: Option<Vec<u8>>,
    pub amount: Millipence,
}

impl ClawbackOffset {
    pub fn read(store: &dyn Store, account: &str) -> Result<Self, StoreError> {
        let key = format!("{PASSED}{account}");
        let row = store.get(Collection::Refunds, &key)?;
        let amount = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { key, row, amount: Millipence::new(amount) })
    }

    /// Makes it another amount; refused if somebody else did first.
    pub fn put(&self, amount: Millipence) -> Put {
        let value = (!amount.is_zero()).then(|| amount.get().to_string().into_bytes());
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Refunds, key: self.key.clone(), value, expect }
    }
}
