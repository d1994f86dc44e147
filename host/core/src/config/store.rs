//! `[store]`: where the ledger is.

use std::path::PathBuf;
use std::time::Duration;

use super::key::Key;
use super::reader::Reader;
use super::secret::Secret;

/// What keeps the ledger.
#[derive(Clone, Debug)]
pub enum StoreEngine {
    /// Files of this host.
    Embedded,
    /// A database that several hosts share.
    Postgres {
        /// Its connection string.
        url: Secret,
    },
}

/// `[store]`.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// What keeps the ledger.
    pub engine: StoreEngine,
    /// Certificates that the database's is checked with; the system's if none.
    pub root_certificate: Option<PathBuf>,
    /// How long the database may be away before the host stops.
    pub patience: Duration,
}

impl StoreConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let engine = r.required::<String>("store.engine");
        let url: Option<Option<Secret>> = r.optional("store.url");
        let root_certificate = r.optional("store.root_certificate");
        let (shortest, longest) = (Duration::from_secs(1), Duration::from_secs(3_600));
        let patience = r.within("store.patience", shortest..=longest, "from 1s to 1h");
        let engine = match (engine?.as_str(), url?) {
            ("embedded", None) => StoreEngine::Embedded,
            ("embedded", Some(_)) => {
                r.warn("store.url", "is not used while store.engine is \"embedded\"");
                StoreEngine::Embedded
            }
            ("postgres", Some(url)) => StoreEngine::Postgres { url },
            ("postgres", None) => {
                let message = "must be set when store.engine is \"postgres\", or TOLLBRIDGE__STORE__URL";
                r.error(&Key::from("store.url"), message.to_owned());
                return None;
            }
            _ => {
                r.error(&Key::from("store.engine"), "must be \"embedded\" or \"postgres\"".to_owned());
                return None;
            }
        };
        Some(Self { engine, root_certificate: root_certificate?, patience: patience? })
    }
}
