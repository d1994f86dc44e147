;; Asks for a gigabyte of random bytes.
(module
  (import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (call $random (i64.const 1000000000) (i32.const 128))
    unreachable))
