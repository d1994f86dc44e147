;; Reports a panic, then answers with text that is not JSON.
(module
  (import "tollbridge:plugin/panic@1.0.0" "report" (func $report (param i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "{hello}")
  (data (i32.const 1200) "out of cheese")
  (func (export "handle") {{CALL}}
    (call $report (i32.const 1200) (i32.const 13))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.const 1100))
    (i32.store (i32.const 72) (i32.const 7))
    (i32.const 64)))
