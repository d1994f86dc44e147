//! Push notification settings of a task: the URL that is notified when the task's state
//! changes, and the credentials that authenticate the notification.
//!
//! Invariants: a URL that egress would refuse is refused when it is set; a task has a
//! bounded number of settings.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_core::egress::Egress;

use super::message::{id, object, required, text};
use super::rpc_error::RpcError;
use super::version::ProtocolVersion;

/// Maximum number of receivers of one task's notifications.
const A2A_PUSH_PER_TASK_MAX: usize = 8;
/// Maximum length of a receiver's URL.
const A2A_URL_BYTES_MAX: usize = 2 << 10;
/// Maximum length of the token or credentials sent to a receiver.
const A2A_CREDENTIAL_BYTES_MAX: usize = 1 << 10;

/// The header that carries the token set by the client.
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");

/// The id given to settings that the client sends without an id.
const UNNAMED: &str = "default";

/// The settings of one receiver of notifications.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PushConfig {
    pub id: String,
    pub url: String,
    /// A token sent with each notification, so that the receiver can recognize it.
    pub token: Option<String>,
    pub authentication: Option<Authentication>,
    /// The protocol version of the client that set the receiver; notifications use the
    /// same version.
    #[serde(default)]
    pub version: ProtocolVersion,
}

/// The authentication that the receiver requires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Authentication {
    /// The schemes as sent by the client, for example `Bearer`.
    pub schemes: Vec<String>,
    pub credentials: Option<String>,
}

impl PushConfig {
    /// Parses and checks settings; `at` is their JSON pointer in the request, for errors.
    pub(crate) fn read(
        mut members: Map<String, Value>,
        at: &str,
        egress: &Egress,
        version: ProtocolVersion,
    ) -> Result<Self, RpcError> {
        let id = id(&members, "id", at)?.unwrap_or_else(|| UNNAMED.to_owned());
        let address = required(text(&members, "url", at)?, "url", at)?.to_owned();
        let wrong = |why: &str| RpcError::params(&format!("{at}/url"), why);
        if address.len() > A2A_URL_BYTES_MAX {
            return Err(wrong("`url` is too long"));
        }
        let url = Url::parse(&address).map_err(|error| wrong(&format!("`url` is not a URL: {error}")))?;
        egress.check(&url).map_err(|error| wrong(&format!("`url` cannot be used: {error}")))?;
        let token = header_text(&members, "token", at)?;
        let authentication = object(&mut members, "authentication", at)?
            .map(|members| Authentication::read(&members, &format!("{at}/authentication")))
            .transpose()?;
        Ok(Self { id, url: address, token, authentication, version })
    }

    /// Formats the settings and their task for version 0.3.0.
    pub(crate) fn view(&self, task: &str) -> Value {
        let mut config = json!({ "id": self.id, "url": self.url });
        if let Some(members) = config.as_object_mut() {
            members.extend(self.token.iter().map(|token| ("token".to_owned(), token.as_str().into())));
            members.extend(self.authentication.iter().map(|how| ("authentication".to_owned(), how.view())));
        }
        json!({ "taskId": task, "pushNotificationConfig": config })
    }

    /// Returns the headers of a notification. Header values were validated when the
    /// settings were stored; an invalid value is omitted.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(token) = self.token.as_deref().and_then(|token| HeaderValue::from_str(token).ok()) {
            headers.insert(TOKEN, token);
        }
        if let Some(value) = self.authentication.as_ref().and_then(Authentication::header) {
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }
}

impl Authentication {
    fn read(members: &Map<String, Value>, at: &str) -> Result<Self, RpcError> {
        let wrong = || RpcError::params(&format!("{at}/schemes"), "`schemes` must be a list of 1 to 8 strings");
        let schemes = members.get("schemes").and_then(Value::as_array).ok_or_else(wrong)?;
        let schemes: Option<Vec<String>> = schemes.iter().map(|scheme| scheme.as_str().map(str::to_owned)).collect();
        let schemes = schemes.filter(|list| (1..=8).contains(&list.len())).ok_or_else(wrong)?;
        let read = Self { schemes, credentials: header_text(members, "credentials", at)? };
        if read.credentials.is_some() && read.header().is_none() {
            let detail = "`credentials` can be sent with the schemes Bearer and Basic; name one of them";
            return Err(RpcError::params(&format!("{at}/schemes"), detail));
        }
        Ok(read)
    }

    fn view(&self) -> Value {
        let mut view = json!({ "schemes": self.schemes });
        if let (Some(members), Some(credentials)) = (view.as_object_mut(), &self.credentials) {
            members.insert("credentials".to_owned(), credentials.as_str().into());
        }
        view
    }

    /// Returns the scheme to show in version 1.0, which allows only one: the scheme used
    /// for notifications.
    pub(crate) fn scheme(&self) -> &str {
        self.sent_scheme().or_else(|| self.schemes.first().map(String::as_str)).unwrap_or_default()
    }

    /// Returns the first scheme that this server can use for `Authorization: SCHEME
    /// credentials`.
    fn sent_scheme(&self) -> Option<&'static str> {
        let known = ["Bearer", "Basic"];
        self.schemes.iter().find_map(|scheme| known.into_iter().find(|known| known.eq_ignore_ascii_case(scheme)))
    }

    fn header(&self) -> Option<HeaderValue> {
        let credentials = self.credentials.as_deref()?;
        let scheme = self.sent_scheme()?;
        let mut value = HeaderValue::from_str(&format!("{scheme} {credentials}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Adds a receiver's settings to a task's settings, replacing any with the same id.
pub(crate) fn put(configs: &mut Vec<PushConfig>, config: PushConfig) -> Result<(), RpcError> {
    configs.retain(|other| other.id != config.id);
    if configs.len() >= A2A_PUSH_PER_TASK_MAX {
        let detail = format!("a task has at most {A2A_PUSH_PER_TASK_MAX} receivers; delete one first");
        return Err(RpcError::params("/params/pushNotificationConfig", detail));
    }
    configs.push(config);
    Ok(())
}

/// Reads an optional string that is a valid header value.
fn header_text(members: &Map<String, Value>, name: &str, at: &str) -> Result<Option<String>, RpcError> {
    let Some(text) = text(members, name, at)? else { return Ok(None) };
    let fits =
        !text.is_empty() && text.len() <= A2A_CREDENTIAL_BYTES_MAX && text.bytes().all(|b| (0x21..0x7f).contains(&b));
    let detail = format!("`{name}` must be 1 to {A2A_CREDENTIAL_BYTES_MAX} printable ASCII characters without spaces");
    if fits { Ok(Some(text.to_owned())) } else { Err(RpcError::params(&format!("{at}/{name}"), detail)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: Value) -> Result<PushConfig, RpcError> {
        let egress = Egress::new(Vec::new()).unwrap();
        PushConfig::read(
            config.as_object().unwrap().clone(),
            "/params/pushNotificationConfig",
            &egress,
            ProtocolVersion::V0_3,
        )
    }

    #[test]
    fn settings_are_read_and_shown_again() {
        let shown = json!({
            "id": "mine",
            "url": "https://example.com/hook",
            "token": "abc",
            "authentication": { "schemes": ["bearer"], "credentials": "s3cret" },
        });
        let config = read(shown.clone()).unwrap();
        assert_eq!(config.view("t"), json!({ "taskId": "t", "pushNotificationConfig": shown }));
        let headers = config.headers();
        assert_eq!(headers["authorization"], "Bearer s3cret");
        assert_eq!(headers["x-a2a-notification-token"], "abc");
        assert_eq!(read(json!({ "url": "https://example.com/hook" })).unwrap().id, "default");
    }

    #[test]
    fn addresses_and_texts_that_cannot_work_are_refused() {
        for (config, field) in [
            (json!({}), "/params/pushNotificationConfig/url"),
            (json!({ "url": "nonsense" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "ftp://example.com" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "https://u:p@example.com" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "http://169.254.169.254/latest" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "http://127.0.0.1/" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "http://[::1]/" }), "/params/pushNotificationConfig/url"),
            (json!({ "url": "https://example.com", "token": "a\r\nb" }), "/params/pushNotificationConfig/token"),
            (
                json!({ "url": "https://example.com", "authentication": { "schemes": [] } }),
                "/params/pushNotificationConfig/authentication/schemes",
            ),
            (
                json!({ "url": "https://example.com", "authentication": { "schemes": ["HMAC"], "credentials": "x" } }),
                "/params/pushNotificationConfig/authentication/schemes",
            ),
        ] {
            assert_eq!(read(config.clone()).unwrap_err().data["details"]["field"], field, "{config}");
        }
    }

    #[test]
    fn the_same_id_replaces_and_the_number_is_bounded() {
        let config = |id: &str| read(json!({ "id": id, "url": "https://example.com" })).unwrap();
        let mut configs = Vec::new();
        for n in 0..A2A_PUSH_PER_TASK_MAX {
            put(&mut configs, config(&n.to_string())).unwrap();
        }
        put(&mut configs, config("0")).unwrap();
        assert!(put(&mut configs, config("more")).is_err());
        assert_eq!(configs.len(), A2A_PUSH_PER_TASK_MAX);
    }
}
