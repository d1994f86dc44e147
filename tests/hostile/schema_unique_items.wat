;; Items that must differ: lists in lists fall on one hash, so that each is
;; compared with all before it.
(module
  {{MEMORY}}
  {{REALLOC}}
  (data (i32.const 16) "\00\04\00\00\2c\00\00\00\00\04\00\00\2c\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22properties\22:{\22list\22:{\22uniqueItems\22:true}}}")
  (func (export "describe") (result i32) (i32.const 16))
  (func (export "handle") {{CALL}} unreachable))
