;; Prints for ever.
(module
  (import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
  (import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (local $out i32)
    (local.set $out (call $stdout))
    (memory.fill (i32.const 8192) (i32.const 10) (i32.const 4096))
    (memory.fill (i32.const 8192) (i32.const 120) (i32.const 4000))
    (loop $for_ever
      (call $write (local.get $out) (i32.const 8192) (i32.const 4096) (i32.const 128))
      (br $for_ever))
    unreachable))
