//! Why a connection was closed, or not taken at all, for the metrics.

use metrics::counter;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The TLS handshake did not come to its end.
    SlowHandshake,
    /// What came was no TLS handshake, or none that can be agreed on.
    BadHandshake,
    /// No whole request came at first.
    NoRequest,
    /// The head of a later request, or a frame, did not come to its end.
    SlowHead,
    /// Nothing was asked for.
    Idle,
    /// The client does not read what it asked for.
    Unread,
    /// Frames that ask for nothing, more than reading answers takes.
    Flood,
    /// It rested, and its place was needed.
    MadeRoom,
    /// All places of its client were taken, none of them idle.
    ClientFull,
    /// All places were taken, none of them idle.
    Full,
}

impl CloseReason {
    /// As the metrics spell it.
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

    /// Counts a connection that ended, or was refused, for this.
    pub(crate) fn count(self) {
        let name = match self {
            Self::ClientFull | Self::Full => "tollbridge_connections_refused_total",
            _ => "tollbridge_connections_closed_total",
        };
        counter!(name, "reason" => self.name()).increment(1);
    }
}
