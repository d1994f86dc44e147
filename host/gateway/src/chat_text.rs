//! A chat completion request kept as the JSON text that the client sent, for providers
//! that speak the same format.
//!
//! Invariants: the text is scanned once, in place; the parts that are sent to a provider
//! are copied byte for byte. Scanning a text yields the same facts that [`ChatFacts::of_members`]
//! finds in its parsed members.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tollbridge_core::client_json;

use super::chat_facts::{ChatFacts, MAX_COST};
use super::json_scanner::JsonScanner;
use super::json_text::MEMBER_BYTES;
use super::provider::{ModelDeployment, OutputLimitParam};

const MODEL: &str = "model";
const STREAM_OPTIONS: &str = "stream_options";
const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// The members whose values the gateway reads.
const GATEWAY_MEMBERS: [&str; 8] =
    [MODEL, "stream", "n", "logprobs", MAX_TOKENS, MAX_COMPLETION_TOKENS, STREAM_OPTIONS, MAX_COST];
/// Members that are changed or left out for some or all providers.
const REWRITTEN_MEMBERS: [&str; 5] = [MODEL, MAX_TOKENS, MAX_COMPLETION_TOKENS, STREAM_OPTIONS, MAX_COST];
/// Members that are sent to providers as whole numbers, whatever number format the client
/// used.
const INTEGER_MEMBERS: [&str; 3] = ["n", MAX_TOKENS, MAX_COMPLETION_TOKENS];

/// The JSON text of a chat, and the positions of its members.
#[derive(Clone, Debug)]
pub(super) struct ChatText {
    text: Bytes,
    /// Ranges of the text that every provider gets unchanged: members, with the commas
    /// between them.
    unchanged: Vec<Range<usize>>,
    /// Position of the value of `max_tokens`. The gateway may change this member and the
    /// next two.
    max_tokens: Option<Range<usize>>,
    max_completion_tokens: Option<Range<usize>>,
    stream_options: Option<Range<usize>>,
    /// The members whose values the gateway reads.
    gateway_members: Map<String, Value>,
    /// The parsed members, for providers that speak another format.
    members: OnceLock<Map<String, Value>>,
}

impl ChatText {
    /// Scans a request body; returns the text and the facts about its chat, or `None` if
    /// the body is invalid or unusual JSON.
    pub(super) fn scan(body: &Bytes) -> Option<(Self, ChatFacts)> {
        let mut scan = ChatScan::default();
        let mut scanner = JsonScanner::new(body);
        let mut object = scanner.open_object()?;
        while let Some(name) = scanner.next_member(&mut object)? {
            scan.member(&mut scanner, body, name)?;
        }
        if !scanner.is_at_end() || scan.facts.messages == 0 {
            return None;
        }
        scan.facts.prompt_bytes = scanner.prompt_bytes().saturating_sub(scan.max_cost_bytes);
        scan.facts.caches_for_an_hour = scanner.caches_for_an_hour();
        let text = Self {
            text: body.clone(),
            unchanged: scan.unchanged,
            max_tokens: scan.max_tokens,
            max_completion_tokens: scan.max_completion_tokens,
            stream_options: scan.stream_options,
            gateway_members: scan.gateway_members,
            members: OnceLock::new(),
        };
        Some((text, scan.facts))
    }

    /// Returns a member whose value the gateway reads, one of [`GATEWAY_MEMBERS`].
    pub(super) fn gateway_member(&self, name: &str) -> Option<&Value> {
        self.gateway_members.get(name)
    }

    /// Returns the members, which are parsed on first use.
    pub(super) fn members(&self) -> &Map<String, Value> {
        // A text that was scanned to its end is valid JSON.
        self.members.get_or_init(|| client_json::read(&self.text).unwrap_or_default())
    }

    /// Builds the body for a provider that speaks OpenAI's format.
    pub(super) fn for_openai(&self, deployment: &ModelDeployment, streams: bool) -> serde_json::Result<Vec<u8>> {
        let quirks = deployment.provider.quirks;
        // The body exceeds the client's text by at most three member names and one
        // option.
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
        if quirks.needs_usage_option {
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
struct ChatScan {
    facts: ChatFacts,
    gateway_members: Map<String, Value>,
    unchanged: Vec<Range<usize>>,
    max_tokens: Option<Range<usize>>,
    max_completion_tokens: Option<Range<usize>>,
    stream_options: Option<Range<usize>>,
    /// Number of bytes of the member with the cost limit; they do not count as part of
    /// the prompt.
    max_cost_bytes: usize,
    /// Whether the next unchanged member directly follows the previous one.
    is_contiguous: bool,
}

impl ChatScan {
    /// Scans the value of a member of the chat, and records the member.
    fn member<'t>(&mut self, scanner: &mut JsonScanner<'t>, text: &'t [u8], name: &'t [u8]) -> Option<()> {
        let (name_begin, before) = (scanner.name_position(), scanner.prompt_bytes());
        let first = scanner.peek()?;
        let begin = scanner.position();
        match name {
            b"messages" => self.messages(scanner)?,
            b"tools" if first == b'[' => {
                let mut tools = scanner.open_list()?;
                while scanner.next_item(&mut tools)? {
                    scanner.value()?;
                }
                self.facts.has_tools |= tools.items > 0;
            }
            b"functions" => {
                self.facts.has_tools |= first != b'n';
                scanner.value()?;
            }
            b"response_format" => {
                self.facts.wants_json = type_of_value(scanner)?.is_some_and(|kind| kind != b"text");
            }
            _ => scanner.member(name)?,
        }
        let value = begin..scanner.position();
        let is_in = |names: &[&str]| names.iter().any(|one| one.as_bytes() == name);
        if is_in(&GATEWAY_MEMBERS) {
            self.parse_gateway_member(name, text.get(value.clone())?)?;
        }
        if name == MAX_COST.as_bytes() {
            self.max_cost_bytes = MEMBER_BYTES + name.len() + (scanner.prompt_bytes() - before);
        }
        let is_rewritten = is_in(&REWRITTEN_MEMBERS);
        match self.unchanged.last_mut() {
            _ if is_rewritten => self.record_position(name, value),
            Some(last) if self.is_contiguous => last.end = value.end,
            _ => self.unchanged.push(name_begin..value.end),
        }
        self.is_contiguous = !is_rewritten;
        Some(())
    }

    fn parse_gateway_member(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let name = std::str::from_utf8(name).ok()?;
        if INTEGER_MEMBERS.contains(&name) && value.contains(&b'.') {
            return None;
        }
        self.gateway_members.insert(name.to_owned(), client_json::read(value).ok()?);
        Some(())
    }

    fn record_position(&mut self, name: &[u8], value: Range<usize>) {
        let position = match name {
            b"max_tokens" => &mut self.max_tokens,
            b"max_completion_tokens" => &mut self.max_completion_tokens,
            b"stream_options" => &mut self.stream_options,
            _ => return,
        };
        *position = Some(value);
    }

    fn messages(&mut self, scanner: &mut JsonScanner<'_>) -> Option<()> {
        let mut messages = scanner.open_list()?;
        while scanner.next_item(&mut messages)? {
            if scanner.peek()? == b'{' {
                self.message(scanner)?;
            } else {
                scanner.value()?;
            }
        }
        self.facts.messages = messages.items;
        Some(())
    }

    fn message(&mut self, scanner: &mut JsonScanner<'_>) -> Option<()> {
        let mut message = scanner.open_object()?;
        while let Some(name) = scanner.next_member(&mut message)? {
            if name != b"content" || scanner.peek()? != b'[' {
                scanner.member(name)?;
                continue;
            }
            let mut parts = scanner.open_list()?;
            while scanner.next_item(&mut parts)? {
                let before = scanner.text_bytes();
                let kind = type_of_value(scanner)?;
                self.facts.attached.add(kind, scanner.text_bytes() - before);
                self.facts.has_picture |= kind == Some(b"image_url");
            }
        }
        Some(())
    }
}

/// Scans any value; returns its `type` member if it is an object that has one. The outer
/// `None` means unusual JSON.
fn type_of_value<'t>(scanner: &mut JsonScanner<'t>) -> Option<Option<&'t [u8]>> {
    let mut kind = None;
    if scanner.peek()? != b'{' {
        scanner.value()?;
        return Some(kind);
    }
    let mut object = scanner.open_object()?;
    while let Some(name) = scanner.next_member(&mut object)? {
        if name == b"type" && scanner.peek()? == b'"' {
            kind = Some(scanner.plain_string()?);
        } else {
            scanner.member(name)?;
        }
    }
    Some(kind)
}
