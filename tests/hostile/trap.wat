;; Traps.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func $culprit unreachable)
  (func (export "handle") {{CALL}}
    (call $culprit)
    unreachable))
