;; Sends GET http://127.0.0.1:PORT/ with a secret's placeholder in a header and
;; answers with the body that came back; traps when any step fails.
(module
  (import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.12" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.12" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.12" "[method]outgoing-request.set-scheme"
    (func $scheme (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.12" "[method]outgoing-request.set-authority"
    (func $authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.12" "[method]outgoing-request.set-path-with-query"
    (func $path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.12" "[method]future-incoming-response.subscribe"
    (func $subscribe (param i32) (result i32)))
  (import "wasi:http/types@0.2.12" "[method]future-incoming-response.get" (func $get (param i32 i32)))
  (import "wasi:http/types@0.2.12" "[method]incoming-response.consume" (func $consume (param i32 i32)))
  (import "wasi:http/types@0.2.12" "[method]incoming-body.stream" (func $stream (param i32 i32)))
  (import "wasi:http/outgoing-handler@0.2.12" "handle" (func $send (param i32 i32 i32 i32)))
  (import "wasi:io/poll@0.2.12" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:io/streams@0.2.12" "[method]input-stream.blocking-read" (func $read (param i32 i64 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "authorization")
  (data (i32.const 1120) "Bearer {{secret:key}}")
  (data (i32.const 1150) "127.0.0.1:{{PORT}}")
  (data (i32.const 1170) "/")
  (func $must_be_zero (param $value i32) (if (local.get $value) (then unreachable)))
  (func (export "handle") {{CALL}}
    (local $headers i32) (local $sending i32)
    (local.set $headers (call $fields))
    (call $append (local.get $headers) (i32.const 1100) (i32.const 13) (i32.const 1120) (i32.const 21)
      (i32.const 128))
    (call $must_be_zero (i32.load8_u (i32.const 128)))
    (local.set $sending (call $request (local.get $headers)))
    (call $must_be_zero
      (call $scheme (local.get $sending) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
    (call $must_be_zero (call $authority (local.get $sending) (i32.const 1) (i32.const 1150) (i32.const 15)))
    (call $must_be_zero (call $path (local.get $sending) (i32.const 1) (i32.const 1170) (i32.const 1)))
    (call $send (local.get $sending) (i32.const 0) (i32.const 0) (i32.const 128))
    (call $must_be_zero (i32.load8_u (i32.const 128)))
    (local.set $sending (i32.load (i32.const 136)))
    (call $block (call $subscribe (local.get $sending)))
    (call $get (local.get $sending) (i32.const 128))
    ;; some, ok, ok, and the response
    (call $must_be_zero (i32.eqz (i32.load8_u (i32.const 128))))
    (call $must_be_zero (i32.load8_u (i32.const 136)))
    (call $must_be_zero (i32.load8_u (i32.const 144)))
    (call $consume (i32.load (i32.const 152)) (i32.const 128))
    (call $must_be_zero (i32.load8_u (i32.const 128)))
    (call $stream (i32.load (i32.const 132)) (i32.const 128))
    (call $must_be_zero (i32.load8_u (i32.const 128)))
    (call $read (i32.load (i32.const 132)) (i64.const 4096) (i32.const 128))
    (call $must_be_zero (i32.load8_u (i32.const 128)))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (i32.load (i32.const 132)))
    (i32.store (i32.const 72) (i32.load (i32.const 136)))
    (i32.const 64)))
