//! `tollbridge plugin new`: creates a project that builds, with cases that pass.
//!
//! Inside this repository a Rust project joins the workspace `plugins/`. Elsewhere it is a separate
//! workspace and contains a copy of the SDK in `.tollbridge/`, so it needs nothing but Rust and the
//! package registry. A script project always contains its own copy.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use tollbridge_core::plugin_kind::PluginKind;

use super::{
    hinted::Hinted,
    language::Language,
    lock,
    output::Output,
    sdk_files::SDK_FILES,
    template::Template,
    templates::{self, Start},
};

const SDK_WORKSPACE: &str = include_str!("../templates/sdk/Cargo.toml");
/// Folder in a project that contains the copy of the SDK.
const SDK_FOLDER: &str = ".tollbridge";
const NAME_BYTES_MAX: usize = 64;
/// Names that a crate cannot have, because Rust reserves them.
const TAKEN: [&str; 5] = ["alloc", "core", "std", "test", "proc_macro"];

/// Start a new plugin.
#[derive(Debug, Clone, clap::Args)]
pub struct NewArgs {
    /// Name of the plugin: a-z, 0-9, _ and -.
    #[arg(required_unless_present = "update_sdk")]
    pub name: Option<String>,
    /// Bridge (answers with data) or agent (works on a task). A bridge unless the template says
    /// otherwise.
    #[arg(long, value_parser = PossibleValuesParser::new(["bridge", "agent"]).try_map(|kind| kind.parse::<PluginKind>()))]
    pub kind: Option<PluginKind>,
    /// Language of the plugin.
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub lang: Language,
    /// Template to start from (Rust): a small plugin with a real function. Without it, the smallest
    /// plugin.
    #[arg(long, value_enum)]
    pub template: Option<Template>,
    /// Folder to create; NAME in this folder by default.
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// Publisher that signs the plugin and earns from it.
    #[arg(long, default_value = "local")]
    pub publisher: String,
    /// Only renew the copy of the SDK in the project DIR.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "path"])]
    pub update_sdk: Option<PathBuf>,
}

/// A created project.
#[derive(Debug, Clone, Serialize)]
pub struct Created {
    /// Name of the plugin.
    pub name: String,
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Folder of the project.
    pub folder: PathBuf,
}

/// Runs `plugin new`.
pub fn run(args: NewArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(project) = &args.update_sdk {
        update_sdk(project)?;
        let folder = project.join(SDK_FOLDER);
        out.result(&serde_json::to_value(&folder)?, || folder.display().to_string());
        return Ok(());
    }
    let start = start(&args)?;
    let created = create(&args.name.unwrap_or_default(), start, &args.publisher, args.path)?;
    let folder = created.folder.display();
    out.result(&serde_json::to_value(&created)?, || folder.to_string());
    out.note(&format!(
        "\nnext:\n  cd {folder}\n  tollbridge plugin test   # run its cases\n  tollbridge plugin build  # make the component"
    ));
    Ok(())
}

/// Returns the kind, language and template that the options request.
fn start(args: &NewArgs) -> anyhow::Result<Start> {
    let of_template = args.template.map(Template::kind);
    if let (Some(kind), Some(other)) = (args.kind, of_template)
        && kind != other
    {
        let hint = format!("leave out --kind, or use a template of the kind {kind}");
        return Err(Hinted::error(format!("this template makes a plugin of the kind {other}"), hint));
    }
    let kind = args.kind.or(of_template).unwrap_or(PluginKind::Bridge);
    Ok(Start { kind, language: args.lang, template: args.template })
}

/// Creates a project. `path` must not exist, or must be empty.
pub fn create(name: &str, start: Start, publisher: &str, path: Option<PathBuf>) -> anyhow::Result<Created> {
    check_name("plugin", name)?;
    check_name("publisher", publisher)?;
    if templates::files(start, false).is_none() {
        return Err(rust_only(start));
    }
    let Start { kind, language, .. } = start;
    let folder = path.map_or_else(|| default_folder(name, kind), Ok)?;
    if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        let hint = "choose another name, or another folder with --path DIR";
        return Err(Hinted::error(format!("{} exists and is not empty", folder.display()), hint));
    }
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    let folder = folder.canonicalize()?;
    let crate_name = crate_name(name);
    let values = [
        ("{{name}}", name),
        ("{{crate}}", &crate_name),
        ("{{kind}}", kind.as_str()),
        ("{{purpose}}", purpose(kind)),
        ("{{publisher}}", publisher),
    ];
    let member = is_member(&folder);
    for (file, text) in templates::files(start, member).unwrap_or_default() {
        write(&folder.join(file), &filled(text, &values))?;
    }
    match templates::script_sdk(language) {
        Some((file, text)) => write(&folder.join(file), text)?,
        None if !member => {
            write_sdk(&folder.join(SDK_FOLDER))?;
            write(&folder.join("Cargo.lock"), &lock::of(&crate_name))?;
        }
        None => {}
    }
    Ok(Created { name: name.into(), kind, folder })
}

fn rust_only(start: Start) -> anyhow::Error {
    if start.template.is_some() {
        return Hinted::error("templates are written in Rust", "leave out --lang, or leave out --template");
    }
    Hinted::error("agents are written in Rust", "leave out --lang to write the agent in Rust, or make a bridge")
}

/// Returns the purpose of the smallest plugin of a kind.
fn purpose(kind: PluginKind) -> &'static str {
    match kind {
        PluginKind::Bridge => "Mean, minimum and maximum of a list of numbers",
        PluginKind::Agent => "Finds the numbers in a text and describes them",
    }
}

fn check_name(what: &str, name: &str) -> anyhow::Result<()> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(allowed) {
        return Ok(());
    }
    let hint = format!("use 1 to {NAME_BYTES_MAX} of a-z, 0-9, _ and -");
    Err(Hinted::error(format!("`{name}` is not a valid {what} name"), hint))
}

/// Returns the name of the crate: the plugin's name, unless Rust or cargo would reject it or
/// confuse it with a dependency.
fn crate_name(name: &str) -> String {
    let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    let taken = TAKEN.contains(&name) || is_keyword(name) || lock::names().any(|other| other == name);
    if starts_well && !taken { name.into() } else { format!("plugin-{name}") }
}

fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &str = " abstract as async await become box break const continue crate do dyn else enum extern \
        false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static \
        struct super trait true try type typeof unsafe unsized use virtual where while yield ";
    // The spaces make only whole keywords match.
    KEYWORDS.contains(&format!(" {name} "))
}

/// Returns the default folder of a new project: below `plugins/` inside this repository, otherwise
/// below the current folder.
fn default_folder(name: &str, kind: PluginKind) -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("the current folder does not exist")?;
    let plugins = here.ancestors().map(|folder| folder.join("plugins")).find(|plugins| is_workspace(plugins));
    Ok(match (plugins, kind) {
        (Some(plugins), PluginKind::Bridge) => plugins.join("bridges").join(name),
        (Some(plugins), PluginKind::Agent) => plugins.join("agents").join(name),
        (None, _) => here.join(name),
    })
}

/// Returns whether a project folder is a member of the workspace `plugins/` in this repository.
fn is_member(folder: &Path) -> bool {
    folder.ancestors().nth(2).is_some_and(is_workspace)
}

/// Returns whether a folder is `plugins/` of a repository that contains the SDK.
fn is_workspace(plugins: &Path) -> bool {
    plugins.join("Cargo.toml").is_file() && plugins.join("../sdk/Cargo.toml").is_file()
}

fn filled(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (mark, value)| text.replace(mark, value))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = || format!("{}", path.display());
    let parent = path.parent().with_context(shown)?;
    fs::create_dir_all(parent).with_context(shown)?;
    fs::write(path, text).with_context(shown)
}

fn write_sdk(folder: &Path) -> anyhow::Result<()> {
    let version = [("{{sdk_version}}", env!("CARGO_PKG_VERSION"))];
    write(&folder.join("Cargo.toml"), &filled(SDK_WORKSPACE, &version))?;
    SDK_FILES.iter().try_for_each(|(file, text)| write(&folder.join(file), text))
}

/// Replaces a project's copy of the SDK; the new copy is written completely before the old one is
/// removed.
fn update_sdk(project: &Path) -> anyhow::Result<()> {
    let script = Language::of(project)?.and_then(templates::script_sdk);
    if let Some((file, text)) = script.filter(|(file, _)| project.join(file).exists()) {
        return write(&project.join(file), text);
    }
    let folder = project.join(SDK_FOLDER);
    // Replace only a folder that this command wrote, recognized by the first line of its
    // Cargo.toml.
    let ours = SDK_WORKSPACE.lines().next().unwrap_or_default();
    let is_ours = fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.starts_with(ours));
    if !is_ours {
        let hint = "pass the folder of a project made by `tollbridge plugin new`";
        return Err(Hinted::error(format!("{}: the folder has no copy of the SDK", folder.display()), hint));
    }
    let (new, old) = (project.join(".tollbridge.new"), project.join(".tollbridge.old"));
    for left_over in [&new, &old] {
        if left_over.exists() {
            fs::remove_dir_all(left_over).with_context(|| format!("{}", left_over.display()))?;
        }
    }
    write_sdk(&new)?;
    fs::rename(&folder, &old)?;
    fs::rename(&new, &folder)?;
    fs::remove_dir_all(&old).with_context(|| format!("{}", old.display()))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    const BRIDGE: Start = Start { kind: PluginKind::Bridge, language: Language::Rust, template: None };

    fn check_crate(name: &str, expect: &str) {
        assert_eq!(crate_name(name), expect);
    }

    #[test]
    fn a_crate_gets_a_name_that_rust_accepts() {
        check_crate("tax_jar_lookup", "tax_jar_lookup");
        check_crate("my-bridge", "my-bridge");
        check_crate("3d", "plugin-3d");
        check_crate("_x", "plugin-_x");
        check_crate("type", "plugin-type");
        check_crate("core", "plugin-core");
        check_crate("memchr", "plugin-memchr");
    }

    #[test]
    fn names_are_checked_before_anything_is_written() {
        let root = tempfile::tempdir().expect("a folder");
        for name in ["", "A", "../x", "a b", "a/b", &"a".repeat(65)] {
            let path = root.path().join("new");
            assert!(create(name, BRIDGE, "local", Some(path.clone())).is_err(), "{name}");
            assert!(!path.exists());
        }
    }

    #[test]
    fn an_outside_project_is_complete() {
        for kind in [PluginKind::Bridge, PluginKind::Agent] {
            let root = tempfile::tempdir().expect("a folder");
            let created =
                create("mine", Start { kind, ..BRIDGE }, "me", Some(root.path().join("mine"))).expect("a project");
            let read = |file: &str| fs::read_to_string(created.folder.join(file)).expect(file);
            let manifest: toml::Table = read("plugin.toml").parse().expect("TOML");
            assert_eq!(manifest["name"].as_str(), Some("mine"));
            assert_eq!(manifest["kind"].as_str(), Some(kind.as_str()));
            assert_eq!(manifest["publisher"].as_str(), Some("me"));
            for file in ["Cargo.toml", ".cargo/config.toml", ".tollbridge/Cargo.toml", ".tollbridge/sdk/Cargo.toml"] {
                read(file).parse::<toml::Table>().expect(file);
            }
            assert!(read(".tollbridge/wit/plugin.wit").contains("package tollbridge:plugin"));
            assert!(read(".tollbridge/sdk/src/lib.rs").contains("pub mod testing"));
            assert!(!read("README.md").contains("{{"));
            assert!(!read("Cargo.toml").contains("{{"));
            assert_eq!(read("Cargo.lock"), lock::of("mine"));
        }
    }

    #[test]
    fn a_project_in_the_repository_joins_its_workspace() {
        let root = tempfile::tempdir().expect("a folder");
        for file in ["plugins/Cargo.toml", "sdk/Cargo.toml"] {
            write(&root.path().join(file), "").expect("a file");
        }
        let path = root.path().join("plugins/bridges/mine");
        let created = create("mine", BRIDGE, "me", Some(path)).expect("a project");
        assert!(!created.folder.join(SDK_FOLDER).exists());
        let text = fs::read_to_string(created.folder.join("Cargo.toml")).expect("a file");
        assert!(text.contains("tollbridge-sdk.workspace = true"));
        assert!(!created.folder.join("Cargo.lock").exists(), "the workspace has one");
    }

    #[test]
    fn every_template_makes_a_project_without_marks() {
        for template in Template::value_variants() {
            let root = tempfile::tempdir().expect("a folder");
            let start = Start { kind: template.kind(), template: Some(*template), ..BRIDGE };
            let created = create("mine", start, "me", Some(root.path().join("mine"))).expect("a project");
            for (file, _) in template.files().chain([("Cargo.toml", ""), (".gitignore", ""), ("Cargo.lock", "")]) {
                let text = fs::read_to_string(created.folder.join(file)).expect(file);
                assert!(!text.contains("{{"), "{template:?}: {file}");
            }
        }
    }

    #[test]
    fn a_template_says_the_kind() {
        let args = |kind, template| NewArgs {
            name: Some("mine".into()),
            kind,
            lang: Language::Rust,
            template,
            path: None,
            publisher: "me".into(),
            update_sdk: None,
        };
        let kind_of = |kind, template| start(&args(kind, template)).map(|start| start.kind).ok();
        assert_eq!(kind_of(None, None), Some(PluginKind::Bridge));
        assert_eq!(kind_of(None, Some(Template::Agent)), Some(PluginKind::Agent));
        assert_eq!(kind_of(Some(PluginKind::Agent), None), Some(PluginKind::Agent));
        assert_eq!(kind_of(Some(PluginKind::Agent), Some(Template::Text)), None);
    }

    #[test]
    fn existing_files_are_not_overwritten() {
        let root = tempfile::tempdir().expect("a folder");
        write(&root.path().join("kept"), "x").expect("a file");
        assert!(create("mine", BRIDGE, "me", Some(root.path().into())).is_err());
        assert!(create("mine", BRIDGE, "me", Some(root.path().join("kept"))).is_err());
        assert_eq!(root.path().read_dir().expect("entries").count(), 1);
    }

    #[test]
    fn only_the_copy_of_the_sdk_is_renewed() {
        let root = tempfile::tempdir().expect("a folder");
        let created = create("mine", BRIDGE, "me", Some(root.path().join("mine"))).expect("a project");
        write(&created.folder.join(".tollbridge/sdk/src/old.rs"), "").expect("a file");
        write(&created.folder.join("src/lib.rs"), "mine").expect("a file");
        update_sdk(&created.folder).expect("renewed");
        assert!(!created.folder.join(".tollbridge/sdk/src/old.rs").exists());
        assert!(created.folder.join(".tollbridge/sdk/src/lib.rs").exists());
        assert_eq!(fs::read_to_string(created.folder.join("src/lib.rs")).expect("a file"), "mine");
        assert!(update_sdk(root.path()).is_err());
    }

    #[test]
    fn a_script_project_is_complete_and_known_by_its_language() {
        for language in [Language::Js, Language::Python] {
            let root = tempfile::tempdir().expect("a folder");
            // A script project does not join a workspace, even in a folder that looks like this
            // repository.
            for file in ["plugins/Cargo.toml", "sdk/Cargo.toml"] {
                write(&root.path().join(file), "").expect("a file");
            }
            let path = root.path().join("plugins/bridges/mine");
            let created = create("mine", Start { language, ..BRIDGE }, "me", Some(path)).expect("a project");
            assert_eq!(Language::of(&created.folder).expect("one language"), Some(language));
            let text = fs::read_to_string(created.folder.join("plugin.toml")).expect("a manifest");
            let manifest = tollbridge_registry::Manifest::parse(&text).expect("a valid manifest");
            assert_eq!((manifest.id.name.as_str(), manifest.publisher.as_str()), ("mine", "me"));
            for schema in ["schema/input.json", "schema/output.json"] {
                let text = fs::read_to_string(created.folder.join(schema)).expect(schema);
                serde_json::from_str::<serde_json::Value>(&text).expect(schema);
            }
            assert!(fs::read_to_string(created.folder.join("README.md")).expect("a text").lines().count() <= 10);
            let (sdk, text) = templates::script_sdk(language).expect("an SDK");
            fs::write(created.folder.join(sdk), "old").expect("a file");
            update_sdk(&created.folder).expect("renewed");
            assert_eq!(fs::read_to_string(created.folder.join(sdk)).expect("a file"), text);
        }
    }

    #[test]
    fn agents_have_no_template_in_scripts() {
        let root = tempfile::tempdir().expect("a folder");
        let (kind, language) = (PluginKind::Agent, Language::Js);
        let made = create("mine", Start { kind, language, template: None }, "me", Some(root.path().join("mine")));
        assert!(made.expect_err("an agent").to_string().contains("Rust"));
        let template = Some(Template::Lookup);
        let made = create("mine", Start { language, template, ..BRIDGE }, "me", Some(root.path().join("mine")));
        assert!(made.expect_err("a template").to_string().contains("templates are written in Rust"));
        assert!(!root.path().join("mine").exists());
    }
}
