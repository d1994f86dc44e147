//! Lines of code by their looks, and their language where that tells.

/// How lines of code begin, and the language that this tells; empty where it is one of several.
const STARTS: &[(&str, &str)] = &[
    ("def ", "python"),
    ("import ", ""),
    ("from ", "python"),
    ("class ", ""),
    ("@", ""),
    ("elif ", "python"),
    ("function ", "javascript"),
    ("const ", "javascript"),
    ("let ", "javascript"),
    ("var ", "javascript"),
    ("async ", ""),
    ("export ", "javascript"),
    ("fn ", "rust"),
    ("pub ", "rust"),
    ("impl ", "rust"),
    ("use ", "rust"),
    ("struct ", ""),
    ("#include", "c"),
    ("#define", "c"),
    ("int ", "c"),
    ("void ", "c"),
    ("char ", "c"),
    ("static ", ""),
    ("public ", "java"),
    ("private ", "java"),
    ("package ", ""),
    ("func ", "go"),
    ("SELECT ", "sql"),
    ("INSERT ", "sql"),
    ("UPDATE ", "sql"),
    ("DELETE ", "sql"),
    ("CREATE ", "sql"),
    ("FROM ", "sql"),
    ("WHERE ", "sql"),
    ("WITH ", "sql"),
    ("ORDER BY", "sql"),
    ("JOIN ", "sql"),
    ("<?php", "php"),
    ("#!/", "bash"),
    ("return ", ""),
    ("if (", ""),
    ("for (", ""),
    ("while (", ""),
    ("} else", ""),
    ("fun ", "kotlin"),
    ("FROM", "dockerfile"),
    ("for ", "python"),
    ("if ", "python"),
    ("while ", "python"),
    ("try:", "python"),
    ("with ", "python"),
    ("else:", "python"),
    ("typedef ", "c"),
    ("unsigned ", "c"),
    ("double ", "c"),
    ("template<", "c++"),
    ("using ", ""),
    ("namespace ", ""),
];

/// A line of code by its beginning or its signs, and its language where that tells.
pub(crate) fn code(line: &str) -> Option<Option<&'static str>> {
    let bare = line.trim();
    match STARTS.iter().find(|(start, _)| bare.starts_with(start) && is_sure(start, bare)) {
        Some((_, language)) => Some((!language.is_empty()).then_some(*language)),
        None => is_statement(bare).then_some(None),
    }
}

/// Whether a line that begins like code is code: sentences may begin with the same words.
fn is_sure(start: &str, bare: &str) -> bool {
    match start {
        "import " | "package " => bare.split_whitespace().count() <= 4 || bare.contains('{') || bare.ends_with(';'),
        "from " => bare.contains(" import "),
        "use " => bare.ends_with(';'),
        "class " | "def " | "fn " | "func " | "fun " | "function " | "pub " => {
            bare.contains(['(', ':', '{', ';']) && !bare.ends_with(['.', '?'])
        }
        "@" => {
            bare.chars().nth(1).is_some_and(char::is_alphabetic)
                && (bare.contains('(') || bare.split_whitespace().count() == 1)
        }
        "for " | "if " | "while " | "with " => {
            bare.ends_with(':')
                && bare.split_whitespace().count() < 14
                && bare.contains(['(', '=', '<', '>', '[', '.', '_'])
                || (bare.starts_with("for ") && bare.ends_with(':') && bare.contains(" in "))
        }
        "let " | "const " | "var " => bare.contains('='),
        "struct " | "static " | "using " | "namespace " | "async " | "typedef " => bare.contains(['{', ';', '(']),
        "int " | "void " | "char " | "unsigned " | "double " | "public " | "private " => bare.contains(['(', ';', '{']),
        "FROM" | "FROM " | "WHERE " | "WITH " | "JOIN " | "SELECT " | "INSERT " | "UPDATE " | "DELETE " | "CREATE " => {
            !bare.ends_with(['.', '?', '!'])
        }
        "return " => ends_like_code(bare) || bare.split_whitespace().count() < 5,
        _ => true,
    }
}

/// Whether a line has signs that sentences seldom have.
fn ends_like_code(bare: &str) -> bool {
    bare.ends_with(['{', '}', ';', ')', ',', ':', '>', '"', '(', '\\', ']'])
        || bare.contains(" = ")
        || bare.contains('(')
        || bare.contains("::")
}

/// Whether a line is code by its signs alone.
fn is_statement(bare: &str) -> bool {
    bare.ends_with('{')
        || bare == "}"
        || bare == "};"
        || (bare.ends_with(';') && bare.contains(['(', '=']))
        || bare.starts_with("//")
        || bare.starts_with("/*")
        || bare.starts_with("$ ")
}
