//! House rules that Cargo and the compiler do not enforce, checked on manifests and
//! syntax trees: which crate uses which library, size limits for crates, files and
//! functions, and no import cycles between modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use syn::spanned::Spanned;
use syn::visit::Visit;
use tollbridge_tests::source::{SourceFile, crate_files, cycles, imports, is_for_tests, parse, rust_files};
use tollbridge_tests::workspace;

/// Limit of one crate's product code, because a crate is compiled as a whole.
const CRATE_LINES_MAX: usize = 12_000;
const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
/// Maximum number of modules in an import cycle of a plugin; other crates must have no
/// cycles.
const CYCLE_MODULES_MAX: usize = 3;

/// Folders with handwritten Rust code.
const FOLDERS: [&str; 4] = ["host", "sdk", "plugins", "tests"];

/// Returns the crates of the host, bottom to top, as the workspace lists them.
fn crates() -> Vec<String> {
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let mut names = Vec::new();
    for line in read("Cargo.toml").lines() {
        if let Some(rest) = line.strip_prefix("tollbridge-")
            && let Some((name, value)) = rest.split_once(" = ")
            && value.contains("\"host/")
        {
            names.push(name.to_owned());
        }
    }
    names.push("server".to_owned());
    let folders = std::fs::read_dir(workspace().join("host")).unwrap().count();
    assert_eq!(names.len(), folders, "Cargo.toml lists {names:?}: {manifest:?}");
    names
}

fn read(file: &str) -> String {
    std::fs::read_to_string(workspace().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the dependencies of a crate in one section of its manifest.
fn dependencies(name: &str, section: &str) -> BTreeSet<String> {
    let manifest: toml::Table = toml::from_str(&read(&format!("host/{name}/Cargo.toml"))).unwrap();
    let table = manifest.get(section).and_then(toml::Value::as_table);
    table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

fn files_of(name: &str) -> Vec<SourceFile> {
    crate_files(&workspace().join("host").join(name))
}

/// Returns the folders of all crates: the host's, the guest library and the
/// plugins.
fn crate_folders() -> Vec<String> {
    let mut folders: Vec<String> = crates().iter().map(|name| format!("host/{name}")).collect();
    folders.push("sdk".to_owned());
    for group in ["plugins", "plugins/bridges", "plugins/agents"] {
        for entry in std::fs::read_dir(workspace().join(group)).unwrap() {
            let path = entry.unwrap().path();
            if path.join("Cargo.toml").exists() && path.join("src").exists() {
                folders.push(format!("{group}/{}", path.file_name().unwrap().to_string_lossy()));
            }
        }
    }
    assert!(folders.len() > 40, "plugins are missing {folders:?}");
    folders
}

#[test]
fn a_crate_imports_only_crates_below_it() {
    let order = crates();
    let place: BTreeMap<String, usize> =
        order.iter().enumerate().map(|(at, name)| (format!("tollbridge-{name}"), at)).collect();
    for (at, name) in order.iter().enumerate() {
        for dependency in dependencies(name, "dependencies") {
            assert!(
                place.get(&dependency).is_none_or(|below| *below < at),
                "host/{name} depends on {dependency}, which is above it in Cargo.toml"
            );
        }
    }
}

/// Some libraries may be used only by certain crates, so that each can be replaced in one
/// place and its input is validated in one place.
#[test]
fn libraries_stay_where_they_belong() {
    let allowed: [(&str, &[&str]); 17] = [
        ("k256", &["x402"]),
        ("redb", &["store"]),
        ("wasmtime", &["runtime"]),
        ("wasmtime-wasi", &["runtime"]),
        ("wasmtime-wasi-http", &["runtime"]),
        // `oci` implements a registry beside the API; its paths and errors are defined by
        // the OCI standard.
        (
            "axum",
            &[
                "api",
                "connections",
                "console",
                "http",
                "oci",
                "paywall",
                "routes-accounts",
                "routes-agents",
                "routes-models",
                "site",
                "web",
            ],
        ),
        ("aide", &["api", "http", "routes-accounts", "routes-agents", "web"]),
        ("oci-client", &["oci"]),
        ("rmcp", &["routes-agents"]),
        ("lettre", &["mail"]),
        ("rten", &["embeddings"]),
        ("opentelemetry", &["telemetry"]),
        ("tokio-rustls", &["connections"]),
        ("x509-cert", &["connections"]),
        ("wit-component", &["tools"]),
        ("clap", &["tools", "server"]),
        ("tollbridge-runtime", &["server", "tools"]),
    ];
    for name in crates() {
        let used = dependencies(&name, "dependencies");
        for (library, by) in allowed {
            assert!(!used.contains(library) || by.contains(&name.as_str()), "host/{name} uses {library}");
        }
        assert!(
            !used.contains("tollbridge-tools") || name == "server",
            "host/{name} must not depend on tollbridge-tools"
        );
    }
}

/// The simulation runs these crates with a simulated clock, which `std::time::Instant` does
/// not follow: a decision that depends on it makes a seed unrepeatable on a busy machine.
#[test]
fn the_simulated_crates_measure_time_by_the_simulated_clock() {
    let manifest: toml::Table = toml::from_str(&read("tests/simulation/Cargo.toml")).unwrap();
    let linked = manifest["dev-dependencies"].as_table().unwrap();
    let simulated: Vec<String> =
        crates().into_iter().filter(|name| linked.contains_key(&format!("tollbridge-{name}"))).collect();
    assert!(simulated.len() > 8, "{simulated:?}");
    for name in simulated {
        for file in rust_files(&format!("host/{name}/src")) {
            let text = std::fs::read_to_string(&file).unwrap();
            let real = text.lines().any(|line| line.contains("std::time::") && line.contains("Instant"));
            let is_test = file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
            assert!(!real || is_test, "{} uses std::time::Instant; use tokio::time::Instant", file.display());
        }
    }
}

/// Returns all direct and indirect dependencies of a crate.
fn below(name: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for dependency in dependencies(name, "dependencies") {
        if let Some(inner) = dependency.strip_prefix("tollbridge-").filter(|inner| *inner != "sdk") {
            all.insert(inner.to_owned());
            all.extend(below(inner));
        }
    }
    all
}

#[test]
fn the_runtime_knows_no_prices_and_the_ledger_no_plugins() {
    let runtime = below("runtime");
    for money in ["ledger", "access", "payment", "market"] {
        assert!(!runtime.contains(money), "host/runtime must not depend on prices: it uses {money}");
    }
    for name in crates().iter().filter(|name| !["tools", "server"].contains(&name.as_str())) {
        assert!(!below(name).contains("runtime"), "host/{name} must not depend on host/runtime");
    }
    for name in ["ledger", "registry"] {
        assert!(!below(name).contains("plugin"), "host/{name} must not depend on host/plugin");
    }
}

#[test]
fn crates_and_files_fit_a_reader() {
    for name in crates() {
        let lines: usize = files_of(&name).iter().filter(|file| !file.test).map(product_lines).sum();
        assert!(lines <= CRATE_LINES_MAX, "host/{name}: {lines} lines of product code");
    }
    let long: Vec<String> = all_files()
        .iter()
        .map(|path| (path, std::fs::read_to_string(path).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > FILE_LINES_MAX)
        .map(|(path, lines)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Returns the number of lines of a file without its tests.
fn product_lines(file: &SourceFile) -> usize {
    let tests = |item: &&syn::Item| matches!(item, syn::Item::Mod(inner) if is_for_tests(&inner.attrs));
    let of_tests: usize = file.tree.items.iter().filter(tests).map(lines_of).sum();
    file.text.lines().count() - of_tests
}

fn lines_of(node: &impl Spanned) -> usize {
    node.span().end().line - node.span().start().line + 1
}

fn all_files() -> Vec<PathBuf> {
    FOLDERS.iter().flat_map(|folder| rust_files(folder)).collect()
}

#[test]
fn functions_fit_a_screen() {
    struct Long(Vec<(usize, usize)>);
    impl Long {
        fn note(&mut self, block: &syn::Block, from: usize) {
            let lines = block.span().end().line - from + 1;
            if lines > FUNCTION_LINES_MAX {
                self.0.push((from, lines));
            }
        }
    }
    impl<'tree> Visit<'tree> for Long {
        fn visit_item_fn(&mut self, item: &'tree syn::ItemFn) {
            self.note(&item.block, item.sig.fn_token.span.start().line);
            syn::visit::visit_item_fn(self, item);
        }
        fn visit_impl_item_fn(&mut self, item: &'tree syn::ImplItemFn) {
            self.note(&item.block, item.sig.fn_token.span.start().line);
            syn::visit::visit_impl_item_fn(self, item);
        }
        fn visit_trait_item_fn(&mut self, item: &'tree syn::TraitItemFn) {
            if let Some(block) = &item.default {
                self.note(block, item.sig.fn_token.span.start().line);
            }
            syn::visit::visit_trait_item_fn(self, item);
        }
    }
    let mut wrong = Vec::new();
    for path in all_files() {
        let mut long = Long(Vec::new());
        long.visit_file(&parse(&path));
        for (line, lines) in long.0 {
            wrong.push(format!("{}:{line}: a function of {lines} lines", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_says_what_it_is_for() {
    for path in all_files() {
        let tree = parse(&path);
        let says = tree.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
        let tests = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
        assert!(says || tests || tree.items.is_empty(), "{} does not begin with //!", path.display());
    }
}

#[test]
fn modules_do_not_import_in_circles() {
    let mut wrong = Vec::new();
    for folder in crate_folders() {
        for group in cycles(&imports(&crate_files(&workspace().join(&folder)))) {
            if group.len() > CYCLE_MODULES_MAX || !folder.starts_with("plugins") {
                let modules: Vec<String> = group.iter().map(|module| module.join("::")).collect();
                wrong.push(format!("{folder}: {} modules in one import cycle: {modules:?}", group.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every type named in the glossary exists.
#[test]
fn the_glossary_names_what_is_there() {
    #[derive(Default)]
    struct Types(BTreeSet<String>);
    impl<'tree> Visit<'tree> for Types {
        fn visit_item(&mut self, item: &'tree syn::Item) {
            self.0.extend(match item {
                syn::Item::Struct(item) => Some(item.ident.to_string()),
                syn::Item::Enum(item) => Some(item.ident.to_string()),
                syn::Item::Trait(item) => Some(item.ident.to_string()),
                _ => None,
            });
            syn::visit::visit_item(self, item);
        }
    }
    let mut types = Types::default();
    for path in rust_files("host") {
        types.visit_file(&parse(&path));
    }
    let glossary = read("docs/glossary.md");
    let rows = glossary.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit_once("| ").map(|(_, last)| last));
    let names: Vec<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(names.len() > 60, "the glossary is too short {names:?}");
    let missing: Vec<&&str> = names.iter().filter(|name| !types.0.contains(**name)).collect();
    assert!(missing.is_empty(), "docs/glossary.md names missing types: {missing:?}");
}

/// Every alarm and every reported problem names an existing runbook.
#[test]
fn alarms_and_problems_name_runbooks_that_are_there() {
    const FOLDER: &str = "docs/runbooks";
    let contents = read("docs/runbooks/README.md");
    let check = |from: &str, runbook: &str| {
        assert!(workspace().join(FOLDER).join(runbook).is_file(), "{from} names {FOLDER}/{runbook}");
        assert!(contents.contains(&format!("]({runbook})")), "{FOLDER}/README.md does not list {runbook}");
    };
    let alerts = read("ops/prometheus/alerts.yml");
    let mut described = 0;
    for alert in alerts.split("- alert: ").skip(1) {
        let (name, _) = alert.split_once('\n').unwrap();
        let description = alert.split_once("description: \"").unwrap().1.split_once("\"\n").unwrap().0;
        let runbook = description.rsplit_once(&format!("Runbook: {FOLDER}/"));
        check(name, runbook.unwrap_or_else(|| panic!("the text of {name} does not end with a runbook")).1);
        described += 1;
    }
    assert!(described > 30, "alarms are missing");
    let status = read("host/operator/src/status.rs");
    for named in status.split("runbook: Some(\"").skip(1) {
        check("a problem", &format!("{}.md", named.split_once('"').unwrap().0));
    }
}

/// Only one file may contain unsafe code: the one that loads compiled code.
#[test]
fn unsafe_code_is_in_one_place() {
    #[derive(Default)]
    struct Unsafe(bool);
    impl<'tree> Visit<'tree> for Unsafe {
        fn visit_expr_unsafe(&mut self, _: &'tree syn::ExprUnsafe) {
            self.0 = true;
        }
        fn visit_signature(&mut self, signature: &'tree syn::Signature) {
            self.0 |= signature.unsafety.is_some();
        }
        fn visit_item_impl(&mut self, item: &'tree syn::ItemImpl) {
            self.0 |= item.unsafety.is_some();
            syn::visit::visit_item_impl(self, item);
        }
    }
    let mut places = Vec::new();
    for name in crates() {
        for file in files_of(&name) {
            let mut search = Unsafe::default();
            search.visit_file(&file.tree);
            if search.0 {
                places.push(file.name());
            }
        }
    }
    assert!(places.len() == 1 && places[0].starts_with("host/runtime/"), "unsafe code in {places:?}");
}

/// A crate with code examples in comments must compile and run them; only crates without
/// examples may disable doc tests.
#[test]
fn crates_without_doc_tests_have_no_examples_in_comments() {
    let mut unchecked = 0;
    for name in crates() {
        if !read(&format!("host/{name}/Cargo.toml")).contains("doctest = false") {
            continue;
        }
        unchecked += 1;
        for file in files_of(&name) {
            let example = file
                .text
                .lines()
                .map(str::trim_start)
                .find(|line| (line.starts_with("///") || line.starts_with("//!")) && line.contains("```"));
            assert!(example.is_none(), "{} has an example, and host/{name} runs none", file.name());
        }
    }
    assert!(unchecked > 20, "the check found only {unchecked} crates without doc tests");
}

#[test]
fn no_test_is_switched_off() {
    struct Ignored(bool);
    impl<'tree> Visit<'tree> for Ignored {
        fn visit_attribute(&mut self, attribute: &'tree syn::Attribute) {
            self.0 |= attribute.path().is_ident("ignore");
        }
    }
    for path in all_files() {
        let mut search = Ignored(false);
        search.visit_file(&parse(&path));
        assert!(!search.0, "{} ignores a test", path.display());
    }
}

/// The crate diagram in ARCHITECTURE.md matches the manifests.
#[test]
fn the_diagram_shows_the_crates_as_they_are() {
    let text = read("ARCHITECTURE.md");
    let diagram = text.split("```mermaid").find(|part| part.contains("%% crates")).expect("no diagram of the crates");
    let diagram = diagram.split("```").next().unwrap();
    let drawn: BTreeSet<(String, String)> = diagram
        .lines()
        .filter_map(|line| line.trim().split_once(" --> "))
        .flat_map(|(from, to)| to.split(" & ").map(move |to| (from.trim().to_owned(), to.trim().to_owned())))
        .collect();
    // The diagram omits indirect dependencies: an arrow that two other arrows imply.
    let direct: BTreeSet<(String, String)> = crates()
        .into_iter()
        .flat_map(|name| {
            let all = dependencies(&name, "dependencies");
            let ours: Vec<String> =
                all.iter().filter_map(|one| one.strip_prefix("tollbridge-")).map(str::to_owned).collect();
            let ours: Vec<String> = ours.into_iter().filter(|one| one != "sdk").collect();
            let implied: BTreeSet<String> = ours.iter().flat_map(|one| below(one)).collect();
            ours.into_iter()
                .filter(move |one| !implied.contains(one))
                .map(move |to| (name.clone(), to))
                .collect::<Vec<_>>()
        })
        .collect();
    let missing: Vec<_> = direct.difference(&drawn).collect();
    let gone: Vec<_> = drawn.difference(&direct).collect();
    assert!(missing.is_empty() && gone.is_empty(), "the diagram lacks {missing:?}; {gone:?} do not exist");
}
