//! The formats that clients speak, in front of providers that speak others.
//!
//! A request in another format than a chat becomes one at the entrance and keeps
//! its own members as its native form. A provider that speaks the client's format
//! gets that one, any other the chat; what it answers is translated back.
//!
//! Invariant: what a provider does not say in the client's format, the client still
//! gets in it.

mod answer_format;
mod chat_reader;
pub(crate) mod completions;
mod format;
mod invalid;
pub(crate) mod messages;
mod native_form;
pub(crate) mod responses;
mod stream_translator;

pub(crate) use answer_format::{AnswerFormat, FinishedAnswer, KeptRows};
pub use format::ClientFormat;
pub(crate) use native_form::{NativeForm, NativeHead};
pub(crate) use stream_translator::StreamTranslator;
