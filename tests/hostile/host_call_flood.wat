;; Calls the host for ever.
(module
  (import "tollbridge:plugin/panic@1.0.0" "report" (func $report (param i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $for_ever (call $report (i32.const 1024) (i32.const 1)) (br $for_ever))
    unreachable))
