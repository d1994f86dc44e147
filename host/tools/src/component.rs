//! Converts a core module into a component, and reads a component's imports and exports.

use anyhow::Context;
use serde::Serialize;
use tollbridge_core::plugin_kind::PluginKind;
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::{Resolve, WorldItem, WorldKey};

/// First bytes of every component: magic, version, layer.
const HEADER: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// The imports and exports of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Shape {
    /// Names of imported interfaces and functions, sorted.
    pub imports: Vec<String>,
    /// Names of exported interfaces and functions, sorted.
    pub exports: Vec<String>,
}

/// Converts a core module that was built with the SDK into a component.
pub(crate) fn encode(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    let encoder = ComponentEncoder::default().module(module).context("the built module is not a plugin's module")?;
    encoder.validate(true).encode().context("the built module cannot be converted to a component")
}

/// Reads the imports and exports of a component.
pub(crate) fn shape(component: &[u8]) -> anyhow::Result<Shape> {
    // A core module can embed a component's types and would then be decoded as a component.
    anyhow::ensure!(component.get(..8) == Some(&HEADER), "the file is not a component");
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component)? else {
        anyhow::bail!("the file is not a component");
    };
    let world = resolve.worlds.get(world).context("the component has no world")?;
    Ok(Shape { imports: names(&resolve, &world.imports), exports: names(&resolve, &world.exports) })
}

/// Returns the names of interfaces and functions, sorted. Types are omitted, because they give
/// access to nothing.
fn names<'a>(resolve: &Resolve, items: impl IntoIterator<Item = (&'a WorldKey, &'a WorldItem)>) -> Vec<String> {
    let reaches = |(_, item): &(&WorldKey, &WorldItem)| !matches!(item, WorldItem::Type { .. });
    let mut names: Vec<String> =
        items.into_iter().filter(reaches).map(|(key, _)| resolve.name_world_key(key)).collect();
    names.sort();
    names
}

impl Shape {
    /// Returns the kind of plugin that the exports identify, if any.
    pub(crate) fn kind(&self) -> Option<PluginKind> {
        let has = |name: &str| self.exports.iter().any(|export| export == name);
        match (has("describe"), has("handle"), has("run")) {
            (true, true, false) => Some(PluginKind::Bridge),
            (true, false, true) => Some(PluginKind::Agent),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exports: &[&str], expect: Option<PluginKind>) {
        let exports = exports.iter().map(ToString::to_string).collect();
        assert_eq!(Shape { imports: Vec::new(), exports }.kind(), expect);
    }

    #[test]
    fn kind_by_exports() {
        check(&["describe", "handle"], Some(PluginKind::Bridge));
        check(&["describe", "run"], Some(PluginKind::Agent));
        check(&["describe", "handle", "run"], None);
        check(&["handle"], None);
        check(&[], None);
    }

    #[test]
    fn imports_and_exports_are_read_from_the_component() {
        let text = r#"(component
            (type $i (instance (type (func (param "message" string))) (export "report" (func (type 0)))))
            (import "tollbridge:plugin/panic@1.0.0" (instance (type $i)))
            (core module $m (func (export "run")))
            (core instance $n (instantiate $m))
            (func $run (canon lift (core func $n "run")))
            (export "run" (func $run)))"#;
        let shape = shape(&wat::parse_str(text).expect("a component")).expect("its shape");
        assert_eq!(shape.imports, ["tollbridge:plugin/panic@1.0.0"]);
        assert_eq!(shape.exports, ["run"]);
    }

    #[test]
    fn a_file_that_is_not_a_component_is_refused() {
        assert!(shape(b"\0asm\x01\0\0\0").is_err());
        assert!(encode(b"no wasm").is_err());
    }
}
