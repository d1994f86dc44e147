use crate::calls::value;

use super::*;

/// Calls with their arguments as `name(key=value|value)`.
fn calls(language: Language, text: &str) -> Vec<String> {
    let source = Source::new(String::new(), text.to_owned(), Some(language));
    let mut got = Vec::new();
    walk(&source, |site| {
        let argument = |argument: &Argument| {
            let range = value::range(site.pieces, argument.from..argument.to);
            let key = argument.key.map(|key| format!("{}=", key.text(&source))).unwrap_or_default();
            format!("{key}{}", source.text.get(range).unwrap_or_default())
        };
        let arguments: Vec<String> = site.arguments.iter().map(argument).collect();
        got.push(format!("{}({})", site.name, arguments.join("|")));
    });
    got
}

#[test]
fn python_names_and_arguments() {
    let calls = |text| calls(Language::Python, text);
    assert_eq!(
        calls("import subprocess as sp\nsp.run(a, shell=True)\nf(b)\n"),
        ["import subprocess()", "subprocess.run(a|shell=True)", "f(b)"]
    );
    assert_eq!(
        calls("from os import popen as p\nq = p\nq(x[1, 2], (3, 4))\n"),
        ["import os.popen()", "os.popen(x[1, 2]|(3, 4))"]
    );
    assert_eq!(
        calls("c = paramiko.SSHClient()\nc.exec_command(a == b)\n"),
        ["paramiko.SSHClient()", "paramiko.SSHClient().exec_command(a == b)"]
    );
    assert_eq!(calls("def f(a=g()):\n  pass\nclass A(B): pass\n"), ["g()"]);
    assert_eq!(calls("with open(a) as f:\n  f.read()\n"), ["open(a)", "open().read()"]);
    assert_eq!(
        calls("f(\n  a,\n  b=1\n)\nhashlib.md5(x).hexdigest()"),
        ["f(a|b=1)", "hashlib.md5(x)", "hashlib.md5().hexdigest()"]
    );
}

#[test]
fn javascript_names_and_arguments() {
    let calls = |text| calls(Language::Javascript, text);
    let last = |text| calls(text).pop().unwrap_or_default();
    assert_eq!(last("const {exec: run} = require('node:child_process'); run(a)"), "child_process.exec(a)");
    assert_eq!(last("import x from 'fs'; x.promises.readFile(f)"), "fs.readFile(f)");
    assert_eq!(
        last("var fs = require('fs');\nfunction f(){ var {readFile: r} = fs.promises;\nr(n)}"),
        "fs.readFile(n)"
    );
    assert_eq!(last("require('fs').promises.open(n)"), "fs.open(n)");
    assert_eq!(
        last("spawn(c, {shell: true, 'cwd': d})"),
        "spawn(c|shell=true|cwd=d|{shell: true, 'cwd': d})".replace("cwd=", "'cwd'=")
    );
    assert_eq!(last("var f = require('child_process'); function g(){ var f = /x/; f.exec(s) }"), "?.exec(s)");
    assert_eq!(last("new RegExp(a, 'i')"), "RegExp(a|'i')");
}

#[test]
fn brackets_that_do_not_match_do_no_harm() {
    for text in ["(((", ")))", "f([)]", "a = {(}", "f(a, (b]", "= = =", "import", "from x", "{a = ", "a.b.", "."] {
        for language in [Language::Python, Language::Javascript] {
            calls(language, &format!("{text}\n{text}"));
        }
    }
    let deep = "f(".repeat(100_000) + &")".repeat(100_000);
    assert!(calls(Language::Python, &deep).len() <= DEEPEST);
}
