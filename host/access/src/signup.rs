//! Sign-up, which creates an account with its first key, and changes of an account's
//! e-mail address.

use tollbridge_store::{Change, Collection, Draft, Expect, Put, Refusal, Store};

use super::account::{Account, AccountError, account_id_of_referral_code, load_account, new_row, stored_account};
use super::email::{Email, EmailDigestKey};
use super::key::{ApiKey, KeyMode};
use super::keyring::issue_initial_key;
use super::tier::Tier;

/// A request for a new account.
#[derive(Clone, Debug, Default)]
pub struct SignUpRequest {
    /// The e-mail address; required, except for accounts that the operator creates.
    pub email: Option<Email>,
    /// The tier; Free, except for accounts that the operator creates.
    pub tier: Tier,
    /// The referral code of the account that referred the new one.
    pub referral: Option<String>,
}

/// A new account; it exists once `change` is committed. The plain key can be shown only
/// this once.
#[derive(Debug)]
pub struct NewAccount {
    /// The change to commit.
    pub change: Change,
    /// The account.
    pub account: Account,
    /// The first key.
    pub key: ApiKey,
    /// The key of the row in the e-mail index.
    email_row: Option<String>,
}

impl NewAccount {
    /// Explains why the store refused the change: returns an error if another account
    /// took the same e-mail address at the same moment, and `None` for any other refusal.
    pub fn explain(&self, refusal: &Refusal) -> Option<AccountError> {
        match refusal {
            Refusal::Unexpected { key, .. } if Some(key) == self.email_row.as_ref() => Some(AccountError::EmailTaken),
            _ => None,
        }
    }
}

/// Returns a new account whose first key has every scope. `grant` may add a record to
/// seal with the account, such as one that grants credit.
///
/// # Errors
/// The caller causes [`AccountError::EmailTaken`] and
/// [`AccountError::UnknownReferralCode`]; other errors are the server's.
pub fn sign_up(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    mode: KeyMode,
    request: SignUpRequest,
    now_ms: u64,
    grant: impl FnOnce(&Account) -> Option<Draft>,
) -> Result<NewAccount, AccountError> {
    let SignUpRequest { email, tier, referral } = request;
    let email_row = email.as_ref().map(|email| email_key.digest(email));
    if let Some(row) = &email_row
        && store.get(Collection::Emails, row)?.is_some()
    {
        return Err(AccountError::EmailTaken);
    }
    let mut account = Account::new(email.map(|email| email.as_str().to_owned()), tier, now_ms)?;
    account.referred_by = referral.map(|code| referrer(store, &code)).transpose()?;
    let (key, key_put) = issue_initial_key(mode, &mut account, now_ms)?;
    let mut puts = vec![new_row(Collection::Accounts, account.id.clone(), &account)?, key_put];
    if let Some(row) = &email_row {
        puts.push(new_row(Collection::Emails, row.clone(), &account.id)?);
    }
    let change = Change { puts, record: grant(&account), ..Change::default() };
    Ok(NewAccount { change, account, key, email_row })
}

/// A change of an account's address; effective once `change` is committed.
#[derive(Debug)]
pub struct ChangedEmail {
    /// The change to commit.
    pub change: Change,
    /// The account after the change.
    pub account: Account,
    /// The key of the row in the e-mail index.
    email_row: String,
}

impl ChangedEmail {
    /// Explains a refusal as [`NewAccount::explain`] does.
    pub fn explain(&self, refusal: &Refusal) -> Option<AccountError> {
        match refusal {
            Refusal::Unexpected { key, .. } if *key == self.email_row => Some(AccountError::EmailTaken),
            _ => None,
        }
    }
}

/// Changes an account's e-mail address; the new address is unverified. Sessions opened by
/// e-mail through the old address end.
///
/// # Errors
/// The caller causes [`AccountError::EmailTaken`] and [`AccountError::UnknownAccount`];
/// other errors are the server's.
pub fn change_email(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    account_id: &str,
    email: &Email,
) -> Result<ChangedEmail, AccountError> {
    let email_row = email_key.digest(email);
    let mut stored = stored_account(store, account_id)?;
    let before = stored.row.email.replace(email.as_str().to_owned());
    stored.row.email_verified_ms = None;
    let old_row = before.as_deref().and_then(|old| old.parse::<Email>().ok()).map(|old| email_key.digest(&old));
    let mut puts = vec![stored.put()?];
    // If only the case of letters changed, the index row stays the same.
    if old_row.as_ref() != Some(&email_row) {
        if store.get(Collection::Emails, &email_row)?.is_some() {
            return Err(AccountError::EmailTaken);
        }
        puts.push(new_row(Collection::Emails, email_row.clone(), &stored.row.id)?);
        puts.extend(old_row.map(|key| Put { collection: Collection::Emails, key, value: None, expect: Expect::Any }));
    }
    Ok(ChangedEmail { change: Change { puts, ..Change::default() }, account: stored.row, email_row })
}

/// Returns the account with this e-mail address.
///
/// # Errors
/// The store fails.
pub fn find_account_by_email(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    email: &Email,
) -> Result<Option<Account>, AccountError> {
    let row = super::account::read_row::<String>(store, Collection::Emails, &email_key.digest(email))?;
    row.map(|id| load_account(store, &id.row)).transpose()
}

fn referrer(store: &dyn Store, code: &str) -> Result<String, AccountError> {
    let unknown = || AccountError::UnknownReferralCode(code.chars().take(40).collect());
    let id = account_id_of_referral_code(code).ok_or_else(unknown)?;
    match load_account(store, &id) {
        Ok(account) => Ok(account.id),
        Err(AccountError::UnknownAccount(_)) => Err(unknown()),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MemoryStore, NOW, TestStore};
    use super::*;
    use crate::keyring::list_keys;
    use crate::scope::Scopes;
    use tollbridge_core::money::Millipence;
    use tollbridge_store::Posting;

    const EMAIL_KEY: EmailDigestKey = EmailDigestKey::new([7; 32]);

    fn request(email: &str) -> SignUpRequest {
        SignUpRequest { email: Some(email.parse().unwrap()), ..SignUpRequest::default() }
    }

    fn ask(store: &MemoryStore, request: SignUpRequest) -> Result<NewAccount, AccountError> {
        sign_up(store, &EMAIL_KEY, KeyMode::Test, request, NOW, |_| None)
    }

    #[test]
    fn makes_an_account_and_its_first_key() {
        let store = MemoryStore::default();
        let signed_up = ask(&store, request("ada@Example.com")).unwrap();
        store.apply(signed_up.change.clone()).unwrap();
        let existing = find_account_by_email(&store, &EMAIL_KEY, &"ada@EXAMPLE.com".parse().unwrap()).unwrap();
        assert_eq!(existing.as_ref(), Some(&signed_up.account));
        assert_eq!((signed_up.account.email.as_deref(), signed_up.account.tier), (Some("ada@example.com"), Tier::Free));
        let keys = list_keys(&store, &signed_up.account.id).unwrap();
        assert_eq!(
            keys.iter().map(|k| (k.digest, k.row.scopes)).collect::<Vec<_>>(),
            [(signed_up.key.digest(), Scopes::ALL)]
        );
        assert!(!format!("{:?}", signed_up.key).contains("tb_"));
    }

    #[test]
    fn a_known_address_is_refused_even_at_the_same_moment() {
        let store = MemoryStore::default();
        let (one, other) = (ask(&store, request("a@x.com")).unwrap(), ask(&store, request("a@X.COM")).unwrap());
        store.apply(one.change).unwrap();
        let refusal = store.apply(other.change.clone()).unwrap_err();
        assert!(matches!(other.explain(&refusal), Some(AccountError::EmailTaken)), "{refusal:?}");
        assert!(other.explain(&Refusal::Unbalanced).is_none());
        for same in ["a@x.com", "A@x.com", "A@X.COM"] {
            assert!(matches!(ask(&store, request(same)), Err(AccountError::EmailTaken)), "{same}");
        }
        assert_eq!((store.count(Collection::Accounts), store.count(Collection::Keys)), (1, 1));
    }

    #[test]
    fn an_address_changes_and_is_not_verified() {
        let store = MemoryStore::default();
        let account = ask(&store, request("a@x.com")).unwrap();
        store.apply(account.change).unwrap();
        let other = ask(&store, request("b@x.com")).unwrap();
        store.apply(other.change).unwrap();
        let id = account.account.id.as_str();
        let verify = |account: &mut Account| account.email_verified_ms = Some(NOW);
        store.apply(crate::account::update_account(&store, id, verify).unwrap().0).unwrap();
        let change = |email: &str| change_email(&store, &EMAIL_KEY, id, &email.parse().unwrap());
        assert!(matches!(change("B@x.com"), Err(AccountError::EmailTaken)));
        let changed = change("c@x.com").unwrap();
        store.apply(changed.change).unwrap();
        let found = |email: &str| find_account_by_email(&store, &EMAIL_KEY, &email.parse().unwrap()).unwrap();
        let now = found("c@x.com").unwrap();
        assert_eq!((now.id.as_str(), now.email_verified_ms, &now), (id, None, &changed.account));
        assert!(found("a@x.com").is_none(), "the old address can be used again");
        // Addresses that differ only in case share an index row. If two accounts claim
        // one address concurrently, only one of them succeeds.
        store.apply(change("C@x.com").unwrap().change).unwrap();
        assert_eq!(found("c@x.com").unwrap().email.as_deref(), Some("C@x.com"));
        let late = change("d@x.com").unwrap();
        let faster = ask(&store, request("d@x.com")).unwrap();
        store.apply(faster.change).unwrap();
        let refusal = store.apply(late.change.clone()).unwrap_err();
        assert!(matches!(late.explain(&refusal), Some(AccountError::EmailTaken)), "{refusal:?}");
    }

    #[test]
    fn a_grant_is_sealed_with_the_account() {
        let store = MemoryStore::default();
        let posting = |account: String, pence| Posting {
            account,
            amount: Millipence::from_pence(pence).unwrap(),
            guarded: false,
        };
        let grant = |account: &Account| {
            let postings = vec![posting(format!("credit:{}", account.id), 1000), posting("sandbox".into(), -1000)];
            Some(Draft { kind: "grant", tx: [1; 32], time_ms: NOW, postings, body: b"{}".to_vec() })
        };
        let signed_up = sign_up(&store, &EMAIL_KEY, KeyMode::Test, request("a@x.com"), NOW, grant).unwrap();
        let id = signed_up.account.id.clone();
        assert!(store.apply(signed_up.change).unwrap().sealed.is_some());
        assert_eq!(store.balance(&format!("credit:{id}")).unwrap(), Millipence::from_pence(1000).unwrap());
    }

    #[test]
    fn referrals_are_checked() {
        let store = MemoryStore::default();
        let first = ask(&store, request("a@x.com")).unwrap();
        store.apply(first.change).unwrap();
        let with = |code: &str| SignUpRequest { referral: Some(code.to_owned()), ..request("b@x.com") };
        let second = ask(&store, with(&first.account.referral_code)).unwrap();
        assert_eq!(second.account.referred_by, Some(first.account.id));
        for code in ["0000000000000000", "nonsense", ""] {
            assert!(
                matches!(ask(&store, with(code)), Err(AccountError::UnknownReferralCode(c)) if c == code),
                "{code}"
            );
        }
    }

    #[test]
    fn the_operator_needs_no_address() {
        let store = MemoryStore::default();
        for _ in 0..2 {
            let signed_up = ask(&store, SignUpRequest { tier: Tier::Enterprise, ..SignUpRequest::default() }).unwrap();
            store.apply(signed_up.change).unwrap();
        }
        assert_eq!((store.count(Collection::Accounts), store.count(Collection::Emails)), (2, 0));
    }
}
