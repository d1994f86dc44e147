//! The list of people to notify about upcoming features; each e-mail address is stored
//! once.
//!
//! Rows of `Collection::Notify` are keyed by the salted digest of the address, so a
//! repeated request adds no second row. The answer never reveals whether an address was
//! already on the list.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use tollbridge_access::{AccountError, DailyQuotaError, Email};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};

use super::error::AccountsError;
use super::service::Accounts;

/// An e-mail address and the time at which it was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyRequest {
    /// E-mail address to notify.
    pub email: String,
    /// Unix time, milliseconds.
    pub created_ms: u64,
}

impl Accounts {
    /// Adds an e-mail address to the list. Limited per client IP address, like sign-ups.
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
            // The address is already on the list, which the answer must not reveal.
            Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the e-mail addresses whose row keys are after `after`, and the key at
    /// which the next page continues.
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
