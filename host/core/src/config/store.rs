//! `[store]`: the storage of the ledger.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::{Setting, one_of};

/// The names of the storage engines in the configuration.
#[derive(Clone, Copy)]
enum EngineName {
    Embedded,
    Postgres,
}

impl Setting for EngineName {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[("embedded", Self::Embedded), ("postgres", Self::Postgres)])
    }
}

/// The storage engine of the ledger.
#[derive(Clone, Debug)]
pub enum StoreEngine {
    /// Files in the data folder of this host.
    Embedded,
    /// A PostgreSQL database that several hosts share.
    Postgres {
        /// The connection string of the database.
        url: Secret,
    },
}

/// The section `[store]`.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The storage engine.
    pub engine: StoreEngine,
    /// A file of the CA certificates for verifying the database's certificate; `None`
    /// uses the system's.
    pub root_certificate: Option<PathBuf>,
    /// The time for which the database may be unreachable before the host stops.
    pub patience: Duration,
    /// The address on which this host serves other hosts of the same ledger; the default
    /// is the address of `server.listen` with a free port.
    pub peer_listen: Option<SocketAddr>,
    /// The `host:port` at which other hosts reach this host; detected unless set.
    pub peer_address: Option<String>,
}

impl StoreConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let engine = r.required::<EngineName>("store.engine");
        let url: Option<Option<Secret>> = r.optional("store.url");
        let root_certificate = r.optional("store.root_certificate");
        let (shortest, longest) = (Duration::from_secs(1), Duration::from_secs(3_600));
        let patience = r.within("store.patience", shortest..=longest, "from 1s to 1h");
        let peer_listen = r.optional("store.peer_listen");
        let peer_address = r.optional("store.peer_address");
        let engine = match (engine?, url?) {
            (EngineName::Embedded, url) => {
                if url.is_some() {
                    r.warn("store.url", "is not used while store.engine is \"embedded\"");
                }
                StoreEngine::Embedded
            }
            (EngineName::Postgres, Some(url)) => StoreEngine::Postgres { url },
            (EngineName::Postgres, None) => {
                let message = "must be set when store.engine is \"postgres\", or TOLLBRIDGE__STORE__URL";
                r.error(&Key::from("store.url"), message.to_owned());
                return None;
            }
        };
        Some(Self {
            engine,
            root_certificate: root_certificate?,
            patience: patience?,
            peer_listen: peer_listen?,
            peer_address: peer_address?,
        })
    }
}
