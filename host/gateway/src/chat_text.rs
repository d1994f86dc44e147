//! A chat completion request kept as the JSON text that the client sent, for providers
//! that speak the same format.
//!
//! Invariants: the text is scanned once, in place; the parts that are sent to a provider
//! are copied byte for byte. Scanning a text yields the same facts that [`ChatFacts::of`]
//! finds in its parsed members.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollbridge_core::client_json;

use super::chat_facts::{ChatFacts, MAX_COST};
use super::json_scanner::{JsonScanner, Weight};
use super::json_text::MEMBER_BYTES;
use super::provider::{ModelDeployment, OutputLimitParam};

const MODEL: &str = "model";
const STREAM_OPTIONS: &str = "stream_options";
const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// The members whose values the gateway reads.
const KNOWN: [&str; 8] =
    [MODEL, "stream", "n", "logprobs", MAX_TOKENS, MAX_COMPLETION_TOKENS, STREAM_OPTIONS, MAX_COST];
/// Members that are changed or left out for some or all providers.
const APART: [&str; 5] = [MODEL, MAX_TOKENS, MAX_COMPLETION_TOKENS, STREAM_OPTIONS, MAX_COST];
/// Members that are sent to providers as whole numbers, whatever number format the client
/// used.
const WHOLE: [&str; 3] = ["n", MAX_TOKENS, MAX_COMPLETION_TOKENS];

/// The JSON text of a chat, and the positions of its members.
#[derive(Clone, Debug)]
pub(super) struct ChatText {
    text: Bytes,
    /// Ranges of members, with the commas between them, that every provider gets
    /// unchanged.
    unchanged: Vec<Range<usize>>,
    /// The positions of the values of members that may be changed.
    max_tokens: Option<Range<usize>>,
    max_completion_tokens: Option<Range<usize>>,
    stream_options: Option<Range<usize>>,
    /// The parsed members, for providers that speak another format.
    members: OnceLock<Map<String, Value>>,
}

/// A scanned text with the facts about its chat.
pub(super) struct ReadChat {
    pub(super) text: ChatText,
    /// The members whose values the gateway reads.
    pub(super) known: Map<String, Value>,
    pub(super) facts: ChatFacts,
}

impl ChatText {
    /// Scans a request body; `None` if the body is invalid or unusual JSON.
    pub(super) fn read(body: &Bytes) -> Option<ReadChat> {
        let mut reader = ChatReader::default();
        let mut scanner = JsonScanner::new(body);
        let weight = scanner.object(|scanner, name| reader.member(scanner, body, name))?;
        if !scanner.is_at_end() || reader.facts.messages == 0 {
            return None;
        }
        reader.facts.read = weight.read.saturating_sub(reader.unread);
        reader.facts.caches_for_an_hour = scanner.caches_for_an_hour();
        let ChatReader { facts, known, unchanged, max_tokens, max_completion_tokens, stream_options, .. } = reader;
        let members = OnceLock::new();
        let text = Self { text: body.clone(), unchanged, max_tokens, max_completion_tokens, stream_options, members };
        Some(ReadChat { text, known, facts })
    }

    /// Returns the members, which are parsed on first use.
    pub(super) fn members(&self) -> &Map<String, Value> {
        // A text that was scanned to its end is valid JSON.
        self.members.get_or_init(|| client_json::read(&self.text).unwrap_or_default())
    }

    /// Builds the body for a provider that speaks OpenAI's format.
    pub(super) fn for_openai(&self, deployment: &ModelDeployment, streams: bool) -> serde_json::Result<Vec<u8>> {
        let quirks = deployment.provider.quirks;
        // Compared with the text, at most three member names and one option get longer.
        let mut body = Vec::with_capacity(self.text.len() + deployment.upstream.len() + 128);
        body.push(b'{');
        for members in &self.unchanged {
            body.extend_from_slice(self.at(members));
            body.push(b',');
        }
        let limits = [
            (MAX_TOKENS, &self.max_tokens, &self.max_completion_tokens),
            (MAX_COMPLETION_TOKENS, &self.max_completion_tokens, &self.max_tokens),
        ];
        for (name, limit, other) in limits {
            let understood = match quirks.limit {
                OutputLimitParam::AsSent => name,
                OutputLimitParam::MaxTokens => MAX_TOKENS,
                OutputLimitParam::MaxCompletionTokens => MAX_COMPLETION_TOKENS,
            };
            if let Some(limit) = limit.as_ref().filter(|_| name == understood || other.is_none()) {
                put(&mut body, understood, self.at(limit));
            }
        }
        if quirks.ask_usage {
            let options = self.stream_options.as_ref().map(|options| self.at(options));
            if streams {
                put(&mut body, STREAM_OPTIONS, &with_usage(options)?);
            } else if let Some(options) = options {
                put(&mut body, STREAM_OPTIONS, options);
            }
        }
        put(&mut body, MODEL, &serde_json::to_vec(&deployment.upstream)?);
        body.pop();
        body.push(b'}');
        Ok(body)
    }

    fn at(&self, place: &Range<usize>) -> &[u8] {
        self.text.get(place.clone()).unwrap_or_default()
    }
}

/// Appends a member and a comma.
fn put(body: &mut Vec<u8>, name: &str, value: &[u8]) {
    for piece in [b"\"".as_slice(), name.as_bytes(), b"\":", value, b","] {
        body.extend_from_slice(piece);
    }
}

/// Adds the stream option that asks the provider to report the usage.
fn with_usage(options: Option<&[u8]>) -> serde_json::Result<Vec<u8>> {
    // Options that are not an object are ignored.
    let mut members: BTreeMap<String, &RawValue> =
        options.and_then(|options| serde_json::from_slice(options).ok()).unwrap_or_default();
    members.insert("include_usage".to_owned(), RawValue::TRUE);
    serde_json::to_vec(&members)
}

/// The state of a scan.
#[derive(Default)]
struct ChatReader {
    facts: ChatFacts,
    known: Map<String, Value>,
    unchanged: Vec<Range<usize>>,
    max_tokens: Option<Range<usize>>,
    max_completion_tokens: Option<Range<usize>>,
    stream_options: Option<Range<usize>>,
    /// Bytes of members that are not passed to the model.
    unread: usize,
    /// Whether the next unchanged member would directly follow the previous one.
    follows: bool,
}

impl ChatReader {
    fn member<'t>(&mut self, scanner: &mut JsonScanner<'t>, text: &'t [u8], name: &'t [u8]) -> Option<Weight> {
        let begin = scanner.name_place();
        let (weight, place) = scanner.located(|scanner| match name {
            b"messages" => self.messages(scanner),
            b"tools" if scanner.peek()? == b'[' => {
                let (weight, tools) = scanner.list(JsonScanner::value)?;
                self.facts.has_tools |= tools > 0;
                Some(weight)
            }
            b"functions" => {
                self.facts.has_tools |= scanner.peek()? != b'n';
                scanner.value()
            }
            b"response_format" => {
                let (weight, kind) = typed(scanner)?;
                self.facts.wants_json = kind.is_some_and(|kind| kind != b"text");
                Some(weight)
            }
            _ => scanner.member(name),
        })?;
        let is_in = |names: &[&str]| names.iter().any(|one| one.as_bytes() == name);
        if is_in(&KNOWN) {
            self.read_known(name, text.get(place.clone())?)?;
        }
        if name == MAX_COST.as_bytes() {
            self.unread = MEMBER_BYTES + name.len() + weight.read;
        }
        let is_apart = is_in(&APART);
        match self.unchanged.last_mut() {
            _ if is_apart => self.set_apart(name, place),
            Some(before) if self.follows => before.end = place.end,
            _ => self.unchanged.push(begin..place.end),
        }
        self.follows = !is_apart;
        Some(weight)
    }

    fn read_known(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let name = std::str::from_utf8(name).ok()?;
        if WHOLE.contains(&name) && value.contains(&b'.') {
            return None;
        }
        self.known.insert(name.to_owned(), client_json::read(value).ok()?);
        Some(())
    }

    fn set_apart(&mut self, name: &[u8], value: Range<usize>) {
        let place = match name {
            b"max_tokens" => &mut self.max_tokens,
            b"max_completion_tokens" => &mut self.max_completion_tokens,
            b"stream_options" => &mut self.stream_options,
            _ => return,
        };
        *place = Some(value);
    }

    fn messages(&mut self, scanner: &mut JsonScanner<'_>) -> Option<Weight> {
        let (weight, messages) = scanner.list(|scanner| match scanner.peek()? {
            b'{' => scanner.object(|scanner, name| match name {
                b"content" if scanner.peek()? == b'[' => {
                    scanner.list(|scanner| self.part(scanner)).map(|(weight, _)| weight)
                }
                _ => scanner.member(name),
            }),
            _ => scanner.value(),
        })?;
        self.facts.messages = messages;
        Some(weight)
    }

    fn part(&mut self, scanner: &mut JsonScanner<'_>) -> Option<Weight> {
        let (weight, kind) = typed(scanner)?;
        self.facts.attached.add(kind, weight.text);
        self.facts.has_picture |= kind == Some(b"image_url");
        Some(weight)
    }
}

/// Scans any value; also returns its `type` member if it is an object that has one.
fn typed<'t>(scanner: &mut JsonScanner<'t>) -> Option<(Weight, Option<&'t [u8]>)> {
    if scanner.peek()? != b'{' {
        return Some((scanner.value()?, None));
    }
    let mut kind = None;
    let weight = scanner.object(|scanner, name| {
        if name != b"type" || scanner.peek()? != b'"' {
            return scanner.member(name);
        }
        let (text, weight) = scanner.plain_string()?;
        kind = Some(text);
        Some(weight)
    })?;
    Some((weight, kind))
}
