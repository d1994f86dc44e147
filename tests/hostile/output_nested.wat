;; Thirty thousand brackets: a parser that recurses would fall over.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (i64.store (i32.const 8192) (i64.const 0x5b5b5b3a2261227b))
    (memory.fill (i32.const 8197) (i32.const 91) (i32.const 30000))
    (memory.fill (i32.const 38197) (i32.const 93) (i32.const 30000))
    (i32.store8 (i32.const 68197) (i32.const 125))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 8192))
    (i32.store (i32.const 72) (i32.const 60006))
    (i32.const 64)))
