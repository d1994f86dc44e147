//! x
mod digest; mod error; mod folder; mod keys; mod signature; mod publishers; mod fields; mod grant; mod hosts; mod id; mod manifest;
pub use digest::*; pub use error::*; pub use fields::FieldError; pub use grant::*; pub use hosts::*; pub use id::*; pub use manifest::*; pub use keys::*; pub use signature::*; pub use publishers::*;
