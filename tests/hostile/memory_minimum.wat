;; Wants more memory to begin with than it may have.
(module
  (memory (export "memory") 1000)
  (global $top (mut i32) (i32.const 4096))
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} unreachable))
