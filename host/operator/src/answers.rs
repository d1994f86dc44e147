//! Answers of commands: data that travels as JSON between a server and the command line.

/// Declares answers. Missing members have default values, because a running server may be of an
/// earlier version than the command line.
macro_rules! answers {
    ($($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $member:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$about])*
        #[expect(missing_docs, reason = "each field has the name of its JSON member")]
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$note])* pub $member: $type,)*
        }
    )*};
}

pub(crate) use answers;
