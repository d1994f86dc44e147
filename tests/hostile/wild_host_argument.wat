;; Gives the host a text outside of its memory.
(module
  (import "tollbridge:plugin/panic@1.0.0" "report" (func $report (param i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (call $report (i32.const 0x7ffffff0) (i32.const 100))
    unreachable))
