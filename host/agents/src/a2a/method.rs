//! The methods of the A2A protocol, with their names in each version.

use super::version::ProtocolVersion;

/// An operation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcMethod {
    /// Sends a message: `message/send`, `SendMessage`
    Send,
    /// Sends a message and streams events: `message/stream`, `SendStreamingMessage`.
    /// Refused, as the cards declare no streaming.
    Stream,
    /// Returns a task: `tasks/get`, `GetTask`
    Get,
    /// Lists tasks: `ListTasks`. Version 0.3.0 lacks this method over JSON-RPC.
    List,
    /// Cancels a task: `tasks/cancel`, `CancelTask`
    Cancel,
    /// Streams the events of a task: `tasks/resubscribe`, `SubscribeToTask`. Refused like
    /// `Stream`.
    Resubscribe,
    /// Sets a receiver of notifications: `tasks/pushNotificationConfig/set`,
    /// `CreateTaskPushNotificationConfig`
    SetPush,
    /// Returns a receiver: `tasks/pushNotificationConfig/get`,
    /// `GetTaskPushNotificationConfig`
    GetPush,
    /// Lists the receivers of a task: `tasks/pushNotificationConfig/list`,
    /// `ListTaskPushNotificationConfigs`
    ListPush,
    /// Deletes a receiver: `tasks/pushNotificationConfig/delete`,
    /// `DeleteTaskPushNotificationConfig`
    DeletePush,
    /// Returns the card for authenticated clients: `agent/getAuthenticatedExtendedCard`,
    /// `GetExtendedAgentCard`. This server has no such card in version 0.3.0.
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
