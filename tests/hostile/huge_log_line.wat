;; Makes the host copy five megabytes out of it in one call.
(module
  (import "wasi:logging/logging@0.1.0-draft" "log" (func $log (param i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (drop (memory.grow (i32.const 100)))
    (call $log (i32.const 2) (i32.const 1024) (i32.const 4) (i32.const 8192) (i32.const 5000000))
    unreachable))
