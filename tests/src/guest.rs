//! Test components built from WebAssembly text: the hostile ones of `tests/hostile`, and
//! some with useful answers.
//!
//! A file that starts with `(module` is a core module for the world `bridge`; it is
//! wrapped into a component, as toolchains do. A file that starts with `(component` is
//! used unchanged.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

use crate::workspace;

/// A bridge that accepts any object and answers `{"version": …, "input": …}`.
const ECHO: &str = r#"(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 2048) "{\22version\22:\22@VERSION@\22,\22input\22:")
  (func (export "handle") {{CALL}}
    (local $at i32)
    @WORK@
    (local.set $at (call $realloc (i32.const 0) (i32.const 0) (i32.const 1)
      (i32.add (local.get $input_len) (i32.const @AROUND@))))
    (memory.copy (local.get $at) (i32.const 2048) (i32.const @HEAD@))
    (memory.copy (i32.add (local.get $at) (i32.const @HEAD@)) (local.get $input) (local.get $input_len))
    (i32.store8 (i32.add (i32.add (local.get $at) (i32.const @HEAD@)) (local.get $input_len)) (i32.const 125))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $at))
    (i32.store (i32.const 72) (i32.add (local.get $input_len) (i32.const @AROUND@)))
    (i32.const 64)))"#;

/// A loop that squares a number @ROUNDS@ times; each step depends on the previous one, so
/// it cannot be optimized away.
const WORK: &str = "(local $left i32) (local $product i64)
    (local.set $left (i32.const @ROUNDS@))
    (local.set $product (i64.const 3))
    (loop $again
      (local.set $product (i64.mul (local.get $product) (local.get $product)))
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i64.store (i32.const 80) (local.get $product))";

/// Builds a bridge that answers any object with its own version and that object.
pub fn echo(version: &str) -> Result<Vec<u8>> {
    echo_after("", version)
}

/// Builds the bridge of [`echo`] with a computation before the answer: `rounds` steps of
/// about two nanoseconds each.
pub fn busy(version: &str, rounds: u32) -> Result<Vec<u8>> {
    echo_after(&WORK.replace("@ROUNDS@", &rounds.to_string()), version)
}

fn echo_after(work: &str, version: &str) -> Result<Vec<u8>> {
    let head = format!("{{\"version\":\"{version}\",\"input\":").len();
    let text = ECHO.replace("@WORK@", work).replace("@VERSION@", version).replace("@HEAD@", &head.to_string());
    compile(&text.replace("@AROUND@", &(head + 1).to_string()))
}

/// A bridge that rejects every input as `not-found`.
const FINDS_NOTHING: &str = r#"(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 2048) "no such thing")
  (func (export "handle") {{CALL}}
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.store8 (i32.const 68) (i32.const 1))
    (i32.store (i32.const 72) (i32.const 2048))
    (i32.store (i32.const 76) (i32.const 13))
    (i32.const 64)))"#;

/// Builds a bridge that rejects every input as `not-found`.
pub fn rejects_as_not_found() -> Result<Vec<u8>> {
    compile(FINDS_NOTHING)
}

/// A bridge that searches its input for a sequence of bytes, and gives one answer if the
/// sequence occurs and another if not.
const JUDGE: &str = r#"(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 2048) "@NEEDLE@")
  (data (i32.const 3072) "@YES@")
  (data (i32.const 3584) "@NO@")
  (func (export "handle") {{CALL}}
    (local $at i32) (local $same i32) (local $found i32)
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (local.get $at) (i32.const @NEEDLE_LEN@)) (local.get $input_len)))
        (local.set $same (i32.const 0))
        (block $differs
          (loop $more
            (if (i32.eq (local.get $same) (i32.const @NEEDLE_LEN@))
              (then (local.set $found (i32.const 1)) (br $done)))
            (br_if $differs (i32.ne
              (i32.load8_u (i32.add (local.get $input) (i32.add (local.get $at) (local.get $same))))
              (i32.load8_u offset=2048 (local.get $same))))
            (local.set $same (i32.add (local.get $same) (i32.const 1)))
            (br $more)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (select (i32.const 3072) (i32.const 3584) (local.get $found)))
    (i32.store (i32.const 72) (select (i32.const @YES_LEN@) (i32.const @NO_LEN@) (local.get $found)))
    (i32.const 64)))"#;

/// Builds a bridge that answers `yes` to an input that contains `needle`, and `no`
/// to all others.
pub fn judge(needle: &str, yes: &Value, no: &Value) -> Result<Vec<u8>> {
    let mut text = JUDGE.to_owned();
    for (name, part) in [("NEEDLE", needle.to_owned()), ("YES", yes.to_string()), ("NO", no.to_string())] {
        text = text.replace(&format!("@{name}_LEN@"), &part.len().to_string());
        text = text.replace(&format!("@{name}@"), &part.replace('"', "\\22"));
    }
    compile(&text)
}

/// Builds the component of the file `tests/hostile/NAME.wat`, with the changes that
/// `expect.toml` lists for it.
pub fn component(name: &str) -> Result<Vec<u8>> {
    let path = workspace().join("tests/hostile").join(format!("{name}.wat"));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    // This file tests publishing a bare core module, so it is not wrapped into a
    // component.
    let mut wasm = if name == "core_module" {
        wat::parse_str(&text)?
    } else {
        compile(&text).context(path.display().to_string())?
    };
    if let Some(keep) = expectations()?.get(name).and_then(|expect| expect.keep) {
        wasm.truncate(keep);
    }
    Ok(wasm)
}

/// The expected result of a hostile component; see `tests/hostile/expect.toml`.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// Stage at which the component fails: `load`, `call` or `never`.
    pub at: String,
    /// Kind of failure, if the component fails at `call`.
    pub failure: String,
    /// Text that the operator's report must contain.
    pub report: String,
    pub grants: Vec<String>,
    pub memory_bytes: Option<u64>,
    /// Number of bytes to which the component is truncated.
    pub keep: Option<usize>,
}

/// Returns every entry of `tests/hostile/expect.toml`.
pub fn expectations() -> Result<BTreeMap<String, Expect>> {
    let text = std::fs::read_to_string(workspace().join("tests/hostile/expect.toml"))?;
    let entries: toml::Table = text.parse()?;
    entries.into_iter().map(|(name, entry)| Ok((name, expect(&entry)?))).collect()
}

fn expect(entry: &toml::Value) -> Result<Expect> {
    let text = |name: &str| entry.get(name).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let number = |name: &str| entry.get(name).and_then(toml::Value::as_integer);
    let grants = entry.get("grants").and_then(toml::Value::as_array).into_iter().flatten();
    Ok(Expect {
        at: text("at"),
        failure: text("failure"),
        report: text("report"),
        grants: grants.filter_map(toml::Value::as_str).map(str::to_owned).collect(),
        memory_bytes: number("memory").map(u64::try_from).transpose()?,
        keep: number("keep").map(usize::try_from).transpose()?,
    })
}

/// Code size in bytes of one statement of `heavy_agent` whose local indexes are at least
/// 128; each such index takes two bytes.
pub const STATEMENT_BYTES: usize = 27;

/// Builds a valid agent with many functions that are never called, each with the given
/// number of locals (at least 250) and branching statements. Every assignment depends on
/// all earlier ones, which makes compilation expensive.
pub fn heavy_agent(locals: usize, statements: usize, functions: usize) -> Result<Vec<u8>> {
    use std::fmt::Write as _;
    let mut body = String::new();
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        128 + (seed >> 33) % (locals as u64 - 128)
    };
    for _ in 0..statements {
        let [a, b, c, d, e, f, g] = std::array::from_fn(|_| next());
        write!(
            body,
            "(if (local.get {a}) (then (local.set {b} (i32.add (local.get {c}) (local.get {d})))) \
             (else (local.set {e} (i32.xor (local.get {f}) (local.get {g})))))"
        )?;
    }
    let function = format!("(func (local{}) {body})", " i32".repeat(locals));
    let text = format!(
        "(module {{{{MEMORY}}}} {{{{REALLOC}}}} {{{{DESCRIBE}}}} \
         (func (export \"run\") (param i32) (result i32) unreachable) {})",
        function.repeat(functions)
    );
    compile_agent(&text)
}

/// Replaces each `{{NAME}}` with the file `parts/name.wat`, and compiles the text for the
/// world `bridge`.
fn compile(text: &str) -> Result<Vec<u8>> {
    compile_for(text, "bridge")
}

/// Replaces each `{{NAME}}` as in `compile`, and compiles the text for the world `agent`.
pub fn compile_agent(text: &str) -> Result<Vec<u8>> {
    compile_for(text, "agent")
}

fn compile_for(text: &str, kind: &str) -> Result<Vec<u8>> {
    let mut text = text.to_owned();
    // `lift` contains other parts, so it must be replaced first.
    for part in ["lift", "memory", "realloc", "describe", "call"] {
        let file = workspace().join(format!("tests/hostile/parts/{part}.wat"));
        text = text.replace(&format!("{{{{{}}}}}", part.to_uppercase()), &std::fs::read_to_string(file)?);
    }
    let code = text.lines().find(|line| !line.trim_start().starts_with(";;") && !line.trim().is_empty());
    let is_module = code.context("the file is empty")?.starts_with("(module");
    let wasm = wat::parse_str(&text)?;
    if is_module { wrap_as(kind, wasm) } else { Ok(wasm) }
}

/// The WIT world of a plugin whose language needs basic WASI imports.
const WORLD: &str = "package test:test;
    world test {
      include tollbridge:plugin/KIND@1.0.0;
      import tollbridge:plugin/proposal@1.0.0;
      import wasi:cli/exit@0.2.12;
      import wasi:cli/stdout@0.2.12;
      import wasi:random/random@0.2.12;
    }";

pub(crate) fn wrap(module: Vec<u8>) -> Result<Vec<u8>> {
    wrap_as("bridge", module)
}

pub(crate) fn wrap_agent(module: Vec<u8>) -> Result<Vec<u8>> {
    wrap_as("agent", module)
}

fn wrap_as(kind: &str, mut module: Vec<u8>) -> Result<Vec<u8>> {
    let plain = |error| anyhow!("{error:#}");
    let mut resolve = Resolve::default();
    resolve.push_dir(workspace().join("wit")).map_err(plain)?;
    let package = resolve.push_str("world.wit", &WORLD.replace("KIND", kind)).map_err(plain)?;
    let world = resolve.select_world(&[package], Some("test")).map_err(plain)?;
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).map_err(plain)?;
    ComponentEncoder::default().module(&module).map_err(plain)?.validate(true).encode().map_err(plain)
}
