//! The answer about one address.
//!
//! Invariant: `verdict` follows from `reasons`: the heaviest one decides, and none means `accept`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    domain::{self, Name},
    length,
    syntax::{self, Address},
    table::{self, ROLES},
    typo,
};

/// What is known of the address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Syntax that SMTP takes, and a domain name that can exist.
    pub valid: bool,
    /// What to do with it.
    pub verdict: Verdict,
    /// What speaks against it, heaviest first.
    pub reasons: Vec<Reason>,
    /// The syntax.
    pub syntax: Syntax,
    /// The address for storing: local part as given but in NFC and unquoted where it can be, domain in lower case and A-labels. None if it does not read.
    pub normalised: Option<String>,
    /// The local part in NFC, without needless quotes.
    pub local_part: Option<String>,
    /// What stands after the first `+` of the local part; many providers deliver it to the mailbox before the `+`.
    pub tag: Option<String>,
    /// The domain; none for an address literal or what does not read.
    pub domain: Option<DomainAnswer>,
    /// The server must speak SMTPUTF8 (RFC 6531), because the local part is not ASCII.
    pub needs_smtputf8: bool,
    /// The local part is one of a role (`info`, `sales`), not of a person.
    pub role_account: bool,
    /// A likelier address, where the domain looks mistyped.
    pub suggestion: Option<Suggestion>,
    /// Always `not_checked`: MX records were not looked up.
    pub mx: &'static str,
}

/// What to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against it.
    Accept,
    /// It can work, but look at the reasons.
    Review,
    /// It cannot work.
    Reject,
}

/// Something that speaks against it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reason {
    /// syntax, header_only, domain_name, reserved_domain, unknown_tld, public_suffix, disposable, role_account, typo, address_literal or quoted.
    pub code: &'static str,
    /// What it weighs by itself: review or reject.
    pub weight: Verdict,
    /// In words.
    pub message: String,
}

/// The syntax.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Syntax {
    /// `smtp`: RFC 5321 takes it. `header`: only RFC 5322 does, in message headers. `invalid`: neither.
    pub level: &'static str,
    /// The first wrong character, from 1, of an invalid address.
    pub position: Option<usize>,
    /// The local part has quotes.
    pub quoted: bool,
    /// The domain is an IP address in brackets.
    pub address_literal: bool,
}

/// The domain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DomainAnswer {
    /// As DNS has it (A-labels).
    pub ascii: String,
    /// As people read it (U-labels).
    pub unicode: String,
    /// The public suffix, private ones (hosting services) included.
    pub public_suffix: String,
    /// The registrable domain; none if the domain is a public suffix itself.
    pub registrable: Option<String>,
    /// The public suffix is one of a private owner, such as a hosting service.
    pub private_suffix: bool,
    /// The top-level domain is in the Public Suffix List.
    pub known_tld: bool,
    /// Reserved for tests, examples and local networks: never has mail on the internet.
    pub reserved: bool,
    /// Mailboxes here are thrown away, as the list says.
    pub disposable: bool,
    /// A common mailbox provider.
    pub common_provider: bool,
}

/// A likelier address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The address.
    pub email: String,
    /// Typing mistakes between the two domains.
    pub distance: usize,
}

/// Answers about one address.
pub fn of(text: &str) -> Answer {
    match syntax::read(text) {
        Err(wrong) => invalid(&wrong),
        Ok(address) => known(&address),
    }
}

fn invalid(wrong: &syntax::SyntaxFault) -> Answer {
    Answer {
        valid: false,
        verdict: Verdict::Reject,
        reasons: vec![reason("syntax", Verdict::Reject, format!("character {}: {}", wrong.position, wrong.message))],
        syntax: Syntax { level: "invalid", position: Some(wrong.position), quoted: false, address_literal: false },
        normalised: None,
        local_part: None,
        tag: None,
        domain: None,
        needs_smtputf8: false,
        role_account: false,
        suggestion: None,
        mx: "not_checked",
    }
}

fn known(address: &Address) -> Answer {
    let name = if address.literal { None } else { Name::read(&address.domain) };
    let plain = length::composed(&address.plain);
    let tag = if address.quoted { None } else { plain.split_once('+').map(|(_, tag)| tag.to_owned()) };
    let role = role_account(&plain);
    let local = local_part(address, &plain);
    let sent = if address.literal { None } else { domain::a_labels(&address.domain) };
    let domain_text = sent.clone().unwrap_or_else(|| address.domain.to_ascii_lowercase());
    let header_only: Vec<&str> =
        address.header_only.iter().copied().chain(length::faults(&local, &domain_text, address.literal)).collect();
    let suggested = name.as_ref().and_then(typo::suggestion);
    let suggestion = suggested.map(|(domain, distance)| Suggestion { email: format!("{local}@{domain}"), distance });
    let mut reasons = syntax_reasons(address, &plain, &header_only, sent.is_some());
    if let Some(name) = &name {
        reasons.extend(domain_reasons(name));
    }
    if let Some(better) = &suggestion {
        reasons.push(reason("typo", Verdict::Review, format!("did you mean {}?", better.email)));
    }
    if role {
        reasons.push(reason("role_account", Verdict::Review, "a role, not a person, reads this mailbox".into()));
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
    let smtp = header_only.is_empty();
    Answer {
        valid: smtp && (address.literal || name.is_some()),
        verdict: reasons.first().map_or(Verdict::Accept, |first| first.weight),
        reasons,
        syntax: Syntax {
            level: if smtp { "smtp" } else { "header" },
            position: None,
            quoted: address.quoted,
            address_literal: address.literal,
        },
        normalised: Some(format!("{local}@{domain_text}")),
        needs_smtputf8: !plain.is_ascii(),
        local_part: Some(local),
        tag,
        role_account: role,
        suggestion,
        domain: name.map(domain_answer),
        mx: "not_checked",
    }
}

fn reason(code: &'static str, weight: Verdict, message: String) -> Reason {
    Reason { code, weight, message }
}

/// The local part as SMTP sends it: in NFC, without quotes where it can be. Composing can make a sign of a letter (the
/// Greek question mark becomes a semicolon), which then needs quotes.
fn local_part(address: &Address, plain: &str) -> String {
    if can_be_bare(plain) {
        plain.to_owned()
    } else if address.quoted {
        length::composed(&address.local)
    } else {
        format!("\"{plain}\"")
    }
}

/// Would the local part be right without quotes?
fn can_be_bare(plain: &str) -> bool {
    let bare = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| {
                letter.is_ascii_alphanumeric()
                    || "!#$%&'*+-/=?^_`{|}~".contains(letter)
                    || (!letter.is_ascii() && !letter.is_control() && !letter.is_whitespace())
            })
    };
    plain.split('.').all(bare)
}

fn role_account(plain: &str) -> bool {
    let lower = plain.to_lowercase();
    let base = lower.split('+').next().unwrap_or_default();
    table::holds(ROLES, base)
}

fn syntax_reasons(address: &Address, plain: &str, header_only: &[&str], named: bool) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = header_only
        .iter()
        .map(|why| reason("header_only", Verdict::Reject, format!("no mail server takes it: {why}")))
        .collect();
    if address.literal {
        reasons.push(reason("address_literal", Verdict::Review, "an IP address instead of a domain".into()));
    } else if !named {
        reasons.push(reason("domain_name", Verdict::Reject, "the domain is no valid name by UTS 46".into()));
    }
    if !can_be_bare(plain) {
        reasons.push(reason(
            "quoted",
            Verdict::Review,
            "a local part that needs quotes; many systems refuse it".into(),
        ));
    }
    reasons
}

fn domain_reasons(name: &Name) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut add = |applies: bool, code, weight, message: String| {
        if applies {
            reasons.push(reason(code, weight, message));
        }
    };
    let reserved = name.reserved();
    let known = name.top_known();
    add(reserved, "reserved_domain", Verdict::Reject, format!("{} is reserved and never has mail", name.unicode));
    add(
        !known && !reserved,
        "unknown_tld",
        Verdict::Reject,
        format!(".{} is no top-level domain in the Public Suffix List", name.top()),
    );
    let suffix = known && name.registrable().is_none();
    add(suffix, "public_suffix", Verdict::Review, format!("{} is a public suffix; mail is rare there", name.unicode));
    add(
        name.disposable().is_some(),
        "disposable",
        Verdict::Review,
        format!("{} is on the list of throwaway mailboxes", name.disposable().unwrap_or_default()),
    );
    reasons
}

fn domain_answer(name: Name) -> DomainAnswer {
    DomainAnswer {
        public_suffix: name.suffix(true).to_owned(),
        registrable: name.registrable().map(str::to_owned),
        private_suffix: name.suffix(true) != name.suffix(false),
        known_tld: name.top_known(),
        reserved: name.reserved(),
        disposable: name.disposable().is_some(),
        common_provider: name.provider(),
        ascii: name.ascii,
        unicode: name.unicode,
    }
}
