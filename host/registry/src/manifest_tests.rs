use serde_json::Value;

use super::*;
use crate::limits::PURPOSE_CHARS_MAX;

const AGENT: &str = r#"
name = "citations"
kind = "agent"
version = "1.2.0-rc.1"
publisher = "tollbridge"
purpose = "Finds sources"
price_gbp = "0"
grants = ["http", "logging", "tables", "bridges"]
bridges = ["validation", "citation_check"]
agents = ["summarizer"]
allow_hosts = ["api.example.com", "*.example.org:8443"]
[limits]
memory_mib = 256
time_ms = 60000
kv_bytes = 0
[[skills]]
id = "research:citation"
description = "Finds \"sources\" for a claim"
"#;

const BRIDGE: &str = r#"
name = "anomaly_detection"
kind = "bridge"
version = "1.0.0"
publisher = "tollbridge"
purpose = "Outlier detection"
price_gbp = "0.30"
"#;

fn digest() -> Digest {
    Digest::of(b"component")
}

/// Returns `BRIDGE` with one line replaced, or added if its key is missing.
fn with(line: &str) -> String {
    let key = line.split('=').next().unwrap_or_default();
    let remaining: Vec<&str> = BRIDGE.lines().filter(|old| !old.starts_with(key)).collect();
    format!("{}\n{line}\n", remaining.join("\n"))
}

fn schema_accepts(text: &str) -> bool {
    let schema: Value = serde_json::from_str(MANIFEST_SCHEMA).unwrap();
    let instance = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap().is_valid(&instance)
}

#[test]
fn reads_what_an_author_writes() {
    let bridge = Manifest::parse(BRIDGE).unwrap();
    assert_eq!(bridge.id.to_string(), "bridge/anomaly_detection");
    assert_eq!(bridge.price.get(), 30_000);
    assert_eq!(bridge.limits, Limits::default());
    assert_eq!((bridge.grants.len(), bridge.component), (0, None));

    let agent = Manifest::parse(AGENT).unwrap();
    assert!(agent.price.is_zero());
    assert_eq!(agent.grants, BTreeSet::from([Grant::Logging, Grant::Http, Grant::Tables, Grant::Bridges]));
    assert_eq!((agent.bridges.len(), agent.agents.len()), (2, 1));
    assert_eq!((agent.limits.memory_mib, agent.limits.concurrency, agent.limits.kv_bytes), (256, 32, 0));
    assert_eq!(agent.skills.len(), 1);
}

#[test]
fn a_published_manifest_reads_back_unchanged() {
    for text in [BRIDGE, AGENT] {
        let manifest = Manifest::parse(text).unwrap();
        let component = Component { sha256: digest(), size: 9 };
        let file = TableFile { sha256: digest(), size: 7 };
        let shipped = manifest.grants.contains(&Grant::Tables);
        let tables = shipped.then(|| ("geo".parse().unwrap(), file)).into_iter().collect();
        let published = manifest.to_published_toml(component, &tables);
        let read = Manifest::parse(&published).unwrap();
        assert_eq!(read, Manifest { component: Some(component), tables: tables.clone(), ..manifest.clone() });
        assert_eq!(read.to_published_toml(component, &tables), published, "publishing twice gives the same bytes");
        assert!(schema_accepts(&published));
    }
}

#[test]
fn every_error_names_the_field_and_the_fix() {
    let good = format!("{{ sha256 = \"{}\", size = 1 }}", digest());
    for (line, expect) in [
        ("nam = \"x\"", "`nam`: there is no such field; did you mean `name`?"),
        ("name = \"Anomaly\"", "`name`: \"Anomaly\" is not a name; use 1 to 64 of the characters a-z"),
        ("name = \"../x\"", "`name`: \"../x\" is not a name"),
        ("kind = \"tool\"", "`kind`: \"tool\" is not a kind; write \"bridge\" or \"agent\""),
        ("version = \"1.0\"", "`version`: \"1.0\" is not a version; write it like"),
        ("version = \"1.0.0+x\"", "`version`: \"1.0.0+x\" has build metadata; leave out"),
        ("purpose = \"\"", "`purpose`: is empty; say in one line"),
        ("purpose = \"a\\u001b[2J\"", "`purpose`: contains the control character \\u{1b}; write plain text"),
        ("purpose = \"a\\u202eb\"", "`purpose`: contains the control character \\u{202e}; write plain text"),
        ("price_gbp = 0.30", "`price_gbp`: this is a number with decimals; write price_gbp = \"0.30\""),
        ("price_gbp = \"0.305\"", "`price_gbp`: `0.305` has a fraction of a penny; amounts are whole pence"),
        ("price_gbp = \"-1\"", "`price_gbp`: `-1` is not an amount in pounds; write it like"),
        ("grants = [\"sockets\"]", "`grants`: \"sockets\" is not a grant; the grants are logging"),
        ("grants = [\"logging\", \"logging\"]", "`grants`: logging is listed twice; list it once"),
        ("grants = \"logging\"", "`grants`: this is text; write grants = [\"logging\"]"),
        ("grants = [\"http\"]", "`allow_hosts`: the http grant reaches nothing without hosts; list them"),
        ("allow_hosts = [\"a.com\"]", "`allow_hosts`: hosts need the http grant; add"),
        ("grants = [\"bridges\"]", "`bridges`: the bridges grant reaches nothing without names; list them"),
        ("bridges = [\"validation\"]", "`bridges`: calling other plugins needs the bridges grant; add"),
        ("agents = [\"general\"]", "`agents`: calling other plugins needs the bridges grant; add"),
        ("bridges = [\"../x\"]", "`bridges`: \"../x\" is not a name"),
        ("agents = [\"a\", \"a\"]", "`agents`: \"a\" is listed twice; list it once"),
        ("limits = { memory_mib = 0 }", "`limits.memory_mib`: 0 is out of range; write a number from 1 to 256"),
        ("limits = { memory = 1 }", "`limits.memory`: there is no such field; did you mean `memory_mib`?"),
        ("limits = { time_ms = \"9\" }", "`limits.time_ms`: this is text; write a whole number from 1 to 60000"),
        ("limits = 3", "`limits`: this is a whole number; write a table, [limits]"),
        ("skills = [{ id = \"x\", description = \"x\" }]", "`skills`: only agents have skills; drop"),
        ("component = { sha256 = \"00\", size = 1 }", "`component.sha256`: not a SHA-256 digest; write 64"),
        ("tables = { geo = { sha256 = \"00\", size = 1 } }", "`tables.geo.sha256`: not a SHA-256 digest; write 64"),
        ("tables = { geo = 1 }", "`tables`: this is a whole number; write tables, [tables.NAME]"),
        (&format!("tables = {{ Geo = {good} }}"), "`tables`: \"Geo\" is not a name"),
        (&format!("tables = {{ geo = {good} }}"), "`tables`: a plugin that ships tables needs their grant; add"),
    ] {
        let error = Manifest::parse(&with(line)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("plugin.toml: {expect}")), "{line}: {error}");
    }
}

#[test]
fn every_required_field_is_asked_for() {
    for key in ["name", "kind", "version", "publisher", "purpose", "price_gbp"] {
        let remaining: Vec<&str> = BRIDGE.lines().filter(|line| !line.starts_with(key)).collect();
        let error = Manifest::parse(&remaining.join("\n")).unwrap_err();
        assert_eq!(error.field, key);
        assert!(error.problem.starts_with("is missing; write "), "{error}");
    }
}

#[test]
fn sizes_are_bounded() {
    assert!(Manifest::parse(&format!("{BRIDGE}# {}", "x".repeat(MANIFEST_BYTES_MAX))).is_err());
    assert!(Manifest::parse(&with(&format!("purpose = \"{}\"", "é".repeat(200)))).is_ok());
    assert!(Manifest::parse(&with(&format!("purpose = \"{}\"", "e".repeat(201)))).is_err());
    let skill = "[[skills]]\nid = \"x\"\ndescription = \"x\"\n";
    assert!(Manifest::parse(&format!("{AGENT}{}", skill.repeat(SKILLS_MAX))).is_err());
    let twice = format!("{AGENT}{}", skill.repeat(2));
    assert!(Manifest::parse(&twice).unwrap_err().problem.contains("listed twice"));
}

#[test]
fn ceilings_are_the_operators() {
    let manifest = Manifest::parse(AGENT).unwrap();
    assert_eq!(manifest.limits.within(&Limits::MAX), Ok(()));
    let error = manifest.limits.within(&Limits { memory_mib: 64, ..Limits::MAX }).unwrap_err().to_string();
    assert_eq!(error, "plugin.toml: `limits.memory_mib`: 256 is above this server's ceiling; write at most 64");
}

/// The parser and the JSON Schema accept the same manifests and reject the same wrong members.
#[test]
fn the_schema_says_what_the_parser_does() {
    let good = format!("{{ sha256 = \"{}\", size = 1 }}", digest());
    assert!(schema_accepts(BRIDGE) && schema_accepts(AGENT));
    for line in [
        "nam = \"x\"",
        "name = \"A\"",
        "kind = \"tool\"",
        "version = \"1.0\"",
        "version = \"1.0.0+x\"",
        "purpose = \"  \"",
        "price_gbp = 0.30",
        "price_gbp = \"0.305\"",
        "grants = [\"sockets\"]",
        "grants = [\"http\"]",
        "grants = [\"logging\", \"logging\"]",
        "allow_hosts = [\"a.com\"]",
        "bridges = [\"validation\"]",
        "agents = [\"general\"]",
        "grants = [\"bridges\"]",
        "grants = [\"bridges\"]\nbridges = [\"A\"]",
        "limits = { memory_mib = 257 }",
        "limits = { memory = 1 }",
        "limits = { time_ms = 0 }",
        "skills = [{ id = \"x\", description = \"x\" }]",
        "component = { sha256 = \"00\", size = 1 }",
        "tables = { geo = 1 }",
        "tables = { geo = { sha256 = \"00\", size = 1 } }",
        &format!("tables = {{ geo = {good} }}"),
        &format!("grants = [\"tables\"]\ntables = {{ Geo = {good} }}"),
    ] {
        let text = with(line);
        assert!(Manifest::parse(&text).is_err(), "parser accepted {line}");
        assert!(!schema_accepts(&text), "schema accepted {line}");
    }
}

#[test]
fn needs_name_one_thing_that_the_plugin_may_have() {
    let needing =
        |lines: &str| with(&format!("grants = [\"inference\", \"tables\", \"config\"]\n[[needs]]\n{lines}\n"));
    let text = needing("table = \"lists\"\nwhen = '{ \"required\": [\"name\"] }'\ninstead = \"give `list`\"");
    let manifest = Manifest::parse(&text).unwrap();
    let [need] = manifest.needs.as_slice() else { panic!("{:?}", manifest.needs) };
    assert_eq!(need.what, need::NeededThing::Table("lists".parse().unwrap()));
    assert!(schema_accepts(&text));
    let component = Component { sha256: Digest::of(b"x"), size: 1 };
    let published = Manifest::parse(&manifest.to_published_toml(component, &BTreeMap::new())).unwrap();
    assert_eq!(published.needs, manifest.needs);
    for good in ["grant = \"inference\"", "config = \"key\"", "grant = \"inference\"\nmodels = \"chat\""] {
        assert!(Manifest::parse(&needing(good)).is_ok() && schema_accepts(&needing(good)), "{good}");
    }
    let vectors = Manifest::parse(&needing("grant = \"inference\"\nmodels = \"embedding\"")).unwrap();
    assert_eq!(vectors.needs[0].models, need::NeededModels::Embedding);
    let published = Manifest::parse(&vectors.to_published_toml(component, &BTreeMap::new())).unwrap();
    assert_eq!(published.needs, vectors.needs);
    for wrong in ["grant = \"inference\"\nmodels = \"speech\"", "table = \"a\"\nmodels = \"chat\""] {
        assert!(Manifest::parse(&needing(wrong)).unwrap_err().to_string().contains("models"), "{wrong}");
    }
    for wrong in
        ["", "table = \"A\"", "grant = \"http\"", "table = \"a\"\nconfig = \"b\"", "table = \"a\"\nwhy = \"b\""]
    {
        assert!(Manifest::parse(&needing(wrong)).is_err(), "parser accepted {wrong}");
        assert!(!schema_accepts(&needing(wrong)), "schema accepted {wrong}");
    }
    // The schema cannot express these rules: a need must name something that the manifest requests.
    for wrong in ["bridge = \"other\"", "agent = \"other\""] {
        assert!(
            Manifest::parse(&needing(wrong)).unwrap_err().to_string().contains("that the plugin may call"),
            "{wrong}"
        );
    }
    let ungranted = with("[[needs]]\ngrant = \"inference\"");
    assert!(Manifest::parse(&ungranted).unwrap_err().to_string().contains("the plugin lacks the inference grant"));
    let long = format!("table = \"a\"\nwhen = '{}'", "x".repeat(crate::limits::NEED_WHEN_BYTES_MAX + 1));
    assert!(Manifest::parse(&needing(&long)).is_err());
}

#[test]
fn agents_may_be_declared_and_the_schema_agrees() {
    let declared = |lines: &str| format!("{AGENT}\n[declaration]\n{lines}\n");
    let text = declared("instructions = \"Say it in one sentence.\"\nmodel = \"m\"\ninput_schema = \"{}\"");
    let manifest = Manifest::parse(&text).unwrap();
    let config: Vec<_> = manifest.declaration.iter().flat_map(Declaration::config).collect();
    assert_eq!(
        config,
        [("instructions", "Say it in one sentence."), ("model", "m")].map(|(a, b)| (a.into(), b.into()))
    );
    assert!(schema_accepts(&text));
    let component = Component { sha256: Digest::of(b"x"), size: 1 };
    let published = Manifest::parse(&manifest.to_published_toml(component, &BTreeMap::new())).unwrap();
    assert_eq!(published.declaration, manifest.declaration);
    for wrong in ["", "instructions = \" \"", "instructions = \"x\"\nmodel = \"\"", "instructions = \"x\"\ntools = []"]
    {
        assert!(Manifest::parse(&declared(wrong)).is_err(), "parser accepted {wrong}");
        assert!(!schema_accepts(&declared(wrong)), "schema accepted {wrong}");
    }
    let long = "x".repeat(crate::limits::INSTRUCTIONS_BYTES_MAX + 1);
    assert!(Manifest::parse(&declared(&format!("instructions = \"{long}\""))).is_err());
    let bridge = format!("{BRIDGE}\n[declaration]\ninstructions = \"x\"\n");
    assert!(Manifest::parse(&bridge).unwrap_err().to_string().contains("only agents"));
}

#[test]
fn the_schema_lists_the_parsers_fields_bounds_and_defaults() {
    let schema: Value = serde_json::from_str(MANIFEST_SCHEMA).unwrap();
    let keys = |pointer: &str| -> BTreeSet<String> {
        schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let set = |fields: &[&str]| -> BTreeSet<String> { fields.iter().map(|field| (*field).to_owned()).collect() };
    assert_eq!(keys("/properties"), set(&FIELDS));
    assert_eq!(keys("/properties/limits/properties"), set(&Limits::FIELDS));
    assert_eq!(keys("/properties/skills/items/properties"), set(&SKILL_FIELDS));
    assert_eq!(keys("/properties/needs/items/properties"), set(&need::NEED_FIELDS));
    assert_eq!(keys("/properties/component/properties"), set(&FILE_FIELDS));
    assert_eq!(keys("/properties/tables/additionalProperties/properties"), set(&FILE_FIELDS));

    let number = |pointer: String| schema.pointer(&pointer).unwrap().as_u64().unwrap();
    for ((field, default), (_, max)) in Limits::default().named().into_iter().zip(Limits::MAX.named()) {
        assert_eq!(number(format!("/properties/limits/properties/{field}/maximum")), max, "{field}");
        assert_eq!(number(format!("/properties/limits/properties/{field}/default")), default, "{field}");
    }
    let grants: Vec<Grant> = serde_json::from_value(schema["properties"]["grants"]["items"]["enum"].clone()).unwrap();
    assert_eq!(grants, Grant::ALL);
    assert_eq!(number("/properties/component/properties/size/maximum".into()), COMPONENT_BYTES_MAX as u64);
    assert_eq!(number("/properties/skills/maxItems".into()), SKILLS_MAX as u64);
    assert_eq!(number("/properties/needs/maxItems".into()), crate::limits::NEEDS_MAX as u64);
    assert_eq!(number("/properties/tables/maxProperties".into()), TABLES_PER_PLUGIN_MAX as u64);
    let table = "/properties/tables/additionalProperties/properties/size/maximum";
    assert_eq!(number(table.into()), TABLE_BYTES_MAX as u64);
    assert_eq!(number("/properties/allow_hosts/maxItems".into()), ALLOW_HOSTS_MAX as u64);
    assert_eq!(number("/properties/bridges/maxItems".into()), CALLEES_MAX as u64);
    assert_eq!(number("/properties/agents/maxItems".into()), CALLEES_MAX as u64);
    assert_eq!(number("/properties/purpose/maxLength".into()), PURPOSE_CHARS_MAX as u64);
}
