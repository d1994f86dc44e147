;; Ends what it takes for its process.
(module
  (import "wasi:cli/exit@0.2.12" "exit" (func $exit (param i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (call $exit (i32.const 1))
    unreachable))
