use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use tollbridge_core::config::Secret;
use tollbridge_plugin::CallLimits;

use super::*;

const HEAD: &str = r#"
name = "x"
kind = "bridge"
version = "1.0.0"
publisher = "t"
purpose = "p"
price_gbp = "0.10"
"#;

fn manifest(lines: &str) -> Manifest {
    Manifest::parse(&format!("{HEAD}{lines}\n")).unwrap()
}

fn spec(manifest: &Manifest) -> PluginSpec {
    PluginSpec {
        name: "x".to_owned(),
        kind: PluginKind::Bridge,
        version: manifest.version.clone(),
        tenant: None,
        wasm: Vec::new().into(),
        sha256: [0; 32],
        asked: manifest.grants.clone(),
        allowed: BTreeSet::new(),
        allow_hosts: Vec::new(),
        callees: manifest.callees(),
        limits: CallLimits::default(),
        input_schema: None,
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
        tables: BTreeMap::new(),
    }
}

fn needs(lines: &str) -> Needs {
    let manifest = manifest(lines);
    Needs::of(&manifest, &spec(&manifest)).unwrap()
}

#[test]
fn a_grant_is_no_need_and_a_condition_is_about_the_input() {
    assert!(
        needs("grants = [\"inference\"]").is_empty(),
        "a grant alone must not be a need, or calls that work without models would be refused"
    );
    let always = needs("grants = [\"inference\"]\n[[needs]]\ngrant = \"inference\"");
    let found: Vec<_> = always.of_input(None).collect();
    assert!(matches!(found.as_slice(), [LoadedNeed { what: Needed::Models(NeededModels::Chat), .. }]));
    let vectors = needs("grants = [\"inference\"]\n[[needs]]\ngrant = \"inference\"\nmodels = \"embedding\"");
    let found: Vec<_> = vectors.of_input(None).collect();
    assert!(matches!(found.as_slice(), [LoadedNeed { what: Needed::Models(NeededModels::Embedding), .. }]));
    let sometimes =
        needs("grants = [\"inference\"]\n[[needs]]\ngrant = \"inference\"\nwhen = '{ \"required\": [\"model\"] }'");
    assert_eq!(
        sometimes.of_input(None).count(),
        0,
        "a conditional need must not apply without an input, or the offer would be listed as unavailable"
    );
    assert_eq!(sometimes.of_input(Some(&json!({}))).count(), 0);
    assert_eq!(sometimes.of_input(Some(&json!({ "model": "m" }))).count(), 1);
    let callee = needs("grants = [\"bridges\"]\nbridges = [\"a\", \"b\"]\n[[needs]]\nbridge = \"b\"");
    let found: Vec<_> = callee.of_input(None).collect();
    assert!(
        matches!(found.as_slice(), [LoadedNeed { what: Needed::Callee(PluginKind::Bridge, name), .. }] if name == "b")
    );
}

#[test]
fn a_declared_agent_needs_models_and_a_shipped_table_may_be_gone() {
    let declared = "grants = [\"inference\"]\n[declaration]\ninstructions = \"x\"";
    let text = format!("{}{declared}", HEAD.replace("bridge", "agent"));
    let manifest = Manifest::parse(&text).unwrap();
    let needs = Needs::of(&manifest, &spec(&manifest)).unwrap();
    assert_eq!(needs.of_input(None).count(), 1);
    let digest = "0".repeat(64);
    let shipping = format!("{HEAD}grants = [\"tables\"]\n[tables.geo]\nsha256 = \"{digest}\"\nsize = 1\n");
    let manifest = Manifest::parse(&shipping).unwrap();
    let needs = Needs::of(&manifest, &spec(&manifest)).unwrap();
    let found: Vec<_> = needs.of_input(None).collect();
    assert!(matches!(found.as_slice(), [LoadedNeed { what: Needed::Missing(text), .. }] if text.contains("`geo`")));
}

#[test]
fn what_the_operator_has_not_given_is_missing_and_the_refusal_names_the_fix() {
    let lines = "grants = [\"tables\", \"config\"]\n[[needs]]\ntable = \"lists\"\ninstead = \"give `list`\"\n[[needs]]\nconfig = \"key\"";
    let manifest = manifest(lines);
    let needs = Needs::of(&manifest, &spec(&manifest)).unwrap();
    let found: Vec<_> = needs.of_input(None).collect();
    let [table, config] = found.as_slice() else { panic!("{} needs", found.len()) };
    let Needed::Missing(text) = &table.what else { panic!("the first need must be the missing table") };
    let unmet = table.unmet(UnmetNeed::of_data(text.clone()));
    assert!(unmet.explanation.contains("plugins.x.tables") && unmet.explanation.ends_with("; or give `list`"));
    assert!(matches!(Failure::from(unmet), Failure::Unavailable(_)));
    assert!(matches!(&config.what, Needed::Missing(text) if text.contains("plugins.x.secrets")));
    // A need that is met when the version is loaded is not checked again.
    let mut given = spec(&manifest);
    given.secrets.insert("key".to_owned(), Secret::new("k".to_owned()));
    assert_eq!(Needs::of(&manifest, &given).unwrap().of_input(None).count(), 1);
}

#[test]
fn a_condition_that_is_no_schema_is_refused() {
    let manifest = manifest("grants = [\"tables\"]\n[[needs]]\ntable = \"a\"\nwhen = 'name'");
    let error = Needs::of(&manifest, &spec(&manifest)).err().unwrap();
    assert!(error.contains("needs[0].when"), "{error}");
}
