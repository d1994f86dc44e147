;; Computes for ever before it is even asked anything.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func $start (loop $for_ever (br $for_ever)))
  (start $start)
  (func (export "handle") {{CALL}} unreachable))
