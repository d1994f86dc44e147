//! Checks that names of files and paths, and counts, in documents and comments match the
//! source code.

use std::collections::BTreeSet;
use std::path::PathBuf;

use regex::Regex;
use syn::visit::Visit;
use tollbridge_tests::source::{files_below, parse, rust_files};
use tollbridge_tests::workspace;

/// Names defined outside this repository, and one that a macro defines.
const FOREIGN: [&str; 7] = [
    "Config::wasm_component_model_async",
    "Durability::None",
    "Engine::precompile_component",
    "Store::set_max_component_handles",
    "StreamWriter::write_all",
    "StripeCharge::request",
    "concurrent.rs",
];

/// Names that exist in the sources: files as `crate/module.rs`, and every word outside
/// comments.
#[derive(Default)]
struct Known {
    files: BTreeSet<String>,
    words: BTreeSet<String>,
    types: BTreeSet<String>,
    /// `Type::member`: functions, constants, fields and variants.
    members: BTreeSet<String>,
}

impl<'tree> Visit<'tree> for Known {
    fn visit_item_struct(&mut self, item: &'tree syn::ItemStruct) {
        self.add(&item.ident, item.fields.iter().filter_map(|field| field.ident.as_ref()));
    }

    fn visit_item_enum(&mut self, item: &'tree syn::ItemEnum) {
        self.add(&item.ident, item.variants.iter().map(|variant| &variant.ident));
    }

    fn visit_item_trait(&mut self, item: &'tree syn::ItemTrait) {
        self.add(
            &item.ident,
            item.items.iter().filter_map(|inner| match inner {
                syn::TraitItem::Fn(function) => Some(&function.sig.ident),
                syn::TraitItem::Const(constant) => Some(&constant.ident),
                syn::TraitItem::Type(inner) => Some(&inner.ident),
                _ => None,
            }),
        );
    }

    fn visit_item_impl(&mut self, item: &'tree syn::ItemImpl) {
        let syn::Type::Path(path) = &*item.self_ty else { return };
        let Some(name) = path.path.segments.last() else { return };
        let members = item.items.iter().filter_map(|inner| match inner {
            syn::ImplItem::Fn(function) => Some(&function.sig.ident),
            syn::ImplItem::Const(constant) => Some(&constant.ident),
            _ => None,
        });
        self.members.extend(members.map(|member| format!("{}::{member}", name.ident)));
    }
}

impl Known {
    fn add<'m>(&mut self, name: &syn::Ident, members: impl Iterator<Item = &'m syn::Ident>) {
        self.types.insert(name.to_string());
        self.members.extend(members.map(|member| format!("{name}::{member}")));
    }

    fn read() -> Self {
        let word = Regex::new(r"\w+").unwrap();
        let mut known = Self::default();
        for path in ["host", "sdk", "plugins", "tests"].into_iter().flat_map(rust_files) {
            let name = path.strip_prefix(workspace()).unwrap().display().to_string();
            known.words.extend(word.find_iter(&name).map(|part| part.as_str().to_owned()));
            known.files.extend([format!("/{}", name.replace("/src/", "/")), format!("/{name}")]);
            known.visit_file(&parse(&path));
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            known.words.extend(code.flat_map(|line| word.find_iter(line)).map(|word| word.as_str().to_owned()));
        }
        known
    }

    fn has_file(&self, name: &str) -> bool {
        let end = format!("/{name}");
        self.files.iter().any(|file| file.ends_with(&end))
    }

    /// Checks the members of types of this repository; for all other paths, checks only
    /// that each part occurs in the sources.
    fn has_item(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.split("::").collect();
        let member = parts[parts.len().saturating_sub(2)..].join("::");
        match parts.len() >= 2 && self.types.contains(parts[parts.len() - 2]) {
            true => self.members.contains(&member),
            false => parts.iter().all(|part| self.words.contains(*part)),
        }
    }

    /// Returns the first name in backquotes that does not exist in the sources.
    fn stale(&self, text: &str) -> Option<String> {
        let quoted = Regex::new(r"`([\w./-]+\.rs|\w+(?:::\w+)+)`").unwrap();
        let names = quoted.captures_iter(text).map(|found| found[1].to_owned());
        names.filter(|name| !FOREIGN.contains(&name.as_str())).find(|name| match name.ends_with(".rs") {
            true => !self.has_file(name),
            false => !self.has_item(name),
        })
    }
}

fn documents() -> Vec<PathBuf> {
    let places = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs"];
    places.into_iter().flat_map(|place| files_below(place, &["md"])).collect()
}

#[test]
fn documents_and_comments_name_files_and_items_that_exist() {
    let known = Known::read();
    let mut wrong = Vec::new();
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        wrong.extend(known.stale(&prose).map(|name| format!("{}: {name}", path.display())));
    }
    for path in ["host", "sdk"].into_iter().flat_map(rust_files) {
        let text = std::fs::read_to_string(&path).unwrap();
        let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
        let stale = known.stale(&comments.collect::<Vec<_>>().join("\n"));
        wrong.extend(stale.map(|name| format!("{}: {name}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_crates_is_right_wherever_it_is_written() {
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    const ONES: [&str; 20] = [
        "",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    let count = std::fs::read_dir(workspace().join("host")).unwrap().count();
    let written = match ONES.get(count) {
        Some(word) => (*word).to_owned(),
        None => format!("{}-{}", TENS[count / 10 - 2], ONES[count % 10]).trim_end_matches('-').to_owned(),
    };
    let counted = Regex::new(r"(?i)\b([a-z]+teen|[a-z]+ty(?:-[a-z]+)?|\d+) crates\b").unwrap();
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for found in counted.captures_iter(&text) {
            let said = found[1].to_lowercase();
            assert!(said == written || said == count.to_string(), "{}: {said} crates, not {written}", path.display());
        }
    }
}

#[test]
fn every_decision_has_a_status() {
    for entry in std::fs::read_dir(workspace().join("docs/decisions")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let status = text.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default();
        let known = ["Status: accepted", "Status: superseded"].iter().any(|known| status.starts_with(known));
        assert!(known, "{}: the line below the title is {status:?}", path.display());
    }
}
