//! The two sets of member names: JSON names, and the field names of the protocol's
//! Protobuf source.

use serde_json::{Map, Value};

/// Protobuf field names with their JSON names; ProtoJSON allows clients to use either.
const SOURCE_NAMES: [(&str, &str); 13] = [
    ("accepted_output_modes", "acceptedOutputModes"),
    ("context_id", "contextId"),
    ("history_length", "historyLength"),
    ("include_artifacts", "includeArtifacts"),
    ("media_type", "mediaType"),
    ("message_id", "messageId"),
    ("page_size", "pageSize"),
    ("page_token", "pageToken"),
    ("reference_task_ids", "referenceTaskIds"),
    ("return_immediately", "returnImmediately"),
    ("status_timestamp_after", "statusTimestampAfter"),
    ("task_id", "taskId"),
    ("task_push_notification_config", "taskPushNotificationConfig"),
];

/// Renames members to their JSON names. If an object has both names, the value under the
/// JSON name is used.
pub(crate) fn with_json_names(members: Map<String, Value>) -> Map<String, Value> {
    let (mut named, mut others) = (Map::new(), Vec::new());
    for (name, value) in members {
        match SOURCE_NAMES.iter().find(|(source, _)| *source == name) {
            Some((_, json)) => others.push((*json, value)),
            None => drop(named.insert(name, value)),
        }
    }
    for (name, value) in others {
        named.entry(name).or_insert(value);
    }
    named
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_has_one_name() {
        let members = json!({ "task_id": "old", "taskId": "new", "page_size": 2, "id": "x", "more_more": 1 });
        let named = with_json_names(members.as_object().unwrap().clone());
        assert_eq!(Value::Object(named), json!({ "taskId": "new", "pageSize": 2, "id": "x", "more_more": 1 }));
    }
}
