//! Languages of source code.

/// Languages: name, file endings, names on fences and in commands, and how lines begin.
const LANGUAGES: [[&str; 4]; 15] = [
    ["python", "py;pyw;pyi", "python;py;python3", "def ;async def ;elif ;from "],
    ["typescript", "ts;tsx;mts", "typescript;ts;tsx", "interface ;type "],
    ["javascript", "js;jsx;mjs;cjs", "javascript;js;jsx", "function ;const ;let ;async function ;var "],
    ["java", "java", "java", "import java;public class ;public static"],
    ["csharp", "cs", "csharp;cs;c #", "using System"],
    ["kotlin", "kt;kts", "kotlin;kt", "fun "],
    ["cpp", "cpp;cc;cxx;hpp", "cpp;c + +", "#include <iostream>;template<;using namespace"],
    ["c", "c;h", "c", "#include"],
    ["go", "go", "go;golang", "package ;func "],
    ["rust", "rs", "rust;rs", "fn ;pub fn ;impl ;use std"],
    ["php", "php", "php", "<?php"],
    ["ruby", "rb", "ruby;rb", "require '"],
    ["shell", "sh;bash", "bash;sh;shell", "#!/bin/bash;#!/bin/sh;#!/usr/bin/env bash"],
    ["sql", "sql", "sql;postgresql;postgres;mysql", "SELECT ;UPDATE ;DELETE FROM;INSERT INTO;CREATE TABLE"],
    ["html", "html;htm", "html", "<!DOCTYPE;<html"],
];
/// Languages whose functions the bridge `code_metrics` measures.
const MEASURED: [&str; 11] =
    ["python", "javascript", "typescript", "java", "csharp", "kotlin", "go", "rust", "c", "cpp", "php"];

/// Returns the language whose list has an element.
fn find(list: usize, own: &str) -> Option<&'static str> {
    let has = |row: &&[&'static str; 4]| row.get(list).is_some_and(|list| list.split(';').any(|one| one == own));
    LANGUAGES.iter().find(has).map(|[name, ..]| *name)
}

/// Returns the language of a file by its ending.
#[must_use]
pub fn of_path(path: &str) -> Option<&'static str> {
    find(1, &path.rsplit('.').next()?.to_lowercase())
}

/// Returns the language of a name on a fence or in a command.
#[must_use]
pub fn of_name(name: &str) -> Option<&'static str> {
    find(2, &name.to_lowercase())
}

/// Returns the language of code by how its lines begin; none if several fit.
#[must_use]
pub fn of_code(code: &str) -> Option<&'static str> {
    let begins = |[.., starts]: &&[&'static str; 4]| {
        code.lines().any(|line| starts.split(';').any(|start| line.starts_with(start)))
    };
    let found: Vec<&str> = LANGUAGES.iter().filter(begins).map(|[name, ..]| *name).collect();
    match found.as_slice() {
        // C++ has the includes of C.
        [only] | [only @ "cpp", "c"] => Some(*only),
        _ => None,
    }
}

/// Returns the file ending of a language.
#[must_use]
pub fn ending(language: &str) -> &'static str {
    let row = LANGUAGES.iter().find(|[name, ..]| *name == language);
    row.and_then(|[_, endings, ..]| endings.split(';').next()).unwrap_or("txt")
}

/// Returns whether the bridge `code_metrics` measures a language.
#[must_use]
pub fn is_measured(language: &str) -> bool {
    MEASURED.contains(&language)
}
