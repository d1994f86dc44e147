//! Tests of the whole configuration: layers, every key, every refusal.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use super::key::Key;
use super::layers::Layers;
use super::*;
use crate::limits::CONFIG_BYTES_MAX;
use crate::money::{Millipence, Share};

pub(super) fn file(text: &str) -> Sources {
    Sources { file: Some(("t.toml".to_owned(), text.to_owned())), ..Sources::default() }
}

fn variables(pairs: &[(&str, &str)]) -> Sources {
    let environment = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Sources { environment, ..Sources::default() }
}

pub(super) fn loaded(sources: &Sources) -> Loaded {
    sources.load().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns all problems of a refused configuration as text, one per line.
pub(super) fn refused(sources: &Sources) -> String {
    match sources.load() {
        Ok(_) => panic!("was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn defaults_are_as_documented() {
    let Loaded { config, warnings, .. } = loaded(&Sources::default());
    assert_eq!(warnings, []);
    let listen = config.server.listen;
    assert_eq!(listen.to_string(), "127.0.0.1:8402");
    assert_eq!(config.server.public_url(listen).as_str(), "http://127.0.0.1:8402");
    assert_eq!(config.server.display_name, "Tollbridge");
    assert_eq!(config.server.body_limit.bytes(), 1 << 20);
    assert_eq!(config.data.dir.to_str(), Some("data"));
    assert!(matches!(config.store.engine, StoreEngine::Embedded));
    assert_eq!(config.registry.dir.to_str(), Some("plugin-registry"));
    assert_eq!(config.registry.publishers.to_str(), Some("plugin-registry/publishers.toml"));
    assert_eq!(config.inference.builtin.path.to_str(), Some("models/all-minilm-l6-v2-int8.onnx"));
    assert_eq!(config.admin.listen.to_string(), "127.0.0.1:0");
    assert_eq!(config.plugins.max_memory.bytes(), 64 << 20);
    assert_eq!(config.plugins.max_time, Duration::from_secs(60));
    assert_eq!(config.plugins.max_component.bytes(), 20 << 20);
    assert_eq!(
        config.plugins.allow_grants,
        [
            Grant::Logging,
            Grant::Config,
            Grant::Keyvalue,
            Grant::Tables,
            Grant::Ledger,
            Grant::Inference,
            Grant::Bridges
        ]
    );
    assert!(!config.bridges.require_key);
    assert_eq!(config.payments.processor, Processor::Sandbox);
    assert_eq!(config.payments.minimum_charge, Millipence::ZERO);
    assert_eq!(config.payments.quote_ttl, Duration::from_secs(900));
    assert_eq!(config.payments.sandbox_credit, Millipence::from_pence(1000).unwrap());
    assert_eq!(config.payments.hold_days, 0);
    let split = config.split;
    assert_eq!([Share::Developer, Share::Platform, Share::Treasury].map(|s| split.tenths(s)), [800, 175, 25]);
    assert_eq!(split.floor_tenths(), 800);
    let tiers = config.tiers;
    for (tier, minute, hour) in
        [(tiers.free, 100, 2000), (tiers.pro, 1000, 60_000), (tiers.enterprise, 10_000, 600_000)]
    {
        assert_eq!((tier.per_minute, tier.per_hour), (minute, hour));
    }
    assert_eq!(config.inference.usd_gbp.get(), 790_000);
    assert_eq!(config.webhooks.retries.len(), 7);
    assert_eq!(config.webhooks.signature_header, "X-Service-Signature");
}

#[test]
fn layers_win_in_order() {
    let mut sources = file("[server]\nlisten = \"127.0.0.1:1\"\ndisplay_name = \"File\"\n[data]\ndir = \"f\"");
    sources.environment = vec![
        ("TOLLBRIDGE__SERVER__LISTEN".into(), "127.0.0.1:2".into()),
        ("TOLLBRIDGE__DATA__DIR".into(), "e".into()),
        ("PATH".into(), "/bin".into()),
        ("TOLLBRIDGE_TOOLCHAIN".into(), "distro".into()),
    ];
    let sources =
        sources.flag("--listen", "server.listen", Some("127.0.0.1:3".into())).flag("--data", "data.dir", None);
    let loaded = loaded(&sources);
    assert_eq!(loaded.config.server.listen.port(), 3);
    assert_eq!(loaded.config.server.display_name, "File");
    assert_eq!(loaded.config.data.dir.to_str(), Some("e"));
    let shown = loaded.show();
    for line in [
        "listen = \"127.0.0.1:3\"  # --listen",
        "display_name = \"File\"  # t.toml:3",
        "dir = \"e\"  # TOLLBRIDGE__DATA__DIR",
        "dir = \"plugin-registry\"  # default",
        "base_url = \"http://127.0.0.1:3\"  # from server.listen",
        "hold_days = 0  # from payments.processor",
        "# secret_key is not set",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
}

/// A file that sets every key to something other than its default.
const EVERYTHING: &str = include_str!("everything.toml");

#[test]
fn every_key_is_read() {
    let Loaded { config, warnings, .. } = loaded(&file(EVERYTHING));
    assert_eq!(warnings, []);
    let weather = config.plugins.of("weather").unwrap();
    let settings: Vec<_> = weather.config.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(settings, [("days", "3"), ("deep", "true"), ("units", "metric")]);
    assert_eq!(weather.secrets.get("token").map(Secret::expose), Some("hunter2"));
    assert!(!weather.enabled && config.plugins.allows("weather", Grant::Http));
    assert!(!config.plugins.allows("weather", Grant::Logging) && !config.plugins.allows("other", Grant::Http));
    assert!(config.plugins.of("other").is_none());
    assert_eq!(config.server.public_url("127.0.0.1:5".parse().unwrap()).as_str(), "https://b.example");
    assert_eq!((config.server.connections, config.server.connections_per_client), (500, 50));
    assert_eq!((config.server.idle_timeout.as_secs(), config.server.write_timeout.as_secs()), (90, 20));
    let StoreEngine::Postgres { url } = &config.store.engine else { panic!("{:?}", config.store) };
    assert_eq!((url.expose(), config.store.patience.as_secs()), ("postgres://u:hunter5@db1,db2/t", 5));
    assert_eq!(config.split.tenths(Share::Platform), 195);
    assert_eq!((config.payments.hold_days, config.payments.minimum_charge.get()), (3, 500_000));
    assert_eq!(config.payments.x402.upto_risk.get(), 250_000);
    assert_eq!((config.tiers.pro_price.map(Millipence::get), config.tiers.pro_days), (Some(2_000_000), 5));
    let builtin = &config.inference.builtin;
    assert_eq!((builtin.enabled, builtin.input_usd_per_mtok.get()), (false, 20_000));
    assert_eq!(builtin.path.to_str(), Some("/srv/model.onnx"));
    let provider = config.inference.providers.get("local").unwrap();
    let model = provider.models.as_ref().unwrap().first().unwrap();
    assert_eq!(
        (model.input_usd_per_mtok.get(), model.output_usd_per_mtok.get(), model.context),
        (150_000, 75_000, Some(8192))
    );
    let (kind, variable) = (provider.kind, provider.api_key_env.as_deref());
    let command = provider.command.as_ref().unwrap();
    assert_eq!(command.words(7, "m"), ["engine", "--model", "m", "--port", "3"]);
    assert_eq!((kind, variable, provider.responses), (Some(ProviderKind::Anthropic), Some("LOCAL_KEY"), Some(false)));
    assert_eq!(config.agents.skills.get("research:citation").map(String::as_str), Some("scholar"));
    assert_eq!(config.telemetry.requests, LoggedRequests::Refused);
    let smtp = config.email.smtp.as_ref().unwrap();
    let login = smtp.login.as_ref().map(|(user, password)| (user.as_str(), password.expose()));
    assert_eq!((smtp.server.port, login, smtp.from.name.as_str()), (4650, Some(("u", "hunter6")), "B"));
}

#[test]
fn a_shown_configuration_can_be_loaded_again() {
    let first = loaded(&file(EVERYTHING));
    let shown = first.show();
    assert!(!shown.contains("hunter"), "{shown}");
    assert_eq!(shown.matches(loaded::MASK).count(), 5, "{shown}");
    let again = loaded(&file(&shown));
    let bare = |loaded: &Loaded| loaded.entries().into_iter().map(|e| (e.section, e.name, e.value)).collect::<Vec<_>>();
    assert_eq!(bare(&first), bare(&again));
}

/// Checks that environment variables can set every key that the file can set, with the
/// same meaning.
#[test]
fn every_key_is_also_a_variable() {
    let mut layers = Layers::default();
    layers.document(Some("t.toml"), EVERYTHING);
    let pairs = layers
        .leaves
        .iter()
        .filter(|(key, leaf)| !matches!(leaf.raw, raw::Raw::Table(_)) && !key.to_string().starts_with("agents.skills"));
    let mut environment: Vec<(String, String)> = pairs
        .map(|(key, leaf)| {
            let text = leaf.raw.text().map_or_else(|| leaf.raw.to_string(), str::to_owned);
            (key.variable(), text)
        })
        .collect();
    let skills = "{ \"research:citation\" = \"scholar\" }".to_owned();
    environment.push(("TOLLBRIDGE__AGENTS__SKILLS".to_owned(), skills));
    let from_variables = loaded(&Sources { environment, ..Sources::default() });
    assert_eq!(format!("{:?}", from_variables.config), format!("{:?}", loaded(&file(EVERYTHING)).config));
}

/// Checks that the documented defaults name exactly the keys that the code reads, each
/// directly below its own comment.
#[test]
fn defaults_document_every_key() {
    let mut documented = BTreeSet::new();
    let mut section = String::new();
    let mut above = "";
    for line in DEFAULTS.lines() {
        let plain = line.strip_prefix("# ").unwrap_or(line);
        if let Some(name) = plain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
        }
        let assigned = plain.split_once(" = ").map(|(key, _)| key).filter(|key| !key.contains(' '));
        if let Some(key) = assigned {
            assert!(above.starts_with("# ") && !above.contains(" = "), "{section}.{key} has no comment");
            documented.insert(format!("{section}.{key}"));
        }
        above = line;
    }
    // Tables whose keys the operator chooses are documented with example keys; map each
    // example key to its table.
    let plugin = |key: String| {
        key.replace("config.units", "config").replace("secrets.token", "secrets").replace("tables.cities", "tables")
    };
    let example = "[plugins.weather]\nconfig.units = 'm'\nsecrets.token = 't'\ntables.cities = 'c'\n\
                   [inference.providers.local]\n[agents.skills]\n'research:citation' = 'scholar'";
    let known: BTreeSet<String> = loaded(&file(example)).known.keys().map(Key::to_string).map(plugin).collect();
    assert_eq!(documented, known);
}

/// Checks that the examples in the defaults are valid once they are uncommented.
#[test]
fn examples_in_the_defaults_are_valid() {
    let is_setting = |plain: &str| {
        let key = plain.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        key || (plain.starts_with('[') && plain.ends_with(']'))
    };
    let all: Vec<&str> = DEFAULTS
        .lines()
        .filter_map(|line| match line.strip_prefix("# ") {
            Some(plain) if is_setting(plain) => Some(plain),
            Some(_) => None,
            None => Some(line),
        })
        .collect();
    let sources = file(&all.join("\n"));
    let config = loaded(&sources).config;
    assert!(config.plugins.of("weather").is_some() && config.inference.providers.contains_key("local"));
}

#[test]
fn refuses_unknown_keys_with_the_nearest() {
    for (text, expect) in [
        ("[server]\nlistn = 1", "t.toml:2: server.listn: there is no such key; did you mean server.listen?"),
        (
            "\n[servr]\nlisten = '127.0.0.1:1'",
            "t.toml:3: servr.listen: there is no such key; did you mean server.listen?",
        ),
        (
            "[plugins]\nmax_memry = '1MiB'",
            "t.toml:2: plugins.max_memry: there is no such key; did you mean plugins.max_memory?",
        ),
        (
            "[plugins.weather]\nconfg = 1",
            "t.toml:2: plugins.weather.confg: there is no such key; did you mean plugins.weather.config?",
        ),
        ("colour = 1", "t.toml:1: colour: there is no such key; `tollbridge config show` lists all"),
        ("[colours]", "t.toml:1: colours: there is no such key"),
        ("[risk]\nx = 1", "t.toml:2: risk.x: there is no such key"),
        ("[plugins.max_memory]\nconfig = {a = 1}", "t.toml:2: plugins.max_memory.config.a: there is no such key"),
        ("[plugins.max_memory.config]", "plugins.max_memory is a value, not a table"),
        ("server = 1", "t.toml:1: server: is a table, not a value"),
        ("[plugins.Weather]\nenabled = true", "t.toml:2: plugins.Weather: is not a name"),
        ("[server]\nlisten = 1\nlisten = 2", "t.toml:3: this is not TOML: duplicate key"),
    ] {
        let problems = refused(&file(text));
        assert!(problems.contains(expect), "{text}\ngives\n{problems}");
    }
    let problems = refused(&variables(&[("TOLLBRIDGE__SERVER__LISTN", "x")]));
    assert_eq!(problems, "TOLLBRIDGE__SERVER__LISTN: server.listn: there is no such key; did you mean server.listen?");
}

#[test]
fn refuses_values_that_cannot_be() {
    for (text, expect) in [
        ("server.listen = 'x'", "t.toml:1: server.listen: \"x\" is not an address with a port"),
        ("server.body_limit = '2MiB'", "server.body_limit: must be from 1 byte to 1MiB"),
        ("server.body_limit = 0", "server.body_limit: must be"),
        ("store.engine = 'mysql'", "\"mysql\" is not one of \"embedded\", \"postgres\""),
        ("store.engine = 'postgres'", "store.url: must be set when store.engine is \"postgres\""),
        ("store.url = ''", "store.url: is empty"),
        ("store.patience = '0s'", "store.patience: must be from 1s to 1h"),
        ("plugins.max_memory = '1GiB'", "plugins.max_memory: must be from 64KiB to 256MiB"),
        ("plugins.max_time = '61s'", "plugins.max_time: must be from 1ms to 60s"),
        ("plugins.max_component = '33MiB'", "plugins.max_component: must be"),
        ("plugins.allow_grants = ['sockets']", "\"sockets\" is not one of \"logging\", \"config\""),
        ("plugins.w.grants = 'http'", "plugins.w.grants: \"http\" is not a list"),
        ("plugins.w.config.x = [1]", "plugins.w.config.x: a list is not text"),
        ("payments.processor = 'paypal'", "\"paypal\" is not one of \"sandbox\", \"stripe\""),
        ("payments.hold_days = 366", "payments.hold_days: must be from 0 to 365"),
        ("payments.quote_ttl = '0s'", "payments.quote_ttl: must be from 1s to 24h"),
        ("payments.sandbox_credit = '0.001'", "fraction of a penny"),
        ("payments = {processor = 'stripe', minimum_charge = '0.29'}", "payments.minimum_charge: is below £0.30"),
        ("payments.mpp.network_id = 'a b'", "payments.mpp.network_id: is not the id of a profile"),
        ("payments.mpp.payment_method_types = []", "payments.mpp.payment_method_types: must list the accepted"),
        ("payments.mpp.payment_method_types = ['card ']", "payments.mpp.payment_method_types: must list the accepted"),
        ("payments.mpp.enabled = 'yes'", "payments.mpp.enabled: \"yes\" is not"),
        ("tiers.free.per_minute = 0", "tiers.free.per_minute: must be from 1 to 1000000000"),
        ("tiers.pro.per_hour = 1000000001", "tiers.pro.per_hour: must be"),
        ("tiers.pro.price_gbp = 0", "tiers.pro.price_gbp: must be above 0"),
        ("split.developer_pct = 81", "t.toml:1: split: the shares add up to 101.0%"),
        ("split.floor_pct = 80.1", "split: the developer's share is below the floor"),
        ("split.treasury_pct = 2.55", "2.55 is not a percentage from 0 to 100 with at most one decimal"),
        ("inference.usd_gbp = 0", "inference.usd_gbp: must be above 0"),
        ("inference.providers.x.models = [{id = 'm'}]", "a model lacks `input_usd_per_mtok`"),
        ("inference.providers.x.models = [{idd = 'm'}]", "a model has no member `idd`"),
        ("inference.providers.builtin.enabled = true", "is the name of the built-in provider"),
        ("inference.providers.x.models = ['m']", "\"m\" is not a model"),
        ("inference.providers.x.command = []", "inference.providers.x.command: names no program"),
        (
            "inference.providers.x.command = 'llama-server'",
            "inference.providers.x.command: \"llama-server\" is not a list",
        ),
        ("inference.providers.x.command = ['a']", "x.command: does not contain `{port}`; write"),
        ("inference.providers.x.command = ['a', '{port}', '{model}']", "x.command: contains `{model}`"),
        (
            "inference.providers.x = {command = ['a', '{port}'], base_url = 'http://127.0.0.1:1/v1'}",
            "x.base_url: follows from `command`",
        ),
        (
            "inference.providers.x = {command = ['a'], base_url = 'http://192.0.2.1:1/v1'}",
            "x.base_url: must be an address of this machine",
        ),
        ("webhooks.signature_header = 'X Sig'", "is not a header name"),
        ("agents.skills.coding = 'My Agent'", "agents.skills.coding: \"My Agent\" is not a name"),
        ("admin.listen = '0.0.0.0:1'", "t.toml:1: admin.listen: must be an address of this machine only"),
        ("server.trusted_proxies = ['10.0.0.1/8']", "has bits set after its prefix"),
        ("server.connections = 0", "must be from 1 to 1000000"),
        ("server.connections_per_client = 0", "must be at least 1"),
        ("server.idle_timeout = '14s'", "server.idle_timeout: must be from 15s to 15m"),
        ("server.write_timeout = '16m'", "server.write_timeout: must be from 5s to 15m"),
    ] {
        let problems = refused(&file(text));
        assert!(problems.contains(expect), "{text}\ngives\n{problems}");
    }
}

#[test]
fn tells_all_problems_at_once() {
    let problems =
        refused(&file("server.listen = 1\ndata.dir = 2\nnope = 3\ntiers.free = {per_minute = 0, per_hour = 0}"));
    assert_eq!(problems.lines().count(), 5, "{problems}");
}

#[test]
fn a_model_listed_twice_is_refused() {
    let model = "{id = 'm', input_usd_per_mtok = 1, output_usd_per_mtok = 1, context = 1}";
    let problems = refused(&file(&format!("inference.providers.x.models = [{model}, {model}]")));
    assert!(problems.contains("model \"m\" is listed twice"), "{problems}");
}

#[test]
fn a_model_says_what_it_is_paid_by() {
    let models = |model: &str| file(&format!("inference.providers.x.models = [{model}]"));
    let Loaded { config, .. } = loaded(&models("{id = 'm', usd_per_minute = 0.006}, {id = 'n', usd_per_image = 0.04}"));
    let made = config.inference.providers["x"].models.clone().unwrap();
    assert_eq!((made[0].usd_per_minute.map(Millionths::get), made[0].context), (Some(6_000), None));
    assert_eq!((made[1].usd_per_image.map(Millionths::get), made[1].input_usd_per_mtok.get()), (Some(40_000), 0));
    for (model, lacking) in [
        ("{id = 'm'}", "lacks `input_usd_per_mtok`"),
        (
            "{id = 'm', image = true, input_usd_per_mtok = 1, output_usd_per_mtok = 1, context = 1}",
            "needs `usd_per_image`, or `max_output`",
        ),
    ] {
        let problems = refused(&models(model));
        assert!(problems.contains(lacking), "{problems}");
    }
}

#[test]
fn stripe_without_keys_starts_and_warns() {
    let loaded = loaded(&file("payments.processor = 'stripe'"));
    assert_eq!((loaded.config.payments.minimum_charge.get(), loaded.config.payments.hold_days), (500_000, 7));
    let warnings: Vec<String> = loaded.warnings.iter().map(Problem::to_string).collect();
    assert_eq!(warnings.len(), 3);
    assert!(warnings.iter().any(|w| w.starts_with("warning: payments.stripe.secret_key: E009: ")), "{warnings:?}");
}

#[test]
fn warns_where_a_payment_cannot_pay_its_fee() {
    let text = "payments.processor = 'stripe'\npayments.stripe.secret_key = 'sk'\n\
                payments.stripe.webhook_secret = 'whsec_x'\npayments.stripe.client_id = 'ca_x'\n";
    let of = |more: &str| loaded(&file(&format!("{text}{more}"))).warnings.iter().map(Problem::to_string).collect();
    // The platform's share is 17.5 % of £5.00 = 87.5 p; the fee is 20 p + 1.5 % of £5.00
    // = 27.5 p.
    let enough: Vec<String> = of("");
    assert_eq!(enough, Vec::<String>::new());
    let little: Vec<String> = of("payments.minimum_charge = '1.00'");
    assert!(matches!(little.as_slice(), [one] if one.contains("payments.minimum_charge: is so small")), "{little:?}");
}

#[test]
fn secrets_never_reach_a_message() {
    for text in [
        "payments.stripe.secret_key = ' hunter2'",
        "payments.stripe.secret_key = ['hunter2']",
        "plugins.w.secrets.token = \"hunter2\\n\"",
        "plugins.w.secrets = 'hunter2'",
        "inference.providers.x.api_key_env = 'sk-hunter2'",
        "payments.stripe.secret_kye = 'hunter2'",
        "email.smtp = 'smtp://u:hunter2@mail'",
        "email.password = ' hunter2'",
    ] {
        let problems = refused(&file(text));
        assert!(!problems.contains("hunter2"), "{problems}");
    }
    let config = loaded(&file(EVERYTHING)).config;
    assert!(!format!("{config:?}").contains("hunter"));
}

#[test]
fn reads_a_file_of_sensible_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    std::fs::write(&path, "data.dir = 'x'").unwrap();
    let sources = Sources { environment: vec![], ..Sources::gather(Some(&path)).unwrap() };
    assert_eq!(loaded(&sources).config.data.dir.to_str(), Some("x"));
    std::fs::write(&path, "#".repeat(usize::try_from(CONFIG_BYTES_MAX).unwrap() + 1)).unwrap();
    assert!(matches!(Sources::gather(Some(&path)), Err(ConfigError::TooLarge { .. })));
    let missing = Sources::gather(Some(&folder.path().join("none.toml")));
    assert!(missing.is_err_and(|e| e.to_string().contains("none.toml")));
}

proptest! {
    #[test]
    fn no_file_and_no_variable_panics(text in "(server|plugins|split|\\[|\\]|\\.|=|\"|'|[a-z0-9_ \n]){0,30}", value in ".{0,20}") {
        let mut sources = file(&text);
        sources.environment = vec![
            ("TOLLBRIDGE__PLUGINS__X__CONFIG".into(), value.clone()),
            ("TOLLBRIDGE__WEBHOOKS__RETRIES".into(), value.clone()),
            ("TOLLBRIDGE__AGENTS__SKILLS".into(), value),
        ];
        let _ = sources.load().map(|loaded| loaded.show());
    }
}
