//! IP addresses. Double colons stand in code and times too: what can be both needs more that speaks for an address.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::detection::{Detection, after, before, free, has_word};
use crate::input::Kind;
use crate::patterns::Patterns;

const ADDRESS_WORDS: [&str; 10] =
    ["ip", "ipv6", "inet6", "address", "addr", "host", "localhost", "loopback", "ping", "ping6"];

/// IP addresses. Four numbers after the word version are none.
pub fn ips(text: &str, patterns: &Patterns) -> Vec<Detection> {
    let mut spans = Vec::new();
    let mut push =
        |start: usize, end: usize| spans.push(Detection { start, end, kind: Kind::IpAddress, evidence: "format" });
    for hit in patterns.ip_v4.find_iter(text) {
        let cue = before(text, hit.start(), 16);
        let version = ["version", "release", "firmware", "build"].iter().any(|word| has_word(&cue, word));
        let goes_on = cue.ends_with('.')
            || after(text, hit.end(), 2).strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_numeric));
        if hit.as_str().parse::<Ipv4Addr>().is_ok() && free(text, hit.start(), hit.end()) && !version && !goes_on {
            push(hit.start(), hit.end());
        }
    }
    for hit in patterns.ip_v6.find_iter(text) {
        let (from, to) = bare(text, hit.start(), hit.as_str());
        let value = text.get(from..to).unwrap_or_default();
        if let Ok(address) = value.parse::<Ipv6Addr>()
            && free(text, from, to)
            && !text.get(to..).unwrap_or_default().starts_with('_')
            && (is_plain(value) || is_told(text, from, to))
            && !is_slice(text, from, value)
        {
            push(from, zone(text, to, address));
        }
    }
    spans
}

/// Where the address in a run of its signs is: a colon after it belongs to the sentence, one before it, with the end of
/// the word that it follows, to what was said before.
fn bare(text: &str, start: usize, run: &str) -> (usize, usize) {
    let value = run.trim_end_matches('.');
    let value = if value.ends_with("::") { value } else { value.trim_end_matches(':') };
    let end = start.saturating_add(value.len());
    let in_word = text.get(..start).unwrap_or_default().ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    let value = if in_word { value.split_once(':').map_or("", |(_, rest)| rest) } else { value };
    let value = match value.strip_prefix(':') {
        Some(rest) if !rest.starts_with(':') || rest.starts_with("::") || in_word => rest,
        _ => value,
    };
    (end.saturating_sub(value.len()), end)
}

/// Whether an address can be nothing else: all groups, three or more, an IPv4 address in it, the loopback address, or a
/// long group that has a digit. `a::b`, `::add` and `12::30` can be code or a slip.
fn is_plain(value: &str) -> bool {
    let groups: Vec<&str> = value.split([':', '.']).filter(|group| !group.is_empty()).collect();
    let mixed = value.contains(|sign: char| sign.is_ascii_lowercase()) && value.contains(char::is_uppercase);
    let digits = value.contains(|sign: char| sign.is_ascii_digit());
    let long = |group: &&str| group.len() > 2 && group.contains(|sign: char| sign.is_ascii_digit());
    value == "::1" || (digits && !mixed && (groups.len() > 2 || groups.iter().any(long))) || groups.len() == 8
}

/// Whether what is around says that it is an address: a word before it, a prefix length behind it, or the brackets of a URL.
fn is_told(text: &str, start: usize, end: usize) -> bool {
    let (cue, next) = (before(text, start, 24), after(text, end, 4));
    let prefix = next.strip_prefix('/').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    let bracket = cue.ends_with('[') && (next.starts_with("]:") || cue.ends_with("//[") || cue.ends_with("@["));
    let word = cue.split(|sign: char| !sign.is_alphanumeric()).any(|word| ADDRESS_WORDS.contains(&word));
    prefix || bracket || word
}

/// Whether decimal numbers with a double colon are the steps of a slice: `x[::1]`, `m[:, 1::2]`.
fn is_slice(text: &str, start: usize, value: &str) -> bool {
    let head = before(text, start, 40);
    let Some((name, inner)) = head.rsplit_once('[') else { return false };
    let is_subscript = name.ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ')' | ']'));
    value.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && !inner.contains(']') && is_subscript
}

/// The end of an address with its zone (`%eth0`, RFC 4007), which addresses have that mean something on one link only.
fn zone(text: &str, end: usize, address: Ipv6Addr) -> usize {
    let Some(name) = text.get(end..).and_then(|rest| rest.strip_prefix('%')) else { return end };
    let signs = name.bytes().take(32).take_while(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte)).count();
    let name = name.get(..signs).unwrap_or_default().trim_end_matches(['.', '-']);
    let local = address.is_unicast_link_local() || address.is_multicast();
    if local && !name.is_empty() { end.saturating_add(1).saturating_add(name.len()) } else { end }
}
