//! What a form of a page sends, and what stands in the address of a page.

use axum::extract::{FromRequest, Request};
use axum::http::{Uri, header};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_core::limits::FORM_BYTES_MAX;

use crate::body::{RawBytes, keep_platform_rules};

/// The fields of a form, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a form in its URL encoding.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// What stands behind the `?` of an address; a page that nobody wrote such an
    /// address for shows itself all the same.
    pub(crate) fn of_query(uri: &Uri) -> Self {
        Self::parse(uri.query().unwrap_or_default().as_bytes())
    }

    /// The text of a field without the space around it; empty when it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.optional(name).unwrap_or_default()
    }

    /// The text of a field, if it is there and not blank.
    pub(crate) fn optional(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Whether a box of some name and value is ticked.
    pub(crate) fn ticked(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(key, set)| key == name && set == value)
    }

    /// The names that were sent.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase();
        if kind != "application/x-www-form-urlencoded" {
            return Err(ApiError::new(Code::ContentType, "send the form as application/x-www-form-urlencoded"));
        }
        let RawBytes(bytes) = RawBytes::from_request(request, state).await?;
        if bytes.len() > FORM_BYTES_MAX {
            return Err(ApiError::new(Code::TooLarge, format!("the form is larger than {FORM_BYTES_MAX} bytes")));
        }
        let fields = Self::parse(&bytes);
        keep_platform_rules(fields.names().map(str::to_owned))?;
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read() {
        let fields = Fields::parse(b"a=+x+y%21+&b=&c=1&c=2&%FF=%FF");
        assert_eq!((fields.text("a"), fields.text("b"), fields.text("none")), ("x y!", "", ""));
        assert_eq!((fields.optional("b"), fields.optional("c")), (None, Some("1")));
        assert!(fields.ticked("c", "2") && !fields.ticked("c", "3"));
    }
}
