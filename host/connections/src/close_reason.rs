//! The reason for closing or refusing a connection, for the metrics.

use metrics::counter;

/// The reason for closing or refusing a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The TLS handshake was not completed in time.
    SlowHandshake,
    /// The client did not start a TLS handshake, or started one that the server cannot
    /// accept.
    BadHandshake,
    /// No complete first request was received in time.
    NoRequest,
    /// The head of a later request, or an HTTP/2 frame, was not completed in time.
    SlowHead,
    /// No request was sent for too long.
    Idle,
    /// The client does not read its response.
    Unread,
    /// The client sent more control frames than reading responses requires.
    Flood,
    /// The connection was idle, and a new connection needed its slot.
    MadeRoom,
    /// All slots of the client were in use, and none of its connections was idle.
    ClientFull,
    /// All slots were in use, and no connection was idle.
    Full,
}

impl CloseReason {
    /// Returns the name used in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SlowHandshake => "slow_handshake",
            Self::BadHandshake => "bad_handshake",
            Self::NoRequest => "no_request",
            Self::SlowHead => "slow_head",
            Self::Idle => "idle",
            Self::Unread => "unread",
            Self::Flood => "flood",
            Self::MadeRoom => "made_room",
            Self::ClientFull => "client_full",
            Self::Full => "full",
        }
    }

    /// Counts a connection that was closed or refused for this reason.
    pub(crate) fn count(self) {
        let name = match self {
            Self::ClientFull | Self::Full => "tollbridge_connections_refused_total",
            _ => "tollbridge_connections_closed_total",
        };
        counter!(name, "reason" => self.name()).increment(1);
    }
}
