//! The current call, as described by the host.

use crate::error::Error;

/// The current call, as described by the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The id of the request, shown to operator and caller in logs and headers.
    pub request_id: String,
    /// Time left for this call, in milliseconds.
    pub deadline_ms: u32,
    /// Time at the start of the call, in Unix milliseconds. A plugin has no other clock.
    pub now_ms: u64,
    /// A stable pseudonym of the paying account, different for every plugin; `None` if the caller
    /// has no key.
    pub caller: Option<String>,
    /// The stored resource that the input's `resource_id` names, if any.
    pub resource: Option<Stored>,
}

/// A resource that the caller stored on the host before the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// Id of the resource, `res_…`.
    pub id: String,
    /// The media type that the resource was stored with.
    pub content_type: String,
    /// Content of the resource, at most 1 MiB.
    pub bytes: Vec<u8>,
}

impl Call {
    /// Returns the stored resource of this call. If there is none, returns an
    /// invalid-input error at `/resource_id`.
    pub fn stored(&self) -> Result<&Stored, Error> {
        let missing = "no stored resource of yours has this id; store it with POST /v1/resources first";
        self.resource.as_ref().ok_or_else(|| Error::invalid("/resource_id", missing))
    }

    /// Returns an error if the input's `resource_id` names a stored resource. For plugins
    /// that expect a natural key there; `instead` describes it, such as "an IBAN".
    pub fn without_stored(&self, instead: &str) -> Result<(), Error> {
        let message = || format!("this bridge takes {instead} here, not a stored resource");
        self.resource.as_ref().map_or(Ok(()), |_| Err(Error::invalid("/resource_id", message())))
    }
}

impl Stored {
    /// Returns the resource's content as text, or an invalid-input error at `/resource_id` if it is
    /// not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.bytes)
            .map_err(|error| Error::invalid("/resource_id", format!("the stored resource is not UTF-8 text: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_bytes(bytes: &[u8]) -> Call {
        let resource = Stored { id: "res_1".into(), content_type: "text/plain".into(), bytes: bytes.to_vec() };
        Call { resource: Some(resource), ..Call::default() }
    }

    #[test]
    fn a_stored_resource_is_refused_where_a_key_is_expected() {
        assert_eq!(Call::default().without_stored("an IBAN"), Ok(()));
        let error = with_bytes(b"abc").without_stored("an IBAN").expect_err("refused");
        assert_eq!((error.field(), error.message().contains("takes an IBAN here")), (Some("/resource_id"), true));
    }

    #[test]
    fn stored_text_or_an_error_at_resource_id() {
        assert_eq!(with_bytes(b"abc").stored().and_then(Stored::text), Ok("abc"));
        for call in [Call::default(), with_bytes(&[0xff])] {
            let Err(Error::InvalidInput { field, .. }) = call.stored().and_then(Stored::text) else {
                panic!("{call:?} was accepted");
            };
            assert_eq!(field, "/resource_id");
        }
    }
}
