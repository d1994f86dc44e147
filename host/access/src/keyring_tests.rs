//! Tests of permitted and refused operations on the keys of an account.

use super::super::account::load_account;
use super::super::testing::{MemoryStore, NOW, TestStore, a_signed_up_account};
use super::*;
use tollbridge_core::time::DAY_MS;

fn create(store: &MemoryStore, account: &str, new: NewKey) -> Result<IssuedKey, AccountError> {
    let issued = create_key(store, KeyMode::Test, account, KeyAuthority::FULL, new, NOW)?;
    store.apply(issued.change.clone()).unwrap();
    Ok(issued)
}

fn live(store: &MemoryStore, account: &str, now_ms: u64) -> usize {
    list_keys(store, account).unwrap().iter().filter(|key| key.row.is_active(now_ms)).count()
}

#[test]
fn at_most_ten_live_keys() {
    let store = MemoryStore::default();
    let (account, _) = a_signed_up_account(&store);
    for _ in 1..KEYS_PER_ACCOUNT_MAX {
        create(&store, &account.id, NewKey::default()).unwrap();
    }
    assert!(matches!(create(&store, &account.id, NewKey::default()), Err(AccountError::TooManyKeys)));
    let first = list_keys(&store, &account.id).unwrap().remove(0);
    store.apply(revoke_key(&store, &account.id, &first.id, NOW).unwrap().change).unwrap();
    create(&store, &account.id, NewKey::default()).unwrap();
    assert_eq!(live(&store, &account.id, NOW), KEYS_PER_ACCOUNT_MAX);
    // Two keys are created concurrently: the second change is based on an outdated list.
    let second = list_keys(&store, &account.id).unwrap().remove(1);
    store.apply(revoke_key(&store, &account.id, &second.id, NOW).unwrap().change).unwrap();
    let make =
        || create_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, NewKey::default(), NOW).unwrap().change;
    let (one, other) = (make(), make());
    store.apply(one).unwrap();
    assert!(store.apply(other).is_err());
    assert_eq!(live(&store, &account.id, NOW), KEYS_PER_ACCOUNT_MAX);
}

#[test]
fn no_key_gives_more_than_it_has() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    let make = |by, new| create_key(&store, KeyMode::Test, &account.id, by, new, NOW);
    let roll = |by| roll_key(&store, KeyMode::Test, &account.id, by, &first.digest().id(), 0, NOW);
    let limited = KeyAuthority::new(Scopes::ALL, None, Millipence::from_pence(500));
    let capped = NewKey { max_spend_per_day: Millipence::from_pence(1), ..NewKey::default() };
    for issued in [make(limited, NewKey::default()), make(limited, capped), roll(limited)] {
        assert!(matches!(issued, Err(AccountError::IssuerHasLimit)));
    }
    let manages = KeyAuthority::new(Scopes { call: false, manage: true }, None, None);
    for issued in [make(manages, NewKey::default()), roll(manages)] {
        assert!(matches!(issued, Err(AccountError::IssuerLacksScope)));
    }
    let brief = KeyAuthority::new(Scopes::ALL, Some(NOW + DAY_MS), None);
    for expires_ms in [None, Some(NOW + 2 * DAY_MS)] {
        let issued = make(brief, NewKey { expires_ms, ..NewKey::default() }).unwrap();
        store.apply(issued.change).unwrap();
    }
    assert_eq!((live(&store, &account.id, NOW), live(&store, &account.id, NOW + DAY_MS)), (3, 1));
    assert!(limited.check_delegation().is_err() && manages.check_delegation().is_err());
    assert!(brief.check_delegation().is_ok());
}

#[test]
fn a_key_made_by_e_mail_holds_withdrawals_back() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    let id = first.digest().id();
    let from = |issued: IssuedKey| {
        store.apply(issued.change).unwrap();
        load_account(&store, &account.id).unwrap().withdrawals_from_ms
    };
    let make =
        |by, scopes| create_key(&store, KeyMode::Test, &account.id, by, NewKey { scopes, ..NewKey::default() }, NOW);
    assert_eq!(from(make(KeyAuthority::FULL, Scopes::ALL).unwrap()), None);
    assert_eq!(from(make(KeyAuthority::BY_EMAIL, Scopes::CALL).unwrap()), None, "it cannot withdraw");
    assert_eq!(from(make(KeyAuthority::BY_EMAIL, Scopes::ALL).unwrap()), Some(NOW + RECOVERY_WAIT_MS));
    let later = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::BY_EMAIL, &id, 0, NOW + 5).unwrap();
    assert_eq!(from(later), Some(NOW + 5 + RECOVERY_WAIT_MS));
    let by_key = make(KeyAuthority::FULL, Scopes::ALL).unwrap();
    assert_eq!(
        from(by_key),
        Some(NOW + 5 + RECOVERY_WAIT_MS),
        "creating another key with full authority must not end the block on withdrawals"
    );
}

#[test]
fn lists_what_was_made() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    let spend = Millipence::from_pence(500);
    let new = NewKey {
        scopes: Scopes::CALL,
        label: "robot".into(),
        expires_ms: Some(NOW + DAY_MS),
        max_spend_per_day: spend,
    };
    let issued = create(&store, &account.id, new).unwrap();
    let listed = list_keys(&store, &account.id).unwrap();
    let [one, two] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((one.digest, one.row.scopes), (first.digest(), Scopes::ALL));
    assert_eq!((two.digest, two.id.clone(), two.row.label.as_str()), (issued.digest, issued.digest.id(), "robot"));
    assert_eq!((two.row.scopes, two.row.max_spend_per_day), (Scopes::CALL, spend));
    assert!(two.row.is_active(NOW + DAY_MS - 1) && !two.row.is_active(NOW + DAY_MS));
    let text = store.text_of(&[Collection::Accounts, Collection::Emails, Collection::Keys]);
    assert!(!text.contains(issued.key.expose()) && !text.contains(first.expose()), "plain keys must not be stored");
}

#[test]
fn invalid_values_are_refused() {
    let store = MemoryStore::default();
    let (account, _) = a_signed_up_account(&store);
    let with = |label: &str, expires_ms| NewKey { label: label.into(), expires_ms, ..NewKey::default() };
    let create = |account: &str, new| create(&store, account, new).map(|_| ());
    assert!(matches!(create(&account.id, with(&"x".repeat(81), None)), Err(AccountError::InvalidLabel)));
    assert!(matches!(create(&account.id, with("a\nb", None)), Err(AccountError::InvalidLabel)));
    assert!(matches!(create(&account.id, with("", Some(NOW))), Err(AccountError::ExpiryInPast)));
    assert!(matches!(create("acct_none", with("", None)), Err(AccountError::UnknownAccount(_))));
    let revoke = |key: &str| revoke_key(&store, &account.id, key, NOW).map(|_| ());
    assert!(matches!(revoke("key_0000000000000000"), Err(AccountError::UnknownKey(_))));
}

#[test]
fn keys_of_others_are_not_found() {
    let store = MemoryStore::default();
    let (_, theirs) = a_signed_up_account(&store);
    let (account, _) = a_signed_up_account(&store);
    let id = theirs.digest().id();
    assert!(matches!(revoke_key(&store, &account.id, &id, NOW), Err(AccountError::UnknownKey(_))));
    assert!(matches!(
        roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, 0, NOW),
        Err(AccountError::UnknownKey(_))
    ));
}

#[test]
fn rolling_keeps_the_old_key_for_a_while() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    let id = first.digest().id();
    let rolled = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, DAY_MS, NOW).unwrap();
    assert_eq!(rolled.replaces, Some(first.digest()));
    store.apply(rolled.change).unwrap();
    assert_eq!((live(&store, &account.id, NOW), live(&store, &account.id, NOW + DAY_MS)), (2, 1));
    let listed = list_keys(&store, &account.id).unwrap();
    assert_eq!((listed[1].row.label.as_str(), listed[1].row.expires_ms), ("first key", None));
    // Without a grace period, the old key is invalid at once and cannot be rolled again.
    let rolled = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, 0, NOW).unwrap();
    store.apply(rolled.change).unwrap();
    assert_eq!(live(&store, &account.id, NOW), 2);
    let again = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, 0, NOW);
    assert!(matches!(again, Err(AccountError::KeyInactive(_))));
    let long = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, KEY_GRACE_MS_MAX + 1, NOW);
    assert!(matches!(long, Err(AccountError::GraceTooLong)));
}

#[test]
fn a_full_account_can_roll_without_grace_only() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    for _ in 1..KEYS_PER_ACCOUNT_MAX {
        create(&store, &account.id, NewKey::default()).unwrap();
    }
    let id = first.digest().id();
    let graceful = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, DAY_MS, NOW);
    assert!(matches!(graceful, Err(AccountError::TooManyKeys)));
    store.apply(roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, 0, NOW).unwrap().change).unwrap();
    assert_eq!(live(&store, &account.id, NOW), KEYS_PER_ACCOUNT_MAX);
}

#[test]
fn rolling_keys_does_not_grow_the_account() {
    let store = MemoryStore::default();
    let (account, first) = a_signed_up_account(&store);
    let mut id = first.digest().id();
    for _ in 0..100 {
        let rolled = roll_key(&store, KeyMode::Test, &account.id, KeyAuthority::FULL, &id, 0, NOW).unwrap();
        id = rolled.digest.id();
        store.apply(rolled.change).unwrap();
    }
    let listed = list_keys(&store, &account.id).unwrap();
    assert_eq!((listed.len(), store.count(Collection::Keys)), (KEYS_LISTED_MAX, KEYS_LISTED_MAX));
    assert_eq!((live(&store, &account.id, NOW), &listed.last().unwrap().id), (1, &id));
}
