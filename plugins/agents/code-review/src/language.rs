//! Languages of source code.

/// Languages: name, file endings, names on fences and in commands, and how lines begin.
const LANGUAGES: &str = "\
python|py pyw pyi|python;py;python3|def ;async def ;elif ;from ;
typescript|ts tsx mts|typescript;ts;tsx|interface ;type ;
javascript|js jsx mjs cjs|javascript;js;jsx|function ;const ;let ;async function ;var
java|java|java|import java;public class ;public static
csharp|cs|csharp;cs;c #|using System
kotlin|kt kts|kotlin;kt|fun ;
cpp|cpp cc cxx hpp|cpp;c + +|#include <iostream>;template<;using namespace
c|c h|c|#include
go|go|go;golang|package ;func ;
rust|rs|rust;rs|fn ;pub fn ;impl ;use std
php|php|php|<?php
ruby|rb|ruby;rb|require '
shell|sh bash|bash;sh;shell|#!/bin/bash;#!/bin/sh;#!/usr/bin/env bash
sql|sql|sql;postgresql;postgres;mysql|SELECT ;UPDATE ;DELETE FROM;INSERT INTO;CREATE TABLE
html|html htm|html|<!DOCTYPE;<html";
/// Languages whose functions the bridge `code_metrics` measures.
const MEASURED: [&str; 11] =
    ["python", "javascript", "typescript", "java", "csharp", "kotlin", "go", "rust", "c", "cpp", "php"];

/// Returns the lists of each language.
fn all() -> impl Iterator<Item = (&'static str, [Vec<&'static str>; 3])> {
    LANGUAGES.lines().map(|line| {
        let mut parts = line.split('|');
        let name = parts.next().unwrap_or_default();
        let mut list = |separator: char| {
            parts.next().unwrap_or_default().split(separator).filter(|part| !part.is_empty()).collect()
        };
        (name, [list(' '), list(';'), list(';')])
    })
}

/// Returns the language of a file by its ending.
#[must_use]
pub fn of_path(path: &str) -> Option<&'static str> {
    let ending = path.rsplit('.').next()?.to_lowercase();
    all().find(|(_, [endings, ..])| endings.contains(&ending.as_str())).map(|(name, _)| name)
}

/// Returns the language of a name on a fence or in a command.
#[must_use]
pub fn of_name(name: &str) -> Option<&'static str> {
    all().find(|(_, [_, names, _])| names.contains(&name.to_lowercase().as_str())).map(|(name, _)| name)
}

/// Returns the language of code by how its lines begin; none if several fit.
#[must_use]
pub fn of_code(code: &str) -> Option<&'static str> {
    let begins = |(name, [.., starts]): (&'static str, [Vec<&str>; 3])| {
        let starts = |line: &str| starts.iter().any(|start| line.starts_with(start));
        code.lines().any(starts).then_some(name)
    };
    let mut found = all().filter_map(begins);
    let first = found.next()?;
    match (first, found.next()) {
        (_, None) => Some(first),
        // C++ has the includes of C.
        ("cpp", Some("c")) => Some("cpp"),
        _ => None,
    }
}

/// Returns the file ending of a language.
#[must_use]
pub fn ending(language: &str) -> &'static str {
    all().find(|(name, _)| *name == language).and_then(|(_, [endings, ..])| endings.first().copied()).unwrap_or("txt")
}

/// Returns whether the bridge `code_metrics` measures a language.
#[must_use]
pub fn is_measured(language: &str) -> bool {
    MEASURED.contains(&language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_files_names_and_code() {
        assert_eq!((of_path("a/b.PY"), of_path("a.xyz")), (Some("python"), None));
        assert_eq!((of_name("C++"), of_name("c + +"), of_name("js")), (None, Some("cpp"), Some("javascript")));
        let cases = [
            ("import os\n\ndef f():\n    pass", Some("python")),
            ("#include <iostream>\nint main() {}", Some("cpp")),
            ("#include <stdio.h>", Some("c")),
            ("SELECT 1", Some("sql")),
            ("function f() {}", Some("javascript")),
            ("fun f() = 1", Some("kotlin")),
            ("typed = fromage", None),
            ("x = 1", None),
        ];
        for (code, expect) in cases {
            assert_eq!(of_code(code), expect, "{code}");
        }
    }
}
