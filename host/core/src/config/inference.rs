//! The sections `[inference]` and `[inference.providers.NAME]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::address::BaseUrl;
use super::engine_command::EngineCommand;
use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::setting::{Setting, one_of, unexpected_value};
use super::units::Millionths;

/// Maximum time-out, in seconds, that the operator may set for a request to a model.
const INFERENCE_S_MAX: u64 = 3_600;
/// The file of the built-in model, beside the registry folder.
const BUILTIN_FILE: &str = "models/all-minilm-l6-v2-int8.onnx";
/// The name of the built-in provider.
const BUILTIN: &str = "builtin";

/// The payer for inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billing {
    /// The caller pays from prepaid credit.
    Credit,
    /// No one is charged; for private servers.
    Off,
}

/// The section `[inference]`.
#[derive(Clone, Debug)]
pub struct InferenceConfig {
    /// The payer for calls to models.
    pub billing: Billing,
    /// Whether agents with a skill on the agent card use only models for which they are
    /// qualified.
    pub require_qualification: bool,
    /// The exchange rate, in pounds per dollar.
    pub usd_gbp: Millionths,
    /// The time-out of one request, including all attempts.
    pub timeout: Duration,
    /// The time-out for a complete answer from one provider.
    pub attempt_timeout: Duration,
    /// The time-out for the first content of a stream from one provider.
    pub first_content_timeout: Duration,
    /// The longest allowed pause in the middle of a stream.
    pub idle_timeout: Duration,
    /// The sections `[inference.providers.NAME]`, which add to or change the built-in
    /// providers.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The section `[inference.builtin]`.
    pub builtin: BuiltinConfig,
}

/// The section `[inference.builtin]`: the embedding model that runs in this process.
#[derive(Clone, Debug)]
pub struct BuiltinConfig {
    /// Whether the model is used.
    pub enabled: bool,
    /// The file of the model.
    pub path: PathBuf,
    /// Price in dollars per million tokens.
    pub input_usd_per_mtok: Millionths,
}

/// The API format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// OpenAI's format.
    OpenAi,
    /// Anthropic's format.
    Anthropic,
}

/// The section `[inference.providers.NAME]`. A setting that is absent keeps the value of
/// the built-in provider of that name.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// The API format of the provider; `None` keeps the built-in one.
    pub kind: Option<ProviderKind>,
    /// The base address of the provider's API.
    pub base_url: Option<BaseUrl>,
    /// The command that starts the provider's engine on this machine. If it contains
    /// `{port}`, there is no `base_url`.
    pub command: Option<EngineCommand>,
    /// Name of the environment variable that holds the provider's API key.
    pub api_key_env: Option<String>,
    /// The models of the provider.
    pub models: Option<Vec<ModelConfig>>,
    /// Whether the provider offers OpenAI's Responses API; `None` keeps the built-in
    /// setting.
    pub responses: Option<bool>,
    /// Whether the provider is enabled; `false` disables even a built-in one whose key is
    /// set.
    pub enabled: bool,
}

/// One model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// The id of the model.
    pub id: String,
    /// Price in dollars per million input tokens; 0 for a model that is priced per minute
    /// or image.
    pub input_usd_per_mtok: Millionths,
    /// Price in dollars per million output tokens.
    pub output_usd_per_mtok: Millionths,
    /// The context window in tokens. If unset, the window known for a model of this name
    /// applies, or else a default.
    pub context: Option<u32>,
    /// The provider's own name for the model, if it differs from `id`.
    pub upstream: Option<String>,
    /// Price in dollars per million tokens that the provider reads from its cache.
    pub cached_input_usd_per_mtok: Option<Millionths>,
    /// Price in dollars per million tokens that the provider writes to its cache.
    pub cache_write_usd_per_mtok: Option<Millionths>,
    /// The maximum length of an answer in tokens.
    pub max_output: Option<u32>,
    /// Whether the model produces embeddings instead of text.
    pub embedding: bool,
    /// Whether the model produces speech from text; its prices and limits then count
    /// characters.
    pub speech: bool,
    /// Whether the model produces images.
    pub image: bool,
    /// Price in dollars per image, for a model that is priced per image.
    pub usd_per_image: Option<Millionths>,
    /// Price in dollars per minute of a recording, for a model that transcribes.
    pub usd_per_minute: Option<Millionths>,
    /// Whether the model supports tool calls.
    pub tools: bool,
    /// Whether the model accepts images.
    pub vision: bool,
    /// Whether the model supports answers in the form of a JSON schema.
    pub json: bool,
}

impl InferenceConfig {
    /// Reads the section; `registry` is the registry folder.
    pub(super) fn read(r: &mut Reader, registry: Option<&Path>) -> Option<Self> {
        let billing = r.required("inference.billing");
        let require_qualification = r.required("inference.require_qualification");
        let usd_gbp: Option<Millionths> = r.required("inference.usd_gbp");
        if usd_gbp.is_some_and(|rate| rate.get() == 0) {
            r.error(&Key::from("inference.usd_gbp"), "must be above 0".to_owned());
        }
        let (second, longest) = (Duration::from_millis(1), Duration::from_secs(INFERENCE_S_MAX));
        let mut time = |key: &str| r.within(key, second..=longest, "from 1ms to 1h");
        let timeout = time("inference.timeout");
        let attempt_timeout = time("inference.attempt_timeout");
        let first_content_timeout = time("inference.first_content_timeout");
        let idle_timeout = time("inference.idle_timeout");
        r.section("inference.providers");
        let names = r.tables("inference.providers", &[]);
        let providers: Vec<_> =
            names.into_iter().map(|name| ProviderConfig::read(r, &name).map(|p| (name, p))).collect();
        let builtin = BuiltinConfig::read(r, registry);
        Some(Self {
            billing: billing?,
            require_qualification: require_qualification?,
            usd_gbp: usd_gbp?,
            timeout: timeout?,
            attempt_timeout: attempt_timeout?,
            first_content_timeout: first_content_timeout?,
            idle_timeout: idle_timeout?,
            providers: providers.into_iter().collect::<Option<_>>()?,
            builtin: builtin?,
        })
    }
}

impl BuiltinConfig {
    fn read(r: &mut Reader, registry: Option<&Path>) -> Option<Self> {
        let enabled = r.required("inference.builtin.enabled");
        let path = r.optional::<PathBuf>("inference.builtin.path");
        let beside = registry.map(|dir| dir.with_file_name("").join(BUILTIN_FILE));
        if let Some(beside) = &beside {
            r.derived("inference.builtin.path", Raw::Text(beside.display().to_string()), "from registry.dir");
        }
        let input_usd_per_mtok = r.required("inference.builtin.input_usd_per_mtok");
        Some(Self { enabled: enabled?, path: path?.or(beside)?, input_usd_per_mtok: input_usd_per_mtok? })
    }
}

impl ProviderConfig {
    fn read(r: &mut Reader, name: &str) -> Option<Self> {
        let at = Key::from("inference.providers").then(name);
        if name == BUILTIN {
            r.error(&at, "is the name of the built-in provider; its section is [inference.builtin]".to_owned());
        }
        let kind = r.optional(at.then("kind"));
        let base_url = r.optional(at.then("base_url"));
        let command: Option<Option<EngineCommand>> = r.optional(at.then("command"));
        let api_key_env = r.optional::<VariableName>(at.then("api_key_env"));
        let models: Option<Option<Vec<ModelConfig>>> = r.optional(at.then("models"));
        let responses = r.optional(at.then("responses"));
        let enabled = r.optional(at.then("enabled"));
        let mut seen = BTreeSet::new();
        if let Some(twice) = models.iter().flatten().flatten().find(|model| !seen.insert(model.id.clone())) {
            r.error(&at.then("models"), format!("model \"{}\" is listed twice", twice.id));
        }
        if let (Some(Some(command)), Some(base_url), Some(models)) = (&command, &base_url, &models) {
            check_command(r, &at, command, base_url.as_ref(), models.as_deref().unwrap_or_default());
        }
        Some(Self {
            kind: kind?,
            base_url: base_url?,
            command: command?,
            api_key_env: api_key_env?.map(|name| name.0),
            models: models?,
            responses: responses?,
            enabled: enabled?.unwrap_or(true),
        })
    }
}

/// Reports the settings of a provider that contradict the command of its engine.
fn check_command(
    r: &mut Reader,
    at: &Key,
    command: &EngineCommand,
    base_url: Option<&BaseUrl>,
    models: &[ModelConfig],
) {
    let mut refuse = |member: &str, why: &str| r.error(&at.then(member), why.to_owned());
    match base_url {
        Some(_) if command.has_port() => refuse(
            "base_url",
            "follows from `command`, in which `{port}` is a free port; leave base_url out, or write a fixed \
             port in `command`",
        ),
        Some(url) if !url.is_loopback() || url.is_https() => refuse(
            "base_url",
            "must be an address of this machine, like \"http://127.0.0.1:8080/v1\", because `command` starts the engine \
             here",
        ),
        None if !command.has_port() => refuse(
            "command",
            "does not contain `{port}`; write `{port}` where the engine expects its port, or set base_url to the fixed \
             address of the engine",
        ),
        _ => {}
    }
    if command.has_model() && models.is_empty() {
        refuse(
            "command",
            "contains `{model}`, the `upstream` or `id` of the first model; list the provider's `models`",
        );
    }
}

impl Setting for Billing {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[("credit", Self::Credit), ("off", Self::Off)])
    }
}

impl Setting for ProviderKind {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[("openai", Self::OpenAi), ("anthropic", Self::Anthropic)])
    }
}

impl Setting for ModelConfig {
    fn read(raw: &Raw) -> Result<Self, String> {
        const MEMBERS: [&str; 16] = [
            "id",
            "input_usd_per_mtok",
            "output_usd_per_mtok",
            "context",
            "upstream",
            "cached_input_usd_per_mtok",
            "cache_write_usd_per_mtok",
            "max_output",
            "embedding",
            "speech",
            "image",
            "usd_per_image",
            "usd_per_minute",
            "tools",
            "vision",
            "json",
        ];
        let Raw::Table(members) = raw else {
            let expected_form =
                "a model; write { id = \"…\", input_usd_per_mtok = 0.15, output_usd_per_mtok = 0.6, context = 128000 }";
            return Err(unexpected_value(raw, expected_form));
        };
        if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            return Err(format!("a model has no member `{unknown}`; its members are {}", MEMBERS.join(", ")));
        }
        let (usd_per_image, usd_per_minute) =
            (optional_member(members, "usd_per_image")?, optional_member(members, "usd_per_minute")?);
        let by_token = usd_per_image.is_none() && usd_per_minute.is_none();
        let price = |name: &str| {
            if by_token {
                member(members, name)
            } else {
                Ok(optional_member(members, name)?.unwrap_or(Millionths::of(0)))
            }
        };
        let image = optional_member(members, "image")?.unwrap_or(false);
        if image && usd_per_image.is_none() && !members.contains_key("max_output") {
            return Err("a model that makes images needs `usd_per_image`, or `max_output` for the tokens of one image"
                .to_owned());
        }
        Ok(Self {
            id: member(members, "id")?,
            input_usd_per_mtok: price("input_usd_per_mtok")?,
            output_usd_per_mtok: price("output_usd_per_mtok")?,
            context: optional_member(members, "context")?,
            image,
            usd_per_image,
            usd_per_minute,
            upstream: optional_member(members, "upstream")?,
            cached_input_usd_per_mtok: optional_member(members, "cached_input_usd_per_mtok")?,
            cache_write_usd_per_mtok: optional_member(members, "cache_write_usd_per_mtok")?,
            max_output: optional_member(members, "max_output")?,
            embedding: optional_member(members, "embedding")?.unwrap_or(false),
            speech: optional_member(members, "speech")?.unwrap_or(false),
            // Unset capabilities default to true: a provider rejects requests for
            // features it does not support.
            tools: optional_member(members, "tools")?.unwrap_or(true),
            vision: optional_member(members, "vision")?.unwrap_or(true),
            json: optional_member(members, "json")?.unwrap_or(true),
        })
    }
}

fn member<T: Setting>(members: &BTreeMap<String, Raw>, name: &str) -> Result<T, String> {
    let raw = members.get(name).ok_or_else(|| format!("a model lacks `{name}`"))?;
    T::read(raw).map_err(|message| format!("of a model, {name}: {message}"))
}

fn optional_member<T: Setting>(members: &BTreeMap<String, Raw>, name: &str) -> Result<Option<T>, String> {
    if members.contains_key(name) { member(members, name).map(Some) } else { Ok(None) }
}

/// The name of an environment variable. An invalid name may be an API key that was pasted
/// into the wrong place, so error messages do not show the name.
struct VariableName(String);

impl Setting for VariableName {
    fn read(raw: &Raw) -> Result<Self, String> {
        let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        match raw.text() {
            Some(text) if (1..=128).contains(&text.len()) && text.bytes().all(plain) => Ok(Self(text.to_owned())),
            _ => Err("is not the name of an environment variable; write the name, like \"OPENAI_API_KEY\", \
                      and put the key into that variable"
                .to_owned()),
        }
    }
}
