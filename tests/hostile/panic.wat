;; Panics: says its last words, in which it tries to forge a line of the log, and
;; traps.
(module
  (import "tollbridge:plugin/panic@1.0.0" "report" (func $report (param i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "out of cheese\0aERROR forged")
  (func (export "handle") {{CALL}}
    (call $report (i32.const 1100) (i32.const 26))
    unreachable))
