;; A pattern that compiles to gigabytes.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\39\00\00\00\00\04\00\00\39\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22properties\22:{\22a\22:{\22pattern\22:\22((\\\\w{999}){999}){999}\22}}}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
