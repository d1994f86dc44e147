;; Opens tables that are not there, for ever.
(module
  (import "tollbridge:plugin/tables@1.0.0" "open" (func $open (param i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $for_ever
      (call $open (i32.const 1024) (i32.const 17) (i32.const 128))
      (br $for_ever))
    unreachable))
