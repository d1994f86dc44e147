//! Templates of Rust projects: small bridges and an agent, each with a real function.

use clap::ValueEnum;
use tollbridge_core::plugin_kind::PluginKind;

/// A template for a new project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A bridge that looks up a built-in table, read once when the bridge is built
    Lookup,
    /// A bridge that measures a text
    Text,
    /// A bridge with a table that the host loads
    Table,
    /// A bridge that calls a service on the internet
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

    /// Returns the folder of the template's files.
    fn folder(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Text => "text",
            Self::Table => "table",
            Self::Http => "http",
            Self::Agent => "agent",
        }
    }

    /// Returns the template's files: path in the project, and text with `{{marks}}` to replace.
    pub(crate) fn files(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let below = move |path: &'static str| path.strip_prefix(self.folder())?.strip_prefix('/');
        PROJECT_FILES.iter().filter_map(move |(path, text)| Some((below(path)?, *text)))
    }
}

/// The embedded template files: path below `templates/projects`, and text.
const PROJECT_FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/project_files.rs"));

#[cfg(test)]
mod tests {
    use tollbridge_registry::Manifest;

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
