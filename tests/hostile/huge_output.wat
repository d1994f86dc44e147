;; An object that is larger than its output may be.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (memory.fill (i32.const 8192) (i32.const 32) (i32.const 70000))
    (i32.store8 (i32.const 8192) (i32.const 123))
    (i32.store8 (i32.const 78191) (i32.const 125))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 8192))
    (i32.store (i32.const 72) (i32.const 70000))
    (i32.const 64)))
