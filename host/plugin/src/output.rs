//! The output of a successful call.

use tollbridge_store::KvWrite;

use crate::program::WriteLocks;
use crate::usage::CallUsage;

/// The output of a successful plugin call.
#[derive(Debug)]
pub struct PluginOutput {
    /// The answer: the text of a JSON object.
    pub body: Vec<u8>,
    /// Key-value writes to commit together with the seal.
    pub kv: Vec<KvWrite>,
    /// Time and memory that the call used.
    pub usage: CallUsage,
    /// Locks on counters in `kv`. Keep the output until `kv` is durable, so that no other call
    /// reads a value that may yet be lost.
    pub(crate) _locks: WriteLocks,
}
