;; The well-behaved neighbour: answers with its input.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $input))
    (i32.store (i32.const 72) (local.get $input_len))
    (i32.const 64)))
