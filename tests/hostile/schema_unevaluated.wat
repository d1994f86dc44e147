;; What is left over is looked for and then checked, so each level doubles.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\81\02\00\00\00\04\00\00\81\02\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22unevaluatedProperties\22:{\22type\22:\22string\22}}}}}}}}}}}}}}}}}}}}}}}}}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
