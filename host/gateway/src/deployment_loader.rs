//! Builds the providers and models of this server: built-in ones, with the operator's
//! overrides and with keys from the environment.

use std::sync::Arc;

use http::{HeaderMap, Uri};
use tollbridge_core::config::{
    BuiltinConfig, InferenceConfig, Millionths, ModelConfig, ProviderConfig, ProviderKind, Secret,
};
use tollbridge_embeddings::{MODEL_NAME, check_presence};

use super::breaker::DeploymentHealth;
use super::builtin::{self, BuiltinProvider};
use super::counters::DeploymentCounters;
use super::local_engine::LocalEngine;
use super::presets::{self, LOCAL, PLAIN, PRESETS, Preset, models_of};
use super::pricing::TokenPrices;
use super::provider::{ModelDeployment, ModelKind, ProviderEndpoint, ProviderStatus, headers};

/// Loads every deployment of a configuration, and the status of each provider.
/// `environment` returns the value of an environment variable.
pub fn load_deployments(
    settings: &InferenceConfig,
    environment: &dyn Fn(&str) -> Option<String>,
) -> (Vec<ModelDeployment>, Vec<ProviderStatus>) {
    let built_in = PRESETS.iter().map(|preset| preset.name);
    let configured = settings.providers.keys().map(String::as_str).filter(|name| presets::preset(name).is_none());
    let (mut deployments, mut provider_statuses) = (Vec::new(), Vec::new());
    for name in built_in.chain(configured) {
        let overrides = settings.providers.get(name);
        let preset = presets::preset(name);
        let base_url = overrides.and_then(|overrides| overrides.base_url.as_ref()).map(ToString::to_string);
        let of_engine = overrides.and_then(|overrides| overrides.command.as_ref()).filter(|command| command.has_port());
        let base_url = base_url.or_else(|| of_engine.map(|_| "http://127.0.0.1:{port}/v1".to_owned()));
        let base_url = base_url.or_else(|| preset.map(|preset| preset.base_url.to_owned()));
        let built = provider(name, overrides, preset, base_url.clone(), environment);
        let state = built.and_then(|provider| models(&Arc::new(provider), overrides, preset));
        provider_statuses.push(ProviderStatus {
            name: name.to_owned(),
            base_url: base_url.unwrap_or_default(),
            state: state.as_ref().map(Vec::len).map_err(Clone::clone),
        });
        deployments.extend(state.unwrap_or_default());
    }
    let builtin = builtin_model(&settings.builtin);
    provider_statuses.push(ProviderStatus {
        name: builtin::PROVIDER.to_owned(),
        base_url: String::new(),
        state: builtin.as_ref().map(|_| 1).map_err(Clone::clone),
    });
    deployments.extend(builtin);
    (deployments, provider_statuses)
}

/// Returns the deployment of the built-in model, or the reason why it cannot be used.
fn builtin_model(settings: &BuiltinConfig) -> Result<ModelDeployment, String> {
    if !settings.enabled {
        return Err("inference.builtin.enabled is false".to_owned());
    }
    check_presence(&settings.path)
        .map_err(|error| format!("{error}; fetch it with scripts/fetch-model.sh, or set inference.builtin.path"))?;
    let provider = ProviderEndpoint {
        name: builtin::PROVIDER.to_owned(),
        kind: ProviderKind::OpenAi,
        chat: Uri::default(),
        embeddings: Uri::default(),
        speech: Uri::default(),
        transcriptions: Uri::default(),
        images: Uri::default(),
        responses: None,
        count_tokens: None,
        key: None,
        headers: HeaderMap::new(),
        quirks: PLAIN,
        engine: None,
        builtin: Some(BuiltinProvider::new(&settings.path)),
    };
    Ok(ModelDeployment {
        provider: Arc::new(provider),
        name: MODEL_NAME.to_owned(),
        upstream: MODEL_NAME.to_owned(),
        prices: TokenPrices { input: settings.input_usd_per_mtok.get(), ..TokenPrices::default() },
        context: builtin::TOKENS_PER_REQUEST_MAX,
        max_output: None,
        tools: false,
        vision: false,
        json: false,
        kind: ModelKind::Embedding,
        counters: DeploymentCounters::new(builtin::PROVIDER, MODEL_NAME),
        health: DeploymentHealth::default(),
    })
}

fn provider(
    name: &str,
    overrides: Option<&ProviderConfig>,
    preset: Option<&Preset>,
    base_url: Option<String>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<ProviderEndpoint, String> {
    if overrides.is_some_and(|overrides| !overrides.enabled) {
        return Err(format!("inference.providers.{name}.enabled is false"));
    }
    let local = if LOCAL.contains(&name) { ", like \"http://127.0.0.1:11434/v1\"" } else { "" };
    let base_url = base_url.ok_or_else(|| format!("set inference.providers.{name}.base_url{local}"))?;
    let variable =
        overrides.and_then(|overrides| overrides.api_key_env.as_deref()).or(preset.map(|preset| preset.api_key_env));
    let key = match variable {
        // A provider whose base URL is set by the operator may need no key.
        None => None,
        Some(variable) => Some(read_key(variable, environment)?),
    };
    let kind = overrides
        .and_then(|overrides| overrides.kind)
        .or(preset.map(|preset| preset.kind))
        .unwrap_or(ProviderKind::OpenAi);
    // The port of an engine is chosen at each start.
    let base_url = base_url.replace("{port}", "0");
    let route = |path: &str| {
        let url = format!("{}/{path}", base_url.trim_end_matches('/'));
        url.parse::<Uri>().map_err(|error| format!("inference.providers.{name}.base_url: {error}"))
    };
    let mut quirks = preset.map_or(PLAIN, |preset| preset.quirks);
    if let Some(speaks) = overrides.and_then(|overrides| overrides.responses) {
        quirks.responses = speaks.then(|| quirks.responses.unwrap_or_default());
    }
    if kind == ProviderKind::Anthropic && quirks.responses.take().is_some() {
        return Err(format!("inference.providers.{name}.responses: only `kind = \"openai\"` has the Responses API"));
    }
    let first_model = overrides.and_then(|overrides| overrides.models.as_ref()?.first());
    let model = first_model.map_or("", |model| model.upstream.as_ref().unwrap_or(&model.id));
    let command = overrides.and_then(|overrides| overrides.command.as_ref());
    let engine = command.map(|command| route("models").map(|models| LocalEngine::new(name, command, model, models)));
    Ok(ProviderEndpoint {
        name: name.to_owned(),
        engine: engine.transpose()?.map(Arc::new),
        chat: route(if kind == ProviderKind::Anthropic { "messages" } else { "chat/completions" })?,
        embeddings: route("embeddings")?,
        speech: route("audio/speech")?,
        transcriptions: route("audio/transcriptions")?,
        images: route("images/generations")?,
        responses: quirks.responses.map(|_| route("responses")).transpose()?,
        count_tokens: (kind == ProviderKind::Anthropic).then(|| route("messages/count_tokens")).transpose()?,
        kind,
        headers: headers(kind, key.as_ref()),
        key,
        quirks,
        builtin: None,
    })
}

fn read_key(variable: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Secret, String> {
    let key = environment(variable).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    let key = key.ok_or_else(|| format!("set {variable} in the environment"))?;
    if key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        Ok(Secret::new(key))
    } else {
        Err(format!("{variable} is not a key: it contains characters that are not allowed in a header"))
    }
}

fn models(
    provider: &Arc<ProviderEndpoint>,
    overrides: Option<&ProviderConfig>,
    preset: Option<&Preset>,
) -> Result<Vec<ModelDeployment>, String> {
    if let Some(list) = overrides.and_then(|overrides| overrides.models.as_ref()) {
        return Ok(list.iter().map(|model| configured(provider, model)).collect());
    }
    let Some(preset) = preset else {
        return Err(format!("list its models in inference.providers.{}.models", provider.name));
    };
    Ok(models_of(preset.name)
        .map(|model| ModelDeployment {
            provider: provider.clone(),
            name: model.name.to_owned(),
            upstream: model.upstream.to_owned(),
            prices: model.prices,
            context: model.context,
            max_output: model.max_output,
            tools: model.tools,
            vision: model.vision,
            json: model.json,
            kind: model.kind,
            counters: DeploymentCounters::new(&provider.name, model.name),
            health: DeploymentHealth::default(),
        })
        .collect())
}

/// Returns the default price of cache writes; Anthropic charges a quarter more for input
/// that it caches.
fn default_cache_write(provider: &ProviderEndpoint, model: &ModelConfig) -> Option<u64> {
    let quarter_more = model.input_usd_per_mtok.get().saturating_mul(5).div_ceil(4);
    (provider.kind == ProviderKind::Anthropic).then_some(quarter_more)
}

/// Default context size of a chat or speech model whose context size is neither
/// configured nor known; the constants below are the defaults of other kinds of models.
/// The unit is tokens, characters of a prompt, or seconds of a recording. A provider
/// rejects larger requests free of charge.
const CHAT_CONTEXT: u64 = 128_000;
const EMBEDDING_CONTEXT: u64 = 8_192;
const IMAGE_CONTEXT: u64 = 32_000;
const RECORDING_CONTEXT: u64 = 4 * 60 * 60;

/// Returns the smallest context size among the built-in models with this model's name.
fn known_context(model: &ModelConfig) -> Option<u64> {
    let names = [Some(model.id.as_str()), model.upstream.as_deref()];
    let known = PRESETS.iter().flat_map(|preset| models_of(preset.name));
    known
        .filter(|one| names.contains(&Some(one.name)) || names.contains(&Some(one.upstream)))
        .map(|one| one.context)
        .min()
}

/// Builds a configured deployment. Prices are converted to picodollars per token: a
/// dollar per million tokens is a millionth of a dollar (a million picodollars) per
/// token.
fn configured(provider: &Arc<ProviderEndpoint>, model: &ModelConfig) -> ModelDeployment {
    let picodollars = |price: Millionths| price.get().saturating_mul(1_000_000);
    let (kind, default_context) = if model.usd_per_minute.is_some() {
        (ModelKind::Transcription, RECORDING_CONTEXT)
    } else if model.image || model.usd_per_image.is_some() {
        (ModelKind::Image, IMAGE_CONTEXT)
    } else if model.speech {
        (ModelKind::Speech, CHAT_CONTEXT)
    } else if model.embedding {
        (ModelKind::Embedding, EMBEDDING_CONTEXT)
    } else {
        (ModelKind::Chat, CHAT_CONTEXT)
    };
    let per_second = model.usd_per_minute.map(|price| picodollars(price).div_ceil(60));
    ModelDeployment {
        provider: provider.clone(),
        name: model.id.clone(),
        upstream: model.upstream.clone().unwrap_or_else(|| model.id.clone()),
        prices: TokenPrices {
            input: per_second.unwrap_or(model.input_usd_per_mtok.get()),
            output: model.usd_per_image.map_or(model.output_usd_per_mtok.get(), picodollars),
            cached: model.cached_input_usd_per_mtok.map(Millionths::get),
            cache_write: model
                .cache_write_usd_per_mtok
                .map(Millionths::get)
                .or_else(|| default_cache_write(provider, model)),
            long: None,
        },
        context: model.context.map(u64::from).or_else(|| known_context(model)).unwrap_or(default_context),
        max_output: model.max_output.map(u64::from).filter(|_| model.usd_per_image.is_none()),
        tools: model.tools,
        vision: model.vision,
        json: model.json,
        kind,
        counters: DeploymentCounters::new(&provider.name, &model.id),
        health: DeploymentHealth::default(),
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::config::Sources;
    use tollbridge_embeddings::FILE_NAME;

    use super::*;

    #[test]
    fn a_model_without_a_context_has_that_of_its_name_or_the_usual_one() {
        let prices = "input_usd_per_mtok = 1, output_usd_per_mtok = 2";
        let file = format!(
            "[inference.providers.local]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\
             {{ id = \"mine\", {prices} }}, {{ id = \"given\", {prices}, context = 7 }}, {{ id = \"vectors\", embedding = true, \
             {prices} }}, {{ id = \"alias\", upstream = \"gpt-4.1-mini\", {prices} }}]\n"
        );
        let sources = Sources { file: Some(("t.toml".to_owned(), file)), ..Sources::default() };
        let (made, _) = load_deployments(&sources.load().unwrap().config.inference, &|_| None);
        let contexts: Vec<_> = made.iter().map(|one| (one.name.as_str(), one.context)).collect();
        assert_eq!(contexts, [("mine", 128_000), ("given", 7), ("vectors", 8_192), ("alias", 1_047_576)]);
    }

    #[test]
    fn the_built_in_model_needs_its_file() {
        let settings = Sources::default().load().unwrap().config.inference;
        assert_eq!(settings.builtin.path.file_name(), Some(FILE_NAME.as_ref()));
        let (made, statuses) = load_deployments(&settings, &|_| None);
        let builtin = statuses.iter().find(|one| one.name == builtin::PROVIDER).unwrap();
        assert!(builtin.state.as_ref().unwrap_err().contains("model file"), "{:?}", builtin.state);
        assert!(made.is_empty());
    }
}
