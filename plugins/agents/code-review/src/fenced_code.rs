//! Code between fences.

use crate::code_looks::file_name;
use crate::file::File;
use crate::language::Language;
use crate::task_code::Found;

/// Blocks between fences.
pub fn read(text: &str) -> Found {
    let mut found = Found::default();
    let mut open: Option<(String, String, Option<String>)> = None;
    let mut before = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].iter().find_map(|mark| trimmed.strip_prefix(*mark));
        match (mark, open.as_mut()) {
            (Some(language), None) => {
                let name = file_name(&before).map(str::to_owned);
                // ```code``` on one line
                if let Some(code) = language.strip_suffix("```").filter(|code| !code.trim().is_empty()) {
                    push(&mut found.files, "", format!("{code}\n"), name);
                } else {
                    open = Some((language.trim().to_lowercase(), String::new(), name));
                }
            }
            (Some(rest), Some(_)) if rest.trim().is_empty() => {
                if let Some((language, content, name)) = open.take() {
                    push(&mut found.files, &language, content, name);
                }
            }
            (_, Some((_, content, _))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {
                found.request.push_str(line);
                found.request.push('\n');
            }
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut before);
        }
    }
    if let Some((language, content, name)) = open {
        push(&mut found.files, &language, content, name);
    }
    found.files.retain(|file| !file.content.trim().is_empty());
    found
}

fn push(files: &mut Vec<File>, language: &str, content: String, name: Option<String>) {
    let word = language.split([' ', ':', '{', ',']).next().unwrap_or_default();
    let known = Language::named(word).unwrap_or_else(|| Language::guess(&content));
    let path = name.unwrap_or_else(|| format!("block{}.{}", files.len() + 1, known.ending()));
    files.push(File { path, content });
}
