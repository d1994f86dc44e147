//! Test agents with a single behaviour each: they answer or fail.
//!
//! A component's memory is laid out as in `answering`. In addition, the host writes the
//! agent's parameters there: the task at 64, the input at 72.

use anyhow::Result;

use crate::guest::{compile_agent, wrap_agent};

/// Builds an agent that answers with its input. Without an input it answers with the
/// length of its task, such as `{"bytes":"00012"}`.
pub fn mirror() -> Result<Vec<u8>> {
    component(
        r#"(local $left i32) (local $to i32)
        (if (i32.load8_u offset=72 (local.get $at))
          (then
            (i32.store (i32.const 68) (i32.load offset=76 (local.get $at)))
            (i32.store (i32.const 72) (i32.load offset=80 (local.get $at))))
          (else
            (local.set $left (i32.load offset=68 (local.get $at)))
            (local.set $to (i32.const 3086))
            (loop $digit
              (i32.store8 (local.get $to) (i32.add (i32.const 48) (i32.rem_u (local.get $left) (i32.const 10))))
              (local.set $left (i32.div_u (local.get $left) (i32.const 10)))
              (local.set $to (i32.sub (local.get $to) (i32.const 1)))
              (br_if $digit (i32.gt_u (local.get $to) (i32.const 3081))))
            (i32.store (i32.const 68) (i32.const 3072))
            (i32.store (i32.const 72) (i32.const 17))))"#,
    )
}

/// Builds an agent that answers a task of at least twenty bytes, and otherwise reports
/// that the input at `/data` is missing, with the question `{"bytes":"00000"}`.
pub fn asking() -> Result<Vec<u8>> {
    component(
        r#"(if (i32.lt_u (i32.load offset=68 (local.get $at)) (i32.const 20))
          (then
            (i32.store8 (i32.const 64) (i32.const 1))
            (i32.store8 (i32.const 68) (i32.const 0))
            (i32.store (i32.const 72) (i32.const 3200))
            (i32.store (i32.const 76) (i32.const 5))
            (i32.store (i32.const 80) (i32.const 3072))
            (i32.store (i32.const 84) (i32.const 17))
            (i64.store (i32.const 3200) (i64.const 0x617461642f)))
          (else
            (i32.store8 (i32.const 64) (i32.const 0))
            (i32.store (i32.const 68) (i32.const 3072))
            (i32.store (i32.const 72) (i32.const 17))))"#,
    )
}

/// Builds an agent that refuses every task in words with the question `Which currency?`,
/// and proposes the task's text after its first character as its input. It answers an input with that input, which
/// must have an `amount` and a `currency`.
pub fn proposing() -> Result<Vec<u8>> {
    let schema = r#"{"type":"object","properties":{"amount":{"type":"integer"},"currency":{"type":"string"}},"required":["amount","currency"]}"#;
    importing(
        r#"(import "tollbridge:plugin/proposal@1.0.0" "propose-input" (func $propose (param i32 i32)))"#,
        (schema, ANY),
        "Which currency?",
        r#"(if (i32.load8_u offset=72 (local.get $at))
          (then
            (i32.store (i32.const 68) (i32.load offset=76 (local.get $at)))
            (i32.store (i32.const 72) (i32.load offset=80 (local.get $at))))
          (else
            (call $propose
              (i32.add (i32.load offset=64 (local.get $at)) (i32.const 1))
              (i32.sub (i32.load offset=68 (local.get $at)) (i32.const 1)))
            (i32.store8 (i32.const 64) (i32.const 1))
            (i32.store8 (i32.const 68) (i32.const 0))
            (i32.store (i32.const 76) (i32.const 0))
            (i32.store (i32.const 80) (i32.const 3072))
            (i32.store (i32.const 84) (i32.const 15))))"#,
    )
}

/// Builds an agent that traps.
pub fn failing() -> Result<Vec<u8>> {
    component("unreachable")
}

/// Builds an agent that sleeps inside a host call until its time limit. While it sleeps
/// it executes no WebAssembly, so the engine's epoch ticker cannot interrupt it.
pub fn sleeping() -> Result<Vec<u8>> {
    compile_agent(
        r#"(module
  (import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
  (import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $block (param i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "run") (param i32) (result i32)
    (call $block (call $timer (i64.const 60000000000)))
    unreachable))"#,
    )
}

/// Builds an agent that computes until its time limit.
pub fn spinning() -> Result<Vec<u8>> {
    component("(loop $ever (br $ever))")
}

/// Builds an agent that writes values of maximum size, up to a hundred, into its bucket.
pub fn hoarding() -> Result<Vec<u8>> {
    compile_agent(
        r#"(module
  (import "wasi:keyvalue/store@0.2.0-draft" "open" (func $open (param i32 i32 i32)))
  (import "wasi:keyvalue/store@0.2.0-draft" "[method]bucket.set" (func $set (param i32 i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "sharedkey0000")
  (data (i32.const 2048) "{}")
  (func (export "run") (param i32) (result i32)
    (local $bucket i32) (local $n i32)
    (drop (memory.grow (i32.const 4)))
    (call $open (i32.const 1100) (i32.const 6) (i32.const 128))
    (local.set $bucket (i32.load (i32.const 132)))
    (loop $more
      (i32.store (i32.const 1109) (i32.add (i32.const 0x30303030) (local.get $n)))
      (call $set (local.get $bucket) (i32.const 1106) (i32.const 7) (i32.const 8192) (i32.const 262144) (i32.const 128))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $n) (i32.const 100))))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 2048))
    (i32.store (i32.const 72) (i32.const 2))
    (i32.const 64)))"#,
    )
}

/// The schema of any object.
const ANY: &str = r#"{"type":"object"}"#;

/// Builds an agent with the given schemas that always returns the same answer.
pub fn answering(input_schema: &str, output_schema: &str, answer: &str) -> Result<Vec<u8>> {
    let body =
        format!("(i32.store (i32.const 68) (i32.const 3072)) (i32.store (i32.const 72) (i32.const {}))", answer.len());
    importing("", (input_schema, output_schema), answer, &body)
}

/// Returns a minimal manifest of an agent published by `tester`.
pub fn manifest(name: &str, price_gbp: &str) -> String {
    crate::manifest(name, "1.0.0", price_gbp).replace("kind = \"bridge\"", "kind = \"agent\"")
}

fn component(body: &str) -> Result<Vec<u8>> {
    importing("", (ANY, ANY), r#"{"bytes":"00000"}"#, body)
}

fn importing(import: &str, (input, output): (&str, &str), answer: &str, body: &str) -> Result<Vec<u8>> {
    let text = |text: &str| text.replace('\\', "\\5c").replace('"', "\\22");
    let length =
        |text: &str| text.len().to_le_bytes()[..4].iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let (input_length, output_length) = (length(input), length(output));
    let (input, output, answer) = (text(input), text(output), text(answer));
    let module = format!(
        r#"(module
  {import}
  (memory (export "memory") 8)
  (global $top (mut i32) (i32.const 4096))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $top) (i32.const 524288)) (then unreachable))
    (local.get $at))
  (data (i32.const 16) "\00\04\00\00{input_length}\00\08\00\00{output_length}\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{input}")
  (data (i32.const 2048) "{output}")
  (data (i32.const 3072) "{answer}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "run") (param $at i32) (result i32)
    {body}
    (i32.const 64)))"#
    );
    wrap_agent(wat::parse_str(&module)?)
}
