//! Tests of admission, refusal and counting.

use proptest::prelude::*;

use super::super::account::update_account;
use super::super::keyring::{KeyAuthority, NewKey, create_key, revoke_key};
use super::super::scope::Scopes;
use super::super::testing::{MemoryStore, NOW, TestStore, a_signed_up_account, tiers};
use super::*;

struct Fixture {
    store: Arc<MemoryStore>,
    access: AccessControl,
    account: String,
    key: ApiKey,
}

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const CALL: AuthRequirement = AuthRequirement::Key(Scope::Call);

fn house() -> Fixture {
    let store = Arc::new(MemoryStore::default());
    let (account, key) = a_signed_up_account(&store);
    let access = AccessControl::new(KeyMode::Test, PrincipalCache::new(store.clone(), tiers()));
    Fixture { store, access, account: account.id, key }
}

impl Fixture {
    fn header(&self) -> String {
        format!("Bearer {}", self.key.expose())
    }

    fn admit(&self, header: Option<&str>, require: AuthRequirement) -> Result<Admission, AccessDenied> {
        self.access.admit(header, HERE, NOW, require)
    }

    fn reason(&self, header: &str) -> InvalidCredential {
        match self.admit(Some(header), AuthRequirement::Optional) {
            Err(AccessDenied { reason: AccessError::InvalidCredential { reason }, .. }) => reason,
            other => panic!("{header}: {other:?}"),
        }
    }
}

#[test]
fn a_valid_key_is_admitted_under_the_limit_of_its_account() {
    let house = house();
    for header in [house.header(), house.header().replace("Bearer", "bEARER")] {
        for require in [CALL, AuthRequirement::Key(Scope::Manage), AuthRequirement::Optional] {
            let admission = house.admit(Some(&header), require).unwrap();
            assert_eq!(admission.principal.unwrap().account_id, house.account);
            assert_eq!(admission.rate_limit_key, RateLimitKey::of_account(&house.account));
        }
    }
    assert_eq!(house.access.rate_limit_status(Some(&house.header()), HERE, NOW).remaining_minute, 94);
    assert_eq!(
        house.access.rate_limit_status(None, HERE, NOW).remaining_minute,
        100,
        "the address's limit must not count the call"
    );
}

#[test]
fn no_key_is_counted_by_address() {
    let house = house();
    let admission = house.admit(None, AuthRequirement::Optional).unwrap();
    assert!(admission.principal.is_none());
    assert_eq!((admission.rate_limit_key, admission.rate_limit.remaining_minute), (RateLimitKey::from(HERE), 99));
    let denied = house.admit(None, CALL).unwrap_err();
    assert!(matches!(denied.reason, AccessError::MissingKey));
    assert_eq!(denied.rate_limit.remaining_minute, 98);
}

#[test]
fn payment_requests_are_not_counted_as_calls() {
    let house = house();
    for _ in 0..1_000 {
        let admission = house.access.admit_payment(HERE, NOW).unwrap();
        assert_eq!((admission.rate_limit_key, admission.rate_limit.remaining_minute), (RateLimitKey::from(HERE), 100));
    }
    assert!(matches!(house.access.admit_payment(HERE, NOW).unwrap_err().reason, AccessError::RateLimited(_)));
    assert_eq!(house.admit(None, AuthRequirement::Optional).unwrap().rate_limit.remaining_minute, 99);
}

#[test]
fn invalid_keys_get_the_reason() {
    let house = house();
    let key = house.key.expose();
    let stranger = ApiKey::generate(KeyMode::Test).unwrap();
    for (header, expect) in [
        (format!("Basic {key}"), InvalidCredential::NotBearer),
        (key.to_owned(), InvalidCredential::NotBearer),
        ("Bearer".to_owned(), InvalidCredential::NotBearer),
        ("Bearer ".to_owned(), InvalidCredential::NotBearer),
        (String::new(), InvalidCredential::NotBearer),
        (format!("Bearer  {key}"), InvalidCredential::Malformed(KeyParseError::Space)),
        (format!("Bearer {key} "), InvalidCredential::Malformed(KeyParseError::Space)),
        (format!("Bearer {key}\u{feff}"), InvalidCredential::Malformed(KeyParseError::Length)),
        ("Bearer x".to_owned(), InvalidCredential::Malformed(KeyParseError::NotAKey(KeyMode::Test))),
        (format!("Bearer {}", stranger.expose()), InvalidCredential::Unknown),
    ] {
        assert_eq!(house.reason(&header), expect, "{header:?}");
    }
    let message =
        AccessError::InvalidCredential { reason: InvalidCredential::Malformed(KeyParseError::Space) }.to_string();
    assert!(message.contains("white space") && !message.contains("tb_"), "{message}");
}

#[test]
fn inactive_keys_are_distinguished() {
    let house = house();
    let new = NewKey { expires_ms: Some(NOW + 1000), ..NewKey::default() };
    let issued = create_key(&*house.store, KeyMode::Test, &house.account, KeyAuthority::FULL, new, NOW).unwrap();
    house.store.apply(issued.change).unwrap();
    let header = format!("Bearer {}", issued.key.expose());
    assert!(house.admit(Some(&header), CALL).is_ok());
    let late = house.access.admit(Some(&header), HERE, NOW + 1000, CALL).unwrap_err().reason;
    assert!(matches!(late, AccessError::InvalidCredential { reason: InvalidCredential::Expired }), "{late:?}");

    assert!(house.admit(Some(&house.header()), CALL).is_ok());
    let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
    house.store.apply(revoked.change).unwrap();
    house.access.directory().invalidate_key(&revoked.digest);
    assert_eq!(house.reason(&house.header()), InvalidCredential::Revoked);
}

#[test]
fn a_pasted_key_opens_a_session_that_ends_with_it() {
    let house = house();
    let session = |cookie: &str| house.access.session(cookie, NOW).unwrap();
    let sign_in = |key: &str| {
        let opened = house.access.sign_in(key, NOW).unwrap();
        house.store.apply(opened.change).unwrap();
        opened.token
    };
    let token = sign_in(&format!(" {}\n", house.key.expose()));
    let open = session(token.expose()).unwrap();
    assert_eq!(open.principal.account_id, house.account);
    assert!(
        open.accepts_form_token(&open.form_token)
            && !open.accepts_form_token("")
            && !open.accepts_form_token(token.expose())
    );
    assert!(session("x").is_none());
    house.store.apply(house.access.sign_out(token.expose())).unwrap();
    assert!(session(token.expose()).is_none());

    let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
    let issued = create_key(&*house.store, KeyMode::Test, &house.account, KeyAuthority::FULL, new, NOW).unwrap();
    house.store.apply(issued.change).unwrap();
    let denied = house.access.sign_in(issued.key.expose(), NOW).map(|_| ()).unwrap_err();
    assert!(matches!(denied, AccessError::MissingScope(Scope::Manage)), "{denied:?}");
    for bad in ["", "tb_test_x", ApiKey::generate(KeyMode::Test).unwrap().expose()] {
        assert!(
            matches!(house.access.sign_in(bad, NOW).map(|_| ()), Err(AccessError::InvalidCredential { .. })),
            "{bad}"
        );
    }

    let token = sign_in(house.key.expose());
    let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
    house.store.apply(revoked.change).unwrap();
    house.access.directory().invalidate_key(&revoked.digest);
    assert!(session(token.expose()).is_none(), "the key was revoked");
}

#[test]
fn a_suspended_account_cannot_sign_in() {
    let house = house();
    let opened = house.access.sign_in(house.key.expose(), NOW).unwrap();
    house.store.apply(opened.change).unwrap();
    let token = opened.token;
    let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
    house.store.apply(change).unwrap();
    house.access.directory().invalidate_account(&house.account);
    assert!(matches!(house.access.session(token.expose(), NOW), Err(AccessError::Suspended)));
    assert!(matches!(house.access.sign_in(house.key.expose(), NOW).map(|_| ()), Err(AccessError::Suspended)));
}

#[test]
fn guessing_is_limited_by_address() {
    let house = house();
    let guess = || format!("Bearer {}", ApiKey::generate(KeyMode::Test).unwrap().expose());
    for _ in 0..100 {
        assert_eq!(house.reason(&guess()), InvalidCredential::Unknown);
    }
    let denied = house.admit(Some(&guess()), CALL).unwrap_err();
    assert!(matches!(denied.reason, AccessError::RateLimited(_)) && !denied.rate_limit.is_allowed());
    assert!(
        house.admit(None, AuthRequirement::Optional).is_err(),
        "calls without a key from this address are refused too"
    );
    assert!(house.admit(Some(&house.header()), CALL).is_ok(), "valid keys from this address are not affected");
}

#[test]
fn the_limit_of_a_key_is_its_tier_s() {
    let house = house();
    for left in (0..100).rev() {
        assert_eq!(house.admit(Some(&house.header()), CALL).unwrap().rate_limit.remaining_minute, left);
    }
    let denied = house.admit(Some(&house.header()), CALL).unwrap_err();
    assert!(matches!(denied.reason, AccessError::RateLimited(rate_limit) if rate_limit == denied.rate_limit));
    assert!(house.admit(None, AuthRequirement::Optional).is_ok(), "the address has its own limit");
}

#[test]
fn scope_and_suspension() {
    let house = house();
    let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
    let issued = create_key(&*house.store, KeyMode::Test, &house.account, KeyAuthority::FULL, new, NOW).unwrap();
    house.store.apply(issued.change).unwrap();
    let header = format!("Bearer {}", issued.key.expose());
    let denied = house.admit(Some(&header), AuthRequirement::Key(Scope::Manage)).unwrap_err();
    assert!(matches!(denied.reason, AccessError::MissingScope(Scope::Manage)));
    assert_eq!(denied.rate_limit.remaining_minute, 99, "the refused call must be counted");
    assert!(house.admit(Some(&header), CALL).is_ok());

    let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
    house.store.apply(change).unwrap();
    house.access.directory().invalidate_account(&house.account);
    for require in [CALL, AuthRequirement::Optional] {
        let denied = house.admit(Some(&header), require).unwrap_err();
        assert!(matches!(denied.reason, AccessError::Suspended));
    }
}

#[test]
fn a_failing_store_admits_no_client() {
    let house = house();
    house.store.break_reads();
    let denied = house.admit(Some(&house.header()), AuthRequirement::Optional).unwrap_err();
    assert!(matches!(denied.reason, AccessError::LookupFailed(_)));
}

proptest! {
    #[test]
    fn no_header_panics_or_opens(header in "(Bearer )?(tb_test_)?\\PC{0,50}") {
        let house = house();
        prop_assert!(house.admit(Some(&header), AuthRequirement::Optional).is_err());
        house.access.rate_limit_status(Some(&header), HERE, NOW);
    }
}
