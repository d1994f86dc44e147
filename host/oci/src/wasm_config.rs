//! The config of an artifact in the CNCF's layout for WebAssembly: the imports and
//! exports of the component.
//!
//! Invariant: the same component always has the same config, so an artifact that is
//! generated again keeps its digest.

use serde::Serialize;
use tollbridge_registry::Digest;
use wasmparser::{Encoding, Parser, Payload};

use crate::digest::text_of;
use crate::error::OciError;

/// Maximum number of listed imports or exports; typical components have about ten.
const NAMES_MAX: usize = 512;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WasmConfig {
    created: &'static str,
    architecture: &'static str,
    os: &'static str,
    layer_digests: Vec<String>,
    component: ComponentNames,
}

#[derive(Default, Serialize)]
struct ComponentNames {
    exports: Vec<String>,
    imports: Vec<String>,
}

/// Returns the config for a component and the digests of its artifact's layers.
///
/// # Errors
/// The bytes are not a component.
pub(crate) fn wasm_config(component: &[u8], layers: impl Iterator<Item = Digest>) -> Result<Vec<u8>, OciError> {
    let config = WasmConfig {
        // A fixed date: the build time is unknown, and the digest must not depend on it.
        created: "1970-01-01T00:00:00Z",
        architecture: "wasm",
        os: "wasip2",
        layer_digests: layers.map(text_of).collect(),
        component: names(component)?,
    };
    serde_json::to_vec(&config).map_err(|error| OciError::Component(error.to_string()))
}

fn names(component: &[u8]) -> Result<ComponentNames, OciError> {
    let wrong = |error: wasmparser::BinaryReaderError| OciError::Component(error.to_string());
    let mut names = ComponentNames::default();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component) {
        match payload.map_err(wrong)? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                return Err(OciError::Component("the bytes are a core module, not a component".to_owned()));
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    names.imports.push(import.map_err(wrong)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    names.exports.push(export.map_err(wrong)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    names.imports.truncate(NAMES_MAX);
    names.exports.truncate(NAMES_MAX);
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_lists_what_a_component_is_made_for() {
        let component = wat::parse_str(
            r#"(component
                 (import "wasi:clocks/wall-clock@0.2.0" (instance))
                 (core module (import "hidden" "f" (func)))
                 (component (import "inner" (func)) (export "deep" (func 0)))
                 (instance $made)
                 (export "tollbridge:plugin/bridge@1.0.0" (instance $made)))"#,
        )
        .unwrap();
        let digest = Digest::of(&component);
        let config = wasm_config(&component, [digest].into_iter()).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&config).unwrap();
        assert_eq!(read["component"]["imports"], serde_json::json!(["wasi:clocks/wall-clock@0.2.0"]));
        assert_eq!(read["component"]["exports"], serde_json::json!(["tollbridge:plugin/bridge@1.0.0"]));
        assert_eq!(read["layerDigests"], serde_json::json!([text_of(digest)]));
        assert_eq!((&read["architecture"], &read["os"]), (&"wasm".into(), &"wasip2".into()));
        assert_eq!(config, wasm_config(&component, [digest].into_iter()).unwrap());
        assert!(wasm_config(&wat::parse_str("(module)").unwrap(), [].into_iter()).is_err());
    }
}
