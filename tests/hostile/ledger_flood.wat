;; Has the same nonsense verified for ever.
(module
  (import "tollbridge:plugin/ledger@1.0.0" "verify" (func $verify (param i32 i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $for_ever
      (call $verify (i32.const 1024) (i32.const 17) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 128))
      (br $for_ever))
    unreachable))
