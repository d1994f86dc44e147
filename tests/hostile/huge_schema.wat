;; A schema of three hundred kilobytes.
(module
  (memory (export "memory") 8)
  (global $top (mut i32) (i32.const 4096))
  {{REALLOC}}
  (func (export "describe") (result i32)
    (memory.fill (i32.const 8192) (i32.const 32) (i32.const 300000))
    (i32.store (i32.const 16) (i32.const 8192))
    (i32.store (i32.const 20) (i32.const 300000))
    (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
