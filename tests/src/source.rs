//! The repository's own Rust source as syntax trees: files, modules and imports. The
//! house rules are checked on these trees instead of on text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

use crate::workspace;

/// One Rust file of a crate, reached from the crate root through `mod` items.
pub struct SourceFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Path of the module inside its crate; empty for the root.
    pub module: Vec<String>,
    /// Whether only tests compile the file.
    pub test: bool,
    /// The file's text.
    pub text: String,
    /// The file's syntax tree.
    pub tree: syn::File,
}

impl SourceFile {
    /// Returns the path relative to the root of the repository.
    pub fn name(&self) -> String {
        self.path.strip_prefix(workspace()).unwrap_or(&self.path).display().to_string()
    }
}

/// Returns the files of the crate in a folder of the repository, starting from
/// `src/lib.rs` or `src/main.rs`.
pub fn crate_files(folder: &Path) -> Vec<SourceFile> {
    let root = ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
    let root = root.into_iter().find(|path| path.is_file());
    let mut files = Vec::new();
    read_module(&root.unwrap_or_else(|| panic!("{} has no root file", folder.display())), vec![], false, &mut files);
    files
}

/// Returns every Rust file below a folder of the repository, including files that
/// no crate root reaches.
pub fn rust_files(folder: &str) -> Vec<PathBuf> {
    files_below(folder, &["rs"])
}

/// Returns the files below a folder of the repository that have one of the extensions,
/// sorted; `place` may also name a single file. Skips build output and hidden folders.
pub fn files_below(place: &str, extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(path: PathBuf, extensions: &[&str], paths: &mut Vec<PathBuf>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || ["target", "node_modules"].contains(&&*name) {
            return;
        }
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).unwrap() {
                walk(entry.unwrap().path(), extensions, paths);
            }
        } else if path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known)) {
            paths.push(path);
        }
    }
    let mut paths = Vec::new();
    walk(workspace().join(place), extensions, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no {extensions:?} files below {place}");
    paths
}

/// Returns the syntax tree of a file.
pub fn parse(path: &Path) -> syn::File {
    let text = std::fs::read_to_string(path).unwrap();
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_module(path: &Path, module: Vec<String>, test: bool, files: &mut Vec<SourceFile>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tree = parse(path);
    let folder = path.parent().unwrap();
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let children = if ["lib", "main", "mod"].contains(&stem) { folder.to_owned() } else { folder.join(stem) };
    for item in &tree.items {
        let syn::Item::Mod(declared) = item else { continue };
        if declared.content.is_some() {
            continue;
        }
        let name = declared.ident.to_string();
        let places = match path_attribute(&declared.attrs) {
            Some(file) => vec![folder.join(file)],
            None => vec![children.join(format!("{name}.rs")), children.join(&name).join("mod.rs")],
        };
        let place = places.iter().find(|place| place.is_file());
        let place = place.unwrap_or_else(|| panic!("{}: `mod {name};` has no file", path.display()));
        let mut inner = module.clone();
        inner.push(name);
        read_module(place, inner, test || is_for_tests(&declared.attrs), files);
    }
    files.push(SourceFile { path: path.to_owned(), module, test, text, tree });
}

fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("path")).find_map(|attribute| {
        let value = &attribute.meta.require_name_value().ok()?.value;
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = value else { return None };
        Some(text.value())
    })
}

/// Returns whether an item is compiled for tests only.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let words = list.tokens.to_string();
        attribute.path().is_ident("cfg") && words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
    })
}

/// Returns, for each module of a crate, the modules that it imports outside of tests.
/// `pub use child::Name` and `super::Name` count as imports, a `mod` item does not.
pub fn imports(files: &[SourceFile]) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let known: BTreeSet<&Vec<String>> = files.iter().filter(|file| !file.test).map(|file| &file.module).collect();
    let of_file = |file: &SourceFile| {
        let mut paths = Paths::default();
        paths.visit_file(&file.tree);
        let targets = paths.0.into_iter().filter_map(|path| resolve(&file.module, &path, &known));
        targets.filter(|target| *target != file.module).collect()
    };
    files.iter().filter(|file| !file.test).map(|file| (file.module.clone(), of_file(file))).collect()
}

/// Returns the module that a path resolves to when it is used inside the module `from`.
fn resolve(from: &[String], path: &[String], known: &BTreeSet<&Vec<String>>) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let mut target: Vec<String> = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [from, &path[1..]].concat(),
        "super" => [&from[..from.len().checked_sub(supers)?], &path[supers..]].concat(),
        _ => {
            let child = [from, &path[..1]].concat();
            known.contains(&child).then(|| [from, path].concat())?
        }
    };
    while !known.contains(&target) {
        target.pop()?;
    }
    Some(target)
}

/// All paths in a file's code, outside of tests.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn add_tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let extended = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&extended(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.0.push(extended(&name.ident)),
            syn::UseTree::Rename(rename) => self.0.push(extended(&rename.ident)),
            syn::UseTree::Glob(_) => self.0.push(prefix.to_vec()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(prefix, tree)),
        }
    }
}

impl<'tree> Visit<'tree> for Paths {
    fn visit_item_mod(&mut self, item: &'tree syn::ItemMod) {
        // Paths in an inline module are relative to that module. Only test modules are
        // inline in this repository, so inline modules are skipped.
        if item.content.is_none() || !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'tree syn::ItemUse) {
        if item.leading_colon.is_none() && !is_for_tests(&item.attrs) {
            self.add_tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'tree syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }
}

/// Returns the groups of modules that import each other in a cycle, largest group first.
pub fn cycles(imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Vec<Vec<Vec<String>>> {
    let reach: BTreeMap<_, _> = imports.keys().map(|from| (from, reachable(from, imports))).collect();
    let mut groups: Vec<Vec<Vec<String>>> = Vec::new();
    let mut seen = BTreeSet::new();
    for from in imports.keys() {
        if !seen.contains(from) && reach[from].contains(from) {
            let group = reach[from].iter().filter(|to| reach[to].contains(from)).cloned().collect::<Vec<_>>();
            seen.extend(group.iter().cloned());
            groups.push(group);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

fn reachable(from: &Vec<String>, imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> BTreeSet<Vec<String>> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Vec<String>> = imports[from].iter().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module.clone()) {
            next.extend(&imports[module]);
        }
    }
    reached
}
