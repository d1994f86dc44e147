//! Builds plugins in JavaScript and Python: a pinned tool puts interpreter and script into one
//! component.
//!
//! The tools never produce the same bytes twice, and a published version never changes; so a
//! component is rebuilt only when one of its inputs has changed.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::UNIX_EPOCH,
};

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tollbridge_core::config::Grant;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::limits::EXAMPLES_MAX;
use tollbridge_registry::Manifest;

use super::{
    built::{Built, Fresh, finish},
    hinted::Hinted,
    language::Language,
    output::Output,
    tools::Tool,
    world,
};

/// Folder below the plugin's folder with the generated files that the tool reads.
const STAGE: &str = "target/tollbridge";
/// Folder below the plugin's folder for built components.
const COMPONENTS: &str = "target/components";
/// WASI imports that `globals.js` needs in every JavaScript plugin.
const JS_BASICS: &[&str] = &["wasi:cli/stdout@0.2.12", "wasi:cli/stderr@0.2.12"];
/// Maximum number of files of a plugin, including its dependencies.
const FILES_MAX: usize = 50_000;

/// The schemas and examples of a plugin, as JSON texts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    input_schema: String,
    output_schema: String,
    examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct Example {
    input: String,
    output: String,
}

/// Builds the script plugin in `folder`.
pub(crate) fn build(folder: &Path, language: Language, out: &Output) -> anyhow::Result<Built> {
    let tool = Tool::of(language).context("there is no tool for scripts in this language")?;
    let manifest = manifest(folder, language)?;
    let name = manifest.id.name.as_str();
    let stage = folder.join(STAGE);
    let wit = stage.join("wit");
    fs::create_dir_all(&wit).with_context(|| format!("cannot make {}", wit.display()))?;
    let basics = if language == Language::Js { JS_BASICS } else { &[] };
    let world = world::write(&wit, &manifest.grants, basics)?;
    let entry = write_entry(&stage, language, &Description::read(folder)?)?;
    let into = folder.join(COMPONENTS);
    fs::create_dir_all(&into)?;
    let made_of = fingerprint(folder, &[tool.name, &world.text, &entry])?;
    let (component, note) = (into.join(format!("{name}.wasm")), stage.join("made-of"));
    if fs::read_to_string(&note).is_ok_and(|before| before == made_of)
        && let Ok(bytes) = fs::read(&component)
    {
        return finish(folder, name, &fresh_script(&bytes), &into);
    }
    // Remove the recorded digest first: if the build fails halfway, it must not match an old
    // component.
    let _ = fs::remove_file(&note);
    let fresh = stage.join("component.wasm");
    let mut command = tool.ready(out)?;
    arguments(&mut command, folder, language, &world.imports)?;
    command.arg("--output").arg(&fresh).current_dir(folder);
    out.note(&format!("Building {name} with {}", tool.name));
    run(&mut command, name)?;
    let bytes = fs::read(&fresh).with_context(|| format!("{name}: {} produced no component", tool.name))?;
    let built = finish(folder, name, &fresh_script(&bytes), &into)?;
    fs::write(&note, made_of)?;
    fs::remove_file(&fresh)?;
    Ok(built)
}

/// Describes a component built from a script. It counts as prepared, because the tool has
/// already run the script's top-level code; an `init` in the component belongs to the
/// tool and must not be run.
fn fresh_script(bytes: &[u8]) -> Fresh<'_> {
    Fresh { bytes, is_prepared: true, ..Fresh::default() }
}

fn manifest(folder: &Path, language: Language) -> anyhow::Result<Manifest> {
    let path = folder.join("plugin.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest = Manifest::parse(&text).with_context(|| path.display().to_string())?;
    if manifest.id.kind != PluginKind::Bridge {
        let hint = "set kind = \"bridge\" in plugin.toml, or write the agent in Rust: \
                    tollbridge plugin new NAME --kind agent";
        return Err(Hinted::error(format!("{}: only bridges are built from scripts", manifest.id), hint));
    }
    if language == Language::Js && manifest.grants.contains(&Grant::Http) {
        let hint = "drop the grant, or write the bridge in Python or Rust";
        let name = &manifest.id;
        return Err(Hinted::error(format!("{name}: the tool for JavaScript cannot build the grant `http` in"), hint));
    }
    Ok(manifest)
}

impl Description {
    /// Reads `schema/input.json`, `schema/output.json`, and each `cases/example*.json`.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let schema = |name: &str| Ok::<_, anyhow::Error>(json(&folder.join("schema").join(name))?.to_string());
        let mut examples = Vec::new();
        for path in example_files(&folder.join("cases")) {
            let case = json(&path)?;
            let member = |name: &str| match case.get(name) {
                Some(value) => Ok(value.to_string()),
                None => {
                    let hint = "an example needs `input` and `output`; rename the file if it is only a test";
                    Err(Hinted::error(format!("{}: `{name}` is missing", path.display()), hint))
                }
            };
            examples.push(Example { input: member("input")?, output: member("output")? });
        }
        anyhow::ensure!(examples.len() <= EXAMPLES_MAX, "at most {EXAMPLES_MAX} files cases/example*.json");
        Ok(Self { input_schema: schema("input.json")?, output_schema: schema("output.json")?, examples })
    }
}

fn json(path: &Path) -> anyhow::Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

fn example_files(cases: &Path) -> BTreeSet<PathBuf> {
    let entries = cases.read_dir().into_iter().flatten().flatten();
    let is_example = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("example") && name.ends_with(".json")
    };
    entries.map(|entry| entry.path()).filter(is_example).collect()
}

/// Writes the scripts that connect the author's script to the plugin contract; returns their text.
fn write_entry(stage: &Path, language: Language, description: &Description) -> anyhow::Result<String> {
    // JSON strings, lists and objects are also valid literals in JavaScript and Python.
    let literal = serde_json::to_string(description)?;
    let files: &[_] = match language {
        Language::Python => &[("entry/tollbridge_entry.py", include_str!("../templates/python/entry.py"))],
        Language::Js | Language::Rust => &[
            ("entry.js", include_str!("../templates/js/entry.js")),
            ("globals.js", include_str!("../templates/js/globals.js")),
        ],
    };
    let mut all = String::new();
    for (file, template) in files {
        let (path, text) = (stage.join(file), template.replace("{{description}}", &literal));
        fs::create_dir_all(path.parent().unwrap_or(stage))?;
        fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        all.push_str(&text);
    }
    Ok(all)
}

fn arguments(command: &mut Command, folder: &Path, language: Language, imports: &[String]) -> anyhow::Result<()> {
    let stage = folder.join(STAGE);
    match language {
        Language::Python => {
            let world = ["--world".as_ref(), world::WORLD.as_ref()];
            command.arg("--wit-path").arg(stage.join("wit")).args::<_, &std::ffi::OsStr>(world);
            command.args(["--import-interface-name", "tollbridge:plugin/types@1.0.0=types"]);
            for name in imports.iter().filter_map(|import| python_name(import)) {
                command.arg("--import-interface-name").arg(name);
            }
            command.args(["componentize", "tollbridge_entry"]);
            for part in [stage.join("entry"), folder.join("src"), folder.join(".tollbridge")] {
                command.arg("--python-path").arg(part);
            }
            command.env("VIRTUAL_ENV", dependencies(folder, &stage)?).env_remove("PYTHONPATH");
            command.env("PYTHONDONTWRITEBYTECODE", "1");
        }
        Language::Js | Language::Rust => {
            // Without `--sync` the component would need the async component model.
            command.args(["--sync", "--world", world::WORLD, "--wit"]).arg(stage.join("wit"));
            command.arg("--module-root").arg(folder).arg("--js").arg(stage.join("entry.js"));
        }
    }
    Ok(())
}

/// Returns the Python module name for an interface whose default name would depend on the other
/// imports: `wasi:config/store` and `wasi:keyvalue/store` become `config` and `keyvalue`.
fn python_name(import: &str) -> Option<String> {
    let (path, _version) = import.split_once('@').unwrap_or((import, ""));
    let package = path.strip_suffix("/store")?.rsplit(':').next()?;
    Some(format!("{import}={package}"))
}

/// Returns the virtual environment with a Python plugin's dependencies: the plugin's own, otherwise
/// an empty one, never the packages installed on this machine.
fn dependencies(folder: &Path, stage: &Path) -> anyhow::Result<PathBuf> {
    let local_folder = folder.join(".venv");
    if local_folder.is_dir() {
        return Ok(local_folder);
    }
    let empty = stage.join("venv");
    fs::create_dir_all(empty.join("lib/site-packages"))?;
    Ok(empty)
}

/// Runs the tool; shows its output only if it fails.
fn run(command: &mut Command, name: &str) -> anyhow::Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{name}: cannot start the tool"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    anyhow::bail!("{name}: the build failed:\n{}", said.join("\n"))
}

/// Returns a digest of all inputs of a component. Dependencies count by name, size and modification
/// time, the author's own files by their contents.
fn fingerprint(folder: &Path, texts: &[&str]) -> anyhow::Result<String> {
    let mut digest = Sha256::new();
    // Hash the length before each part, so that different inputs never hash the same
    // bytes.
    for text in texts {
        digest.update(text.len().to_le_bytes());
        digest.update(text);
    }
    let mut files = BTreeSet::new();
    for local_folder in ["src", ".tollbridge", "package.json", "node_modules", ".venv"] {
        gather(&folder.join(local_folder), &mut files)?;
    }
    for path in files {
        let below = path.strip_prefix(folder).unwrap_or(&path);
        digest.update(below.as_os_str().len().to_le_bytes());
        digest.update(below.as_os_str().as_encoded_bytes());
        if below.starts_with("node_modules") || below.starts_with(".venv") {
            let data = path.symlink_metadata()?;
            let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            digest.update(data.len().to_le_bytes());
            digest.update(time.as_nanos().to_le_bytes());
        } else {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            digest.update(bytes.len().to_le_bytes());
            digest.update(bytes);
        }
    }
    Ok(hex::encode(digest.finalize()))
}

/// Collects the files at or below `path`, except the cache files that Python leaves next to
/// sources.
fn gather(path: &Path, files: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let Ok(data) = path.symlink_metadata() else { return Ok(()) };
    if !data.is_dir() {
        files.insert(path.to_owned());
        anyhow::ensure!(files.len() <= FILES_MAX, "a plugin can have at most {FILES_MAX} files");
        return Ok(());
    }
    if path.ends_with("__pycache__") {
        return Ok(());
    }
    for entry in path.read_dir().with_context(|| format!("{}", path.display()))? {
        gather(&entry?.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "name = \"x\"\nkind = \"bridge\"\nversion = \"0.1.0\"\npublisher = \"local\"\n\
                            purpose = \"x\"\nprice_gbp = \"0.01\"\n";

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        root
    }

    #[test]
    fn only_files_that_a_component_is_made_of_count() {
        let folder = folder_with(&[("src/plugin.js", "a"), ("node_modules/x/index.js", "b"), ("README.md", "c")]);
        let made_of = || fingerprint(folder.path(), &["tool"]).expect("a digest");
        let before = made_of();
        for same in ["README.md", "target/x", "src/__pycache__/plugin.pyc"] {
            fs::create_dir_all(folder.path().join(same).parent().expect("a parent")).expect("folders");
            fs::write(folder.path().join(same), "changed").expect("a file");
            assert_eq!(made_of(), before, "{same}");
        }
        assert_ne!(fingerprint(folder.path(), &["other tool"]).expect("a digest"), before);
        for other in ["src/plugin.js", "src/more.js", "node_modules/x/index.js"] {
            let before = made_of();
            fs::write(folder.path().join(other), "something else").expect("a file");
            assert_ne!(made_of(), before, "{other}");
        }
    }

    #[test]
    fn schemas_and_examples_come_from_their_files() {
        let case = r#"{"about": "x", "input": {"a": 1}, "output": {"b": "é"}}"#;
        let folder = folder_with(&[
            ("schema/input.json", "{ \"type\": \"object\" }"),
            ("schema/output.json", "{}"),
            ("cases/example_one.json", case),
            ("cases/wrong.json", r#"{"error": {}}"#),
        ]);
        let read = || Description::read(folder.path());
        let text = serde_json::to_string(&read().expect("a description")).expect("JSON");
        let expect = r#"{"inputSchema":"{\"type\":\"object\"}","outputSchema":"{}","examples":[{"input":"{\"a\":1}","output":"{\"b\":\"é\"}"}]}"#;
        assert_eq!(text, expect);
        fs::write(folder.path().join("cases/example_two.json"), r#"{"input": {}}"#).expect("a file");
        assert!(read().expect_err("no output").to_string().contains("`output` is missing"));
        fs::remove_file(folder.path().join("cases/example_two.json")).expect("removed");
        fs::write(folder.path().join("schema/output.json"), "{").expect("a file");
        assert!(read().expect_err("no JSON").to_string().contains("output.json is not JSON"));
    }

    #[test]
    fn an_unsupported_build_is_refused_by_name() {
        let check = |text: &str, language, expect: Option<&str>| {
            let folder = folder_with(&[("plugin.toml", text)]);
            let said = manifest(folder.path(), language).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(said.contains(expect.unwrap_or_default()) && said.is_empty() == expect.is_none(), "{said}");
        };
        let http = format!("{MANIFEST}grants = [\"http\"]\nallow_hosts = [\"example.com\"]\n");
        check(MANIFEST, Language::Js, None);
        check(&http, Language::Python, None);
        check(&http, Language::Js, Some("`http`"));
        check(&MANIFEST.replace("bridge", "agent"), Language::Python, Some("only bridges"));
    }

    #[test]
    fn python_modules_have_the_same_names_whatever_else_is_granted() {
        let check = |import: &str, expect: Option<&str>| assert_eq!(python_name(import).as_deref(), expect);
        check("wasi:config/store@0.2.0-rc.1", Some("wasi:config/store@0.2.0-rc.1=config"));
        check("wasi:keyvalue/store@0.2.0-draft", Some("wasi:keyvalue/store@0.2.0-draft=keyvalue"));
        check("wasi:keyvalue/atomics@0.2.0-draft", None);
        check("wasi:logging/logging@0.1.0-draft", None);
    }

    #[test]
    fn a_python_plugin_sees_its_own_dependencies_only() {
        let folder = folder_with(&[]);
        let stage = folder.path().join(STAGE);
        assert!(dependencies(folder.path(), &stage).expect("a folder").join("lib/site-packages").is_dir());
        fs::create_dir(folder.path().join(".venv")).expect("a folder");
        assert_eq!(dependencies(folder.path(), &stage).expect("a folder"), folder.path().join(".venv"));
    }
}
