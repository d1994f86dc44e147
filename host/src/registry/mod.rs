//! x
mod digest; mod error; mod folder; mod keys; mod signature; mod publishers; mod fields; mod grant; mod hosts; mod id; mod manifest;
mod versions; mod scan; mod publish;
#[cfg(test)] mod testing;
pub use digest::*; pub use error::*; pub use fields::FieldError; pub use grant::*; pub use hosts::*; pub use id::*; pub use manifest::*; pub use keys::*; pub use signature::*; pub use publishers::*; pub use versions::*; pub use scan::*; pub use publish::*; pub use folder::FileFault;
