//! The formats that clients use, converted for providers that use other formats.
//!
//! A request that is not a chat is converted to a chat on arrival; its own members are
//! kept as its native form. A provider that uses the client's format gets the native
//! form, any other provider the chat; the answer is converted back.
//!
//! Invariant: a client always gets its answer in its own format, whatever format the
//! provider uses.

mod answer_format;
mod chat_reader;
pub(crate) mod completions;
mod format;
pub(crate) mod messages;
mod native_form;
pub(crate) mod responses;
mod stream_translator;

pub(crate) use answer_format::{AnswerFormat, AnswerRows, FinishedAnswer};
pub use format::ClientFormat;
pub(crate) use native_form::{NativeForm, NativeHead};
pub(crate) use stream_translator::StreamTranslator;
