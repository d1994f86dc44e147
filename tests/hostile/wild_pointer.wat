;; A result outside of its memory.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} (i32.const 0xfffffff0)))
