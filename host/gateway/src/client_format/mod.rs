//! The formats of clients, in front of providers that speak others.
//!
//! A request in a format other than chat is converted on arrival and keeps its own members as its
//! native form. A provider that speaks the client's format gets the native form, any other the
//! chat; the answer is translated back.
//!
//! Invariant: a client always gets its answer in its own format, whatever format the provider
//! speaks.

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
