;; It promises one member and answers two.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\11\00\00\00\4c\04\00\00\6d\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22type\22:\22object\22}")
  (data (i32.const 1100) "{\22type\22:\22object\22,\22required\22:[\22valid\22],\22properties\22:{\22valid\22:{\22type\22:\22boolean\22}},\22additionalProperties\22:false}")
  (data (i32.const 2048) "{\22valid\22:true,\22extra\22:1}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 2048))
    (i32.store (i32.const 72) (i32.const 24))
    (i32.const 64)))
