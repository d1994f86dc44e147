;; Uses a grant that its manifest does not name.
(module
  (import "tollbridge:plugin/inference@1.0.0" "embed" (func $embed (param i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (call $embed (i32.const 1024) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 128))
    unreachable))
