//! Imports, variables and parameters that nothing uses.

use crate::language::Language;
use crate::remark::Kind::Unused;
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{all, count_word, groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    match source.language {
        Language::Python => {
            imports_of_python(source, found);
            variables_of_python(source, found);
        }
        Language::Javascript | Language::Typescript => {
            imports_of_script(source, found);
            variables(source, r"^\s*(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=", found);
        }
        Language::Java => imports(source, r"^\s*import\s+(?:static\s+)?[\w.]+\.(\w+)\s*;", found),
        Language::Go => go_imports(source, found),
        Language::Rust => imports(source, r"^\s*use\s+[\w:]+::(\w+)\s*;", found),
        Language::C | Language::Cpp => {
            variables(source, r"^\s+(?:int|long|double|float|char|size_t|unsigned)\s+(\w+)\s*(?:=[^;]*)?;", found)
        }
        _ => {}
    }
}

fn remark(source: &Source, at: usize, name: &str, what: &str, found: &mut Vec<Remark>) {
    let rule = format!("unused-{what}");
    let message = format!("unused {what}: `{name}` is not used");
    found.push(Remark::new(source, at, (Unused, "low"), &rule, message, "Remove it."));
}

fn whole(source: &Source) -> String {
    source.joined(0, source.lines.len())
}

/// Uses outside of the line itself; f-strings and annotations in texts count too.
fn uses(source: &Source, at: usize, name: &str) -> usize {
    let text = source.joined_text(0, source.lines.len());
    count_word(&text, name).saturating_sub(count_word(source.text(at), name))
}

fn imports_of_python(source: &Source, found: &mut Vec<Remark>) {
    let text = whole(source);
    if text.contains("__all__") || source.path.ends_with("__init__.py") || !is_match(r"\bdef \w|\bclass \w|=|\(", &text)
    {
        return;
    }
    for (at, line) in source.lines.iter().enumerate() {
        let list = groups(r"^(?:from\s+[\w.]+\s+)?import\s+\(?([\w.,\s]+?)\)?$", line.code.trim_end());
        let Some(list) = list.get(1).filter(|_| !line.code.contains("__future__")) else { continue };
        for part in list.split(',') {
            let name = part.rsplit(" as ").next().unwrap_or(part).trim();
            let name = if part.contains(" as ") { name } else { name.split('.').next().unwrap_or(name) };
            if !name.is_empty() && uses(source, at, name) == 0 {
                remark(source, at, name, "import", found);
            }
        }
    }
}

fn variables_of_python(source: &Source, found: &mut Vec<Remark>) {
    for function in source.functions() {
        let inner = source.joined_text(function.start, function.end);
        for at in function.start + 1..function.end {
            let assigned = groups(r"^\s+(\w+)\s*(?::[^=]+)?=\s*[^=]", source.code(at));
            let Some(name) = assigned.get(1).filter(|name| !name.starts_with('_')) else { continue };
            let outer = is_match(&format!(r"(?:global|nonlocal)\s+.*\b{name}\b"), &inner);
            let class = is_match(r"^\s*class\b", source.code(function.start));
            if count_word(&inner, name) == 1
                && !outer
                && !class
                && !source.code(at).trim_end().ends_with(',')
                && !inside_call(source, function.start, at)
            {
                remark(source, at, name, "variable", found);
            }
        }
    }
}

/// Whether a line stands inside parentheses that an earlier one opened: then `name=` is an argument.
fn inside_call(source: &Source, start: usize, at: usize) -> bool {
    let before = source.joined(start + 1, at);
    before
        .chars()
        .map(|c| {
            if "([{".contains(c) {
                1
            } else if ")]}".contains(c) {
                -1
            } else {
                0
            }
        })
        .sum::<i32>()
        > 0
}

fn imports_of_script(source: &Source, found: &mut Vec<Remark>) {
    for (at, line) in source.lines.iter().enumerate() {
        let code = line.code.trim();
        let list = groups(r"^import\s+(?:type\s+)?(.+?)\s+from\b", code);
        let Some(list) = list.get(1) else { continue };
        for part in list.split([',', '{', '}']) {
            let name = part.rsplit(" as ").next().unwrap_or(part).trim().trim_start_matches('*').trim();
            if !name.is_empty() && name != "React" && uses(source, at, name) == 0 && source.lines.len() > 2 {
                remark(source, at, name, "import", found);
            }
        }
    }
}

fn imports(source: &Source, pattern: &str, found: &mut Vec<Remark>) {
    for (at, line) in source.lines.iter().enumerate() {
        let name = groups(pattern, &line.code);
        if let Some(name) = name.get(1).filter(|name| uses(source, at, name) == 0 && source.lines.len() > 3) {
            remark(source, at, name, "import", found);
        }
    }
}

fn go_imports(source: &Source, found: &mut Vec<Remark>) {
    let mut inside = false;
    for (at, line) in source.lines.iter().enumerate() {
        let text = line.text.trim();
        inside = (inside || text.starts_with("import (")) && text != ")";
        let path = groups(r#"^(?:import\s+)?"([\w./-]+)"$"#, text);
        let Some(path) = path.get(1).filter(|_| inside || text.starts_with("import")) else { continue };
        let name = path.rsplit('/').next().unwrap_or(path);
        if count_word(&whole(source), name) == 0 {
            remark(source, at, name, "import", found);
        }
    }
}

/// Local variables that stand nowhere else.
fn variables(source: &Source, pattern: &str, found: &mut Vec<Remark>) {
    for function in source.functions() {
        let inner = source.joined_text(function.start, function.end);
        for at in function.start + 1..function.end {
            let name = groups(pattern, source.code(at));
            let Some(name) = name.get(1) else { continue };
            if count_word(&inner, name) == 1 && all(r"\w+", &inner).len() > 3 {
                remark(source, at, name, "variable", found);
            }
        }
    }
}
