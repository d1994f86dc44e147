//! Stored resources: bytes that an account stores for a limited time, so that calls can
//! refer to them by `resource_id` instead of sending them.
//!
//! Invariants: a resource is visible only to the account that stored it; the storage of
//! each account is bounded; an expired resource is invisible immediately, and later
//! removed from disk by [`Resources::clean_up`].
//!
//! For each resource, three rows in `Collection::Resources` are written and removed
//! together: `a/{account}/{id}` (metadata), `b/{id}` (bytes) and
//! `e/{expiry}/{account}/{id}` (expiry).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::time::DAY_MS;
use tollbridge_plugin::Resource;
use tollbridge_store::{Change, Collection, Db, Expect, Put, StoreError, SubmitError};

/// Maximum size of one resource; equal to that of a request body, so that one request can
/// upload any resource.
const RESOURCE_BYTES_MAX: usize = 1 << 20;
/// Retention of a stored resource.
const RESOURCE_KEPT_MS: u64 = DAY_MS;
/// Maximum number of resources of one account at a time.
const RESOURCES_PER_ACCOUNT_MAX: usize = 100;
/// Maximum number of bytes in the resources of one account.
const RESOURCES_BYTES_PER_ACCOUNT_MAX: usize = 16 << 20;

/// Prefix of every resource id; a bridge's own values for `resource_id` never start with
/// it.
const PREFIX: &str = "res_";
/// Media type of resources that are sent without one.
const ANY_TYPE: &str = "application/octet-stream";
const TYPE_BYTES_MAX: usize = 200;
/// Maximum number of expired resources removed in one change.
const CLEANUP_BATCH_MAX: usize = 100;

/// The stored resources of all accounts.
pub struct Resources {
    /// Handle on the data folder.
    db: Db,
    /// Locked while an account's used storage is checked and a resource is added.
    storing: tokio::sync::Mutex<()>,
}

/// Metadata of a resource, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResource {
    /// Id of the resource.
    #[serde(skip)]
    pub id: String,
    /// Media type of the bytes.
    pub content_type: String,
    /// Size in bytes.
    pub size: usize,
    /// SHA-256 of the bytes.
    #[serde(with = "hex::serde")]
    pub sha256: [u8; 32],
    /// Time at which it was stored, Unix milliseconds.
    pub created_ms: u64,
    /// Expiry time, Unix milliseconds.
    pub expires_ms: u64,
}

/// The reason a resource was not stored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ResourceError {
    #[error("send the bytes of the resource as the body")]
    Empty,
    #[error("a stored resource has at most {RESOURCE_BYTES_MAX} bytes")]
    TooLarge,
    #[error("Content-Type must be printable ASCII of at most {TYPE_BYTES_MAX} characters")]
    BadType,
    #[error(
        "this account's storage is full ({RESOURCES_PER_ACCOUNT_MAX} resources, \
         {RESOURCES_BYTES_PER_ACCOUNT_MAX} bytes); delete some, or wait until they expire"
    )]
    Full,
    #[error("no randomness is available")]
    NoRandomness,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl Resources {
    /// Creates the service for the data folder `db`.
    pub fn new(db: Db) -> Self {
        Self { db, storing: tokio::sync::Mutex::default() }
    }

    /// Stores a resource for an account.
    pub async fn put(
        &self,
        account: &str,
        content_type: Option<&str>,
        bytes: &[u8],
        now_ms: u64,
    ) -> Result<StoredResource, ResourceError> {
        let content_type = content_type.unwrap_or(ANY_TYPE);
        check(content_type, bytes)?;
        let _turn = self.storing.lock().await;
        let shelf = self.list(account, now_ms)?;
        let used = shelf.iter().fold(bytes.len(), |sum, stored| sum.saturating_add(stored.size));
        if shelf.len() >= RESOURCES_PER_ACCOUNT_MAX || used > RESOURCES_BYTES_PER_ACCOUNT_MAX {
            return Err(ResourceError::Full);
        }
        let stored = StoredResource {
            id: new_id()?,
            content_type: content_type.to_owned(),
            size: bytes.len(),
            sha256: Sha256::digest(bytes).into(),
            created_ms: now_ms,
            expires_ms: now_ms.saturating_add(RESOURCE_KEPT_MS),
        };
        let what = serde_json::to_vec(&stored).map_err(|error| bad_row(Box::new(error)))?;
        let puts = vec![
            row(shelf_key(account, &stored.id), Some(what), Expect::Absent),
            row(bytes_key(&stored.id), Some(bytes.to_vec()), Expect::Absent),
            row(expiry_key(account, &stored), Some(Vec::new()), Expect::Absent),
        ];
        self.db.submit(Change { puts, ..Change::default() }).await?;
        Ok(stored)
    }

    /// Returns the metadata of an account's resources.
    pub fn list(&self, account: &str, now_ms: u64) -> Result<Vec<StoredResource>, StoreError> {
        let prefix = shelf_key(account, "");
        let mut shelf = Vec::new();
        // Read twice the maximum, because expired rows that are not removed yet may be
        // among the others.
        for (key, row) in self.db.list(Collection::Resources, &prefix, 2 * RESOURCES_PER_ACCOUNT_MAX)? {
            let Some(id) = key.strip_prefix(&prefix) else { break };
            let stored = read(id, &row)?;
            if stored.expires_ms > now_ms {
                shelf.push(stored);
            }
        }
        Ok(shelf)
    }

    /// Returns the metadata of a resource; `None` if this account has no resource with
    /// that id.
    pub fn find(&self, account: &str, id: &str, now_ms: u64) -> Result<Option<StoredResource>, StoreError> {
        if !is_id(id) {
            return Ok(None);
        }
        let Some(row) = self.db.get(Collection::Resources, &shelf_key(account, id))? else { return Ok(None) };
        Ok(Some(read(id, &row)?).filter(|stored| stored.expires_ms > now_ms))
    }

    /// Loads a resource with its bytes.
    pub fn load(&self, stored: &StoredResource) -> Result<Option<Resource>, StoreError> {
        let bytes = self.db.get(Collection::Resources, &bytes_key(&stored.id))?;
        let (id, content_type) = (stored.id.clone(), stored.content_type.clone());
        Ok(bytes.map(|bytes| Resource { id, content_type, bytes }))
    }

    /// Removes a resource; returns false if this account has no resource with that id.
    pub async fn delete(&self, account: &str, id: &str, now_ms: u64) -> Result<bool, ResourceError> {
        let Some(stored) = self.find(account, id, now_ms)? else { return Ok(false) };
        self.db.submit(Change { puts: removal(account, &stored), ..Change::default() }).await?;
        Ok(true)
    }

    /// Removes expired resources from disk.
    pub async fn clean_up(&self, now_ms: u64) -> Result<(), ResourceError> {
        loop {
            let due = self.db.list(Collection::Resources, "e/", CLEANUP_BATCH_MAX)?;
            let mut puts = Vec::new();
            for (key, _) in &due {
                let Some((expires_ms, account, id)) = read_expiry_key(key) else { break };
                if expires_ms > now_ms {
                    break;
                }
                puts.push(row(key.clone(), None, Expect::Any));
                puts.push(row(shelf_key(account, id), None, Expect::Any));
                puts.push(row(bytes_key(id), None, Expect::Any));
            }
            if puts.is_empty() {
                return Ok(());
            }
            self.db.submit(Change { puts, ..Change::default() }).await?;
        }
    }
}

/// Returns whether a `resource_id` refers to a stored resource, as opposed to a bridge's
/// own value.
pub(crate) fn is_id(text: &str) -> bool {
    let rest = text.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

fn check(content_type: &str, bytes: &[u8]) -> Result<(), ResourceError> {
    let printable = content_type.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if !printable || content_type.is_empty() || content_type.len() > TYPE_BYTES_MAX {
        return Err(ResourceError::BadType);
    }
    match bytes.len() {
        0 => Err(ResourceError::Empty),
        size if size > RESOURCE_BYTES_MAX => Err(ResourceError::TooLarge),
        _ => Ok(()),
    }
}

fn new_id() -> Result<String, ResourceError> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|_| ResourceError::NoRandomness)?;
    Ok(format!("{PREFIX}{}", hex::encode(random)))
}

fn shelf_key(account: &str, id: &str) -> String {
    format!("a/{account}/{id}")
}

fn bytes_key(id: &str) -> String {
    format!("b/{id}")
}

fn expiry_key(account: &str, stored: &StoredResource) -> String {
    // The expiry has twenty digits, so that keys sort by time.
    format!("e/{:020}/{account}/{}", stored.expires_ms, stored.id)
}

/// Splits an expiry key into expiry, account and id.
fn read_expiry_key(key: &str) -> Option<(u64, &str, &str)> {
    let (time, rest) = key.strip_prefix("e/")?.split_once('/')?;
    let (account, id) = rest.split_once('/')?;
    Some((time.parse().ok()?, account, id))
}

fn removal(account: &str, stored: &StoredResource) -> Vec<Put> {
    let keys = [shelf_key(account, &stored.id), bytes_key(&stored.id), expiry_key(account, stored)];
    keys.map(|key| row(key, None, Expect::Any)).into()
}

fn row(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Resources, key, value, expect }
}

fn read(id: &str, row: &[u8]) -> Result<StoredResource, StoreError> {
    let stored: StoredResource = serde_json::from_slice(row).map_err(|error| bad_row(Box::new(error)))?;
    Ok(StoredResource { id: id.to_owned(), ..stored })
}

fn bad_row(source: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    StoreError { doing: "reading a stored resource", source }
}

#[cfg(test)]
mod tests {

    use std::sync::Arc;

    use tollbridge_store::{Store, Writer};

    use super::*;
    use tollbridge_ledger::Chain;
    use tollbridge_store::RedbStore;

    const NOW: u64 = 1_780_000_000_000;

    fn resources() -> Resources {
        let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
        Resources::new(Db::new(store, Arc::new(writer)))
    }

    #[tokio::test]
    async fn only_its_account_sees_it_and_only_for_a_day() {
        let resources = resources();
        let stored = resources.put("acct_a", Some("text/csv"), b"1,2", NOW).await.unwrap();
        assert!(is_id(&stored.id));
        assert_eq!(resources.find("acct_a", &stored.id, NOW).unwrap(), Some(stored.clone()));
        let loaded = resources.load(&stored).unwrap().unwrap();
        assert_eq!((loaded.content_type.as_str(), loaded.bytes.as_slice()), ("text/csv", b"1,2".as_slice()));
        assert_eq!(resources.find("acct_b", &stored.id, NOW).unwrap(), None);
        assert_eq!(resources.find("acct_", &format!("a/{}", stored.id), NOW).unwrap(), None);
        assert!(!resources.delete("acct_b", &stored.id, NOW).await.unwrap());
        assert_eq!(resources.find("acct_a", &stored.id, stored.expires_ms).unwrap(), None);
        resources.clean_up(stored.expires_ms - 1).await.unwrap();
        assert_eq!(resources.list("acct_a", NOW).unwrap().len(), 1);
        resources.clean_up(stored.expires_ms).await.unwrap();
        assert_eq!(resources.db.list(Collection::Resources, "", 10).unwrap(), Vec::new());
    }

    #[tokio::test]
    async fn a_shelf_is_bounded_and_can_be_emptied() {
        let resources = resources();
        let mut first = None;
        for _ in 0..RESOURCES_PER_ACCOUNT_MAX {
            first = Some(resources.put("acct_a", None, b"x", NOW).await.unwrap());
        }
        assert!(matches!(resources.put("acct_a", None, b"x", NOW).await, Err(ResourceError::Full)));
        resources.put("acct_b", None, b"x", NOW).await.unwrap();
        assert!(resources.delete("acct_a", &first.unwrap().id, NOW).await.unwrap());
        resources.put("acct_a", None, b"x", NOW).await.unwrap();
        // Expired resources do not count toward the account's limit.
        resources.put("acct_a", None, b"x", NOW + RESOURCE_KEPT_MS).await.unwrap();
    }

    #[tokio::test]
    async fn bytes_of_one_account_are_bounded() {
        let resources = resources();
        let large = vec![7; RESOURCE_BYTES_MAX];
        for _ in 0..RESOURCES_BYTES_PER_ACCOUNT_MAX / RESOURCE_BYTES_MAX {
            resources.put("acct_a", None, &large, NOW).await.unwrap();
        }
        assert!(matches!(resources.put("acct_a", None, b"x", NOW).await, Err(ResourceError::Full)));
    }

    #[tokio::test]
    async fn an_invalid_resource_is_refused() {
        let resources = resources();
        let large = vec![7; RESOURCE_BYTES_MAX + 1];
        for (content_type, bytes, why) in [
            (None, b"".as_slice(), "send the bytes"),
            (None, large.as_slice(), "at most"),
            (Some(""), b"x".as_slice(), "Content-Type"),
            (Some("text/\u{e9}"), b"x".as_slice(), "Content-Type"),
        ] {
            let error = resources.put("acct_a", content_type, bytes, NOW).await.unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        for id in ["", "res_", "res_zz", "GB", "res_0123456789abcdef0123456789abcdeF"] {
            assert!(!is_id(id), "{id}");
        }
    }
}
