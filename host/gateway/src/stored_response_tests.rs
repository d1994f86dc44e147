//! Tests of stored responses: visibility, limits and expiry.

use std::sync::Arc;

use serde_json::{Value, json};
use tollbridge_ledger::Chain;
use tollbridge_store::{Change, Collection, Db, RedbStore, Store, Writer};

use super::error::GatewayError;
use super::stored_response::{StoredResponse, StoredResponses};
use crate::limits::{
    RESPONSE_CHAIN_MAX, RESPONSE_KEPT_MS, RESPONSE_STORED_BYTES_MAX, RESPONSES_BYTES_PER_ACCOUNT_MAX,
    RESPONSES_PER_ACCOUNT_MAX,
};

const NOW: u64 = 1_780_000_000_000;

fn responses() -> (Db, StoredResponses) {
    let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
    let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
    let db = Db::new(store, Arc::new(writer));
    (db.clone(), StoredResponses::new(db))
}

fn response(id: &str, previous: Option<&str>, text: &str) -> StoredResponse {
    StoredResponse {
        input: vec![json!({"type": "message", "id": format!("msg_in_{id}"), "role": "user", "content": text})],
        response: json!({"id": id, "previous_response_id": previous,
            "output": [{"type": "message", "id": format!("msg_{id}"), "role": "assistant", "content": text}]}),
    }
}

async fn keep(db: &Db, responses: &StoredResponses, account: &str, stored: &StoredResponse, now_ms: u64) -> bool {
    let id = stored.response["id"].as_str().unwrap();
    let Some(new) = StoredResponses::rows(account, id, stored, now_ms).unwrap() else { return false };
    responses.make_room(account, new.size).await.unwrap();
    db.submit(Change { puts: new.puts, ..Change::default() }).await.unwrap();
    true
}

fn rows(db: &Db, prefix: &str) -> usize {
    let rows = db.list(Collection::Responses, prefix, 1_000_000).unwrap();
    rows.iter().filter(|(key, _)| key.starts_with(prefix)).count()
}

#[tokio::test]
async fn only_its_account_sees_it_and_only_for_its_time() {
    let (db, responses) = responses();
    let stored = response("resp_1", None, "hello");
    assert!(keep(&db, &responses, "acct_a", &stored, NOW).await);
    assert_eq!(responses.find("acct_a", "resp_1", NOW).unwrap(), Some(stored));
    assert_eq!(responses.find("acct_b", "resp_1", NOW).unwrap(), None);
    for id in ["", "a/resp_1", "../resp_1", "resp_é", "resp_2"] {
        assert_eq!(responses.find("acct_a", id, NOW).unwrap(), None, "{id}");
    }
    assert_eq!(responses.response_of("acct_a", "msg_resp_1").unwrap().as_deref(), Some("resp_1"));
    assert_eq!(responses.response_of("acct_b", "msg_resp_1").unwrap(), None);
    assert!(!responses.delete("acct_b", "resp_1", NOW).await.unwrap());
    let end = NOW + RESPONSE_KEPT_MS;
    assert_eq!(responses.find("acct_a", "resp_1", end).unwrap(), None);
    responses.delete_expired(end - 1).await.unwrap();
    assert!(responses.find("acct_a", "resp_1", NOW).unwrap().is_some());
    responses.delete_expired(end).await.unwrap();
    assert_eq!(rows(&db, ""), 0);
}

#[tokio::test]
async fn deleted_ones_leave_nothing() {
    let (db, responses) = responses();
    keep(&db, &responses, "acct_a", &response("resp_1", None, "x"), NOW).await;
    assert!(responses.delete("acct_a", "resp_1", NOW).await.unwrap());
    assert!(!responses.delete("acct_a", "resp_1", NOW).await.unwrap());
    assert_eq!(rows(&db, ""), 0);
}

#[tokio::test]
async fn the_oldest_go_when_there_are_too_many() {
    let (db, responses) = responses();
    for number in 0..RESPONSES_PER_ACCOUNT_MAX + 20 {
        keep(&db, &responses, "acct_a", &response(&format!("resp_{number:06}"), None, "x"), NOW).await;
        assert!(rows(&db, "r/acct_a/") <= RESPONSES_PER_ACCOUNT_MAX);
    }
    keep(&db, &responses, "acct_b", &response("resp_000000", None, "x"), NOW).await;
    assert_eq!(responses.find("acct_a", "resp_000000", NOW).unwrap(), None);
    let newest = format!("resp_{:06}", RESPONSES_PER_ACCOUNT_MAX + 19);
    assert!(responses.find("acct_a", &newest, NOW).unwrap().is_some());
    assert!(responses.find("acct_b", "resp_000000", NOW).unwrap().is_some());
    assert_eq!(rows(&db, "r/acct_a/"), rows(&db, "i/acct_a/"));
    // After a restart, the stored responses still count against the limits.
    let again = StoredResponses::new(db.clone());
    keep(&db, &again, "acct_a", &response("resp_999999", None, "x"), NOW).await;
    assert!(rows(&db, "r/acct_a/") <= RESPONSES_PER_ACCOUNT_MAX);
}

#[tokio::test]
async fn their_bytes_are_bounded() {
    let (db, responses) = responses();
    let large = "x".repeat(RESPONSE_STORED_BYTES_MAX / 2 - 1_000);
    for number in 0..RESPONSES_BYTES_PER_ACCOUNT_MAX / RESPONSE_STORED_BYTES_MAX + 3 {
        assert!(keep(&db, &responses, "acct_a", &response(&format!("resp_{number:06}"), None, &large), NOW).await);
    }
    let rows = db.list(Collection::Responses, "b/", 1_000).unwrap();
    let bytes: usize = rows.iter().filter(|(key, _)| key.starts_with("b/")).map(|(_, row)| row.len()).sum();
    assert!(bytes <= RESPONSES_BYTES_PER_ACCOUNT_MAX, "{bytes}");
    let larger = response("resp_x", None, &"x".repeat(RESPONSE_STORED_BYTES_MAX));
    assert!(!keep(&db, &responses, "acct_a", &larger, NOW).await);
}

#[tokio::test]
async fn a_chain_is_read_from_its_beginning_and_has_an_end() {
    let (db, responses) = responses();
    keep(&db, &responses, "acct_a", &response("resp_1", None, "one"), NOW).await;
    keep(&db, &responses, "acct_a", &response("resp_2", Some("resp_1"), "two"), NOW).await;
    let history = responses.history("acct_a", "resp_2", NOW).unwrap();
    let said: Vec<&Value> = history.iter().map(|item| &item["content"]).collect();
    assert_eq!(said, ["one", "one", "two", "two"]);
    let message = |error: GatewayError| error.to_string();
    assert!(message(responses.history("acct_b", "resp_2", NOW).unwrap_err()).contains("keeps no response `resp_2`"));
    responses.delete("acct_a", "resp_1", NOW).await.unwrap();
    let gone = message(responses.history("acct_a", "resp_2", NOW).unwrap_err());
    assert!(gone.contains("`resp_1`") && gone.contains("no longer stored"), "{gone}");
    let id = |number: usize| format!("resp_c{number:06}");
    for number in 0..=RESPONSE_CHAIN_MAX {
        let previous = number.checked_sub(1).map(id);
        keep(&db, &responses, "acct_a", &response(&id(number), previous.as_deref(), "x"), NOW).await;
    }
    assert_eq!(responses.history("acct_a", &id(RESPONSE_CHAIN_MAX - 1), NOW).unwrap().len(), 2 * RESPONSE_CHAIN_MAX);
    assert!(message(responses.history("acct_a", &id(RESPONSE_CHAIN_MAX), NOW).unwrap_err()).contains("at most 128"));
}

#[tokio::test]
async fn references_become_what_they_refer_to() {
    let (db, responses) = responses();
    keep(&db, &responses, "acct_a", &response("resp_1", None, "one"), NOW).await;
    let user = json!({"role": "user", "content": "x"});
    let items = vec![user.clone(), json!({"type": "item_reference", "id": "msg_resp_1"}), json!({"id": "msg_resp_1"})];
    let resolved = responses.resolve("acct_a", items.clone(), NOW).unwrap();
    assert_eq!((&resolved[0], &resolved[1]["content"], &resolved[2]), (&user, &json!("one"), &resolved[1]));
    let error = responses.resolve("acct_b", items, NOW).unwrap_err();
    assert!(matches!(&error, GatewayError::Invalid { field, .. } if field == "/input"), "{error}");
}
