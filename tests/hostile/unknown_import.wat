;; Wants something that no host should have.
(component
  (import "evil:tools/shell@1.0.0" (instance (export "run" (func (param "command" string))))))
