//! Where disputes and the release of earnings on hold meet.
//!
//! Earnings are released in the order of the records that brought them. When a
//! dispute takes some of them back, the release skips the same amount: a row says
//! how much for each account.
//!
//! Invariant: an account's pending balance is what the records brought that are
//! not released yet, less what is still to be skipped.

use tollbridge_core::money::Millipence;
use tollbridge_store::{Collection, Expect, Put, Store, StoreError};

/// Row of `Collection::Meta`: every record below this number is released.
const RELEASED_BELOW: &str = "holds_released_below";
/// Key prefix of an offset in `Collection::Refunds`, before the account.
const CLAWED_BACK: &str = "taken/";

/// How far earnings have been released.
pub struct HoldReleaseCursor {
    /// Every record below this number is released.
    pub released_below: u64,
    row: Option<Vec<u8>>,
}

impl HoldReleaseCursor {
    /// Reads the cursor.
    ///
    /// # Errors
    /// What the store says.
    pub fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let row = store.get(Collection::Meta, RELEASED_BELOW)?;
        let released_below = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { released_below, row })
    }

    /// Moves the cursor on, or demands that it is still where it was. Refused when
    /// it has moved since it was read.
    pub fn put(&self, released_below: u64) -> Put {
        let value = match (&self.row, released_below == self.released_below) {
            (row, true) => row.clone(),
            (_, false) => Some(released_below.to_string().into_bytes()),
        };
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Meta, key: RELEASED_BELOW.to_owned(), value, expect }
    }
}

/// How much of an account's earnings the release still has to skip, because
/// disputes have taken it back.
pub struct ClawbackOffset {
    key: String,
    row: Option<Vec<u8>>,
    /// What is to be skipped.
    pub amount: Millipence,
}

impl ClawbackOffset {
    /// Reads the offset of an account; zero when there is none.
    ///
    /// # Errors
    /// What the store says.
    pub fn read(store: &dyn Store, account: &str) -> Result<Self, StoreError> {
        let key = format!("{CLAWED_BACK}{account}");
        let row = store.get(Collection::Refunds, &key)?;
        let amount = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { key, row, amount: Millipence::new(amount) })
    }

    /// Changes the amount. Refused when it has changed since it was read.
    pub fn put(&self, amount: Millipence) -> Put {
        let value = (!amount.is_zero()).then(|| amount.get().to_string().into_bytes());
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Refunds, key: self.key.clone(), value, expect }
    }
}
