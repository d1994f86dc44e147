//! Secrets in any text, comments included: formats of providers (with checksums where they have one), private keys,
//! tokens, connection strings, and values that are assigned to telling names.

mod assignment;
mod checksum;
mod cloud;
mod code;
mod entropy;
mod format;
mod general;
mod placeholder;
mod scan;
mod services;
mod span;

pub use scan::{LITERALS, find, ids, patterns};
pub use span::Secret;
