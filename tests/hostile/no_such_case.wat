;; A result that is neither ok nor error.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 7))
    (i32.const 64)))
