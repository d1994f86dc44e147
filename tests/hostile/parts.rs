//! Parts of the components in this folder. `{{NAME}}` in a file stands for one.

/// What test components share. Memory: 16 the description, 64 the result of
/// `handle`, 128 scratch, 1024 texts, from 4096 what `cabi_realloc` hands out.
pub const PARTS: [(&str, &str); 5] = [
    // The component around a core module `$code`, where `wit-component` is not
    // asked; first, because it uses other parts.
    (
        "LIFT",
        r#"(core instance $i (instantiate $code))
  (type $stored_ (record (field "id" string) (field "content-type" string) (field "bytes" (list u8))))
  (export $stored "stored" (type $stored_))
  (type $call_ (record (field "request-id" string) (field "deadline-ms" u32) (field "now-ms" u64)
    (field "caller" (option string)) (field "resource" (option $stored))))
  (export $call "call" (type $call_))
  (type $invalid_ (record (field "field" string) (field "message" string)))
  (export $invalid "invalid" (type $invalid_))
  (type $error_ (variant (case "invalid-input" $invalid) (case "not-found" string) (case "unavailable" string)
    (case "upstream" string) (case "internal" string)))
  (export $error "error" (type $error_))
  (type $example_ (record (field "input" string) (field "output" string)))
  (export $example "example" (type $example_))
  (type $description_ (record (field "input-schema" string) (field "output-schema" string)
    (field "examples" (list $example))))
  (export $description "description" (type $description_))
  (func $describe (result $description) (canon lift (core func $i "describe") (memory $i "memory")))
  (func $handle (param "call" $call) (param "input" (list u8)) (result (result (list u8) (error $error)))
    (canon lift (core func $i "handle") (memory $i "memory") (realloc (func $i "cabi_realloc"))))
  (export "describe" (func $describe))
  (export "handle" (func $handle))"#,
    ),
    (
        "MEMORY",
        r#"(memory (export "memory") 2)
  (global $top (mut i32) (i32.const 4096))"#,
    ),
    (
        "REALLOC",
        r#"(func $realloc (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (block $fits
      (br_if $fits (i32.le_u (global.get $top) (i32.mul (memory.size) (i32.const 65536))))
      (br_if $fits (i32.ne (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1)))
        (i32.const -1)))
      unreachable)
    (local.get $at))"#,
    ),
    (
        "DESCRIBE",
        r#"(data (i32.const 16) "\00\04\00\00\11\00\00\00\00\04\00\00\11\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22type\22:\22object\22}")
  (func (export "describe") (result i32) (i32.const 16))"#,
    ),
    (
        "CALL",
        "(param $id i32) (param $id_len i32) (param $deadline i32) (param $now i64)
    (param $caller i32) (param $caller_at i32) (param $caller_len i32)
    (param $resource i32) (param i32 i32 i32 i32) (param $bytes i32) (param $bytes_len i32)
    (param $input i32) (param $input_len i32) (result i32)",
    ),
];
