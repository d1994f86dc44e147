;; JSON, but a list.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "[1,2,3]")
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 1100))
    (i32.store (i32.const 72) (i32.const 7))
    (i32.const 64)))
