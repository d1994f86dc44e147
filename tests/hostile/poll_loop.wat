;; Waits for nothing, for ever: each wait is over at once.
(module
  (import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
  (import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:io/poll@0.2.12" "[resource-drop]pollable" (func $drop (param i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (local $t i32)
    (loop $for_ever
      (local.set $t (call $timer (i64.const 0)))
      (call $block (local.get $t))
      (call $drop (local.get $t))
      (br $for_ever))
    unreachable))
