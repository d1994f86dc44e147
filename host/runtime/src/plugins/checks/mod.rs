//! Checks of a plugin's inputs and outputs against its schemas.

mod output;
mod output_document;
pub(super) mod output_schema;
pub(super) mod places;
pub(super) mod schemas;
