//! Who wants to hear of what is coming: addresses, each once.
//!
//! Rows of `Collection::Notify` by salted digest of the address, so that asking
//! twice keeps one row; the answer never tells whether an address was known.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use tollbridge_access::{AccountError, DailyQuotaError, Email};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};

use super::error::AccountsError;
use super::service::Accounts;

/// An address and when it was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyRequest {
    /// The address to write to.
    pub email: String,
    /// Unix time, milliseconds.
    pub created_ms: u64,
}

impl Accounts {
    /// Keeps an address. Limited like sign-ups by the address of the client.
    pub async fn add_notify_request(&self, email: &str, client: IpAddr, now_ms: u64) -> Result<(), AccountsError> {
        let email: Email = email.parse()?;
        let counted = self.notices.take(self.db.store(), client, now_ms).map_err(|error| match error {
            DailyQuotaError::Exceeded { retry_after_s } => AccountsError::TooManyNotices { retry_after_s },
            DailyQuotaError::Row(error) => error.into(),
        })?;
        let row = NotifyRequest { email: email.as_str().to_owned(), created_ms: now_ms };
        let key = self.email_key.digest(&email);
        let value = serde_json::to_vec(&row).map_err(|source| AccountError::Row { key: key.clone(), source })?;
        let put = Put { collection: Collection::Notify, key, value: Some(value), expect: Expect::Absent };
        match self.db.submit(Change { puts: vec![put, counted], ..Change::default() }).await {
            // Known already, which is nobody's business.
            Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Addresses after a key, and the key to go on from.
    pub fn notify_requests(
        &self,
        after: &str,
        limit: usize,
    ) -> Result<(Vec<NotifyRequest>, Option<String>), AccountsError> {
        let rows = self.db.list(Collection::Notify, after, limit).map_err(AccountError::from)?;
        let next = if rows.len() == limit { rows.last().map(|(key, _)| key.clone()) } else { None };
        let read = |(key, row): (String, Vec<u8>)| {
            serde_json::from_slice(&row).map_err(|source| AccountError::Row { key, source }.into())
        };
        Ok((rows.into_iter().map(read).collect::<Result<_, AccountsError>>()?, next))
    }
}
