;; Four memories that are small enough one by one, but not together. The engine's
;; own limit counts each by itself.
(component
  (core module $m (memory 24))
  (core module $code
    (memory (export "memory") 1)
    (func (export "describe") (result i32) unreachable)
    (func (export "handle") {{CALL}} unreachable)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable))
  (core instance $i0 (instantiate $m))
  (core instance $i1 (instantiate $m))
  (core instance $i2 (instantiate $m))
  (core instance $i3 (instantiate $m))
{{LIFT}})
