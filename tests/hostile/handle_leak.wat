;; Makes handles to host resources and never drops one.
(module
  (import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration" (func $timer (param i64) (result i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $for_ever (drop (call $timer (i64.const 1000000000000))) (br $for_ever))
    unreachable))
