use proptest::prelude::*;
use tollbridge_core::plugin_kind::PluginKind;

use super::*;
use crate::testing::{candidate, candidates, publisher, publishers};
use crate::{PublisherKey, Revocation};

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

/// A simulated plugin that performs the catalog's steps around `select_version`, without real
/// components.
struct Life {
    state: PluginState,
    files: Candidates,
    publishers: Publishers,
    revoked: Revocations,
    serving: Option<Candidate>,
    failed: Vec<Digest>,
    broken: Vec<Digest>,
}

impl Life {
    /// Creates the simulation: alice has `auto_activate`, bob needs approval, carol is like alice.
    fn new() -> Self {
        let names = [("alice", true), ("bob", false), ("carol", true)];
        Self {
            state: PluginState::default(),
            files: Candidates::new(),
            publishers: publishers(names.map(|(name, auto)| publisher(name, &["*"], auto))),
            revoked: Revocations::default(),
            serving: None,
            failed: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn add(&mut self, candidate: Candidate) -> Decision {
        self.files.extend(candidates([candidate]));
        self.step()
    }

    /// Publishes `tax` in this version, signed by alice.
    fn alice(&mut self, version: &str) -> Decision {
        self.add(candidate(version, "alice", "", version))
    }

    fn remove(&mut self, text: &str) -> Decision {
        self.files.remove(&version(text));
        self.step()
    }

    fn restart(&mut self) -> Decision {
        (self.serving, self.failed) = (None, Vec::new());
        self.step()
    }

    fn decide(&self) -> Decision {
        let Self { state, files, publishers, revoked, serving, failed, .. } = self;
        select_version(&SelectionInput {
            state,
            candidates: files,
            publishers,
            revoked,
            serving: serving.as_ref(),
            failed,
        })
    }

    /// Performs the catalog's steps after a change, until there is nothing left to do.
    fn step(&mut self) -> Decision {
        self.state.learn(&self.files);
        let mut first = true;
        loop {
            let decision = self.decide();
            match &decision.action {
                Action::Keep => return decision,
                Action::Stop(_) => {
                    self.serving = None;
                    return decision;
                }
                Action::Activate(version) => {
                    let chosen = Candidate::clone(&self.files[version]);
                    if self.broken.contains(&chosen.digest) {
                        self.failed.push(chosen.digest);
                        continue;
                    }
                    let above = |before: &Candidate| version > before.version() || self.state.pinned() == Some(version);
                    assert!(
                        first || self.serving.as_ref().is_none_or(above),
                        "repeated selection must never choose a lower version"
                    );
                    self.state.activate(&chosen);
                    self.serving = Some(chosen);
                    first = false;
                }
            }
        }
    }

    fn serves(&self) -> Option<String> {
        self.serving.as_ref().map(|serving| serving.version().to_string())
    }

    #[track_caller]
    fn check(&self, expect: &str) {
        assert_eq!(self.serves().unwrap_or_default(), expect);
    }
}

fn stopped(decision: &Decision) -> StopReason {
    match &decision.action {
        Action::Stop(cause) => cause.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_highest_version_runs_whatever_order_they_come_in() {
    let mut life = Life::new();
    assert_eq!(stopped(&life.step()), StopReason::Nothing);
    for (published, expect) in
        [("1.0.0", "1.0.0"), ("1.2.0", "1.2.0"), ("1.1.0", "1.2.0"), ("1.10.0", "1.10.0"), ("2.0.0-rc.1", "1.10.0")]
    {
        life.alice(published);
        life.check(expect);
    }
}

#[test]
fn files_that_vanish_never_bring_an_older_version_back() {
    let mut life = Life::new();
    life.alice("1.0.0");
    life.alice("1.1.0");
    assert_eq!(life.remove("1.1.0").action, Action::Keep);
    life.check("1.1.0");
    assert_eq!(stopped(&life.restart()), StopReason::Gone(version("1.1.0")));
    life.alice("1.1.0");
    life.check("1.1.0");
}

#[test]
fn going_back_is_an_operators_act() {
    let mut life = Life::new();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        life.alice(version);
    }
    life.state.rollback(None, &life.files).unwrap();
    life.step();
    life.check("1.1.0");
    life.alice("1.2.1");
    life.check("1.1.0");
    life.restart();
    life.check("1.1.0");
    life.state.rollback(Some(&version("1.2.1")), &life.files).unwrap();
    life.step();
    life.check("1.2.1");
    for yanked in ["1.1.0", "1.2.0", "1.2.1"] {
        life.state.yank(&version(yanked), &life.files).unwrap();
    }
    life.step();
    life.check("1.0.0");
    life.alice("1.2.2");
    life.check("1.2.2");
    life.state.pin(&life.files[&version("1.0.0")].clone()).unwrap();
    life.step();
    life.check("1.0.0");
    life.alice("1.3.0");
    life.check("1.0.0");
    life.state.unpin();
    life.step();
    life.check("1.3.0");
}

#[test]
fn yanking_the_only_version_stops_it() {
    let mut life = Life::new();
    life.alice("1.0.0");
    life.state.yank(&version("1.0.0"), &life.files).unwrap();
    assert_eq!(stopped(&life.step()), StopReason::Nothing);
    life.state.pin(&life.files[&version("1.0.0")].clone()).unwrap();
    life.step();
    life.check("1.0.0");
}

#[test]
fn the_same_version_with_other_bytes_never_runs() {
    let mut life = Life::new();
    life.alice("1.0.0");
    let decision = life.add(candidate("1.0.0", "alice", "", "other"));
    assert_eq!(decision.action, Action::Keep);
    assert_eq!(decision.held, [(version("1.0.0"), HoldReason::OtherBytes)]);
    assert!(matches!(stopped(&life.restart()), StopReason::Held { obstacle: HoldReason::OtherBytes, .. }));
    // A version whose first bytes never ran does not run with other bytes, either.
    life.add(candidate("1.1.0", "bob", "", "first"));
    life.add(candidate("1.1.0", "alice", "", "second"));
    assert_eq!(life.serves(), None);
}

#[test]
fn publishers_without_auto_activate_wait() {
    let mut life = Life::new();
    let decision = life.add(candidate("1.0.0", "bob", "", "a"));
    assert_eq!(decision.waiting(), Some((&version("1.0.0"), &ApprovalReason::Publisher("bob".parse().unwrap()))));
    assert!(matches!(stopped(&decision), StopReason::Held { .. }));
    life.state.approve(&life.files[&version("1.0.0")].clone()).unwrap();
    life.step();
    life.check("1.0.0");
    life.add(candidate("1.1.0", "bob", "", "b"));
    life.check("1.0.0");
    life.restart();
    life.check("1.0.0");
    life.state.approve(&life.files[&version("1.1.0")].clone()).unwrap();
    life.step();
    life.check("1.1.0");
}

#[test]
fn bridges_deployed_by_accounts_wait_for_approval() {
    // `tax` is a bridge, so `AutoActivate::Agents` does not cover it.
    let mut life = Life::new();
    let account = crate::Publisher { auto_activate: crate::AutoActivate::Agents, ..publisher("alice", &["*"], true) };
    life.publishers = publishers([account]);
    let decision = life.alice("1.0.0");
    assert!(matches!(decision.waiting(), Some((_, ApprovalReason::Publisher(_)))));
    life.state.approve(&life.files[&version("1.0.0")].clone()).unwrap();
    life.step();
    life.check("1.0.0");
    // Each later version waits for approval, too.
    life.alice("1.1.0");
    life.check("1.0.0");
    let covers = |auto: crate::AutoActivate| [PluginKind::Bridge, PluginKind::Agent].map(|kind| auto.covers(kind));
    assert_eq!(covers(crate::AutoActivate::Agents), [false, true]);
    assert_eq!(covers(true.into()), [true, true]);
    assert_eq!(covers(false.into()), [false, false]);
}

#[test]
fn asking_for_more_waits_and_asking_for_less_does_not() {
    let grants = |version: &str, more: &str| candidate(version, "alice", more, version);
    let mut life = Life::new();
    life.add(grants("1.0.0", "grants = [\"logging\", \"http\"]\nallow_hosts = [\"*.a.com\"]"));
    life.check("1.0.0");
    life.add(grants("1.1.0", "grants = [\"http\"]\nallow_hosts = [\"x.a.com\"]"));
    life.check("1.1.0");
    let decision = life.add(grants("1.2.0", "grants = [\"http\", \"ledger\"]\nallow_hosts = [\"x.a.com\", \"b.com\"]"));
    let asks = ApprovalReason::Asks { grants: vec![Grant::Ledger], hosts: vec!["b.com".parse().unwrap()] };
    assert_eq!(decision.waiting(), Some((&version("1.2.0"), &asks)));
    assert_eq!(asks.to_string(), "the version requests more than the previous one: ledger, b.com");
    life.check("1.1.0");
    life.restart();
    life.check("1.1.0");
    life.alice("1.3.0");
    life.check("1.3.0");
}

#[test]
fn a_version_without_new_grants_follows_an_approved_one() {
    let ledger = |version: &str| candidate(version, "alice", "grants = [\"ledger\"]", version);
    let mut life = Life::new();
    life.alice("1.0.0");
    life.add(ledger("1.1.0"));
    life.add(ledger("1.2.0"));
    life.check("1.0.0");
    life.state.approve(&life.files[&version("1.1.0")].clone()).unwrap();
    life.step();
    life.check("1.2.0");
}

#[test]
fn another_publisher_does_not_take_a_plugin_over_unseen() {
    let mut life = Life::new();
    life.alice("1.0.0");
    let decision = life.add(candidate("1.1.0", "carol", "", "c"));
    assert!(matches!(decision.waiting(), Some((_, ApprovalReason::OtherPublisher { .. }))));
    life.check("1.0.0");
}

#[test]
fn a_revoked_publisher_stops_at_once_and_an_untrusted_one_too() {
    let mut life = Life::new();
    life.alice("1.0.0");
    let alice = life.publishers.find(&"alice".parse().unwrap()).unwrap().clone();
    let mut revocation = Revocation::default();
    revocation.revoke(&alice, 1);
    life.revoked.insert(&revocation);
    assert_eq!(stopped(&life.step()), StopReason::Revoked(alice.name.clone()));
    assert_eq!(stopped(&life.restart()), StopReason::Revoked(alice.name.clone()));
    // Pinning the version does not bring it back, either.
    life.state.pin(&life.files[&version("1.0.0")].clone()).unwrap();
    assert_eq!(stopped(&life.step()), StopReason::Revoked(alice.name));

    let mut life = Life::new();
    life.alice("1.0.0");
    life.publishers = publishers([publisher("alice", &["other_"], true)]);
    assert_eq!(stopped(&life.step()), StopReason::NotTrusted("alice".parse().unwrap()));

    let mut life = Life::new();
    life.alice("1.0.0");
    let new_key = PublisherKey::from_seed("alice".parse().unwrap(), &[99; 32]).public();
    life.publishers = publishers([crate::Publisher { key: new_key, ..publisher("alice", &["*"], true) }]);
    assert_eq!(stopped(&life.step()), StopReason::NotTrusted("alice".parse().unwrap()));
}

/// While another publisher's version is being loaded, the revoked publisher's version does not keep
/// serving.
#[test]
fn a_revoked_publishers_version_is_distrusted_even_if_another_follows() {
    let mut life = Life::new();
    life.alice("1.0.0");
    let next = candidate("1.1.0", "carol", "", "1.1.0");
    life.files.extend(candidates([next.clone()]));
    life.state.learn(&life.files);
    life.state.approve(&next).unwrap();
    let alice = life.publishers.find(&"alice".parse().unwrap()).unwrap().clone();
    let serving = life.serving.clone().unwrap();
    assert_eq!(distrusted(&life.publishers, &life.revoked, &serving), None);
    let mut revocation = Revocation::default();
    revocation.revoke(&alice, 1);
    life.revoked.insert(&revocation);
    assert_eq!(life.decide().action, Action::Activate(version("1.1.0")));
    assert_eq!(distrusted(&life.publishers, &life.revoked, &serving), Some(StopReason::Revoked(alice.name)));
}

#[test]
fn a_version_that_does_not_load_leaves_the_last_good_one_serving() {
    let mut life = Life::new();
    life.alice("1.0.0");
    let bad = candidate("1.1.0", "alice", "", "bad");
    life.broken.push(bad.digest);
    let decision = life.add(bad);
    assert_eq!((decision.action, decision.held), (Action::Keep, vec![(version("1.1.0"), HoldReason::Failed)]));
    life.restart();
    life.check("1.0.0");
    // The previously active version does not load: an older version does not replace it.
    life.alice("0.9.0");
    life.broken.push(life.files[&version("1.0.0")].digest);
    assert!(matches!(stopped(&life.restart()), StopReason::Held { obstacle: HoldReason::Failed, .. }));
}

#[test]
fn pre_releases_run_only_when_pinned() {
    let mut life = Life::new();
    life.alice("1.0.0");
    life.alice("2.0.0-rc.1");
    life.check("1.0.0");
    life.state.pin(&life.files[&version("2.0.0-rc.1")].clone()).unwrap();
    life.step();
    life.check("2.0.0-rc.1");
    life.restart();
    life.check("2.0.0-rc.1");
    life.state.unpin();
    life.step();
    life.check("1.0.0");
}

#[test]
fn disabled_is_stronger_than_a_pin() {
    let mut life = Life::new();
    life.alice("1.0.0");
    life.state.pin(&life.files[&version("1.0.0")].clone()).unwrap();
    life.state.set_disabled(true);
    assert_eq!(stopped(&life.step()), StopReason::Disabled);
    life.state.set_disabled(false);
    life.step();
    life.check("1.0.0");
}

#[test]
fn a_pinned_version_whose_files_vanish_serves_until_the_restart() {
    let mut life = Life::new();
    life.alice("1.0.0");
    life.alice("1.1.0");
    life.state.pin(&life.files[&version("1.0.0")].clone()).unwrap();
    life.step();
    life.remove("1.0.0");
    life.check("1.0.0");
    assert_eq!(stopped(&life.restart()), StopReason::Pinned(version("1.0.0")));
}

#[derive(Clone, Debug)]
enum Event {
    Appear { minor: u64, by: usize, more: usize, content: u8, pre: bool },
    Vanish(u64),
    Restart,
    Break(u64),
    Act(u8, u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0..6_u64, 0..3_usize, 0..3_usize, 0..2_u8, prop::bool::weighted(0.1))
            .prop_map(|(minor, by, more, content, pre)| Event::Appear { minor, by, more, content, pre }),
        3 => (0..6_u64).prop_map(Event::Vanish),
        2 => Just(Event::Restart),
        1 => (0..6_u64).prop_map(Event::Break),
        2 => (0..8_u8, 0..6_u64).prop_map(|(act, minor)| Event::Act(act, minor)),
    ]
}

impl Life {
    /// Applies an event; returns whether the event was an operator's action.
    fn apply(&mut self, event: &Event) -> bool {
        match *event {
            Event::Appear { minor, by, more, content, pre } => {
                let version = format!("1.{minor}.0{}", if pre { "-rc.1" } else { "" });
                let more = ["", "grants = [\"logging\"]", "grants = [\"ledger\"]"][more];
                self.files.extend(candidates([candidate(
                    &version,
                    ["alice", "bob", "carol"][by],
                    more,
                    &content.to_string(),
                )]));
            }
            Event::Vanish(minor) => drop(self.files.remove(&Version::new(1, minor, 0))),
            Event::Restart => (self.serving, self.failed) = (None, Vec::new()),
            Event::Break(minor) => {
                self.broken.extend(self.files.get(&Version::new(1, minor, 0)).map(|candidate| candidate.digest));
            }
            Event::Act(act, minor) => {
                self.act(act, &Version::new(1, minor, 0));
                return true;
            }
        }
        false
    }

    fn act(&mut self, act: u8, version: &Version) {
        let candidate = self.files.get(version).cloned();
        // The action may be refused, which is fine.
        let _ = match (act, candidate) {
            (0, Some(candidate)) => self.state.approve(&candidate).is_ok(),
            (1, Some(candidate)) => self.state.pin(&candidate).is_ok(),
            (2, _) => self.state.unpin(),
            (3, _) => self.state.rollback(None, &self.files).is_ok(),
            (4, _) => self.state.rollback(Some(version), &self.files).is_ok(),
            (5, _) => self.state.yank(version, &self.files).is_ok(),
            (6, _) => self.state.set_disabled(true),
            _ => self.state.set_disabled(false),
        };
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Between two operator actions, the serving version is never downgraded, its bytes
    /// are those first seen, and no untrusted version runs, no matter which files appear
    /// or vanish, which versions fail to load, or whether the server restarts.
    #[test]
    fn the_version_never_goes_down_without_an_operators_act(events in prop::collection::vec(event(), 1..60)) {
        let mut life = Life::new();
        let mut last: Option<Version> = None;
        let mut bytes = std::collections::BTreeMap::new();
        for event in &events {
            if life.apply(event) {
                last = None;
            }
            for (version, found) in &life.files {
                bytes.entry(version.clone()).or_insert(found.digest);
            }
            life.step();
            let Some(serving) = &life.serving else { continue };
            let version = serving.version();
            prop_assert!(last.as_ref().is_none_or(|last| version >= last), "{:?} after {:?}", version, last);
            prop_assert_eq!(bytes.get(version), Some(&serving.digest));
            prop_assert!(!life.state.is_disabled());
            let pinned = life.state.pinned() == Some(version);
            prop_assert!(pinned || version.pre.is_empty());
            prop_assert!(pinned || !life.state.is_yanked(version));
            let by_bob = serving.manifest.publisher.as_str() == "bob";
            prop_assert!(!by_bob || life.state.was_active(version) || life.state.is_approved(serving));
            last = Some(version.clone());
        }
    }
}
