//! A test agent whose task's first letter selects what it does:
//!
//! - `n`: calls a bridge with `{}` and returns the bridge's answer or error; `m`: the
//!   same, but traps after the bridge has answered;
//! - `f`: traps; `s`: computes forever; `w`: computes for a while; `l`: sleeps six
//!   seconds, whatever the machine's speed;
//! - anything else: answers with its input, or with `{"done":true}` if there is none.
//!
//! Memory is laid out as in `tests/hostile/parts/memory.wat`. In addition: the result of
//! a nested call is at 96, the bridge's name at 2048, the bridge's input at 2176, the
//! agent's answer at 2304.

use anyhow::Result;

use crate::guest;

const WORKER: &str = r#"(module
  (import "tollbridge:plugin/bridges@1.0.0" "call" (func $call (param i32 i32 i32 i32 i32)))
  (import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
  (import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $block (param i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 2048) "@BRIDGE@")
  (data (i32.const 2176) "{}")
  (data (i32.const 2304) "{\22done\22:true}")
  (func (export "run") (param $args i32) (result i32)
    (local $letter i32) (local $left i64)
    (if (i32.load (i32.add (local.get $args) (i32.const 68)))
      (then (local.set $letter (i32.load8_u (i32.load (i32.add (local.get $args) (i32.const 64)))))))
    (i32.store8 (i32.const 64) (i32.const 0))
    ;; n and m
    (if (i32.eq (i32.or (i32.sub (local.get $letter) (i32.const 109)) (i32.const 1)) (i32.const 1))
      (then
        (call $call (i32.const 2048) (i32.const @LENGTH@) (i32.const 2176) (i32.const 2) (i32.const 96))
        (if (i32.load8_u (i32.const 96))
          (then
            ;; an error: passed on as `upstream` with its text
            (i32.store8 (i32.const 64) (i32.const 1))
            (i32.store8 (i32.const 68) (i32.const 3))
            (i32.store (i32.const 72) (i32.load (i32.const 104)))
            (i32.store (i32.const 76) (i32.load (i32.const 108)))
            (return (i32.const 64))))
        (if (i32.eq (local.get $letter) (i32.const 109)) (then unreachable))
        (i32.store (i32.const 68) (i32.load (i32.const 100)))
        (i32.store (i32.const 72) (i32.load (i32.const 104)))
        (return (i32.const 64))))
    (if (i32.eq (local.get $letter) (i32.const 102)) (then unreachable))
    (if (i32.eq (local.get $letter) (i32.const 115)) (then (loop $ever (br $ever))))
    (if (i32.eq (local.get $letter) (i32.const 119)) (then (local.set $left (i64.const 200000000))))
    (if (i32.eq (local.get $letter) (i32.const 108)) (then (call $block (call $timer (i64.const 6000000000)))))
    (if (i64.ne (local.get $left) (i64.const 0))
      (then
        (block $done (loop $again
          (br_if $done (i64.eqz (local.get $left)))
          (local.set $left (i64.sub (local.get $left) (i64.const 1)))
          (br $again)))))
    (if (i32.load8_u (i32.add (local.get $args) (i32.const 72)))
      (then
        (i32.store (i32.const 68) (i32.load (i32.add (local.get $args) (i32.const 76))))
        (i32.store (i32.const 72) (i32.load (i32.add (local.get $args) (i32.const 80)))))
      (else
        (i32.store (i32.const 68) (i32.const 2304))
        (i32.store (i32.const 72) (i32.const 13))))
    (i32.const 64)))"#;

/// Builds the agent; `bridge` is the name of the bridge that it calls.
pub fn worker(bridge: &str) -> Result<Vec<u8>> {
    guest::compile_agent(&WORKER.replace("@BRIDGE@", bridge).replace("@LENGTH@", &bridge.len().to_string()))
}

/// Returns the agent's manifest: it may call `bridge`, and each task may take `time_ms`.
pub fn worker_manifest(publisher: &str, name: &str, price_gbp: &str, bridge: &str, time_ms: u32) -> String {
    format!(
        "name = \"{name}\"\nkind = \"agent\"\nversion = \"1.0.0\"\npublisher = \"{publisher}\"\n\
         purpose = \"for tests\"\nprice_gbp = \"{price_gbp}\"\ngrants = [\"bridges\"]\nbridges = [\"{bridge}\"]\n\
         [limits]\ntime_ms = {time_ms}\nmemory_mib = 8\n[[skills]]\nid = \"testing\"\ndescription = \"for tests\"\n"
    )
}
