//! Methods of the protocol, with their names in each version.

use super::version::ProtocolVersion;

/// An operation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcMethod {
    /// `message/send`, `SendMessage`
    Send,
    /// `message/stream`, `SendStreamingMessage`; refused, as the cards declare.
    Stream,
    /// `tasks/get`, `GetTask`
    Get,
    /// `ListTasks`; 0.3.0 does not have it over JSON-RPC.
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
    /// `agent/getAuthenticatedExtendedCard`, whose card 0.3.0 does not have, and
    /// `GetExtendedAgentCard`.
    ExtendedCard,
}

/// The methods of version 0.3.0.
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

/// The methods of version 1.0.
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
    /// Returns the methods of a version with their names.
    const fn all(version: ProtocolVersion) -> &'static [(&'static str, Self)] {
        match version {
            ProtocolVersion::V0_3 => &V0_3,
            ProtocolVersion::V1 => &V1,
        }
    }

    /// Returns the names of a version's methods.
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
