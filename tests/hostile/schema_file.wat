;; A schema that makes the host read a file.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\1d\00\00\00\00\04\00\00\1d\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22$ref\22:\22file:///etc/passwd\22}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
