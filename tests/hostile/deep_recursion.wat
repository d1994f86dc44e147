;; Calls itself until the stack is used up.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func $deeper (param i64 i64 i64 i64) (result i64)
    (i64.add (local.get 0) (call $deeper (local.get 1) (local.get 2) (local.get 3) (local.get 0))))
  (func (export "handle") {{CALL}}
    (drop (call $deeper (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4)))
    unreachable))
