;; Logs as much as it can, with control characters, then answers.
(module
  (import "wasi:logging/logging@0.1.0-draft" "log" (func $log (param i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (local $left i32)
    (memory.fill (i32.const 8192) (i32.const 27) (i32.const 60000))
    (local.set $left (i32.const 900))
    (loop $more
      (call $log (i32.const 2) (i32.const 1024) (i32.const 4) (i32.const 8192) (i32.const 60000))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $more (local.get $left)))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $input))
    (i32.store (i32.const 72) (local.get $input_len))
    (i32.const 64)))
