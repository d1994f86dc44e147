//! Test bridges with a single behaviour each: they echo, take long, or fail.
//!
//! Every component has the same memory layout: description at 16, result of `handle` at
//! 64, input schema at 1024, answer at 3072, allocations of `cabi_realloc` from 4096.

use anyhow::Result;

use crate::guest::wrap;

const ANY_OBJECT: &str = r#"{"type":"object"}"#;

/// Builds a bridge that answers with its input, which must match `schema`.
pub fn mirror(schema: &str) -> Result<Vec<u8>> {
    let body = "(i32.store (i32.const 68) (local.get $input)) (i32.store (i32.const 72) (local.get $input_len))";
    component(schema, "", body)
}

/// Builds a bridge that counts to `steps` before it answers; 10^9 steps take about a
/// second.
pub fn slow(steps: u64) -> Result<Vec<u8>> {
    answering(ANY_OBJECT, r#"{"slow":true}"#, steps)
}

/// Builds a bridge that traps.
pub fn failing() -> Result<Vec<u8>> {
    component(ANY_OBJECT, "", "unreachable")
}

fn answering(schema: &str, answer: &str, steps: u64) -> Result<Vec<u8>> {
    let body = format!(
        "(local $left i64) (local.set $left (i64.const {steps}))
         (block $done (loop $again
           (br_if $done (i64.eqz (local.get $left)))
           (local.set $left (i64.sub (local.get $left) (i64.const 1)))
           (br $again)))
         (i32.store (i32.const 68) (i32.const 3072)) (i32.store (i32.const 72) (i32.const {}))",
        answer.len()
    );
    component(schema, answer, &body)
}

/// Builds a component. `body` is the code of `handle`; it must store the pointer of the
/// answer at 68 and the answer's length at 72.
fn component(schema: &str, answer: &str, body: &str) -> Result<Vec<u8>> {
    let module = format!(
        r#"(module
  (memory (export "memory") 2)
  (global $top (mut i32) (i32.const 4096))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $top) (i32.const 131072)) (then unreachable))
    (local.get $at))
  (data (i32.const 16) "\00\04\00\00{input}\00\08\00\00{output}\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{schema}")
  (data (i32.const 2048) "{any}")
  (data (i32.const 3072) "{answer}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") (param i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    (param $input i32) (param $input_len i32) (result i32)
    {body}
    (i32.const 64)))"#,
        input = length(schema),
        output = length(ANY_OBJECT),
        schema = quoted(schema),
        any = quoted(ANY_OBJECT),
        answer = quoted(answer),
    );
    wrap(wat::parse_str(&module)?)
}

/// Formats the length of a text as a four-byte string literal in WebAssembly text.
fn length(text: &str) -> String {
    let bytes = u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes();
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\5c").replace('"', "\\22")
}
