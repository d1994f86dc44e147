//! Checks that every template, and the Rust code in the guides for authors, works in a
//! new project with its locked dependency versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tollbridge_tests::{Folder, workspace};

const TEMPLATES: [&str; 5] = ["lookup", "text", "table", "http", "agent"];

/// Snippets in the guides, identified by a part of their text, with the code to put
/// before and after them.
const PARTS: [(&str, &str, &str); 4] = [
    ("static RATES", "", ""),
    ("with_input", "fn _asks() -> Result<(), Error> {\n    use serde_json::json;\n", "\n}\n"),
    (
        "testing::Doubles",
        "#[cfg(test)]\n#[test]\nfn with_doubles() {\n    use tollbridge_sdk::{http::{Request, Response}, testing};\n    \
         let input = Input { price: 300 };\n",
        "    let _ = (result, recorded);\n}\n",
    ),
    (
        "Table::open",
        "fn _reads() -> Result<(), Error> {\n    use tollbridge_sdk::tables::Table;\n    let codes = [\"GB\"];\n",
        "    let _ = (name, all, range, page, data);\n    Ok(())\n}\n",
    ),
];

#[test]
fn the_lookup_template_passes_its_own_tests() -> Result<()> {
    passes_its_own_tests("lookup")
}

#[test]
fn the_text_template_passes_its_own_tests() -> Result<()> {
    passes_its_own_tests("text")
}

#[test]
fn the_table_template_passes_its_own_tests() -> Result<()> {
    passes_its_own_tests("table")
}

#[test]
fn the_http_template_passes_its_own_tests() -> Result<()> {
    passes_its_own_tests("http")
}

#[test]
fn the_agent_template_passes_its_own_tests() -> Result<()> {
    passes_its_own_tests("agent")
}

fn passes_its_own_tests(template: &str) -> Result<()> {
    let folder = Folder::new("")?;
    let project = fresh(&folder, template, &["--template", template])?;
    let locked = fs::read_to_string(project.join("Cargo.lock"))?;
    is_locked(&project)?;
    let path = project.display().to_string();
    let tested = folder.run_json(&["plugin", "test", &path])?;
    ensure!(tested["ok"] == true && tested["cases"].as_u64() >= Some(3), "{tested}");
    let checked = folder.run_json(&["plugin", "check", &path])?;
    ensure!(checked["ok"] == true && checked["price_gbp"] != "0.00", "{checked}");
    ensure!(fs::read_to_string(project.join("Cargo.lock"))? == locked, "the build changed Cargo.lock");
    Ok(())
}

#[test]
fn an_unknown_template_is_refused_with_those_there_are() -> Result<()> {
    let folder = Folder::new("")?;
    let refused = folder.try_run(&["plugin", "new", "mine", "--template", "bogus"])?;
    let said = String::from_utf8_lossy(&refused.stderr);
    ensure!(!refused.status.success() && TEMPLATES.iter().all(|template| said.contains(template)), "{said}");
    let refused = folder.try_run(&["plugin", "new", "mine", "--template", "text", "--lang", "js"])?;
    ensure!(String::from_utf8_lossy(&refused.stderr).contains("written in Rust"), "{refused:?}");
    ensure!(!folder.path().join("mine").exists(), "a project was created");
    Ok(())
}

#[test]
fn the_smallest_plugins_are_locked() -> Result<()> {
    let folder = Folder::new("")?;
    for kind in ["bridge", "agent"] {
        is_locked(&fresh(&folder, kind, &["--kind", kind])?)?;
    }
    let js = fresh(&folder, "script", &["--lang", "js"])?;
    let lock: serde_json::Value = serde_json::from_str(&fs::read_to_string(js.join("package-lock.json"))?)?;
    ensure!(lock["lockfileVersion"] == 3 && lock["packages"][""]["name"] == "script", "{lock}");
    ensure!(fresh(&folder, "python", &["--lang", "python"])?.join("requirements.txt").exists(), "no requirements");
    Ok(())
}

#[test]
fn the_rust_code_of_the_page_on_bridges_works_unchanged() -> Result<()> {
    works_as_it_stands("write-a-bridge.md")
}

#[test]
fn the_rust_code_of_the_page_on_agents_works_unchanged() -> Result<()> {
    works_as_it_stands("write-an-agent.md")
}

fn works_as_it_stands(page: &str) -> Result<()> {
    let folder = Folder::new("")?;
    let docs = workspace().join("docs");
    let pages = fs::read_dir(&docs)?.flatten().filter(|file| file.file_name().to_string_lossy().starts_with("write-"));
    ensure!(pages.count() == 2, "add a test for each page for authors");
    let text = fs::read_to_string(docs.join(page))?;
    let (whole, parts): (Vec<&str>, Vec<&str>) = blocks(&text, "rust").into_iter().partition(|code| is_whole(code));
    ensure!(!whole.is_empty(), "no code");
    let stem = page.replace(['-', '.'], "_");
    for (at, code) in whole.iter().enumerate() {
        let kind = if code.contains("tollbridge_sdk::agent!") { "agent" } else { "bridge" };
        let project = fresh(&folder, &format!("{stem}_{at}"), &["--kind", kind])?;
        check_page_code(&project, &text, code)?;
        folder.run(&["plugin", "test", &project.display().to_string()])?;
    }
    if let (Some(code), false) = (whole.first(), parts.is_empty()) {
        let project = fresh(&folder, &format!("{stem}_parts"), &[])?;
        check_page_code(&project, &text, &with_parts(code, &parts)?)?;
        fs::create_dir_all(project.join("data"))?;
        fs::write(project.join("data/rates.json"), "{\"EUR\": 1.15}")?;
        folder.run(&["plugin", "test", &project.display().to_string()])?;
    }
    Ok(())
}

/// Cargo treats two crates of the same name in different folders as one; this must not
/// mix up their components.
#[test]
fn plugins_of_the_same_name_are_distinguished_when_compiled_together() -> Result<()> {
    let folder = Folder::new("")?;
    let built = |place: &str| -> Result<Vec<u8>> {
        let built = folder.run_json(&["plugin", "build", place])?;
        Ok(fs::read(built[0]["component"].as_str().context("no component")?)?)
    };
    for place in ["one", "two"] {
        folder.run(&["plugin", "new", "same", "--path", place])?;
    }
    let source = folder.path().join("two/src/lib.rs");
    let text = fs::read_to_string(&source)?;
    ensure!(text.contains("give at least one number"), "the template has changed; change this test");
    fs::write(&source, text.replace("give at least one number", "give at least 1 number"))?;
    let (one, two) = (built("one")?, built("two")?);
    ensure!(one != two, "the second component equals the first");
    ensure!(built("one")? == one && built("two")? == two, "the components were confused");
    ensure!(!folder.path().join("target/wasm32-unknown-unknown").exists(), "the target folder is not shared");
    let here = folder.path().display().to_string();
    ensure!(!String::from_utf8_lossy(&one).contains(&here), "the component contains its build path");
    Ok(())
}

fn fresh(folder: &Folder, name: &str, options: &[&str]) -> Result<PathBuf> {
    let project = folder.path().join(name);
    let path = project.display().to_string();
    folder.run(&[&["plugin", "new", name, "--path", &path], options].concat())?;
    Ok(project)
}

/// Checks that the lock file is complete.
fn is_locked(project: &Path) -> Result<()> {
    let cargo =
        Command::new("cargo").args(["metadata", "--locked", "--format-version=1"]).current_dir(project).output()?;
    ensure!(cargo.status.success(), "{}: {}", project.display(), String::from_utf8_lossy(&cargo.stderr));
    Ok(())
}

/// Returns the code blocks of a page in one language.
fn blocks<'t>(page: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    page.split(opening.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

fn is_whole(code: &str) -> bool {
    code.contains("tollbridge_sdk::test_cases!")
}

/// Creates a project from the function, the first case and the first manifest on a page.
fn check_page_code(project: &Path, page: &str, code: &str) -> Result<()> {
    fs::write(project.join("src/lib.rs"), code)?;
    let (_, rest) = code.split_once("examples: [\"../").context("the page names no example")?;
    let example = rest.split('"').next().context("no name")?;
    let case = blocks(page, "json").into_iter().find(|block| block.contains("\"about\"")).context("no case")?;
    fs::remove_dir_all(project.join("cases"))?;
    fs::create_dir_all(project.join("cases"))?;
    fs::write(project.join(example), case)?;
    if let Some(manifest) = blocks(page, "toml").into_iter().find(|block| block.contains("publisher =")) {
        fs::write(project.join("plugin.toml"), manifest)?;
    }
    Ok(())
}

/// Merges the snippets of a page into a whole file.
fn with_parts(whole: &str, parts: &[&str]) -> Result<String> {
    let mut file = whole.to_owned();
    for part in parts {
        let around = PARTS.iter().find(|(known, ..)| part.contains(known));
        let (_, before, after) = around.with_context(|| format!("add the context of this part to PARTS:\n{part}"))?;
        // A `bridge!` in a snippet replaces that of the whole file.
        if part.contains("tollbridge_sdk::bridge!") {
            file =
                file.lines().filter(|line| !line.starts_with("tollbridge_sdk::bridge!")).collect::<Vec<_>>().join("\n");
        }
        file.push_str(&format!("\n{before}{part}{after}"));
    }
    Ok(file)
}
