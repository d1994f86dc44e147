//! The protocol version of a request.
//!
//! Invariant: a version is identified by its major and minor number. A client that names
//! no version gets 0.3, because version 0.3 of the protocol has no way to name it.

use serde::{Deserialize, Serialize};

use super::rpc_error::{RpcError, RpcErrorKind};

/// A protocol version that this server supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProtocolVersion {
    /// Version 0.3.0.
    #[default]
    #[serde(rename = "0.3")]
    V0_3,
    /// Version 1.0.
    #[serde(rename = "1.0")]
    V1,
}

impl ProtocolVersion {
    /// The header or query parameter in which a client names the version.
    pub const HEADER: &'static str = "a2a-version";

    /// Returns the version that a client names in the header `A2A-Version`.
    pub fn negotiate(named: Option<&str>) -> Result<Self, RpcError> {
        let named = named.unwrap_or_default().trim();
        let mut numbers = named.split('.');
        let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        // The patch number does not matter.
        let is_patch = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let patch_holds = numbers.next().is_none_or(is_patch) && numbers.next().is_none();
        match (major, minor, patch_holds) {
            ("", "", true) | ("0", "3", true) => Ok(Self::V0_3),
            ("1", "0", true) => Ok(Self::V1),
            _ => {
                let shown: String = named.chars().take(20).collect();
                Err(Self::unsupported(&format!("`{shown}` is not supported; send A2A-Version: 1.0 or 0.3")))
            }
        }
    }

    /// Creates the error for an unsupported version.
    pub fn unsupported(detail: &str) -> RpcError {
        RpcError::new(RpcErrorKind::VersionNotSupported, detail).with("supportedVersions", vec!["1.0", "0.3"])
    }

    /// Returns the name of the version in responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V0_3 => "0.3.0",
            Self::V1 => "1.0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_major_and_minor() {
        for (named, expect) in [
            (None, ProtocolVersion::V0_3),
            (Some(""), ProtocolVersion::V0_3),
            (Some("0.3"), ProtocolVersion::V0_3),
            (Some("0.3.0"), ProtocolVersion::V0_3),
            (Some(" 1.0 "), ProtocolVersion::V1),
            (Some("1.0.7"), ProtocolVersion::V1),
        ] {
            assert_eq!(ProtocolVersion::negotiate(named).unwrap(), expect, "{named:?}");
        }
        for wrong in ["1", "2.0", "0.4", "99.0", "1.0.", "1.0.x", "1.0.0.0", "v1.0", "1,0", "0.3, 1.0"] {
            let error = ProtocolVersion::negotiate(Some(wrong)).unwrap_err();
            assert_eq!(error.kind, RpcErrorKind::VersionNotSupported, "{wrong}");
        }
    }
}
