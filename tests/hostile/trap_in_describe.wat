;; Traps when asked what it is.
(module
  {{MEMORY}}
  {{REALLOC}}
  (func (export "describe") (result i32) unreachable)
  (func (export "handle") {{CALL}} unreachable))
