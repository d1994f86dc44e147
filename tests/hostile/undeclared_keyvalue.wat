;; Reaches for its buckets without having asked.
(module
  (import "wasi:keyvalue/store@0.2.0-draft" "open" (func (param i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} unreachable))
