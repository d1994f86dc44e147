//! Reasons why a credential does not pay.

use tollbridge_mpp::{CredentialError, Problem, ProblemType, Rejection};

use super::wallet::WalletDeclined;

/// A reason why a credential does not pay for a call. No money moved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CredentialDeclined {
    #[error("this server does not accept `Authorization: Payment`; use another payment method from this response")]
    NotTaken,
    #[error(transparent)]
    Malformed(#[from] CredentialError),
    #[error("{}", .0.detail)]
    Rejected(Problem),
    #[error("this challenge was paid with another token; pay the challenge in this response")]
    OtherToken { challenge_id: String },
    #[error(
        "this credential already paid for a call; repeat that call unchanged to get its answer, spend the remainder \
         with X-Payment-Intent-Id, or pay the challenge in this response"
    )]
    Used { challenge_id: String },
    #[error("`payload.type` is not supported, or a member of the payload is invalid; send a signed `authorization`")]
    NoAuthorization,
    #[error("`payload.nonce` does not match this challenge; it must be the Keccak-256 of its id and realm")]
    OtherNonce { challenge_id: String },
    #[error("the token was not charged: {reason}; pay the challenge in this response with another token")]
    Refused { challenge_id: String, reason: String },
    #[error(transparent)]
    Wallet(WalletDeclined),
}

impl CredentialDeclined {
    pub(crate) fn rejected(rejection: &Rejection, challenge_id: &str) -> Self {
        Self::Rejected(rejection.problem(challenge_id))
    }

    /// Converts the reason to problem details for the response.
    pub fn problem(&self) -> Problem {
        let of = |kind, challenge_id: Option<&String>| Problem {
            challenge_id: challenge_id.cloned(),
            ..Problem::new(kind, self.to_string())
        };
        match self {
            Self::Malformed(error) => error.problem(),
            Self::Rejected(problem) => problem.clone(),
            Self::Used { challenge_id } | Self::OtherToken { challenge_id } => {
                of(ProblemType::InvalidChallenge, Some(challenge_id))
            }
            Self::OtherNonce { challenge_id } | Self::Refused { challenge_id, .. } => {
                of(ProblemType::VerificationFailed, Some(challenge_id))
            }
            Self::NotTaken | Self::NoAuthorization | Self::Wallet(_) => of(ProblemType::VerificationFailed, None),
        }
    }
}
