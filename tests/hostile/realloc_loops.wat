;; Computes for ever while the host hands it its input.
(module
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (loop $for_ever (br $for_ever)) unreachable)
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} unreachable))
