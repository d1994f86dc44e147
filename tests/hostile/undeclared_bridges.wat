;; Calls other plugins without the grant in its manifest.
(module
  (import "tollbridge:plugin/bridges@1.0.0" "call" (func $call (param i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (call $call (i32.const 1024) (i32.const 4) (i32.const 1024) (i32.const 4) (i32.const 128))
    unreachable))
