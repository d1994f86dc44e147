;; Its `handle` takes and returns other types.
(component
  (core module $m
    (func (export "describe") (result i32) (i32.const 1))
    (func (export "handle") (param i32) (result i32) (local.get 0)))
  (core instance $i (instantiate $m))
  (func (export "describe") (result u32) (canon lift (core func $i "describe")))
  (func (export "handle") (param "x" u32) (result u32) (canon lift (core func $i "handle"))))
