//! The rows of webhook endpoints: `Collection::Webhooks`, key `e/{account}/{id}`.
//!
//! The host signs with the plain secret of an endpoint, so unlike an API key, the secret
//! must be stored; it is encrypted with a key of the vault.
//!
//! Invariants: a secret is never written in plain text, and can be decrypted only in the
//! row for which it was encrypted; a lost encryption key is never replaced while rows are
//! encrypted with it.

use serde::{Deserialize, Serialize};
use tollbridge_core::encryption::{EncryptionError, EncryptionKey};
use tollbridge_core::vault::{SecretBytes, Vault};
use tollbridge_store::{Change, Collection, Db, Expect, Put, Rows, Store, StoreError};

use super::endpoint::{Signing, WebhookEndpoint, decode, encode, row};
use super::error::WebhookError;

/// Maximum number of endpoints whose rows are rewritten in one change at start-up.
const WEBHOOK_ROWS_PER_CHANGE_MAX: usize = 500;

/// Name of the encryption key in the vault.
const PURPOSE: &str = "webhooks";
/// Prefix of the row keys.
const PREFIX: &str = "e/";

/// Reads and writes the rows of endpoints.
pub struct EndpointRows(EncryptionKey);

#[derive(Serialize, Deserialize)]
struct EndpointRow {
    #[serde(flatten)]
    endpoint: WebhookEndpoint,
    secrets: Vec<StoredSecret>,
}

#[derive(Serialize, Deserialize)]
struct StoredSecret {
    #[serde(flatten)]
    form: SecretForm,
    until_ms: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SecretForm {
    /// The secret in plain text, as versions without encryption stored it; read, never
    /// written.
    #[serde(rename = "secret")]
    Plain(String),
    Encrypted(String),
}

impl EndpointRows {
    /// Opens the rows with the encryption key of the vault, which is created if no row is
    /// encrypted yet. Encrypts secrets that an older version stored in plain text.
    /// Blocks.
    pub fn open(vault: &Vault, db: &Db) -> Result<Self, WebhookError> {
        let mut is_encrypted = false;
        for row in read_rows(db.store(), None) {
            is_encrypted |= row?.1.secrets.iter().any(|one| matches!(one.form, SecretForm::Encrypted(_)));
        }
        let secret = if is_encrypted { vault.existing(PURPOSE) } else { vault.secret(PURPOSE) };
        let rows = Self::new(&secret?)?;
        rows.encrypt_old(db)?;
        Ok(rows)
    }

    pub(super) fn new(secret: &SecretBytes) -> Result<Self, WebhookError> {
        EncryptionKey::new(secret).map(Self).map_err(|source| locked(PREFIX, source))
    }

    /// Decrypts every row once, so that a wrong encryption key is detected at start-up
    /// rather than at a delivery, and encrypts rows that are in plain text.
    fn encrypt_old(&self, db: &Db) -> Result<(), WebhookError> {
        let mut puts = Vec::new();
        let submit = |puts: &mut Vec<Put>| -> Result<(), WebhookError> {
            if !puts.is_empty() {
                tracing::info!(webhooks = puts.len(), "encrypting webhook secrets that are stored in plain text");
                db.submit_blocking(Change { puts: std::mem::take(puts), ..Change::default() })?;
            }
            Ok(())
        };
        for row in read_rows(db.store(), None) {
            let (key, row) = row?;
            let is_plain = row.secrets.iter().any(|one| matches!(one.form, SecretForm::Plain(_)));
            let endpoint = self.decrypt(&key, row)?;
            if is_plain {
                puts.push(self.put(&endpoint, Expect::Any)?);
            }
            if puts.len() >= WEBHOOK_ROWS_PER_CHANGE_MAX {
                submit(&mut puts)?;
            }
        }
        submit(&mut puts)
    }

    /// Returns every endpoint with its secrets.
    pub(super) fn load(&self, store: &dyn Store) -> Result<Vec<WebhookEndpoint>, WebhookError> {
        let mut endpoints = Vec::new();
        for row in read_rows(store, None) {
            let (key, row) = row?;
            endpoints.push(self.decrypt(&key, row)?);
        }
        Ok(endpoints)
    }

    fn decrypt(&self, key: &str, row: EndpointRow) -> Result<WebhookEndpoint, WebhookError> {
        let open = |one: StoredSecret| {
            let secret = match one.form {
                SecretForm::Plain(secret) => secret,
                SecretForm::Encrypted(text) => {
                    let opened = self.0.decrypt(key, &text).map_err(|source| locked(&row.endpoint.id, source))?;
                    opened.as_str().to_owned()
                }
            };
            Ok(Signing { secret, until_ms: one.until_ms })
        };
        let secrets = row.secrets.into_iter().map(open).collect::<Result<_, WebhookError>>()?;
        Ok(WebhookEndpoint { secrets, ..row.endpoint })
    }

    /// Returns the write of an endpoint's row, with encrypted secrets.
    pub(super) fn put(&self, endpoint: &WebhookEndpoint, expect: Expect) -> Result<Put, StoreError> {
        let key = endpoint.key();
        let hide = |one: &Signing| {
            let encrypted = self.0.encrypt(&key, &one.secret)?;
            Ok(StoredSecret { form: SecretForm::Encrypted(encrypted), until_ms: one.until_ms })
        };
        let secrets = endpoint.secrets.iter().map(hide).collect::<Result<_, EncryptionError>>();
        let secrets = secrets.map_err(|error| StoreError { doing: "encrypting a secret", source: Box::new(error) })?;
        let value = encode(&EndpointRow { endpoint: endpoint.clone(), secrets })?;
        Ok(row(key, Some(value), expect))
    }
}

/// Returns every endpoint, or those of one account, without secrets.
pub(super) fn load_without_secrets(
    store: &dyn Store,
    account: Option<&str>,
) -> Result<Vec<WebhookEndpoint>, StoreError> {
    read_rows(store, account).map(|row| Ok(row?.1.endpoint)).collect()
}

/// Returns one endpoint without secrets, by the key of its row.
pub(super) fn load_one_without_secrets(store: &dyn Store, key: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
    let row = store.get(Collection::Webhooks, key)?;
    row.map(|row| decode::<EndpointRow>(&row).map(|row| row.endpoint)).transpose()
}

/// Splits the key of an endpoint's row into account and id; `None` for other rows.
pub(super) fn account_and_id(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(PREFIX)?.split_once('/')
}

fn read_rows(
    store: &dyn Store,
    account: Option<&str>,
) -> impl Iterator<Item = Result<(String, EndpointRow), StoreError>> {
    let prefix = account.map_or_else(|| PREFIX.to_owned(), |account| format!("{PREFIX}{account}/"));
    let rows = Rows::of(store, Collection::Webhooks).with_prefix(prefix);
    rows.map(|row| row.and_then(|(key, value)| Ok((key, decode(&value)?))))
}

fn locked(id: &str, source: EncryptionError) -> WebhookError {
    WebhookError::Locked { id: id.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tollbridge_core::vault::VaultError;
    use tollbridge_ledger::Chain;
    use tollbridge_store::{RedbStore, Writer};

    use super::*;

    const SECRET: &str = "a-secret-of-enough-bytes";

    /// Returns a row in the format of versions without encryption.
    fn old_row(number: usize) -> Put {
        let (account, id) = (format!("acct_{number}"), format!("wh_{number}"));
        let value = format!(
            r#"{{"id":"{id}","account":"{account}","url":"https://example.com/","events":["*"],"secrets":[
               {{"secret":"{SECRET}","until_ms":null}},{{"secret":"{SECRET}-old","until_ms":7}}],
               "created_ms":5,"after":{{"seq":1,"index":65535}},"disabled":null}}"#
        );
        row(format!("e/{account}/{id}"), Some(value.into_bytes()), Expect::Any)
    }

    fn db() -> Db {
        let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
        Db::new(store, Arc::new(writer))
    }

    fn stored(db: &Db) -> String {
        let rows = db.store().list(Collection::Webhooks, "", 10_000).unwrap();
        rows.into_iter().map(|(_, value)| String::from_utf8(value).unwrap()).collect()
    }

    #[test]
    fn old_rows_are_read_and_encrypted_at_the_start() {
        let (data, db) = (tempfile::tempdir().unwrap(), db());
        let vault = Vault::open(data.path()).unwrap();
        let count = WEBHOOK_ROWS_PER_CHANGE_MAX + 3;
        let puts = (0..count).map(old_row).collect();
        db.submit_blocking(Change { puts, ..Change::default() }).unwrap();
        assert!(stored(&db).contains(SECRET));
        let rows = EndpointRows::open(&vault, &db).unwrap();
        assert!(!stored(&db).contains(SECRET), "{}", stored(&db));
        // Open the rows again, as the next start does.
        let again = EndpointRows::open(&vault, &db).unwrap();
        for endpoints in [rows.load(db.store()).unwrap(), again.load(db.store()).unwrap()] {
            assert_eq!(endpoints.len(), count);
            for endpoint in endpoints {
                let secrets: Vec<_> = endpoint.secrets.iter().map(|one| (one.secret.as_str(), one.until_ms)).collect();
                assert_eq!(secrets, [(SECRET, None), ("a-secret-of-enough-bytes-old", Some(7))]);
                assert!(endpoint.after.is_some() && endpoint.created_ms == 5);
            }
        }
        assert_eq!(load_without_secrets(db.store(), None).unwrap().len(), count);
    }

    #[test]
    fn a_lost_or_wrong_key_is_an_error_and_no_new_one_is_made() {
        let (data, db) = (tempfile::tempdir().unwrap(), db());
        let vault = Vault::open(data.path()).unwrap();
        db.submit_blocking(Change { puts: vec![old_row(1)], ..Change::default() }).unwrap();
        let _ = EndpointRows::open(&vault, &db).unwrap();
        let key = data.path().join("keys/webhooks.key");
        std::fs::write(&key, [9; 32]).unwrap();
        let wrong = EndpointRows::open(&vault, &db).err().unwrap();
        assert!(matches!(&wrong, WebhookError::Locked { id, .. } if id == "wh_1"), "{wrong}");
        assert!(wrong.to_string().contains("keys/webhooks.key"), "{wrong}");
        std::fs::remove_file(&key).unwrap();
        let lost = EndpointRows::open(&vault, &db).err().unwrap();
        assert!(matches!(lost, WebhookError::Vault(VaultError::Missing { .. })), "{lost}");
        assert!(!key.exists(), "a new key replaced the lost one");
    }

    #[test]
    fn a_secret_does_not_open_in_another_row() {
        let (data, db) = (tempfile::tempdir().unwrap(), db());
        let vault = Vault::open(data.path()).unwrap();
        db.submit_blocking(Change { puts: vec![old_row(1)], ..Change::default() }).unwrap();
        let rows = EndpointRows::open(&vault, &db).unwrap();
        let (_, value) = db.store().list(Collection::Webhooks, "", 1).unwrap().remove(0);
        let moved = row("e/acct_2/wh_2".to_owned(), Some(value), Expect::Any);
        db.submit_blocking(Change { puts: vec![moved], ..Change::default() }).unwrap();
        assert!(matches!(rows.load(db.store()), Err(WebhookError::Locked { .. })));
    }
}
