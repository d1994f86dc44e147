;; Writes key after key until the host says no, then traps if it ever did not.
(module
  (import "wasi:keyvalue/store@0.2.0-draft" "open" (func $open (param i32 i32 i32)))
  (import "wasi:keyvalue/store@0.2.0-draft" "[method]bucket.set" (func $set (param i32 i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "sharedkey0000")
  (func (export "handle") {{CALL}}
    (local $bucket i32) (local $n i32)
    (call $open (i32.const 1100) (i32.const 6) (i32.const 128))
    (local.set $bucket (i32.load (i32.const 132)))
    (loop $more
      (i32.store (i32.const 1109) (i32.add (i32.const 0x30303030) (local.get $n)))
      (call $set (local.get $bucket) (i32.const 1106) (i32.const 7) (i32.const 8192) (i32.const 10000) (i32.const 128))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $more (i32.eqz (i32.load8_u (i32.const 128)))))
    unreachable))
