//! OAuth clients: programs that registered themselves (RFC 7591).
//!
//! Registration is open, so a client's identity is unproven: its name is only its own
//! claim, and only the address to which its codes are sent identifies it. A client that
//! no user consented to is deleted after a day.

use serde::{Deserialize, Serialize};
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Store};

use super::super::account::{AccountError, new_row, random_id, read_row};

/// Maximum number of registered OAuth clients. Registration is open to any program; an
/// unused one is deleted after a day.
const CLIENTS_MAX: usize = 10_000;
/// Retention of an OAuth client to which no user has consented.
const CLIENT_UNUSED_MS_MAX: u64 = DAY_MS;
/// Maximum length of an OAuth client's name, shown on the consent page.
const CLIENT_NAME_CHARS_MAX: usize = 80;
/// Maximum number of redirect addresses of one OAuth client, which needs one for each
/// environment it runs in.
const CLIENT_REDIRECTS_MAX: usize = 10;
/// Maximum length of a redirect address.
const REDIRECT_BYTES_MAX: usize = 1_000;

/// A row of [`Collection::OauthClients`], under its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthClient {
    /// The id: `client_` and 16 characters.
    pub id: String,
    /// The name that the client chose at registration.
    pub name: String,
    /// The exact addresses to which codes may be sent.
    pub redirect_uris: Vec<String>,
    /// The time of registration in Unix milliseconds.
    pub created_ms: u64,
    /// The time at which the client is deleted, in Unix milliseconds; each consent
    /// extends it.
    pub expires_ms: u64,
}

/// A new client; it exists once `change` is committed.
#[derive(Debug)]
pub struct RegisteredClient {
    /// The change to commit.
    pub change: Change,
    /// The client.
    pub client: OauthClient,
}

/// The reason a registration is refused.
#[derive(Debug, thiserror::Error)]
pub enum RegistrationError {
    /// The name is too long.
    #[error("client_name has at most {CLIENT_NAME_CHARS_MAX} characters")]
    Name,
    /// The registration has no redirect address, or too many.
    #[error("redirect_uris must hold 1 to {CLIENT_REDIRECTS_MAX} addresses")]
    NoRedirects,
    /// Codes may not be sent to this address.
    #[error(
        "`{0}` cannot be a redirect address: use https, http on a loopback address, or the scheme of an installed app; \
         without a fragment"
    )]
    Redirect(String),
    /// The limit of registered clients is reached.
    #[error("there are too many unused clients; try again later")]
    Full,
    /// A row cannot be read.
    #[error(transparent)]
    Row(#[from] AccountError),
}

impl OauthClient {
    /// Returns whether codes may be sent to an address. It must equal a registered
    /// address, except for the port of a loopback address (RFC 8252, 7.3).
    pub fn allows_redirect(&self, address: &str) -> bool {
        let requested = without_loopback_port(address);
        self.redirect_uris.iter().any(|registered| {
            registered == address || (requested.is_some() && without_loopback_port(registered) == requested)
        })
    }
}

/// Returns the change that registers a new client.
///
/// # Errors
/// The registration is invalid, or the limit of clients is reached.
pub fn register_client(
    store: &dyn Store,
    name: &str,
    redirect_uris: Vec<String>,
    now_ms: u64,
) -> Result<RegisteredClient, RegistrationError> {
    if name.chars().count() > CLIENT_NAME_CHARS_MAX {
        return Err(RegistrationError::Name);
    }
    if redirect_uris.is_empty() || redirect_uris.len() > CLIENT_REDIRECTS_MAX {
        return Err(RegistrationError::NoRedirects);
    }
    if let Some(bad) = redirect_uris.iter().find(|address| !is_allowed_redirect(address)) {
        return Err(RegistrationError::Redirect(bad.chars().take(100).collect()));
    }
    let (live, dead): (Vec<OauthClient>, Vec<OauthClient>) =
        list_clients(store)?.into_iter().partition(|client| now_ms < client.expires_ms);
    if live.len() >= CLIENTS_MAX {
        return Err(RegistrationError::Full);
    }
    let forget = |client: OauthClient| Put {
        collection: Collection::OauthClients,
        key: client.id,
        value: None,
        expect: Expect::Any,
    };
    let id = format!("client_{}", random_id().map_err(AccountError::from)?);
    // Control characters would be invisible on the consent page, so they become
    // spaces.
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = if name.trim().is_empty() { "an app without a name" } else { name.trim() };
    let client = OauthClient {
        id,
        name: name.to_owned(),
        redirect_uris,
        created_ms: now_ms,
        expires_ms: now_ms.saturating_add(CLIENT_UNUSED_MS_MAX),
    };
    let mut puts = vec![new_row(Collection::OauthClients, client.id.clone(), &client)?];
    puts.extend(dead.into_iter().map(forget));
    Ok(RegisteredClient { change: Change { puts, ..Change::default() }, client })
}

/// Returns the client with this id, unless it has expired.
///
/// # Errors
/// The store fails.
pub fn find_client(store: &dyn Store, id: &str, now_ms: u64) -> Result<Option<OauthClient>, AccountError> {
    let stored_client = read_row::<OauthClient>(store, Collection::OauthClients, id)?;
    Ok(stored_client.map(|stored| stored.row).filter(|client| now_ms < client.expires_ms))
}

/// Returns all stored clients, including expired ones.
///
/// # Errors
/// The store fails.
pub fn list_clients(store: &dyn Store) -> Result<Vec<OauthClient>, AccountError> {
    let rows = store.list(Collection::OauthClients, "", 2 * CLIENTS_MAX)?;
    let read = |(key, value): (String, Vec<u8>)| {
        serde_json::from_slice(&value).map_err(|source| AccountError::Row { key, source })
    };
    rows.into_iter().map(read).collect()
}

/// Extends a client's expiry to the expiry of its grant.
pub(super) fn extend_expiry(store: &dyn Store, id: &str, until_ms: u64) -> Result<Option<Put>, AccountError> {
    let Some(mut stored) = read_row::<OauthClient>(store, Collection::OauthClients, id)? else { return Ok(None) };
    if stored.row.expires_ms >= until_ms {
        return Ok(None);
    }
    stored.row.expires_ms = until_ms;
    // Two concurrent consents may both extend the expiry; neither must fail because of
    // the other.
    Ok(Some(Put { expect: Expect::Any, ..stored.put()? }))
}

/// Returns whether a client may register an address as a redirect address.
fn is_allowed_redirect(address: &str) -> bool {
    let printable = address.bytes().all(|byte| byte.is_ascii_graphic());
    if address.len() > REDIRECT_BYTES_MAX || !printable || address.contains(['#', '\\', '"', '\'', '<', '>', ';', ','])
    {
        return false;
    }
    let Some((scheme, rest)) = address.split_once(':') else { return false };
    match scheme {
        "https" => host(rest).is_some_and(|host| !host.is_empty()),
        "http" => is_loopback_uri(address),
        // An installed app may use its own scheme, except those that browsers
        // interpret.
        "javascript" | "data" | "vbscript" | "file" | "blob" | "about" | "ftp" | "ws" | "wss" | "view-source" => false,
        _ => {
            scheme.starts_with(|c: char| c.is_ascii_lowercase())
                && scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b))
                && rest.starts_with('/')
        }
    }
}

/// Returns the host of an address without its scheme; `None` if the address has a user or
/// password.
fn host(rest: &str) -> Option<&str> {
    let authority = rest.strip_prefix("//")?.split(['/', '?']).next()?;
    if authority.contains('@') {
        return None;
    }
    match authority.strip_prefix('[') {
        Some(six) => six.split_once(']').map(|(host, _)| host),
        None => Some(authority.split(':').next().unwrap_or(authority)),
    }
}

/// Returns whether an address is on the user's own machine.
pub fn is_loopback_uri(address: &str) -> bool {
    address.strip_prefix("http:").and_then(host).is_some_and(|host| ["localhost", "127.0.0.1", "::1"].contains(&host))
}

/// Returns a loopback address without its scheme and port, for comparison.
fn without_loopback_port(address: &str) -> Option<String> {
    if !is_loopback_uri(address) {
        return None;
    }
    let rest = address.strip_prefix("http://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    let bare = match authority.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => authority,
    };
    Some(format!("{bare}{path}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{MemoryStore, NOW, TestStore};
    use super::*;

    fn ask(store: &MemoryStore, redirect: &str) -> Result<RegisteredClient, RegistrationError> {
        register_client(store, "a client", vec![redirect.to_owned()], NOW)
    }

    #[test]
    fn addresses_that_codes_may_go_to() {
        let store = MemoryStore::default();
        for good in [
            "https://app.example/callback?x=1",
            "http://127.0.0.1:3000/cb",
            "http://localhost/cb",
            "http://[::1]:8080/cb",
            "cursor://anysphere.cursor-deeplink/mcp",
            "com.example.app:/cb",
        ] {
            assert!(ask(&store, good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "x",
            "http://app.example/cb",
            "http://localhost.evil.example/cb",
            "http://127.0.0.1@evil.example/cb",
            "https://",
            "https://user@app.example/cb",
            "https://app.example/cb#x",
            "https://app.example/ cb",
            "https://app.example;form-action",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "cursor:alert",
            "//evil.example",
        ] {
            assert!(matches!(ask(&store, bad), Err(RegistrationError::Redirect(_))), "{bad}");
        }
        assert!(matches!(register_client(&store, "x", vec![], NOW), Err(RegistrationError::NoRedirects)));
        assert!(matches!(
            register_client(&store, &"n".repeat(81), vec!["https://a.example".to_owned()], NOW),
            Err(RegistrationError::Name)
        ));
    }

    #[test]
    fn only_the_registered_address_is_taken_but_for_a_loopback_port() {
        let store = MemoryStore::default();
        let client = ask(&store, "https://app.example/cb").unwrap().client;
        assert!(client.allows_redirect("https://app.example/cb"));
        for other in ["https://app.example/cb/", "https://app.example/cb?x", "https://app.example:443/cb", "https://a"]
        {
            assert!(!client.allows_redirect(other), "{other}");
        }
        let local = ask(&store, "http://127.0.0.1:1/cb").unwrap().client;
        assert!(local.allows_redirect("http://127.0.0.1:54321/cb") && local.allows_redirect("http://127.0.0.1/cb"));
        for other in ["http://localhost:1/cb", "http://127.0.0.1:1/other", "http://127.0.0.1:1@evil.example/cb"] {
            assert!(!local.allows_redirect(other), "{other}");
        }
    }

    #[test]
    fn unused_clients_are_deleted() {
        let store = MemoryStore::default();
        let made = ask(&store, "https://app.example/cb").unwrap();
        store.apply(made.change).unwrap();
        let id = made.client.id;
        assert!(find_client(&store, &id, NOW).unwrap().is_some());
        let later = NOW + CLIENT_UNUSED_MS_MAX;
        assert!(find_client(&store, &id, later).unwrap().is_none());
        let next = register_client(&store, "b", vec!["https://b.example".to_owned()], later).unwrap();
        store.apply(next.change).unwrap();
        assert_eq!(list_clients(&store).unwrap().len(), 1);
    }
}
