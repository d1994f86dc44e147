;; A list of two gigabytes in a memory of two pages.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 8192))
    (i32.store (i32.const 72) (i32.const 0x7fffffff))
    (i32.const 64)))
