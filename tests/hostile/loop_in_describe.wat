;; Computes for ever when asked what it is.
(module
  {{MEMORY}}
  {{REALLOC}}
  (func (export "describe") (result i32) (loop $for_ever (br $for_ever)) unreachable)
  (func (export "handle") {{CALL}} unreachable))
