;; An error whose text is not UTF-8.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "\ff\fe\fd")
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.store8 (i32.const 68) (i32.const 1))
    (i32.store (i32.const 72) (i32.const 1100))
    (i32.store (i32.const 76) (i32.const 3))
    (i32.const 64)))
