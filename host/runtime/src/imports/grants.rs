//! The host interfaces that a plugin may use.
//!
//! Invariant: a component is linked only if every import is one of the WASI basics or belongs to a
//! grant that its manifest requests **and** the operator allows. The imports are reliable: a
//! component cannot call a host function that it does not import.

use std::collections::BTreeSet;

use tollbridge_core::config::Grant;

/// The reason why a component must not be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum GrantError {
    #[error("the component imports `{import}`, which needs a grant: add \"{grant}\" to `grants` in plugin.toml")]
    NotAsked { import: String, grant: Grant },
    #[error(
        "the plugin requests the grant `{grant}`, which this server does not allow: \
         the operator can add \"{grant}\" to `plugins.allow_grants` or to `plugins.{plugin}.grants`"
    )]
    NotAllowed { plugin: String, grant: Grant },
    #[error("the component imports `{import}`, which this host does not offer")]
    Unknown { import: String },
}

/// The grant, if any, that an import needs.
#[derive(Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Wasi,
    Grant(Grant),
    Unknown,
}

/// Interfaces of the WASI basics. Every component may import them; they give access to nothing.
const BASICS: [&str; 6] = ["wasi:cli", "wasi:io", "wasi:clocks", "wasi:random", "wasi:filesystem", "wasi:sockets"];

/// The interfaces that a component is linked with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) wasi: bool,
    pub(crate) grants: BTreeSet<Grant>,
}

/// Checks a component's imports against the requested and the allowed grants, and returns the
/// interfaces to link.
pub(crate) fn audit<'a>(
    plugin: &str,
    imports: impl Iterator<Item = &'a str>,
    asked: &BTreeSet<Grant>,
    allowed: &BTreeSet<Grant>,
) -> Result<Needs, GrantError> {
    for grant in asked.iter().copied() {
        if !allowed.contains(&grant) {
            return Err(GrantError::NotAllowed { plugin: plugin.to_owned(), grant });
        }
    }
    let mut needs = Needs::default();
    for import in imports {
        match need(import) {
            Need::Nothing => {}
            Need::Wasi => needs.wasi = true,
            Need::Grant(grant) if asked.contains(&grant) => {
                needs.grants.insert(grant);
            }
            Need::Grant(grant) => return Err(GrantError::NotAsked { import: import.to_owned(), grant }),
            Need::Unknown => return Err(GrantError::Unknown { import: import.to_owned() }),
        }
    }
    Ok(needs)
}

/// Returns the grant that an import needs, if it needs one.
pub fn grant_of(import: &str) -> Option<Grant> {
    match need(import) {
        Need::Grant(grant) => Some(grant),
        Need::Nothing | Need::Wasi | Need::Unknown => None,
    }
}

fn need(import: &str) -> Need {
    let (path, _version) = import.split_once('@').unwrap_or((import, ""));
    let (package, interface) = path.split_once('/').unwrap_or((path, ""));
    match (package, interface) {
        ("tollbridge:plugin", "types" | "panic" | "proposal") => Need::Nothing,
        ("tollbridge:plugin", "tables" | "table-pages") => Need::Grant(Grant::Tables),
        ("tollbridge:plugin", "ledger") => Need::Grant(Grant::Ledger),
        ("tollbridge:plugin", "inference") => Need::Grant(Grant::Inference),
        ("tollbridge:plugin", "bridges") => Need::Grant(Grant::Bridges),
        ("wasi:logging", "logging") => Need::Grant(Grant::Logging),
        ("wasi:config", "store") => Need::Grant(Grant::Config),
        ("wasi:keyvalue", "store" | "atomics") => Need::Grant(Grant::Keyvalue),
        ("wasi:http", "types" | "outgoing-handler") => Need::Grant(Grant::Http),
        (package, interface) if BASICS.contains(&package) && !interface.is_empty() => Need::Wasi,
        _ => Need::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(imports: &[&str], asked: &[Grant], allowed: &[Grant]) -> Result<Needs, GrantError> {
        let set = |grants: &[Grant]| grants.iter().copied().collect();
        audit("echo", imports.iter().copied(), &set(asked), &set(allowed))
    }

    #[test]
    fn the_basics_need_no_grant() {
        let imports = ["tollbridge:plugin/types@1.0.0", "tollbridge:plugin/panic@1.0.0", "wasi:cli/environment@0.2.6"];
        assert_eq!(check(&imports, &[], &[]), Ok(Needs { wasi: true, grants: BTreeSet::new() }));
        assert_eq!(check(&imports[..2], &[], &[]), Ok(Needs::default()));
        assert_eq!(check(&["tollbridge:plugin/proposal@1.0.0"], &[], &[]), Ok(Needs::default()));
    }

    #[test]
    fn a_grant_takes_both_keys() {
        let import = ["wasi:http/outgoing-handler@0.2.12", "wasi:http/types@0.2.12"];
        let not_asked = check(&import, &[], &[Grant::Http]).unwrap_err();
        assert!(not_asked.to_string().contains("wasi:http/outgoing-handler@0.2.12"));
        assert!(not_asked.to_string().contains("add \"http\" to `grants`"));
        let not_allowed = check(&import, &[Grant::Http], &[]).unwrap_err();
        assert!(not_allowed.to_string().contains("plugins.allow_grants"));
        assert!(not_allowed.to_string().contains("plugins.echo.grants"));
        assert_eq!(check(&import, &[Grant::Http], &[Grant::Http]).unwrap().grants, BTreeSet::from([Grant::Http]));
    }

    #[test]
    fn each_interface_belongs_to_its_grant() {
        for grant in [Grant::Tables, Grant::Ledger, Grant::Inference, Grant::Bridges] {
            let import = format!("tollbridge:plugin/{grant}@1.0.0");
            let not_asked = check(&[&import], &[], &Grant::ALL).unwrap_err();
            assert!(not_asked.to_string().contains(&format!("add \"{grant}\" to `grants`")), "{not_asked}");
            assert!(check(&[&import], &[grant], &[]).is_err());
            assert_eq!(check(&[&import], &[grant], &[grant]).unwrap().grants, BTreeSet::from([grant]));
        }
        let pages = ["tollbridge:plugin/table-pages@1.0.0"];
        assert!(check(&pages, &[], &Grant::ALL).is_err());
        assert!(check(&pages, &[Grant::Tables], &Grant::ALL).is_ok());
    }

    #[test]
    fn asked_but_not_used_is_not_linked() {
        let needs = check(&[], &[Grant::Http, Grant::Config], &Grant::ALL).unwrap();
        assert_eq!(needs, Needs::default());
    }

    #[test]
    fn look_alikes_are_unknown() {
        for import in [
            "evil:pkg/x",
            "wasi:cli",
            "wasi:climate/x",
            "wasi:http/incoming-handler@0.2.0",
            "wasi:keyvalue/watcher",
            "tollbridge:plugin/secrets@1.0.0",
            "tollbridge:plugin",
            "environment",
            "",
            "wasi:nn/graph@0.2.0",
        ] {
            assert_eq!(
                check(&[import], &Grant::ALL[..4], &Grant::ALL),
                Err(GrantError::Unknown { import: import.to_owned() })
            );
        }
    }
}
