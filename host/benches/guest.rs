//! The component that benchmarks call, and a publisher for it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a measurement that cannot be made should stop"
)]
#![allow(dead_code, reason = "not every benchmark publishes")]

use std::path::Path;

use anyhow::Result;
use tollbridge::registry::{Namespaces, Publisher, PublisherKey, Publishers};
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

/// A new registry that trusts one publisher: the publisher's key.
pub fn publisher(registry: &Path) -> Result<PublisherKey> {
    let key = PublisherKey::generate("bench".parse()?)?;
    std::fs::create_dir_all(registry)?;
    let publisher = Publisher {
        name: key.name().clone(),
        key: key.public(),
        account: "acct_bench".to_owned(),
        namespaces: Namespaces::parse(&["*"]).map_err(anyhow::Error::msg)?,
        auto_activate: true,
    };
    Publishers::add_to_file(&registry.join("publishers.toml"), &publisher)?;
    Ok(key)
}

/// The least that a bridge's manifest can be.
pub fn manifest(name: &str, price: &str) -> String {
    format!(
        "name = \"{name}\"\nkind = \"bridge\"\nversion = \"1.0.0\"\npublisher = \"bench\"\npurpose = \"bench\"\n\
         price_gbp = \"{price}\"\n"
    )
}
