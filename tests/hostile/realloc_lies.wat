;; Says that the host may write its input far outside of the memory.
(module
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0x7ffffff0))
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} unreachable))
