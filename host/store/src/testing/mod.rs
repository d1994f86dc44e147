//! What tests hold the engine against: here and, with the feature `testing`, in
//! other crates.

pub mod model;
pub mod watched;
