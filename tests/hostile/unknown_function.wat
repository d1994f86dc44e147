;; Wants a function that is not in an interface that there is.
(component
  (import "tollbridge:plugin/panic@1.0.0" (instance (export "abort-host" (func)))))
