//! The built-in embedding model, all-MiniLM-L6-v2 with int8 weights
//! ([decision 48](../../../docs/decisions/0048-a-built-in-embedding-model.md)).
//!
//! Invariants:
//! 1. Only the file with the known checksum is loaded.
//! 2. The vector of a text depends on that text only: texts are never run in a batch.
//! 3. The work for a text is bounded, however long the text is.
//!
//! Imports no other crate of the host. Only this crate uses `rten`.

mod model;
mod model_file;
mod word_piece;

pub use model::{DIMENSIONS, Embedding, EmbeddingModel, MODEL_NAME, RunModelError};
pub use model_file::{FILE_NAME, LoadModelError, check_presence, verify};
pub use word_piece::TOKENS_MAX;
