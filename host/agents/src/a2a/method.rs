//! What clients can ask for, under the names of each version of the protocol.

use super::version::ProtocolVersion;

/// An operation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcMethod {
    /// `message/send`, `SendMessage`
    Send,
    /// `message/stream`, `SendStreamingMessage`; refused, the cards say so.
    Stream,
    /// `tasks/get`, `GetTask`
    Get,
    /// `ListTasks`; 0.3.0 has none over JSON-RPC.
    List,
    /// `tasks/cancel`, `CancelTask`
    Cancel,
    /// `tasks/resubscribe`, `SubscribeToTask`; refused like `Stream`.
    Resubscribe,
    /// `tasks/pushNotificationConfig/set`, `CreateTaskPushNotificationConfig`
    SetPush,
    /// `tasks/pushNotificationConfig/get`, `GetTaskPushNotificationConfig`
    GetPush,
    /// `tasks/pushNotificationConfig/list`, `ListTaskPushNotificationConfigs`
    ListPush,
    /// `tasks/pushNotificationConfig/delete`, `DeleteTaskPushNotificationConfig`
    DeletePush,
    /// `agent/getAuthenticatedExtendedCard`, of which 0.3.0 has none, and
    /// `GetExtendedAgentCard`.
    ExtendedCard,
}

/// Those of 0.3.0.
const V0_3: [(&str, RpcMethod); 10] = [
    ("message/send", RpcMethod::Send),
    ("message/stream", RpcMethod::Stream),
    ("tasks/get", RpcMethod::Get),
    ("tasks/cancel", RpcMethod::Cancel),
    ("tasks/resubscribe", RpcMethod::Resubscribe),
    ("tasks/pushNotificationConfig/set", RpcMethod::SetPush),
    ("tasks/pushNotificationConfig/get", RpcMethod::GetPush),
    ("tasks/pushNotificationConfig/list", RpcMethod::ListPush),
    ("tasks/pushNotificationConfig/delete", RpcMethod::DeletePush),
    ("agent/getAuthenticatedExtendedCard", RpcMethod::ExtendedCard),
];

/// Those of 1.0.
const V1: [(&str, RpcMethod); 11] = [
    ("SendMessage", RpcMethod::Send),
    ("SendStreamingMessage", RpcMethod::Stream),
    ("GetTask", RpcMethod::Get),
    ("ListTasks", RpcMethod::List),
    ("CancelTask", RpcMethod::Cancel),
    ("SubscribeToTask", RpcMethod::Resubscribe),
    ("CreateTaskPushNotificationConfig", RpcMethod::SetPush),
    ("GetTaskPushNotificationConfig", RpcMethod::GetPush),
    ("ListTaskPushNotificationConfigs", RpcMethod::ListPush),
    ("DeleteTaskPushNotificationConfig", RpcMethod::DeletePush),
    ("GetExtendedAgentCard", RpcMethod::ExtendedCard),
];

impl RpcMethod {
    /// The methods of a version with their names.
    const fn all(version: ProtocolVersion) -> &'static [(&'static str, Self)] {
        match version {
            ProtocolVersion::V0_3 => &V0_3,
            ProtocolVersion::V1 => &V1,
        }
    }

    /// The names of a version's methods.
    pub fn names(version: ProtocolVersion) -> Vec<&'static str> {
        Self::all(version).iter().map(|(name, _)| *name).collect()
    }

    pub(super) fn named(name: &str, version: ProtocolVersion) -> Option<Self> {
        Self::all(version).iter().find(|(known, _)| *known == name).map(|(_, method)| *method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_knows_its_own_names_only() {
        assert_eq!(RpcMethod::named("message/send", ProtocolVersion::V0_3), Some(RpcMethod::Send));
        assert_eq!(RpcMethod::named("SendMessage", ProtocolVersion::V1), Some(RpcMethod::Send));
        assert_eq!(RpcMethod::named("SendMessage", ProtocolVersion::V0_3), None);
        assert_eq!(RpcMethod::named("message/send", ProtocolVersion::V1), None);
    }
}
