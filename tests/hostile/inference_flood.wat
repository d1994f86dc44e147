;; Asks models without an end, and takes no refusal.
(module
  (import "tollbridge:plugin/inference@1.0.0" "complete"
    (func $complete (param i32 i32 i32 i32 i32 i32 f64 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "auto")
  (data (i32.const 1104) "\01\00\00\00\4c\04\00\00\04\00\00\00")
  (func (export "handle") {{CALL}}
    (loop $for_ever
      (call $complete (i32.const 1100) (i32.const 4) (i32.const 1104) (i32.const 1) (i32.const 10)
        (i32.const 0) (f64.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 128))
      (br $for_ever))
    unreachable))
