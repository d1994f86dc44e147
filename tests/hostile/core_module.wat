;; A module without the wrapping that makes it a component.
(module
  (func (export "handle") (result i32) (i32.const 1)))
