;; Wants to be given code to run.
(component
  (import "code" (core module)))
