;; Reaches for the network without having asked.
(module
  (import "wasi:http/outgoing-handler@0.2.12" "handle" (func (param i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}} unreachable))
