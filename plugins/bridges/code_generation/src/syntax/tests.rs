use proptest::prelude::*;

use super::*;

fn check(language: Language, code: &str, expect: Option<usize>) {
    let mistake = super::check(language, code);
    assert_eq!(mistake.as_ref().map(|mistake| mistake.line), expect, "{language:?} {code:?}: {mistake:?}");
}

#[test]
fn sound_code_passes() {
    for (language, code) in [
        (
            Language::Python,
            "def f(a, b='}'):\n    \"\"\"Doc ( string\n  odd\n    \"\"\"\n    if a:  # why: (\n        return [\n  1,\n]\n    return {'a': \"'\"}\n\nx = f(1,\n2)\n",
        ),
        (Language::Python, "class A: pass\nfor i in x: print(i)\nelse:\n\tpass\n"),
        (Language::Python, "if a and \\\n        b:\n    pass\n"),
        (
            Language::Rust,
            "fn f<'a>(x: &'a str) -> char { /* a /* b */ ( */ let c = '{'; let d = '\\''; let s = \"a\nb\"; let r = r\"\\\"; let q = r#\"\"(\"#; c }",
        ),
        (Language::Javascript, "const a = /[)/]\\/(/.test(`x ${y}\n(`) / 2; // (\nconst b = 'it\\'s';"),
        (Language::Go, "package main\nvar s = `\\`\nvar r = '('\n"),
        (Language::C, "#include <stdio.h>\nint main(void) { char c = '\\n'; return 0; } /* ( */"),
        (Language::Java, "class A { String s = \"\"\"\n ( \"a\n \"\"\"; char c = ')'; }"),
        (Language::Sql, "SELECT 'it''s (', \"a\" FROM t -- (\nWHERE x = '\\';"),
        (Language::Json, "{\"a\": [1, 2]}"),
        (Language::Bash, "case x in a) ;; esac"),
    ] {
        check(language, code, None);
    }
}

#[test]
fn mistakes_are_found_by_line() {
    for (language, code, line) in [
        (Language::Python, "def f(:\n    pass\n", 1),
        (Language::Python, "def f():\npass\n", 2),
        (Language::Python, "x = 1\n    y = 2\n", 2),
        (Language::Python, "if x:\n        a\n    b\n", 3),
        (Language::Python, "s = 'abc\n", 1),
        (Language::Python, "if x:\n", 1),
        (Language::Rust, "fn f() {\n  (\n}", 3),
        (Language::Rust, "/* /* */", 1),
        (Language::Javascript, "f(`a", 1),
        (Language::C, "int main() {\n", 1),
        (Language::Java, "}\n", 1),
        (Language::Sql, "SELECT 'a", 1),
        (Language::Json, "{\"a\": 1,}", 1),
    ] {
        check(language, code, Some(line));
    }
}

proptest! {
    #[test]
    fn any_code_is_checked(code in "(\\PC|[\\[\\](){}'\"`/*#\\\\:\n \t-]|r#\"|\"\"\"|''')*") {
        for language in [Language::Python, Language::Javascript, Language::Rust, Language::Go, Language::Java, Language::C, Language::Sql, Language::Json, Language::Yaml] {
            let _ = super::check(language, &code);
        }
    }
}
