//! Problem details (RFC 9457) for payments.

use serde_json::{Value, json};

/// A problem type defined by the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemType {
    /// A payment is required.
    PaymentRequired,
    /// The paid amount is too low.
    PaymentInsufficient,
    /// The authorization expired.
    PaymentExpired,
    /// The proof of payment is invalid.
    VerificationFailed,
    /// The payment method is not accepted.
    MethodUnsupported,
    /// The credential is malformed.
    MalformedCredential,
    /// The challenge is unknown, expired, or already used.
    InvalidChallenge,
}

/// The body of a response that refuses a payment, `application/problem+json`. A 402
/// response also needs a fresh challenge and `Cache-Control: no-store`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Problem type.
    pub kind: ProblemType,
    /// Human-readable reason and remedy.
    pub detail: String,
    /// Id of the challenge that the problem concerns.
    pub challenge_id: Option<String>,
}

impl ProblemType {
    /// All problem types.
    pub const ALL: [Self; 7] = [
        Self::PaymentRequired,
        Self::PaymentInsufficient,
        Self::PaymentExpired,
        Self::VerificationFailed,
        Self::MethodUnsupported,
        Self::MalformedCredential,
        Self::InvalidChallenge,
    ];

    /// Returns the URI of the problem type.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::PaymentRequired => "https://paymentauth.org/problems/payment-required",
            Self::PaymentInsufficient => "https://paymentauth.org/problems/payment-insufficient",
            Self::PaymentExpired => "https://paymentauth.org/problems/payment-expired",
            Self::VerificationFailed => "https://paymentauth.org/problems/verification-failed",
            Self::MethodUnsupported => "https://paymentauth.org/problems/method-unsupported",
            Self::MalformedCredential => "https://paymentauth.org/problems/malformed-credential",
            Self::InvalidChallenge => "https://paymentauth.org/problems/invalid-challenge",
        }
    }

    /// Returns the title of the problem type.
    pub const fn title(self) -> &'static str {
        match self {
            Self::PaymentRequired => "Payment Required",
            Self::PaymentInsufficient => "Payment Insufficient",
            Self::PaymentExpired => "Payment Expired",
            Self::VerificationFailed => "Payment Verification Failed",
            Self::MethodUnsupported => "Method Unsupported",
            Self::MalformedCredential => "Malformed Credential",
            Self::InvalidChallenge => "Invalid Challenge",
        }
    }

    /// Returns the HTTP status of the response.
    pub const fn status(self) -> u16 {
        match self {
            Self::MethodUnsupported => 400,
            _ => 402,
        }
    }
}

impl Problem {
    /// Creates a problem without a challenge.
    pub fn new(kind: ProblemType, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), challenge_id: None }
    }

    /// Converts the problem to JSON.
    pub fn to_json(&self) -> Value {
        let (kind, status) = (self.kind, self.kind.status());
        let mut json = json!({ "type": kind.uri(), "title": kind.title(), "status": status, "detail": self.detail });
        if let (Some(id), Some(members)) = (&self.challenge_id, json.as_object_mut()) {
            members.insert("challengeId".to_owned(), Value::from(id.as_str()));
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_has_the_form_of_the_draft() {
        let problem =
            Problem { challenge_id: Some("c".to_owned()), ..Problem::new(ProblemType::InvalidChallenge, "d") };
        let expected = json!({
            "type": "https://paymentauth.org/problems/invalid-challenge",
            "title": "Invalid Challenge", "status": 402, "detail": "d", "challengeId": "c",
        });
        assert_eq!(problem.to_json(), expected);
        let statuses: Vec<u16> = ProblemType::ALL.into_iter().map(ProblemType::status).collect();
        assert_eq!(statuses, [402, 402, 402, 402, 400, 402, 402]);
    }
}
