//! Tests of challenges, credentials and charges over the real store and record chain,
//! with a faulty processor.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_core::money::Millipence;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::LedgerAccount;
use tollbridge_mpp::{Challenge, Credential, ProblemType, StripeCharge, evm_nonce};
use tollbridge_store::{Change, Collection, Refusal, SubmitError};
use tollbridge_x402::{Address, ChainId, Rate, TestWallet, Token};

use super::*;
use crate::call_payments::PaymentRails;
use crate::declined::{CredentialDeclined, PaymentDeclined};
use crate::error::PaymentError;
use crate::faulty_processor::FaultyProcessor;
use crate::processor::{DisputeStatus, PaymentProcessor, ProcessorDispute, TokenCharge};
use crate::quote_signer::QuoteSigner;
use crate::tests::{NOW_MS, PRICE, Shop, shop_with};
use crate::wallet::{SandboxFacilitator, SettleWhen, WalletRail};

const BRIDGE: &str = "sentiment_feed";
const BODY: &[u8] = b"{\"text\":\"x\"}";
/// Five pounds, for fifty calls.
const CHARGE: i64 = 500_000;
const TTL_MS: u64 = 900_000;
const TX: [u8; 32] = [1; 32];
const OVER_MS: u64 = TTL_MS + 3_602_000;

/// Creates a shop that accepts tokens if `processor` is given, and signatures if `wallet`
/// is given.
fn mpp_shop(minimum_charge: i64, processor: Option<Arc<dyn PaymentProcessor>>, wallet: Option<WalletRail>) -> Shop {
    let quotes = QuoteSigner::new(SecretBytes::new([5; 32]));
    let tokens = StripeTerms { network_id: "profile_1".to_owned(), payment_method_types: vec!["card".to_owned()] };
    let stripe = processor.is_some().then_some(tokens);
    let rail = MppRail::new("shop.example", &quotes, stripe, wallet.is_some()).unwrap();
    shop_with(minimum_charge, processor, PaymentRails { wallet, mpp: Some(rail) })
}

fn shop(faults: u64) -> (Shop, Arc<FaultyProcessor>) {
    let processor = Arc::new(FaultyProcessor::new(7));
    processor.set_faults(faults);
    (mpp_shop(CHARGE, Some(processor.clone()), None), processor)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Returns the credential that a client would send for a challenge, parsed from its
/// header.
fn credential(challenge: &Challenge, payload: &Value) -> Credential {
    use base64::Engine as _;
    let json = json!({ "challenge": challenge, "payload": payload }).to_string();
    let header = format!("Payment {}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json));
    Credential::of_headers([header.as_str()]).unwrap().unwrap()
}

impl Shop {
    fn challenge(&self, account: Option<&str>) -> Challenge {
        let purchase = Purchase { bridge: BRIDGE, price: PRICE, account, body: BODY };
        self.payments.challenges.issue(&purchase, NOW_MS).unwrap().remove(0)
    }

    fn read(
        &self,
        challenge: &Challenge,
        spt: &str,
        body: &[u8],
        now_ms: u64,
    ) -> Result<TokenPayment, CredentialDeclined> {
        let credential = credential(challenge, &json!({ "spt": spt }));
        match self.payments.credentials.read(credential, body, now_ms).unwrap()? {
            CredentialPayment::Token(payment) => Ok(*payment),
            other => panic!("{other:?}"),
        }
    }

    fn token(&self, spt: &str) -> TokenPayment {
        self.read(&self.challenge(None), spt, BODY, NOW_MS).unwrap()
    }

    fn charge(&self, payment: &TokenPayment, now_ms: u64) -> Result<(), PaymentError> {
        run(self.payment_service.tokens.collect(payment, now_ms))
    }

    fn paid(&self, payment: &TokenPayment) -> i64 {
        self.balance(&LedgerAccount::Unearned(payment.handle().to_owned()))
    }
}

fn declined(outcome: Result<(), PaymentError>) -> CredentialDeclined {
    match outcome {
        Err(PaymentError::Declined(PaymentDeclined::Credential(declined))) => declined,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_challenge_asks_for_the_charge_and_says_how_many_calls_it_is() {
    let (shop, _) = shop(0);
    let challenge = shop.challenge(None);
    let asked = StripeCharge::read(&challenge.request().unwrap()).unwrap();
    assert_eq!((asked.amount.0, asked.currency.as_str()), (500, "gbp"));
    assert_eq!(asked.method_details.network_id, "profile_1");
    assert!(challenge.description().unwrap().starts_with("50 calls of sentiment_feed at GBP 0.10"));
    assert_eq!(challenge.credential_header(), None);
    assert_eq!(shop.challenge(Some("acct_1")).credential_header(), Some("Payment-Authorization"));
    assert!(challenge.to_header().len() < 4_096);
    assert_ne!(shop.challenge(None).id(), challenge.id());
    // A card is not charged fractions of a penny.
    let odd = Purchase { bridge: BRIDGE, price: Millipence::new(700), account: None, body: BODY };
    assert!(shop.payments.challenges.issue(&odd, NOW_MS).unwrap().is_empty());
    assert_eq!(shop.rows(Collection::Settlements), 0, "a challenge costs no write");
}

#[test]
fn a_token_is_charged_once_and_its_credential_pays_for_one_call() {
    let (shop, processor) = shop(0);
    let payment = shop.token("spt_1");
    assert_eq!(shop.payments.credentials.paid_by_token(&payment).unwrap(), None);
    for _ in 0..3 {
        shop.charge(&payment, NOW_MS).unwrap();
    }
    assert_eq!((processor.charges(), shop.paid(&payment)), (1, CHARGE));
    let draw = shop.payments.authorizer.authorize_token(&payment, PRICE, &TX).unwrap();
    assert_eq!(draw.amount, PRICE);
    let meanwhile = shop.payments.authorizer.authorize_token(&payment, PRICE, &TX);
    assert!(matches!(meanwhile, Err(PaymentDeclined::FundsInUse)), "the credential paid twice at once");
    shop.sell(&draw).unwrap();
    drop(draw);
    let again = shop.payments.authorizer.authorize_token(&payment, PRICE, &TX);
    assert!(matches!(again, Err(PaymentDeclined::Credential(CredentialDeclined::Used { .. }))), "{again:?}");
    // The remainder stays on the intent.
    let known = shop.payments.credentials.paid_by_token(&payment).unwrap().unwrap();
    assert_eq!(known.remaining.get(), CHARGE - PRICE.get());
    assert_eq!(known.receipt.reference, format!("pay_{}", payment.handle()));
    shop.sell(&shop.draw(&known.intent_id).unwrap()).unwrap();
    // A repeat is recognized as the accepted credential, however late it arrives.
    let challenge = shop.challenge(None);
    let first = shop.read(&challenge, "spt_2", BODY, NOW_MS).unwrap();
    shop.charge(&first, NOW_MS).unwrap();
    assert_eq!(shop.read(&challenge, "spt_2", BODY, NOW_MS + 100 * TTL_MS), Ok(first));
    assert_eq!(shop.rows(Collection::Settlements), 2, "only the rows of the two booked charges may remain");
}

/// Tests that a waiting task holds no money and that its credential pays for no other
/// call.
#[test]
fn a_credential_that_a_task_has_taken_pays_for_that_task_only() {
    let (shop, _) = shop(0);
    let payment = shop.token("spt_1");
    shop.charge(&payment, NOW_MS).unwrap();
    run(shop.payment_service.tokens.context.write_rows(vec![payment.used_by(&TX)])).unwrap();
    let other = shop.payments.authorizer.authorize_token(&payment, PRICE, &[2; 32]);
    assert!(matches!(other, Err(PaymentDeclined::Credential(CredentialDeclined::Used { .. }))), "{other:?}");
    assert_eq!(shop.payments.authorizer.authorize_token(&payment, PRICE, &TX).unwrap().amount, PRICE);
    assert_eq!(shop.paid(&payment), CHARGE, "the price was drawn before the task was answered");
}

/// Tests that if two calls race for one credential, the second one is declined, because
/// the row that marks the credential as used already exists.
#[test]
fn the_row_that_another_call_has_written_says_that_a_credential_is_used() {
    let (shop, _) = shop(0);
    let payment = shop.token("spt_1");
    let db = &shop.payment_service.tokens.context.db;
    let write = |tx| run(db.submit(Change { puts: vec![payment.used_by(&tx)], ..Change::default() }));
    write(TX).unwrap();
    write(TX).unwrap();
    let refused = write([2; 32]);
    let Err(SubmitError::Refused(Refusal::Unexpected { key, .. })) = refused else { panic!("{refused:?}") };
    let declined = payment.declined_at(&key);
    assert!(matches!(declined, Some(PaymentDeclined::Credential(CredentialDeclined::Used { .. }))), "{declined:?}");
    assert!(shop.token("spt_2").declined_at(&key).is_none(), "the row of another credential must not decline this one");
}

#[test]
fn an_unrequested_payment_is_not_accepted() {
    let (shop, _) = shop(0);
    let challenge = shop.challenge(None);
    let kind = |declined: CredentialDeclined| declined.problem().kind;
    let late = shop.read(&challenge, "spt_1", BODY, NOW_MS + TTL_MS).unwrap_err();
    assert_eq!(kind(late), ProblemType::InvalidChallenge);
    let other_body = shop.read(&challenge, "spt_1", b"{}", NOW_MS).unwrap_err();
    assert_eq!(kind(other_body), ProblemType::VerificationFailed);
    let no_token = shop.read(&challenge, "tok_1", BODY, NOW_MS).unwrap_err();
    assert_eq!(kind(no_token), ProblemType::MalformedCredential);
    let (stranger, _) = self::shop(0);
    let known = stranger.read(&challenge, "spt_1", BODY, NOW_MS);
    assert!(known.is_ok(), "hosts with the same key must accept each other's challenges");
    // Every member of a challenge is authenticated.
    let text = serde_json::to_value(&challenge).unwrap();
    for member in ["id", "realm", "method", "request", "expires", "digest", "opaque"] {
        let mut changed = text.clone();
        let value = changed[member].as_str().unwrap().to_owned();
        changed[member] = if member == "method" { "evm".into() } else { flipped(&value).into() };
        let Ok(changed) = serde_json::from_value::<Challenge>(changed) else { continue };
        assert!(shop.read(&changed, "spt_1", BODY, NOW_MS).is_err(), "{member}");
    }
    let for_other = shop.read(&challenge, "spt_1", BODY, NOW_MS).unwrap();
    assert!(for_other.check_use("other", None).is_err());
    assert!(for_other.check_use(BRIDGE, Some("acct_1")).is_ok());
    let of_account = shop.read(&shop.challenge(Some("acct_1")), "spt_1", BODY, NOW_MS).unwrap();
    assert!(of_account.check_use(BRIDGE, None).is_err());
    assert!(!format!("{of_account:?}").contains("spt_1"), "Debug output contains the token");
}

fn flipped(text: &str) -> String {
    let place = text.len() / 2;
    let flip = |(at, letter): (usize, char)| match (at == place, letter) {
        (true, '0') => '1',
        (true, '1') => '2',
        (true, letter) if letter.is_ascii_digit() => '0',
        (true, 'a') => 'b',
        (true, _) => 'a',
        (false, letter) => letter,
    };
    text.chars().enumerate().map(flip).collect()
}

#[test]
fn a_challenge_is_paid_by_one_token() {
    let (shop, processor) = shop(0);
    let challenge = shop.challenge(None);
    let read = |spt: &str| shop.read(&challenge, spt, BODY, NOW_MS);
    let (one, other) = (read("spt_1").unwrap(), read("spt_2").unwrap());
    shop.charge(&one, NOW_MS).unwrap();
    assert!(
        matches!(read("spt_2"), Err(CredentialDeclined::OtherToken { .. })),
        "a second token must be declined: otherwise its sender would learn the intent id"
    );
    // This token was read before the first one was booked.
    assert!(matches!(declined(shop.charge(&other, NOW_MS)), CredentialDeclined::OtherToken { .. }));
    assert_eq!(shop.payments.credentials.paid_by_token(&other).unwrap(), None);
    assert_eq!((processor.charges(), shop.paid(&one)), (1, CHARGE));
}

#[test]
fn a_repeat_while_the_charge_is_booked_starts_nothing() {
    let (shop, processor) = shop(0);
    let challenge = shop.challenge(None);
    let read = |spt: &str| shop.read(&challenge, spt, BODY, NOW_MS).unwrap();
    let (one, other) = (read("spt_1"), read("spt_2"));
    shop.charge(&one, NOW_MS).unwrap();
    // Both tokens were read while the challenge was unpaid; their charges begin only now.
    for late in [&one, &other] {
        assert!(run(shop.payment_service.tokens.begin(late, NOW_MS)).unwrap().is_none());
    }
    assert_eq!((processor.charges(), shop.rows(Collection::Settlements)), (1, 1));
}

#[test]
fn a_decline_is_final_for_its_challenge_and_forgotten_when_that_is_over() {
    let (shop, processor) = shop(0);
    let payment = shop.token(&format!("spt_1{}", FaultyProcessor::DECLINED));
    for _ in 0..2 {
        let refused = declined(shop.charge(&payment, NOW_MS));
        assert_eq!(refused.problem().kind, ProblemType::VerificationFailed);
        assert!(refused.to_string().contains("Your card was declined."), "{refused}");
    }
    assert_eq!((processor.charges(), shop.rows(Collection::Settlements)), (0, 1));
    run(shop.payment_service.reconcile(NOW_MS + TTL_MS)).unwrap();
    assert_eq!(
        shop.rows(Collection::Settlements),
        1,
        "the row must remain while the declined challenge can still be repeated"
    );
    run(shop.payment_service.reconcile(NOW_MS + OVER_MS)).unwrap();
    assert_eq!(shop.rows(Collection::Settlements), 0);
}

/// Tests a charge whose response was lost and which the payer disputes before the charge
/// is looked up.
#[test]
fn a_dispute_may_overtake_what_is_known_of_its_charge() {
    let (shop, processor) = shop(0);
    let payment = shop.token("spt_1");
    let (row, _) = run(shop.payment_service.tokens.begin(&payment, NOW_MS)).unwrap().unwrap();
    let dispute = ProcessorDispute {
        id: "dp_1".to_owned(),
        payment: "pi_1".to_owned(),
        handle: Some(payment.handle().to_owned()),
        amount: Millipence::new(CHARGE),
        status: DisputeStatus::FundsWithdrawn,
        fees: Vec::new(),
    };
    let unknown = run(shop.payment_service.disputes.book(&dispute, NOW_MS));
    assert!(matches!(unknown, Err(PaymentError::Processor(_))), "{unknown:?}");
    assert_eq!(shop.payment_service.disputes.unbooked().unwrap(), ["dp_1"]);
    let charge = TokenCharge {
        handle: payment.handle(),
        challenge_id: payment.challenge_id(),
        token: "spt_1",
        amount: row.terms.charge,
        title: "",
    };
    run(processor.charge_token(&charge)).unwrap();
    run(shop.payment_service.disputes.book(&dispute, NOW_MS)).unwrap();
    assert_eq!((shop.paid(&payment), shop.rows(Collection::Settlements)), (0, 1));
    assert!(shop.payment_service.disputes.opened_seq("dp_1").unwrap().is_some());
    assert!(shop.payment_service.disputes.unbooked().unwrap().is_empty());
}

#[test]
fn many_at_once_are_one_charge() {
    let (shop, processor) = shop(0);
    for round in 1..=16 {
        let payment = shop.token(&format!("spt_{round}"));
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| shop.charge(&payment, NOW_MS).unwrap());
            }
        });
        assert_eq!((processor.charges(), shop.paid(&payment)), (round, CHARGE));
        assert_eq!(shop.rows(Collection::Settlements), round, "no row of an open charge may remain");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Tests charges with lost requests and responses. The next look-up books each charge
    /// that took money, exactly once. After its payer gives up, a charge that took no
    /// money is not requested again.
    #[test]
    fn every_charge_is_booked_and_none_is_made_without_a_request(
        seed in 0_u64..10_000,
        repeats in 1_usize..5,
        gives_up in any::<bool>(),
    ) {
        let processor = Arc::new(FaultyProcessor::new(seed));
        processor.set_faults(60);
        let shop = mpp_shop(CHARGE, Some(processor.clone()), None);
        let payment = shop.token("spt_1");
        for attempt in 0..repeats {
            let outcome = shop.charge(&payment, NOW_MS + u64::try_from(attempt).unwrap() * 1_000);
            prop_assert!(matches!(outcome, Ok(()) | Err(PaymentError::Processor(_))), "{outcome:?}");
        }
        let taken = processor.charges();
        processor.set_faults(0);
        if gives_up {
            run(shop.payment_service.reconcile(NOW_MS + OVER_MS)).unwrap();
            prop_assert_eq!(processor.charges(), taken, "charged without a request");
        } else {
            shop.charge(&payment, NOW_MS + 10_000).unwrap();
            prop_assert_eq!(processor.charges(), 1);
        }
        prop_assert_eq!(shop.paid(&payment), CHARGE * i64::try_from(processor.charges()).unwrap());
        run(shop.payment_service.reconcile(NOW_MS + 2 * OVER_MS)).unwrap();
        prop_assert_eq!(shop.rows(Collection::Settlements), processor.charges(), "no row of an open charge may remain");
        let too_late = shop.read(&shop.challenge(None), "spt_1", BODY, NOW_MS + TTL_MS);
        prop_assert!(too_late.is_err());
    }
}

#[test]
fn a_wallet_signs_for_a_challenge_and_no_other() {
    let token = Token::usdc(ChainId::BASE_SEPOLIA).unwrap();
    let rate = Rate::new("1.25", "test", NOW_MS / 1000, 3_600).unwrap();
    let rail =
        WalletRail::new(token, Address::new([7; 20]), 300, rate, Arc::new(SandboxFacilitator), SettleWhen::After);
    let shop = mpp_shop(0, None, Some(rail.unwrap()));
    let challenge = shop.challenge(None);
    let request = challenge.request().unwrap();
    assert_eq!((&request["amount"], challenge.method().as_str()), (&json!("125000"), "evm"));
    let payload = |challenge: &Challenge, nonce: [u8; 32]| {
        let asked = shop.payments.wallet_offers.exact(BRIDGE, PRICE, None, NOW_MS).unwrap().unwrap().requirements;
        let mut signed = TestWallet::new(1).pay(&asked, nonce, NOW_MS / 1000).payload;
        let mut payload = signed.remove("authorization").unwrap();
        payload["signature"] = signed.remove("signature").unwrap();
        payload["type"] = "authorization".into();
        credential(challenge, &payload)
    };
    let nonce = evm_nonce(challenge.id(), challenge.realm());
    let read = |credential, now_ms| shop.payments.credentials.read(credential, BODY, now_ms).unwrap();
    let other = read(payload(&challenge, [1; 32]), NOW_MS).unwrap_err();
    assert!(matches!(other, CredentialDeclined::OtherNonce { .. }), "{other}");
    let Ok(CredentialPayment::Wallet(paid)) = read(payload(&challenge, nonce), NOW_MS) else { panic!("it pays") };
    assert_eq!(paid.challenge_id(), Some(challenge.id()));
    run(shop.payment_service.wallet.collect(&paid, NOW_MS)).unwrap();
    let again = read(payload(&challenge, nonce), NOW_MS + 10 * TTL_MS).unwrap();
    assert_eq!(again, CredentialPayment::Wallet(paid), "an accepted payment must stay valid");
    let fresh = shop.challenge(None);
    let expired = read(payload(&fresh, evm_nonce(fresh.id(), fresh.realm())), NOW_MS + 300_000).unwrap_err();
    assert_eq!(expired.problem().kind, ProblemType::InvalidChallenge);
}
