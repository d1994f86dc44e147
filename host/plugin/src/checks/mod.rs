//! Checks of a plugin's inputs and outputs against its schemas.

mod output;
mod output_document;
pub(crate) mod output_schema;
pub(crate) mod places;
pub(crate) mod schemas;
