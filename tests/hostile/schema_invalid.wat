;; A schema with a type that there is not.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\10\00\00\00\00\04\00\00\10\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22type\22:\22thing\22}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
