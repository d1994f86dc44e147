//! Errors of outgoing requests.

/// An error of an outgoing request. The texts name hosts, never the IP addresses behind
/// them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum EgressError {
    #[error("{0} is not an allowed address for requests")]
    BadUrl(String),
    #[error(
        "{host} is in a private or reserved network; the operator can add its network to the list of allowed networks"
    )]
    Prohibited { host: String },
    #[error("the name {host} cannot be resolved")]
    Unresolved { host: String },
    #[error("cannot connect to {host}: {why}")]
    Unreachable { host: String, why: String },
    #[error("{host} did not answer in time")]
    TimedOut { host: String },
    #[error("{host} answered with more than {limit} bytes")]
    TooLarge { host: String, limit: usize },
    #[error("the connection to {host} broke: {why}")]
    Broken { host: String, why: String },
    #[error("outgoing requests cannot be set up: {0}")]
    SetUp(String),
}
