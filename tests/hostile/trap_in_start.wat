;; Traps before it is asked anything.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func $start unreachable)
  (start $start)
  (func (export "handle") {{CALL}} unreachable))
