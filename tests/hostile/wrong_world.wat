;; A component that exports nothing of a bridge.
(component)
