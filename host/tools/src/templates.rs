//! The files of new projects.

use tollbridge_core::plugin_kind::PluginKind;

use super::{language::Language, template::Template};

/// A file of a new project: path, and text with `{{marks}}` to replace.
type File = (&'static str, &'static str);

/// The kind, language and template of a new project.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Language of the project.
    pub language: Language,
    /// The template; `None` for the smallest project.
    pub template: Option<Template>,
}

/// Returns the files of a project; `None` if the combination has no template. `member` means that
/// the project joins the repository's workspace.
pub(crate) fn files(start: Start, member: bool) -> Option<Vec<File>> {
    let frame = if member { MEMBER } else { STANDALONE };
    let together = |parts: [&[File]; 2]| Some(parts.concat());
    match (start.language, start.template, start.kind) {
        (Language::Rust, Some(template), _) => {
            let own: Vec<File> = template.files().filter(|(path, _)| !member || *path != "README.md").collect();
            let rest = frame.iter().filter(|(path, _)| own.iter().all(|(other, _)| other != path));
            Some(own.iter().chain(rest).copied().collect())
        }
        (Language::Rust, None, PluginKind::Bridge) => together([BRIDGE, frame]),
        (Language::Rust, None, PluginKind::Agent) => together([AGENT, frame]),
        (Language::Js, None, PluginKind::Bridge) => together([SCRIPT, JS]),
        (Language::Python, None, PluginKind::Bridge) => together([SCRIPT, PYTHON]),
        (Language::Js | Language::Python, ..) => None,
    }
}

/// Returns the copy of the SDK for a script project: path in the project, and text.
pub(crate) fn script_sdk(language: Language) -> Option<(&'static str, &'static str)> {
    match language {
        Language::Rust => None,
        Language::Js => Some((".tollbridge/tollbridge.js", include_str!("../templates/js/tollbridge.js"))),
        Language::Python => Some((".tollbridge/tollbridge.py", include_str!("../templates/python/tollbridge.py"))),
    }
}

const MEMBER: &[File] = &[
    ("Cargo.toml", include_str!("../templates/Cargo.member.toml")),
    ("plugin.toml", include_str!("../templates/plugin.toml")),
];

const STANDALONE: &[File] = &[
    ("Cargo.toml", include_str!("../templates/Cargo.standalone.toml")),
    ("plugin.toml", include_str!("../templates/plugin.toml")),
    ("README.md", include_str!("../templates/README.md")),
    (".gitignore", include_str!("../templates/gitignore")),
    (".cargo/config.toml", include_str!("../templates/config.toml")),
];

const BRIDGE: &[File] = &[
    ("src/lib.rs", include_str!("../templates/bridge/src/lib.rs")),
    ("cases/three_numbers.json", include_str!("../templates/bridge/cases/three_numbers.json")),
    ("cases/stored_text.json", include_str!("../templates/bridge/cases/stored_text.json")),
    ("cases/no_numbers.json", include_str!("../templates/bridge/cases/no_numbers.json")),
];

const AGENT: &[File] = &[
    ("src/lib.rs", include_str!("../templates/agent/src/lib.rs")),
    ("cases/plain_text.json", include_str!("../templates/agent/cases/plain_text.json")),
    ("cases/values.json", include_str!("../templates/agent/cases/values.json")),
    ("cases/no_numbers.json", include_str!("../templates/agent/cases/no_numbers.json")),
];

const SCRIPT: &[File] = &[
    ("schema/input.json", include_str!("../templates/script/schema/input.json")),
    ("schema/output.json", include_str!("../templates/script/schema/output.json")),
    ("cases/example_three_numbers.json", include_str!("../templates/bridge/cases/three_numbers.json")),
    ("cases/stored_text.json", include_str!("../templates/bridge/cases/stored_text.json")),
    ("cases/no_numbers.json", include_str!("../templates/bridge/cases/no_numbers.json")),
];

const JS: &[File] = &[
    ("plugin.toml", include_str!("../templates/js/plugin.toml")),
    ("package.json", include_str!("../templates/js/package.json")),
    ("package-lock.json", include_str!("../templates/js/package-lock.json")),
    ("README.md", include_str!("../templates/js/README.md")),
    (".gitignore", include_str!("../templates/js/gitignore")),
    ("src/plugin.js", include_str!("../templates/js/src/plugin.js")),
];

const PYTHON: &[File] = &[
    ("plugin.toml", include_str!("../templates/python/plugin.toml")),
    ("README.md", include_str!("../templates/python/README.md")),
    (".gitignore", include_str!("../templates/python/gitignore")),
    ("requirements.txt", include_str!("../templates/python/requirements.txt")),
    ("src/plugin.py", include_str!("../templates/python/src/plugin.py")),
];
