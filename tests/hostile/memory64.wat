;; Uses a part of WebAssembly that is off here.
(component
  (core module (memory i64 1)))
