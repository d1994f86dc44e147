;; Wants a table of ten million elements.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (table $t 10000000 funcref)
  (func (export "handle") {{CALL}} unreachable))
