//! Tests of preparing components, written in text form, that export `init`.

use wasmtime::component::ComponentNamedList;

use super::*;

/// Imports that the function bodies in these tests may call.
const IMPORTS: &str = r#"
    (import "wasi:random/insecure@0.2.12" (instance $random (export "get-insecure-random-u64" (func (result u64)))))
    (import "tollbridge:plugin/panic@1.0.0" (instance $panic (export "report" (func (param "message" string)))))
    (core module $memory (memory (export "memory") 1) (data (i32.const 0) "no table"))
    (core instance $memory (instantiate $memory))
    (core func $random (canon lower (func $random "get-insecure-random-u64")))
    (core func $report (canon lower (func $panic "report") (memory (core memory $memory "memory"))))
    (core instance $host (export "random" (func $random)) (export "report" (func $report)))"#;

/// Returns a component whose `init` has this body, and whose `get` returns the sum of a byte in
/// memory and a global.
fn component(init: &str) -> Vec<u8> {
    let text = format!(
        r#"(component {IMPORTS}
            (core module $m
                (import "host" "random" (func $random (result i64)))
                (import "host" "report" (func $report (param i32 i32)))
                (memory 1)
                (data (i32.const 8) "\05")
                (table $t 1 funcref)
                (global $sum (mut i32) (i32.const 0))
                (func (export "init") {init})
                (func (export "get") (result i32)
                    (i32.add (global.get $sum) (i32.load8_u (i32.const 8)))))
            (core instance $i (instantiate $m (with "host" (instance $host))))
            (func (export "init") (canon lift (core func $i "init")))
            (func (export "get") (result u32) (canon lift (core func $i "get"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Calls `get` in a fresh instance of the component.
fn get(component: &[u8]) -> u32 {
    call::<(u32,)>(component, "get").unwrap().0
}

fn call<R: ComponentNamedList + Lift + 'static>(component: &[u8], name: &str) -> wasmtime::Result<R> {
    let engine = engine().unwrap();
    let component = Component::new(&engine, component)?;
    let mut store = Store::new(&engine, ());
    store.set_epoch_deadline(1);
    let mut linker = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&component)?;
    let instance = linker.instantiate(&mut store, &component)?;
    instance.get_typed_func::<(), R>(&mut store, name)?.call(&mut store, ())
}

const STORES: &str = "(i32.store8 (i32.const 8) (i32.const 40)) (global.set $sum (i32.const 2))";

#[test]
fn each_instance_begins_with_what_was_prepared() {
    let component = component(STORES);
    assert_eq!(get(&component), 5);
    let prepared = prepare(&component).unwrap();
    assert_eq!((get(&prepared), get(&prepared)), (42, 42));
    // The `init` export was removed, so it cannot run again.
    assert!(call::<()>(&prepared, INIT_EXPORT).is_err());
    assert!(prepare(&prepared).is_err());
}

#[test]
fn the_same_component_gives_the_same_bytes() {
    let component = component(STORES);
    assert_eq!(prepare(&component).unwrap(), prepare(&component).unwrap());
}

#[test]
fn memory_that_grew_is_kept() {
    let grows = "(drop (memory.grow (i32.const 3))) (i32.store8 (i32.const 200000) (i32.const 7))
        (i32.store8 (i32.const 8) (memory.size))";
    assert_eq!(get(&prepare(&component(grows)).unwrap()), 4);
}

#[test]
fn what_cannot_be_kept_is_refused_by_name() {
    let check = |init: &str, expect: &str| {
        let error = prepare(&component(init)).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check("(drop (call $random))", "`init` calls wasi:random/insecure@0.2.12#get-insecure-random-u64");
    check("(call $report (i32.const 0) (i32.const 8)) unreachable", "`init` panics: no table");
    check("unreachable", "`init` fails: wasm trap: wasm `unreachable` instruction executed");
    check("(table.set $t (i32.const 0) (ref.null func))", "table.set");
    check(
        "(drop (memory.grow (i32.const 600))) (memory.fill (i32.const 0) (i32.const 1) (i32.const 34000000))",
        "prepare less",
    );
    check(
        "(drop (memory.grow (i32.const 4096))) (memory.fill (i32.const 0) (i32.const 1) (i32.const 268435456))",
        "`init` fails",
    );
}

#[test]
fn an_init_without_end_is_stopped() {
    let started = tokio::time::Instant::now();
    let error = prepare_within(&component("(loop $l br $l)"), Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error, PrepareError::TooSlow) && started.elapsed() < Duration::from_secs(20), "{error}");
}

#[test]
fn what_is_no_component_is_refused() {
    assert!(matches!(prepare(b"\0asm\x01\0\0\0"), Err(PrepareError::Unsupported(_))));
    assert!(matches!(prepare(b"no wasm"), Err(PrepareError::Unsupported(_))));
}
