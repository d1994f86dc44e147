//! The component that benchmarks call.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a measurement that cannot be made should stop"
)]

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// `tests/hostile/echo.wat`, which is not hostile at all.
pub fn echo() -> Vec<u8> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| std::fs::read_to_string(project.join("tests/hostile").join(path)).unwrap();
    let mut text = read("echo.wat");
    for part in ["memory", "realloc", "describe", "call"] {
        text = text.replace(&format!("{{{{{}}}}}", part.to_uppercase()), &read(&format!("parts/{part}.wat")));
    }
    let mut module = wat::parse_str(&text).unwrap();
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(project.join("wit")).unwrap();
    let world = resolve.select_world(&[package], Some("bridge")).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}
