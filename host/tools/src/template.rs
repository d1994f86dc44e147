//! Project templates in Rust: small bridges, and an agent, with a real function.

use clap::ValueEnum;
use tollbridge_core::plugin_kind::PluginKind;

/// The template of a new project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A built-in table, read once when the bridge is built
    Lookup,
    /// A text in, figures out
    Text,
    /// A table that the host loads
    Table,
    /// A service on the internet
    Http,
    /// An agent that calls two bridges
    Agent,
}

impl Template {
    /// Returns the kind of plugin that the template makes.
    pub fn kind(self) -> PluginKind {
        match self {
            Self::Lookup | Self::Text | Self::Table | Self::Http => PluginKind::Bridge,
            Self::Agent => PluginKind::Agent,
        }
    }

    /// Returns the folder of its files.
    fn folder(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Text => "text",
            Self::Table => "table",
            Self::Http => "http",
            Self::Agent => "agent",
        }
    }

    /// Returns its files: path in the project, text with `{{marks}}`.
    pub(crate) fn files(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let below = move |path: &'static str| path.strip_prefix(self.folder())?.strip_prefix('/');
        PROJECT_FILES.iter().filter_map(move |(path, text)| Some((below(path)?, *text)))
    }
}

/// Path below `templates/projects`, text.
const PROJECT_FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/project_files.rs"));

#[cfg(test)]
mod tests {
    use tollbridge_runtime::registry::Manifest;

    use super::*;

    #[test]
    fn each_template_is_whole_and_small() {
        for template in Template::value_variants() {
            let text = |name: &str| {
                let mut files = template.files();
                files.find(|(path, _)| *path == name).unwrap_or_else(|| panic!("{template:?} has no {name}")).1
            };
            let manifest = text("plugin.toml").replace("{{name}}", "mine").replace("{{publisher}}", "me");
            let manifest = Manifest::parse(&manifest).expect("a valid manifest");
            assert_eq!(manifest.id.kind, template.kind());
            assert!(manifest.price.pounds() != "0.00", "{template:?} is free");
            assert!(text("src/lib.rs").lines().count() <= 120, "{template:?} is long");
            assert!(text("README.md").starts_with("# {{name}}\n"));
            let cases: Vec<&str> =
                template.files().filter(|(path, _)| path.starts_with("cases/")).map(|(_, text)| text).collect();
            assert!(cases.iter().filter(|text| text.contains("\"error\"")).count() >= 2, "{template:?}: no bad cases");
        }
    }
}
