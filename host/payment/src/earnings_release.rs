//! State shared by disputes and the release of earnings on hold.
//!
//! Earnings are released in the order of the records that produced them. When a dispute
//! takes some of an account's earnings back, the release skips the same amount; one row
//! per account stores how much.
//!
//! Invariant: an account's pending balance equals the earnings of its unreleased records
//! minus the amount still to be skipped.

use tollbridge_core::money::Millipence;
use tollbridge_store::{Collection, Expect, Put, Store, StoreError};

/// Row of `Collection::Meta`: every record below this number is released.
const RELEASED_BELOW: &str = "holds_released_below";
/// Prefix of the `Collection::Refunds` key that stores an account's offset; the account
/// follows it.
const CLAWED_BACK: &str = "taken/";

/// The position up to which earnings have been released.
pub struct HoldReleaseCursor {
    /// Every record below this number is released.
    pub released_below: u64,
    row: Option<Vec<u8>>,
}

impl HoldReleaseCursor {
    /// Reads the cursor.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let row = store.get(Collection::Meta, RELEASED_BELOW)?;
        let released_below = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { released_below, row })
    }

    /// Returns a write that moves the cursor to `released_below`; pass the current value
    /// to only require that the cursor has not moved. The write is refused if the cursor
    /// has moved since it was read.
    pub fn put(&self, released_below: u64) -> Put {
        let value = match (&self.row, released_below == self.released_below) {
            (row, true) => row.clone(),
            (_, false) => Some(released_below.to_string().into_bytes()),
        };
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Meta, key: RELEASED_BELOW.to_owned(), value, expect }
    }
}

/// The amount of an account's earnings that the release must still skip, because disputes
/// have taken that amount back.
pub struct ClawbackOffset {
    key: String,
    row: Option<Vec<u8>>,
    /// The amount to skip.
    pub amount: Millipence,
}

impl ClawbackOffset {
    /// Reads the offset of an account; zero if it has none.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn read(store: &dyn Store, account: &str) -> Result<Self, StoreError> {
        let key = format!("{CLAWED_BACK}{account}");
        let row = store.get(Collection::Refunds, &key)?;
        let amount = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { key, row, amount: Millipence::new(amount) })
    }

    /// Returns a write that changes the amount. The write is refused if the amount has
    /// changed since it was read.
    pub fn put(&self, amount: Millipence) -> Put {
        let value = (!amount.is_zero()).then(|| amount.get().to_string().into_bytes());
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Refunds, key: self.key.clone(), value, expect }
    }
}
