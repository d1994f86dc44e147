//! `[inference]` and `[inference.providers.NAME]`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::address::BaseUrl;
use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::setting::{Setting, one_of, unlike};
use super::units::Millionths;
use crate::limits::INFERENCE_S_MAX;

/// Who pays for inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billing {
    /// The caller's prepaid credit.
    Credit,
    /// Nobody; for private hosts.
    Off,
}

/// `[inference]`.
#[derive(Clone, Debug)]
pub struct InferenceConfig {
    /// Who pays for models.
    pub billing: Billing,
    /// Pounds per dollar.
    pub usd_gbp: Millionths,
    /// Longest that one request may take, all attempts together.
    pub timeout: Duration,
    /// Longest that one provider may take for a whole answer.
    pub attempt_timeout: Duration,
    /// Longest that one provider may take to begin a stream.
    pub first_content_timeout: Duration,
    /// Longest silence in the middle of a stream.
    pub idle_timeout: Duration,
    /// `[inference.providers.NAME]`, on top of those that are built in.
    pub providers: BTreeMap<String, ProviderConfig>,
}

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// OpenAI's format.
    OpenAi,
    /// Anthropic's format.
    Anthropic,
}

/// `[inference.providers.NAME]`. What is absent is as the built-in provider of
/// that name has it.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// Its format.
    pub kind: Option<ProviderKind>,
    /// Where it answers.
    pub base_url: Option<BaseUrl>,
    /// Name of the environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// What it offers.
    pub models: Option<Vec<ModelConfig>>,
    /// Whether it has OpenAI's Responses API; nothing means as built in.
    pub responses: Option<bool>,
    /// `false` keeps a built-in provider out although its key is set.
    pub enabled: bool,
}

/// One model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// Its id.
    pub id: String,
    /// Dollars per million tokens; 0 where it is paid by the minute or image.
    pub input_usd_per_mtok: Millionths,
    /// Dollars per million tokens.
    pub output_usd_per_mtok: Millionths,
    /// Tokens that fit; what is known of a model of this name, or what is usual, unless given.
    pub context: Option<u32>,
    /// The provider's own name of it, if that is another.
    pub upstream: Option<String>,
    /// Dollars per million tokens that the provider had in its cache.
    pub cached_input_usd_per_mtok: Option<Millionths>,
    /// Dollars per million tokens that the provider puts into its cache.
    pub cache_write_usd_per_mtok: Option<Millionths>,
    /// Longest answer, tokens.
    pub max_output: Option<u32>,
    /// Whether it makes vectors instead of text.
    pub embedding: bool,
    /// Whether it speaks a text; its price and what fits are then of characters.
    pub speech: bool,
    /// Whether it makes images.
    pub image: bool,
    /// Dollars for an image, where they are paid for each.
    pub usd_per_image: Option<Millionths>,
    /// Dollars for a minute of a recording, which it writes down.
    pub usd_per_minute: Option<Millionths>,
    /// Whether it calls tools.
    pub tools: bool,
    /// Whether it reads images.
    pub vision: bool,
    /// Whether it keeps to a JSON schema.
    pub json: bool,
}

impl InferenceConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let billing = r.required("inference.billing");
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
        Some(Self {
            billing: billing?,
            usd_gbp: usd_gbp?,
            timeout: timeout?,
            attempt_timeout: attempt_timeout?,
            first_content_timeout: first_content_timeout?,
            idle_timeout: idle_timeout?,
            providers: providers.into_iter().collect::<Option<_>>()?,
        })
    }
}

impl ProviderConfig {
    fn read(r: &mut Reader, name: &str) -> Option<Self> {
        let at = Key::from("inference.providers").then(name);
        let kind = r.optional(at.then("kind"));
        let base_url = r.optional(at.then("base_url"));
        let api_key_env = r.optional::<VariableName>(at.then("api_key_env"));
        let models: Option<Option<Vec<ModelConfig>>> = r.optional(at.then("models"));
        let responses = r.optional(at.then("responses"));
        let enabled = r.optional(at.then("enabled"));
        let mut seen = BTreeSet::new();
        if let Some(twice) = models.iter().flatten().flatten().find(|model| !seen.insert(model.id.clone())) {
            r.error(&at.then("models"), format!("model \"{}\" is listed twice", twice.id));
        }
        Some(Self {
            kind: kind?,
            base_url: base_url?,
            api_key_env: api_key_env?.map(|name| name.0),
            models: models?,
            responses: responses?,
            enabled: enabled?.unwrap_or(true),
        })
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
            return Err(unlike(raw, expected_form));
        };
        if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            return Err(format!("a model has no `{unknown}`; it has {}", MEMBERS.join(", ")));
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
            return Err(
                "a model that makes images lacks `usd_per_image`, or `max_output`, the tokens of one image".to_owned()
            );
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
            // What nobody says is tried: the provider knows.
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

/// The name of an environment variable. What is not one may be a key that was
/// pasted into the wrong place, so it is not shown.
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
