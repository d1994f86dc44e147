//! Limits on the structure of a component, checked before anything is compiled.
//!
//! Invariant: the check takes time and memory in proportion to the file, whatever the file
//! contains. It does not validate the component, which the compiler does.

use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::text;
use wasmparser::{BinaryReaderError, FunctionBody, Parser, Payload};

/// Maximum size of one function's body: four times the size of the main loop of an
/// interpreter for a scripting language.
const FUNCTION_BYTES_MAX: u64 = 512 << 10;
/// Maximum number of locals of one function. WebAssembly itself allows 50,000;
/// unoptimised code has a few thousand.
const FUNCTION_LOCALS_MAX: u64 = 10_000;
/// Maximum product of a function's bytes and locals, because the cost of register
/// allocation grows with both. At this limit, compiling takes five seconds and half a
/// gigabyte.
const FUNCTION_WORK_MAX: u64 = 64 << 20;
/// Maximum number of functions in all modules of a component. A Python component has
/// about 30,000.
const COMPONENT_FUNCTIONS_MAX: u64 = 200_000;
/// Maximum number of types in one component, including its modules and nested components.
const COMPONENT_TYPES_MAX: u64 = 20_000;
/// Maximum number of nested modules and components. The Python runtime is linked from
/// twenty modules.
const COMPONENT_MODULES_MAX: u64 = 100;
/// Maximum number of instances that a component creates of its modules and nested
/// components.
const COMPONENT_INSTANCES_MAX: u64 = 1_000;
/// Maximum nesting depth of components and modules; toolchains produce two levels.
const COMPONENT_DEPTH_MAX: u64 = 8;
/// Maximum size of all function bodies together: three quarters of the largest component
/// (32 MiB).
const COMPONENT_CODE_BYTES_MAX: u64 = 24 << 20;

/// The reason why a component is rejected before compilation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ComponentFault {
    #[error("plugin.wasm cannot be compiled: {0}")]
    Malformed(String),
    #[error(
        "plugin.wasm is too much work to compile: function {function} of module {module} has {count} {what}; at most \
         {max} are allowed; split the function"
    )]
    Function { module: u64, function: u64, what: &'static str, count: u64, max: u64 },
    #[error(
        "plugin.wasm is too much work to compile: function {function} of module {module} has {locals} locals and \
         {bytes} bytes; multiplied they may be at most {max}; split the function"
    )]
    Work { module: u64, function: u64, locals: u64, bytes: u64, max: u64 },
    #[error("plugin.wasm is too much work to compile: it has {count} {what}; at most {max} are allowed")]
    Count { what: &'static str, count: u64, max: u64 },
}

/// The structural limits of a component; tests use lower limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentLimits {
    function_bytes: u64,
    function_locals: u64,
    function_work: u64,
    functions: u64,
    types: u64,
    modules: u64,
    instances: u64,
    depth: u64,
    code_bytes: u64,
}

pub(crate) const COMPONENT_LIMITS: ComponentLimits = ComponentLimits {
    function_bytes: FUNCTION_BYTES_MAX,
    function_locals: FUNCTION_LOCALS_MAX,
    function_work: FUNCTION_WORK_MAX,
    functions: COMPONENT_FUNCTIONS_MAX,
    types: COMPONENT_TYPES_MAX,
    modules: COMPONENT_MODULES_MAX,
    instances: COMPONENT_INSTANCES_MAX,
    depth: COMPONENT_DEPTH_MAX,
    code_bytes: COMPONENT_CODE_BYTES_MAX,
};

/// The counts of a component's parts while it is checked.
#[derive(Default)]
struct Seen {
    functions: u64,
    types: u64,
    modules: u64,
    /// Number of function bodies read so far in the current module.
    in_module: u64,
    instances: u64,
    depth: u64,
    code_bytes: u64,
}

impl ComponentLimits {
    /// Rejects a component that exceeds a limit; the error names the limit and its value.
    pub(crate) fn check(&self, wasm: &[u8]) -> Result<(), ComponentFault> {
        let mut seen = Seen::default();
        for payload in Parser::new(0).parse_all(wasm) {
            self.look(&mut seen, &payload?)?;
        }
        Ok(())
    }

    fn look(&self, seen: &mut Seen, payload: &Payload<'_>) -> Result<(), ComponentFault> {
        match payload {
            Payload::CodeSectionEntry(body) => self.look_at_function(seen, body),
            Payload::FunctionSection(section) => add(&mut seen.functions, section.count(), "functions", self.functions),
            Payload::ComponentCanonicalSection(section) => {
                add(&mut seen.functions, section.count(), "functions", self.functions)
            }
            Payload::TypeSection(section) => add(&mut seen.types, section.count(), "types", self.types),
            Payload::CoreTypeSection(section) => add(&mut seen.types, section.count(), "types", self.types),
            Payload::ComponentTypeSection(section) => add(&mut seen.types, section.count(), "types", self.types),
            Payload::InstanceSection(section) => add(&mut seen.instances, section.count(), "instances", self.instances),
            Payload::ComponentInstanceSection(section) => {
                add(&mut seen.instances, section.count(), "instances", self.instances)
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                seen.in_module = 0;
                add(&mut seen.modules, 1, "modules and components", self.modules)?;
                add(&mut seen.depth, 1, "modules and components inside each other", self.depth)
            }
            Payload::End(_) => {
                seen.depth = seen.depth.saturating_sub(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn look_at_function(&self, seen: &mut Seen, body: &FunctionBody<'_>) -> Result<(), ComponentFault> {
        seen.in_module = seen.in_module.saturating_add(1);
        let (module, function) = (seen.modules, seen.in_module);
        let range = body.range();
        let bytes = u64::try_from(range.end.saturating_sub(range.start)).unwrap_or(u64::MAX);
        seen.code_bytes = seen.code_bytes.saturating_add(bytes);
        limit("bytes of code", seen.code_bytes, self.code_bytes)?;
        if bytes > self.function_bytes {
            let (count, max) = (bytes, self.function_bytes);
            return Err(ComponentFault::Function { module, function, what: "bytes", count, max });
        }
        let mut locals = 0_u64;
        for group in body.get_locals_reader()? {
            locals = locals.saturating_add(u64::from(group?.0));
        }
        if locals > self.function_locals {
            let (count, max) = (locals, self.function_locals);
            return Err(ComponentFault::Function { module, function, what: "locals", count, max });
        }
        if locals.saturating_mul(bytes) > self.function_work {
            return Err(ComponentFault::Work { module, function, locals, bytes, max: self.function_work });
        }
        Ok(())
    }
}

fn add(sum: &mut u64, count: u32, what: &'static str, max: u64) -> Result<(), ComponentFault> {
    *sum = sum.saturating_add(u64::from(count));
    limit(what, *sum, max)
}

fn limit(what: &'static str, count: u64, max: u64) -> Result<(), ComponentFault> {
    if count > max { Err(ComponentFault::Count { what, count, max }) } else { Ok(()) }
}

impl From<BinaryReaderError> for ComponentFault {
    fn from(error: BinaryReaderError) -> Self {
        Self::Malformed(text::clean(&error.to_string(), PLUGIN_TEXT_BYTES_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: ComponentLimits = ComponentLimits {
        function_bytes: 200,
        function_locals: 20,
        function_work: 1_000,
        functions: 4,
        types: 3,
        modules: 3,
        instances: 2,
        depth: 2,
        code_bytes: 300,
    };

    fn refusal(text: &str) -> Option<String> {
        let wasm = wat::parse_str(text).unwrap();
        SMALL.check(&wasm).err().map(|fault| fault.to_string())
    }

    fn function(locals: usize, statements: usize) -> String {
        format!("(func (local{}) {})", " i32".repeat(locals), "(drop (i32.const 1))".repeat(statements))
    }

    #[test]
    fn each_limit_names_itself() {
        let module = |inside: &str| format!("(component (core module {inside}))");
        for (text, says) in [
            (module(&function(0, 70)), "function 1 of module 1 has 212 bytes; at most 200"),
            (module(&function(21, 0)), "function 1 of module 1 has 21 locals; at most 20"),
            (module(&[function(0, 1), function(20, 20)].concat()), "function 2 of module 1 has 20 locals and 64 bytes"),
            (module(&function(0, 1).repeat(5)), "it has 5 functions; at most 4"),
            (module(&function(0, 40).repeat(3)), "it has 366 bytes of code; at most 300"),
            (module("(type (func)) (type (func)) (type (func)) (type (func))"), "it has 4 types; at most 3"),
            (format!("(component {})", "(core module)".repeat(4)), "it has 4 modules and components; at most 3"),
            (
                "(component (component (component (core module))))".to_owned(),
                "it has 3 modules and components inside each other; at most 2",
            ),
            (
                format!("(component (core module $m) {})", "(core instance (instantiate $m))".repeat(3)),
                "it has 3 instances; at most 2",
            ),
        ] {
            let refused = refusal(&text).unwrap_or_else(|| panic!("{says}: not refused"));
            assert!(refused.contains(says), "{says:?} is not in {refused:?}");
        }
        assert_eq!(refusal(&module(&function(10, 5))), None);
    }

    #[test]
    fn siblings_are_not_deep() {
        let text = "(component (component (core module)) (component))";
        assert_eq!(refusal(text), None);
    }

    #[test]
    fn what_is_no_component_is_a_fault_and_no_panic() {
        let wasm = wat::parse_str("(component (core module (func (local i32))))").unwrap();
        for end in 1..wasm.len() {
            assert!(matches!(SMALL.check(&wasm[..end]), Ok(()) | Err(ComponentFault::Malformed(_))), "{end}");
        }
        let fault = SMALL.check(b"\0asm\x0d\0\x01\0\xff").unwrap_err();
        assert!(fault.to_string().starts_with("plugin.wasm cannot be compiled: "), "{fault}");
    }

    /// A previously reported attack: 500 locals and 20,000 statements in one function.
    #[test]
    fn the_bomb_that_took_a_gigabyte_is_refused() {
        let statement = "(if (local.get 300) (then (local.set 400 (i32.add (local.get 200) (local.get 499)))) \
                         (else (local.set 150 (i32.xor (local.get 250) (local.get 350)))))";
        let (locals, statements) = (" i32".repeat(500), statement.repeat(20_000));
        let text = format!("(component (core module (func (local{locals}) {statements})))");
        let wasm = wat::parse_str(&text).unwrap();
        let fault = COMPONENT_LIMITS.check(&wasm).unwrap_err();
        assert!(matches!(fault, ComponentFault::Function { function: 1, what: "bytes", .. }), "{fault}");
    }
}
