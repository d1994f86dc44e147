//! The files of new projects.

use tollbridge_core::plugin_kind::PluginKind;

use super::language::Language;

/// Path in the project, text with `{{marks}}`.
pub(crate) type Files = &'static [(&'static str, &'static str)];

/// The files of a project; `member` if it joins the repository's workspace.
/// None if there is no such template.
pub(crate) fn files(language: Language, kind: PluginKind, member: bool) -> Option<[Files; 2]> {
    match (language, kind) {
        (Language::Rust, kind) => {
            let of_kind = if kind == PluginKind::Bridge { BRIDGE } else { AGENT };
            Some([of_kind, if member { MEMBER } else { STANDALONE }])
        }
        (Language::Js, PluginKind::Bridge) => Some([SCRIPT, JS]),
        (Language::Python, PluginKind::Bridge) => Some([SCRIPT, PYTHON]),
        (Language::Js | Language::Python, PluginKind::Agent) => None,
    }
}

/// A script's copy of the SDK: path in the project, text.
pub(crate) fn script_sdk(language: Language) -> Option<(&'static str, &'static str)> {
    match language {
        Language::Rust => None,
        Language::Js => Some((".tollbridge/tollbridge.js", include_str!("../templates/js/tollbridge.js"))),
        Language::Python => Some((".tollbridge/tollbridge.py", include_str!("../templates/python/tollbridge.py"))),
    }
}

const MEMBER: Files = &[
    ("Cargo.toml", include_str!("../templates/Cargo.member.toml")),
    ("plugin.toml", include_str!("../templates/plugin.toml")),
];

const STANDALONE: Files = &[
    ("Cargo.toml", include_str!("../templates/Cargo.standalone.toml")),
    ("plugin.toml", include_str!("../templates/plugin.toml")),
    ("README.md", include_str!("../templates/README.md")),
    (".gitignore", include_str!("../templates/gitignore")),
    (".cargo/config.toml", include_str!("../templates/config.toml")),
];

const BRIDGE: Files = &[
    ("src/lib.rs", include_str!("../templates/bridge/src/lib.rs")),
    ("cases/three_numbers.json", include_str!("../templates/bridge/cases/three_numbers.json")),
    ("cases/stored_text.json", include_str!("../templates/bridge/cases/stored_text.json")),
    ("cases/no_numbers.json", include_str!("../templates/bridge/cases/no_numbers.json")),
];

const AGENT: Files = &[
    ("src/lib.rs", include_str!("../templates/agent/src/lib.rs")),
    ("cases/plain_text.json", include_str!("../templates/agent/cases/plain_text.json")),
    ("cases/values.json", include_str!("../templates/agent/cases/values.json")),
    ("cases/no_numbers.json", include_str!("../templates/agent/cases/no_numbers.json")),
];

const SCRIPT: Files = &[
    ("schema/input.json", include_str!("../templates/script/schema/input.json")),
    ("schema/output.json", include_str!("../templates/script/schema/output.json")),
    ("cases/example_three_numbers.json", include_str!("../templates/bridge/cases/three_numbers.json")),
    ("cases/stored_text.json", include_str!("../templates/bridge/cases/stored_text.json")),
    ("cases/no_numbers.json", include_str!("../templates/bridge/cases/no_numbers.json")),
];

const JS: Files = &[
    ("plugin.toml", include_str!("../templates/js/plugin.toml")),
    ("package.json", include_str!("../templates/js/package.json")),
    ("README.md", include_str!("../templates/js/README.md")),
    (".gitignore", include_str!("../templates/js/gitignore")),
    ("src/plugin.js", include_str!("../templates/js/src/plugin.js")),
];

const PYTHON: Files = &[
    ("plugin.toml", include_str!("../templates/python/plugin.toml")),
    ("README.md", include_str!("../templates/python/README.md")),
    (".gitignore", include_str!("../templates/python/gitignore")),
    ("src/plugin.py", include_str!("../templates/python/src/plugin.py")),
];
