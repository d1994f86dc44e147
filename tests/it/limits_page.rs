//! The page that lists the limits of the host, generated from their definitions.

use std::fmt::Write as _;
use std::path::Path;

use quote::ToTokens as _;
use tollbridge_tests::source::{crate_files, is_for_tests};
use tollbridge_tests::workspace;

const PAGE: &str = "docs/limits.md";
const HEAD: &str = "# Limits

Sizes, counts, durations and rates that the code defines and no configuration changes, with their reasons. What an
operator may change is in `tollbridge config show`. This page is generated from the constants:
`RENEW_LIMITS=1 cargo test -p tollbridge-tests --test it limits_page`.
";
/// Types of the constants that are listed: sizes, counts, durations and rates.
const NUMBERS: [&str; 9] = ["u8", "u16", "u32", "u64", "u128", "usize", "i64", "Duration", "Millipence"];

/// Returns a table of the documented constants in a crate, by file.
fn table(folder: &Path) -> String {
    let mut rows = String::new();
    for file in crate_files(folder).iter().filter(|file| !file.test) {
        for item in &file.tree.items {
            let syn::Item::Const(constant) = item else { continue };
            let kind = constant.ty.to_token_stream().to_string();
            let reason = doc(&constant.attrs);
            if is_for_tests(&constant.attrs) || reason.is_empty() || !NUMBERS.contains(&kind.as_str()) {
                continue;
            }
            let value =
                constant.expr.to_token_stream().to_string().replace("Duration :: from_", "").replace(" :: ", "::");
            let place = file.module.join("::");
            writeln!(rows, "| `{}` | `{place}` | {} | {reason} |", constant.ident, value.replace('|', "\\|")).unwrap();
        }
    }
    rows
}

/// Returns an item's doc comment as one line, for a table cell.
fn doc(attributes: &[syn::Attribute]) -> String {
    let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
        let syn::Meta::NameValue(meta) = &attribute.meta else { return None };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &meta.value else { return None };
        Some(text.value().trim().to_owned())
    });
    lines.collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[test]
fn the_page_of_limits_lists_them_as_they_are() {
    let mut page = HEAD.to_owned();
    let mut crates: Vec<_> =
        std::fs::read_dir(workspace().join("host")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    for folder in crates.iter().filter(|folder| folder.join("Cargo.toml").is_file()) {
        let rows = table(folder);
        if !rows.is_empty() {
            let name = folder.file_name().unwrap().to_string_lossy();
            write!(page, "\n## {name}\n\n| limit | module | value | reason |\n|---|---|---|---|\n{rows}").unwrap();
        }
    }
    let path = workspace().join(PAGE);
    if std::env::var_os("RENEW_LIMITS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == page, "{PAGE} is outdated; run with RENEW_LIMITS=1");
}
