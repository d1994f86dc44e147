//! The `Cargo.lock` of a new project, with the versions that the project's template was tested
//! with.

/// The lock entries of all packages except the project's own. `scripts/renew-template-lock.sh`
/// writes the file.
const LOCK: &str = include_str!("../templates/Cargo.lock");
/// The line that starts each package's entry in a lock file.
const PACKAGE: &str = "[[package]]\n";

/// Returns the names of all packages that a new project depends on.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    LOCK.split(PACKAGE).skip(1).filter_map(name)
}

/// Returns the lock file of a project whose crate has this name.
pub(crate) fn of(crate_name: &str) -> String {
    let own = format!(
        "name = \"{crate_name}\"\nversion = \"0.1.0\"\n\
         dependencies = [\n \"schemars\",\n \"serde\",\n \"serde_json\",\n \"tollbridge-sdk\",\n]\n"
    );
    let mut parts = LOCK.split(PACKAGE);
    let head = parts.next().unwrap_or_default();
    let mut packages: Vec<&str> = parts.map(|package| package.trim_end_matches('\n')).collect();
    packages.push(own.trim_end_matches('\n'));
    // Sort the packages as cargo does; otherwise cargo would rewrite the file.
    packages.sort_by_key(|package| name(package));
    let packages = packages.join(&format!("\n\n{PACKAGE}"));
    format!("{head}{PACKAGE}{packages}\n").replace("{{sdk_version}}", env!("CARGO_PKG_VERSION"))
}

fn name(package: &str) -> Option<&str> {
    package.lines().next()?.strip_prefix("name = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_at_its_path() {
        for mine in ["aaa", "price_check", "zzz"] {
            let text = of(mine);
            let lock: toml::Table = text.parse().expect("TOML");
            let packages = lock["package"].as_array().expect("packages");
            let found: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
            assert!(found.is_sorted() && found.contains(&mine), "{found:?}");
            assert_eq!(found.len(), names().count() + 1);
            assert!(!text.contains("{{") && !text.contains("\n\n\n") && text.ends_with('\n'), "{text}");
        }
    }

    #[test]
    fn every_package_of_the_registry_has_its_digest() {
        let lock: toml::Table = of("mine").parse().expect("TOML");
        for package in lock["package"].as_array().expect("packages") {
            let ours = matches!(package["name"].as_str(), Some("mine" | "tollbridge-sdk"));
            assert_eq!(package.get("checksum").is_none(), ours, "{package}");
        }
        // These dependencies made the first build slow and must not return.
        assert!(!names().any(|name| name == "jsonschema" || name.starts_with("wit-bindgen-rust")));
    }
}
