;; Reports an error of three megabytes, to be logged.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (drop (memory.grow (i32.const 50)))
    (memory.fill (i32.const 8192) (i32.const 120) (i32.const 3000000))
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.store8 (i32.const 68) (i32.const 4))
    (i32.store (i32.const 72) (i32.const 8192))
    (i32.store (i32.const 76) (i32.const 3000000))
    (i32.const 64)))
