//! Form fields and query parameters of pages.

use aide::generate::GenContext;
use aide::openapi::Operation;
use aide::operation::OperationInput;
use axum::extract::{FromRequest, Request};
use axum::http::{Uri, header};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_web::body::{RawBytes, keep_platform_rules};
use tollbridge_web::operation_inputs::note_errors;

/// Maximum size of a form that a page of this server submits.
const FORM_BYTES_MAX: usize = 16 << 10;

/// The fields of a form, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses URL-encoded form data.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Parses the query of a page's address; unknown parameters are ignored.
    pub(crate) fn of_query(uri: &Uri) -> Self {
        Self::parse(uri.query().unwrap_or_default().as_bytes())
    }

    /// Returns the trimmed text of a field; empty if it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.optional(name).unwrap_or_default()
    }

    /// Returns the trimmed text of a field, unless it is absent or blank.
    pub(crate) fn optional(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Checks whether the checkbox with this name and value is ticked.
    pub(crate) fn ticked(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(key, set)| key == name && set == value)
    }

    /// Returns the names of all fields.
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

impl OperationInput for Fields {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
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
