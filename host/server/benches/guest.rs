//! The component that benchmarks call, and its publisher.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a failed measurement should stop the benchmark"
)]
#![allow(dead_code, reason = "not every benchmark publishes")]

use std::path::Path;

use anyhow::Result;
use bytes::Bytes;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_plugin::{CallContext, Plugin, Services};
use tollbridge_registry::{AutoActivate, Namespaces, Publisher, PublisherKey, Publishers};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// Builds an agent that returns its input. The parameters of `run` exceed the flat ABI, so they are
/// passed in memory: the input's pointer at 76, its length at 80.
#[allow(dead_code, reason = "not every benchmark has an agent")]
pub(crate) fn agent() -> Vec<u8> {
    let text = r#"(module
      {{MEMORY}}
      {{REALLOC}}
      {{DESCRIBE}}
      (func (export "run") (param $args i32) (result i32)
        (i32.store8 (i32.const 64) (i32.const 0))
        (i32.store (i32.const 68) (i32.load (i32.add (local.get $args) (i32.const 76))))
        (i32.store (i32.const 72) (i32.load (i32.add (local.get $args) (i32.const 80))))
        (i32.const 64)))"#;
    component(text.to_owned(), "agent")
}

/// Builds `tests/hostile/echo.wat`, which is not hostile.
pub(crate) fn echo() -> Vec<u8> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(project.join("tests/hostile").join(path)).unwrap();
    component(read("echo.wat"), "bridge")
}

fn component(mut text: String, world: &str) -> Vec<u8> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(project.join("tests/hostile").join(path)).unwrap();
    for part in ["memory", "realloc", "describe", "call"] {
        text = text.replace(&format!("{{{{{}}}}}", part.to_uppercase()), &read(&format!("parts/{part}.wat")));
    }
    let mut module = wat::parse_str(&text).unwrap();
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(project.join("wit")).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

/// Creates a registry that trusts one publisher, and returns the publisher's key.
pub(crate) fn publisher(registry: &Path) -> Result<PublisherKey> {
    let key = PublisherKey::generate("bench".parse()?)?;
    std::fs::create_dir_all(registry)?;
    let publisher = Publisher {
        name: key.name().clone(),
        key: key.public(),
        account: "acct_bench".to_owned(),
        namespaces: Namespaces::parse(&["*"]).map_err(anyhow::Error::msg)?,
        auto_activate: AutoActivate::Everything,
    };
    Publishers::add_to_file(&registry.join("publishers.toml"), &publisher)?;
    Ok(key)
}

/// Returns a minimal manifest of a bridge.
pub(crate) fn manifest(name: &str, price: &str) -> String {
    format!(
        "name = \"{name}\"\nkind = \"bridge\"\nversion = \"1.0.0\"\npublisher = \"bench\"\npurpose = \"bench\"\n\
         price_gbp = \"{price}\"\n"
    )
}

/// Calls a plugin directly, without HTTP and without payment.
pub(crate) async fn call(plugin: &Plugin, services: &Services, input: &Bytes) {
    let context = CallContext {
        request_id: "req_0123456789abcdef".to_owned(),
        caller: Some("acct_0123456789abcdef".to_owned()),
        share: FairShare::single("acct_0123456789abcdef"),
        is_nested: false,
        now_ms: 0,
        resource: None,
        deadline: None,
        services: services.clone(),
    };
    plugin.call(context, input.clone()).await.unwrap();
}
