//! Rate limits for e-mails with sign-in links: per address, so that no client can flood a
//! mailbox, and per client.
//!
//! The limits apply whether or not an account has the address, so a refusal reveals
//! nothing. Counts are in memory: only the leader serves these pages, and when it
//! restarts, all counts begin at zero.

use std::net::IpAddr;

use parking_lot::Mutex;

use super::bounded::GenerationalMap;
use super::client::RateLimitKey;

/// Maximum number of e-mails with links to one address per hour, whichever client
/// requests them: a person who lost two can get another, and no one can flood a mailbox.
const EMAIL_LINKS_PER_ADDRESS_PER_HOUR: usize = 3;
/// Maximum number of e-mails with links that one client address (IPv6: one /64) may
/// request per hour, to any recipients: enough for an office behind one address.
const EMAIL_LINKS_PER_CLIENT_PER_HOUR: usize = 20;
/// Maximum number of e-mail addresses, and of client addresses, whose e-mails of the last
/// hour are counted. The oldest are evicted first; each takes about a hundred bytes.
const EMAIL_LINK_REQUESTERS_MAX: usize = 1 << 16;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// The e-mails with links that were sent within the last hour.
pub struct EmailLinkQuota(Mutex<Counts>);

/// The reason no e-mail is sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailLinkQuotaError {
    /// The address has received its maximum number of e-mails within the past hour.
    #[error(
        "this address has been sent {EMAIL_LINKS_PER_ADDRESS_PER_HOUR} links within an hour; look for them, in the spam \
         folder too, or try again in {}",
        minutes(*.retry_after_s)
    )]
    Address {
        /// Seconds until the next e-mail is possible.
        retry_after_s: u32,
    },
    /// The client has requested its maximum number of e-mails within the past hour.
    #[error("too many links were requested from this network address; try again in {}", minutes(*.retry_after_s))]
    Client {
        /// Seconds until the next request is possible.
        retry_after_s: u32,
    },
}

struct Counts {
    /// The sending times by digest of the e-mail address.
    addresses: GenerationalMap<String, Vec<u64>>,
    clients: GenerationalMap<RateLimitKey, Vec<u64>>,
}

impl Default for EmailLinkQuota {
    fn default() -> Self {
        let (addresses, clients) =
            (GenerationalMap::new(EMAIL_LINK_REQUESTERS_MAX), GenerationalMap::new(EMAIL_LINK_REQUESTERS_MAX));
        Self(Mutex::new(Counts { addresses, clients }))
    }
}

impl EmailLinkQuota {
    /// Counts an e-mail that a client requests for an address, which is given by its
    /// digest. A refused request is not counted.
    ///
    /// # Errors
    /// The address or the client has reached its limit of the past hour.
    pub fn take(&self, address: &str, client: IpAddr, now_ms: u64) -> Result<(), EmailLinkQuotaError> {
        let Counts { addresses, clients } = &mut *self.0.lock();
        let of_client = clients.entry(RateLimitKey::from(client), Vec::new);
        if let Some(retry_after_s) = wait_s(of_client, EMAIL_LINKS_PER_CLIENT_PER_HOUR, now_ms) {
            return Err(EmailLinkQuotaError::Client { retry_after_s });
        }
        let of_address = addresses.entry(address.to_owned(), Vec::new);
        if let Some(retry_after_s) = wait_s(of_address, EMAIL_LINKS_PER_ADDRESS_PER_HOUR, now_ms) {
            return Err(EmailLinkQuotaError::Address { retry_after_s });
        }
        of_client.push(now_ms);
        of_address.push(now_ms);
        Ok(())
    }
}

impl EmailLinkQuotaError {
    /// Returns the seconds until the next request can succeed.
    pub const fn retry_after_s(self) -> u32 {
        match self {
            Self::Address { retry_after_s } | Self::Client { retry_after_s } => retry_after_s,
        }
    }
}

/// Drops times older than an hour; returns the seconds to wait if the limit is
/// reached.
fn wait_s(times: &mut Vec<u64>, most: usize, now_ms: u64) -> Option<u32> {
    times.retain(|time| time.saturating_add(HOUR_MS) > now_ms);
    let oldest = times.first().filter(|_| times.len() >= most)?;
    let wait_ms = oldest.saturating_add(HOUR_MS).saturating_sub(now_ms);
    Some(u32::try_from(wait_ms.div_ceil(1000)).unwrap_or(u32::MAX))
}

fn minutes(seconds: u32) -> String {
    match seconds.div_ceil(60) {
        1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn client(n: u8) -> IpAddr {
        IpAddr::from([198, 51, 100, n])
    }

    #[test]
    fn a_mailbox_cannot_be_flooded() {
        let quota = EmailLinkQuota::default();
        for n in 0..3 {
            quota.take("a", client(n), u64::from(n)).unwrap();
        }
        for n in 3..200 {
            let refused = quota.take("a", client(n), 60_000).unwrap_err();
            assert_eq!(refused, EmailLinkQuotaError::Address { retry_after_s: 3_540 });
        }
        assert!(quota.take("b", client(0), 60_000).is_ok(), "another address is not affected");
        let message = quota.take("a", HERE, 60_000).unwrap_err().to_string();
        assert!(message.contains("3 links") && message.ends_with("in 59 minutes"), "{message}");
        assert!(quota.take("a", HERE, HOUR_MS).is_ok(), "the first link is an hour old and must not count");
        assert!(quota.take("a", HERE, HOUR_MS).is_err(), "the second link is less than an hour old and must count");
        assert!(quota.take("a", HERE, HOUR_MS + 1).is_ok());
    }

    #[test]
    fn a_client_asks_for_so_many() {
        let quota = EmailLinkQuota::default();
        for n in 0..EMAIL_LINKS_PER_CLIENT_PER_HOUR {
            quota.take(&format!("{n}"), HERE, 5).unwrap();
        }
        let refused = quota.take("x", HERE, 5).unwrap_err();
        assert_eq!((refused.retry_after_s(), refused), (3_600, EmailLinkQuotaError::Client { retry_after_s: 3_600 }));
        assert!(quota.take("x", client(1), 5).is_ok());
        assert!(quota.take("x", client(1), 5).is_ok() && quota.take("x", client(1), 5).is_ok(), "refused, not counted");
    }
}
