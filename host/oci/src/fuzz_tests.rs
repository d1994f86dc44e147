//! Bytes of strangers, changed at random: manifests, paths, references.

use tollbridge_core::fuzzing::Fuzzer;
