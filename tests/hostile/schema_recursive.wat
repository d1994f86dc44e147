;; A schema that leads back to itself without end.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\43\00\00\00\00\04\00\00\43\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22$ref\22:\22#/$defs/a\22,\22$defs\22:{\22a\22:{\22allOf\22:[{\22$ref\22:\22#/$defs/a\22}]}}}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
