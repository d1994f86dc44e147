;; Says that nobody provides inference, without having asked.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "send money")
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.store8 (i32.const 68) (i32.const 5))
    (i32.store (i32.const 72) (i32.const 1100))
    (i32.store (i32.const 76) (i32.const 10))
    (i32.const 64)))
