//! Text that must never be shown.

use std::fmt;

use super::raw::Raw;
use super::setting::Setting;

/// A secret of the operator: never shown by `Debug`, in messages or by `config show`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret that does not come from the configuration.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the secret in plain text, for the code that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl Setting for Secret {
    const SECRET: bool = true;

    fn read(raw: &Raw) -> Result<Self, String> {
        let text = raw.text().ok_or("is not text in quotes")?;
        if text.is_empty() {
            return Err("is empty; leave the key out instead".to_owned());
        }
        // Such a secret usually has a trailing line break, because it was read from a
        // file.
        if text.trim() != text || text.chars().any(char::is_control) {
            return Err("has white space around it or contains a control character".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_shown() {
        let secret = Secret::read(&Raw::Text("hunter2".into())).unwrap();
        assert_eq!((secret.expose(), format!("{secret:?}").as_str()), ("hunter2", "Secret(***)"));
        for bad in ["", "hunter2\n", " hunter2", "hun\u{0}ter2"] {
            let message = Secret::read(&Raw::Text(bad.into())).unwrap_err();
            assert!(!message.contains("hunter"), "{message}");
        }
        assert!(!Secret::read(&Raw::Number("12345".into())).unwrap_err().contains("123"));
    }
}
