;; Computes for ever.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $for_ever (br $for_ever))
    unreachable))
