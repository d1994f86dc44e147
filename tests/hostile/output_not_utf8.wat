;; An object with bytes that are not UTF-8.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "{\22a\22:\22\ff\fe\22}")
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 1100))
    (i32.store (i32.const 72) (i32.const 10))
    (i32.const 64)))
