;; A schema that is no JSON.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\08\00\00\00\00\04\00\00\08\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22type\22:")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
