//! Random numbers that anyone can guess, where a secret is made of them.

use agent_common::patterns::is_match;

use crate::language::Language;
use crate::remark::Kind::Security;
use crate::remark::Remark;
use crate::source::Source;

const SECRETS: &str = r"(?i)token|password|passwd|secret|otp|session|nonce|salt|api_?key|reset|invite|voucher|coupon|pin\b|verification|csrf";

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    let (weak, strong) = match source.language {
        Language::Python => {
            (r"\brandom\.(?:choice|choices|randint|random|sample|randrange|getrandbits)\(", "SystemRandom")
        }
        Language::Javascript | Language::Typescript => (r"\bMath\.random\(", "crypto\\."),
        Language::Java | Language::Kotlin => (r"\bnew Random\(|Math\.random\(|\bRandom\.next", "SecureRandom"),
        Language::Csharp => (r"\bnew Random\(", "RandomNumberGenerator"),
        Language::Php => (r"\b(?:rand|mt_rand|uniqid)\s*\(", "random_bytes"),
        Language::Go => (r"\brand\.(?:Int|Intn|Read|Int63)\(", "crypto/rand"),
        Language::Ruby => (r"\brand\(|\bRandom\.", "SecureRandom"),
        Language::C | Language::Cpp => (r"\brand\s*\(\s*\)", "getrandom"),
        _ => return,
    };
    if is_match(strong, &source.joined_text(0, source.lines.len())) {
        return;
    }
    let functions = source.functions();
    for at in 0..source.lines.len() {
        if !is_match(weak, source.code(at)) {
            continue;
        }
        let inside = functions
            .iter()
            .any(|function| function.start <= at && at < function.end && is_match(SECRETS, &function.name));
        let named = is_match(&format!(r"(?:{SECRETS})\w*\s*(?::[^=]+)?[+]?="), source.code(at));
        if inside || named {
            let message = "the random numbers are predictable, not cryptographic: anyone can guess the secret";
            let remedy = "Use a cryptographic source: secrets in Python, crypto in JavaScript, SecureRandom in Java.";
            found.push(Remark::new(source, at, (Security, "high"), "weak-random", message, remedy));
        }
    }
}
