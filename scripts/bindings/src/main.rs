//! Writes the Rust bindings of the plugin contract: `tollbridge-bindings WIT FOLDER`.
//!
//! They are kept in the repository because making them in every build of every
//! plugin took longer than compiling the plugin.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wit_bindgen_core::wit_parser::{InterfaceId, PackageId, Resolve, WorldItem};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_rust::{Opts, WithOption};

/// The world of a plugin that prepares itself when it is built. What is built no
/// longer exports it, so no host ever sees it.
const PREPARED: &str = "package tollbridge:sdk; world prepared { export init: func(); }";

/// The functions of `wasi:*` that the SDK calls. Bindings of the others, a third
/// of the text, would be compiled for nothing.
const CALLED: &str = "log get get-all open \
    [method]bucket.get [method]bucket.set [method]bucket.delete [method]bucket.exists [method]bucket.list-keys increment \
    handle [constructor]fields [method]fields.append [method]fields.entries \
    [constructor]outgoing-request [method]outgoing-request.body [method]outgoing-request.set-method \
    [method]outgoing-request.set-scheme [method]outgoing-request.set-authority \
    [method]outgoing-request.set-path-with-query [method]outgoing-body.write [static]outgoing-body.finish \
    [method]incoming-response.status [method]incoming-response.headers [method]incoming-response.consume \
    [method]incoming-body.stream [method]future-incoming-response.subscribe [method]future-incoming-response.get \
    [method]pollable.block [method]input-stream.blocking-read [method]output-stream.blocking-write-and-flush";

/// The interfaces that the bindings of the world `bridge` hold for all worlds.
const SHARED: [&str; 16] = [
    "tollbridge:plugin/types@1.0.0",
    "tollbridge:plugin/panic@1.0.0",
    "tollbridge:plugin/tables@1.0.0",
    "tollbridge:plugin/ledger@1.0.0",
    "tollbridge:plugin/inference@1.0.0",
    "tollbridge:plugin/bridges@1.0.0",
    "wasi:logging/logging@0.1.0-draft",
    "wasi:config/store@0.2.0-rc.1",
    "wasi:keyvalue/store@0.2.0-draft",
    "wasi:keyvalue/atomics@0.2.0-draft",
    "wasi:http/outgoing-handler@0.2.12",
    "wasi:http/types@0.2.12",
    "wasi:io/error@0.2.12",
    "wasi:io/poll@0.2.12",
    "wasi:io/streams@0.2.12",
    "wasi:clocks/monotonic-clock@0.2.12",
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let wit = arguments.next().context("name the folder of the contract")?;
    let into = arguments.next().context("name the folder to write to")?;
    let contract = || {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_path(&wit)?;
        Ok::<_, anyhow::Error>((resolve, package))
    };
    let (resolve, package) = contract()?;
    write(&into, "bridge", resolve, package, Opts { generate_all: true, ..exported() })?;
    let (resolve, package) = contract()?;
    write(&into, "agent", resolve, package, Opts { with: shared(&SHARED), ..exported() })?;
    let (resolve, package) = contract()?;
    let with = shared(&["tollbridge:plugin/tables@1.0.0"]);
    write(&into, "reading-pages", resolve, package, Opts { with, generate_all: true, ..common() })?;
    let (resolve, package) = contract()?;
    write(&into, "proposing-inputs", resolve, package, Opts { generate_all: true, ..common() })?;
    let mut resolve = Resolve::default();
    let package = resolve.push_str("prepared", PREPARED)?;
    write(&into, "prepared", resolve, package, exported())
}

fn common() -> Opts {
    Opts { format: true, ..Opts::default() }
}

/// Of a world that exports something.
fn exported() -> Opts {
    Opts { pub_export_macro: true, export_macro_name: Some("export".to_owned()), ..common() }
}

/// Where the bindings of these interfaces are: in the module `bridge`, beside the own one.
fn shared(interfaces: &[&str]) -> Vec<(String, WithOption)> {
    let place = |name: &&str| {
        let path = name.split_once('@').map_or(*name, |(path, _)| path).replace(['/', ':'], "::").replace('-', "_");
        ((*name).to_owned(), WithOption::Path(format!("super::bridge::{path}")))
    };
    interfaces.iter().map(place).collect()
}

fn write(into: &str, name: &str, mut resolve: Resolve, package: PackageId, opts: Opts) -> Result<()> {
    let world = resolve.select_world(&[package], Some(name))?;
    let imports = resolve.worlds[world].imports.values();
    let interfaces: Vec<InterfaceId> =
        imports.filter_map(|item| if let WorldItem::Interface { id, .. } = item { Some(*id) } else { None }).collect();
    let mut skip: Vec<String> = interfaces.iter().flat_map(|id| not_called(&resolve, *id)).collect();
    skip.sort();
    skip.dedup();
    let mut files = Files::default();
    Opts { skip, ..opts }.build().generate(&mut resolve, world, &mut files)?;
    let (_, text) = files.iter().next().context("nothing was generated")?;
    let path = Path::new(into).join(format!("{}.rs", name.replace('-', "_")));
    fs::write(&path, text).with_context(|| format!("{}", path.display()))
}

/// The functions of an interface of `wasi:*` that the SDK does not call.
fn not_called(resolve: &Resolve, interface: InterfaceId) -> Vec<String> {
    let interface = &resolve.interfaces[interface];
    let wasi = interface.package.is_some_and(|id| resolve.packages[id].name.namespace == "wasi");
    let skipped = |name: &&String| wasi && !CALLED.split_whitespace().any(|called| called == name.as_str());
    interface.functions.keys().filter(skipped).cloned().collect()
}
