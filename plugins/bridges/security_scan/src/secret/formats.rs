//! Formats of keys and tokens, as their providers publish them.

use super::Secret;
use super::checksum::{base62_tail, base64url, hex_tail};
use super::entropy::bits;
use super::placeholder::is_placeholder;
use crate::rule::{Confidence, Severity};

/// How a match is checked further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The format says it all.
    Format,
    /// The last six characters after the prefix are a base-62 checksum.
    Base62,
    /// The last eight are a hexadecimal checksum.
    Hex,
    /// It must look random.
    Random,
    /// A JSON Web Token: the header must decode.
    Jwt,
    /// A private key: key data must follow.
    PrivateKey,
    /// The password of an address.
    Address,
}

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    pub id: &'static str,
    pub severity: Severity,
    pub check: Check,
    /// Literals in small letters.
    pub near: &'static [&'static str],
    /// Group 1 is the secret.
    pub pattern: &'static str,
    pub lines: usize,
    pub what: &'static str,
}

pub(super) const fn format(
    id: &'static str,
    severity: Severity,
    check: Check,
    near: &'static [&'static str],
    pattern: &'static str,
    what: &'static str,
) -> Format {
    Format { id, severity, check, near, pattern, lines: 0, what }
}

use Check::{Base62, Format as Plain, Random};
use Severity::{Critical, High, Medium};

pub(super) const FORMATS: &[Format] = &[
    format(
        "secret.github-token",
        Critical,
        Base62,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\b(gh[pousr]_[A-Za-z0-9]{36,251})\b",
        "GitHub token",
    ),
    format(
        "secret.github-fine-token",
        Critical,
        Plain,
        &["github_pat_"],
        r"\b(github_pat_[A-Za-z0-9_]{80,244})\b",
        "GitHub fine-grained token",
    ),
    format("secret.npm-token", Critical, Base62, &["npm_"], r"\b(npm_[A-Za-z0-9]{36})\b", "npm token"),
    format(
        "secret.gitlab-token",
        Critical,
        Random,
        &["glpat-", "gldt-", "glrt-", "glptt-"],
        r"\b(gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_.-]{20,60})",
        "GitLab token",
    ),
    format(
        "secret.aws-key-id",
        High,
        Random,
        &["akia", "asia", "abia", "acca"],
        r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b",
        "AWS access key id",
    ),
    format(
        "secret.aws-secret-key",
        Critical,
        Random,
        &["aws_secret", "aws-secret", "awssecret", "secretaccesskey", "secret_access_key"],
        r#"(?i)(?:aws[_-]?secret[_-]?(?:access[_-]?)?key|secret_?access_?key)["']?\s*(?::=|=>|[:=])\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
        "AWS secret access key",
    ),
    format(
        "secret.google-api-key",
        High,
        Random,
        &["aiza"],
        r"\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)",
        "Google API key",
    ),
    format(
        "secret.google-oauth",
        High,
        Random,
        &["gocspx-"],
        r"\b(GOCSPX-[A-Za-z0-9_-]{28})(?:[^A-Za-z0-9_-]|$)",
        "Google OAuth client secret",
    ),
    format(
        "secret.azure-storage",
        Critical,
        Random,
        &["accountkey="],
        r"(?i)AccountKey=([A-Za-z0-9+/]{86}==)",
        "Azure storage key",
    ),
    format(
        "secret.slack-token",
        High,
        Random,
        &["xox", "xapp-"],
        r"\b((?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,250})\b",
        "Slack token",
    ),
    format(
        "secret.slack-webhook",
        Medium,
        Random,
        &["hooks.slack.com"],
        r"hooks\.slack\.com/services/(T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24})",
        "Slack webhook address",
    ),
    format(
        "secret.discord-webhook",
        Medium,
        Random,
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,})",
        "Discord webhook address",
    ),
    format(
        "secret.telegram-token",
        High,
        Random,
        &[":aa"],
        r"\b(\d{8,10}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)",
        "Telegram bot token",
    ),
    format(
        "secret.stripe-key",
        Critical,
        Random,
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_"],
        r"\b([sr]k_(?:live|test)_[A-Za-z0-9]{24,})\b",
        "Stripe secret key",
    ),
    format(
        "secret.stripe-webhook",
        High,
        Random,
        &["whsec_"],
        r"\b(whsec_[A-Za-z0-9+/=]{32,64})",
        "webhook signing secret",
    ),
    format(
        "secret.openai-key",
        Critical,
        Random,
        &["t3blbkfj", "9wzw5bs", "pcgvuqu"],
        r"\b(sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{16,}(?:T3BlbkFJ|9wZW5BS|PcGVuQU)[A-Za-z0-9_-]{16,})(?:[^A-Za-z0-9_-]|$)",
        "OpenAI key",
    ),
    format(
        "secret.anthropic-key",
        Critical,
        Random,
        &["sk-ant-"],
        r"\b(sk-ant-(?:api|admin|oat)\d\d-[A-Za-z0-9_-]{64,128})(?:[^A-Za-z0-9_-]|$)",
        "Anthropic key",
    ),
    format("secret.huggingface-token", High, Random, &["hf_"], r"\b(hf_[A-Za-z]{34})\b", "Hugging Face token"),
    format(
        "secret.sendgrid-key",
        High,
        Random,
        &["sg."],
        r"\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})(?:[^A-Za-z0-9_-]|$)",
        "SendGrid key",
    ),
    format("secret.mailgun-key", High, Random, &["key-"], r"\b(key-[0-9a-f]{32})\b", "Mailgun key"),
    format("secret.twilio-key", High, Random, &["sk"], r"\b(SK[0-9a-f]{32})\b", "Twilio key"),
    format(
        "secret.digitalocean-token",
        Critical,
        Random,
        &["dop_v1_", "doo_v1_", "dor_v1_", "dos_v1_"],
        r"\b(do[oprs]_v1_[0-9a-f]{64})\b",
        "DigitalOcean token",
    ),
    format(
        "secret.shopify-token",
        High,
        Random,
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
        r"\b(shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32})\b",
        "Shopify token",
    ),
    format("secret.databricks-token", High, Random, &["dapi"], r"\b(dapi[0-9a-f]{32}(?:-\d)?)\b", "Databricks token"),
    format("secret.atlassian-token", High, Random, &["atatt3"], r"\b(ATATT3[A-Za-z0-9_=-]{100,})", "Atlassian token"),
    format(
        "secret.grafana-token",
        High,
        Check::Hex,
        &["glsa_"],
        r"\b(glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})\b",
        "Grafana service account token",
    ),
    format(
        "secret.pypi-token",
        Critical,
        Plain,
        &["pypi-ageichlwas5vcmc"],
        r"\b(pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,})",
        "PyPI token",
    ),
    format("secret.rubygems-key", High, Random, &["rubygems_"], r"\b(rubygems_[0-9a-f]{48})\b", "RubyGems key"),
    format(
        "secret.docker-token",
        High,
        Random,
        &["dckr_pat_", "dckr_oat_"],
        r"\b(dckr_[op]at_[A-Za-z0-9_-]{27,32})(?:[^A-Za-z0-9_-]|$)",
        "Docker Hub token",
    ),
    format(
        "secret.terraform-token",
        High,
        Random,
        &[".atlasv1."],
        r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})",
        "Terraform Cloud token",
    ),
    format(
        "secret.vault-token",
        High,
        Random,
        &["hvs.", "hvb.", "hvr."],
        r"\b(hv[sbr]\.[A-Za-z0-9_-]{80,})",
        "HashiCorp Vault token",
    ),
    format(
        "secret.age-key",
        Critical,
        Random,
        &["age-secret-key-1"],
        r"\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b",
        "age secret key",
    ),
    format(
        "secret.sentry-token",
        High,
        Random,
        &["sntrys_", "sntryu_"],
        r"\b(sntry[su]_[A-Za-z0-9+/=_-]{43,})",
        "Sentry token",
    ),
    format("secret.linear-key", High, Random, &["lin_api_"], r"\b(lin_api_[A-Za-z0-9]{40})\b", "Linear key"),
    format("secret.tollbridge-key", High, Random, &["tb_live_"], r"\b(tb_live_[A-Za-z0-9]{27,40})\b", "Tollbridge key"),
    Format {
        lines: 3,
        ..format(
            "secret.private-key",
            Critical,
            Check::PrivateKey,
            &["private key"],
            r"(-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----(?:[\s\\rn]|[A-Za-z0-9+/=,:-]|Proc-Type|DEK-Info)*)",
            "private key",
        )
    },
    format(
        "secret.jwt",
        Medium,
        Check::Jwt,
        &["eyj"],
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{20,})",
        "JSON Web Token",
    ),
    format(
        "secret.address-password",
        High,
        Check::Address,
        &["://"],
        r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'<>`]*:([^\s@/"'<>`]+)@[\w.\[-]+"#,
        "address with a password",
    ),
    format(
        "secret.authorization",
        High,
        Random,
        &["authorization"],
        r#"(?i)authorization["']?\s*[:=,]\s*["'`]?(?:basic|bearer|token)\s+([A-Za-z0-9+/=_.-]{20,})"#,
        "authorization header",
    ),
    format(
        "secret.connection-password",
        High,
        Check::Address,
        &["password=", "pwd="],
        r#"(?i);\s*(?:password|pwd)\s*=\s*([^;"'\s]+)\s*;"#,
        "connection string with a password",
    ),
];

impl Format {
    /// What the match at these bytes is: a secret, a doubtful one, or nothing.
    pub(super) fn judge(&self, text: &str, start: usize, end: usize) -> Option<Secret> {
        let found = text.get(start..end)?;
        let marks = ["example", "xxxxxx", "placeholder", "0000000000", "1234567890", "your", "redacted"];
        let lower = found.to_ascii_lowercase();
        if self.check != Check::PrivateKey && marks.iter().any(|mark| lower.contains(mark)) {
            return None;
        }
        let (severity, confidence, note) = match self.check {
            Check::Format => (self.severity, Confidence::High, ""),
            Check::Base62 | Check::Hex => self.by_checksum(found),
            Check::Random => {
                let body = found.split_once(['_', '-', '.']).map_or(found, |(_, body)| body);
                if bits(body) < 2.8 {
                    return None;
                }
                (self.severity, Confidence::High, "")
            }
            Check::Jwt => {
                let header = String::from_utf8(base64url(found)).ok()?;
                (header.starts_with('{') && header.contains("\"alg\"")).then_some((
                    self.severity,
                    Confidence::Medium,
                    "",
                ))?
            }
            Check::PrivateKey => private_key(found, self.severity)?,
            Check::Address => address(text, found, end, self.severity)?,
        };
        let what = self.what;
        let article = if what.starts_with(['A', 'a', 'O']) { "An" } else { "A" };
        Some(Secret {
            rule: self.id,
            severity,
            confidence,
            cwe: "CWE-798",
            start,
            end,
            message: format!("{article} {what} is written into the source{note}"),
            remedy: "Revoke it at the provider, and read the new one from the environment or a secret store.",
        })
    }

    fn by_checksum(&self, found: &str) -> (Severity, Confidence, &'static str) {
        let body = found.split_once('_').map_or(found, |(_, body)| body);
        let right = if self.check == Check::Hex { hex_tail(found) } else { base62_tail(body) };
        if right {
            (self.severity, Confidence::High, "; its checksum is right")
        } else {
            (Severity::Low, Confidence::Low, "; its checksum is wrong, so it is made up or mistyped")
        }
    }
}

/// A private key with key data after its first line.
fn private_key(found: &str, severity: Severity) -> Option<(Severity, Confidence, &'static str)> {
    let body = found.trim_start_matches("-----BEGIN").split_once("-----").map(|(_, body)| body)?;
    let body = body.split("-----END").next().unwrap_or_default().replace("\\n", "").replace("\\r", "");
    let letters = body.bytes().filter(u8::is_ascii_alphanumeric).count();
    if letters < 24 || bits(&body) < 3.0 {
        return None;
    }
    let encrypted = found.contains("ENCRYPTED");
    Some(if encrypted { (Severity::Medium, Confidence::High, ", encrypted") } else { (severity, Confidence::High, "") })
}

/// A password in an address; well-known ones on this machine matter less.
fn address(text: &str, found: &str, end: usize, severity: Severity) -> Option<(Severity, Confidence, &'static str)> {
    let host = text.get(end..).unwrap_or_default();
    if !(3..=128).contains(&found.len())
        || is_placeholder(found)
        || found.contains("pass") && found.len() < 10
        || found.bytes().all(|byte| byte == b'*')
    {
        return None;
    }
    let host = host.trim_start_matches('@').split(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c))).next()?;
    let local = [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "db",
        "database",
        "postgres",
        "mysql",
        "redis",
        "mongo",
        "mongodb",
        "rabbitmq",
        "host",
    ];
    let is_local =
        local.contains(&host) || host.contains("example") || host.ends_with(".test") || host.ends_with(".localhost");
    Some(if is_local {
        (Severity::Low, Confidence::Low, ", for a host of a test or an example")
    } else {
        (severity, Confidence::Medium, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_a_literal() {
        for format in FORMATS {
            assert!(regex_lite::Regex::new(format.pattern).is_ok(), "{}", format.id);
            assert!(format.near.iter().all(|near| *near == near.to_ascii_lowercase()), "{}", format.id);
        }
    }
}
