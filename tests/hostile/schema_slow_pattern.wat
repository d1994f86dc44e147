;; Alternatives that refer eight times to a pattern which may be at two hundred
;; places: linear, but a second and more for each input.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\ca\01\00\00\00\04\00\00\ca\01\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22anyOf\22:[{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}},{\22properties\22:{\22text\22:{\22$ref\22:\22#/$defs/slow\22}}}],\22$defs\22:{\22slow\22:{\22type\22:\22string\22,\22pattern\22:\22a[ab]{200}[^ab]\22}}}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
