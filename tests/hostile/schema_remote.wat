;; A schema that makes the host ask a server.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\29\00\00\00\00\04\00\00\29\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22$ref\22:\22http://127.0.0.1:1/schema.json\22}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
