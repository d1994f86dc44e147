use super::*;
use crate::testing::{candidate, candidates};

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn tax(text: &str) -> Candidate {
    candidate(text, "alice", "", text)
}

/// Returns a state in which these versions were activated in this order.
fn active(versions: &[&str]) -> PluginState {
    let mut state = PluginState::default();
    for version in versions {
        state.activate(&tax(version));
    }
    state
}

fn all(versions: &[&str]) -> Candidates {
    candidates(versions.iter().map(|version| tax(version)))
}

/// Applies an action that must be refused and leave the state unchanged.
fn refused<T: std::fmt::Debug>(
    state: &mut PluginState,
    act: impl FnOnce(&mut PluginState) -> Result<T, OperatorActionError>,
) -> OperatorActionError {
    let before = state.clone();
    let error = act(state).unwrap_err();
    assert_eq!(*state, before);
    error
}

#[test]
fn rows_read_back_and_old_rows_are_read() {
    let mut state = active(&["1.0.0", "1.1.0"]);
    state.pin(&tax("1.0.0")).unwrap();
    state.yank(&version("1.1.0"), &all(&[])).unwrap();
    state.set_disabled(true);
    assert_eq!(PluginState::from_row(&state.to_row().unwrap()).unwrap(), state);
    // A row written before sales were recorded.
    assert_eq!(PluginState::from_row(b"{}").unwrap(), PluginState { sold: true, ..PluginState::default() });
    assert!(PluginState::from_row(b"{\"pinned\": 3}").is_err());
}

#[test]
fn a_plugin_that_once_had_a_price_counts_as_sold() {
    let mut state = PluginState::default();
    let free = |text| {
        let mut candidate = tax(text);
        candidate.manifest.price = tollbridge_core::money::Millipence::ZERO;
        candidate
    };
    for (candidate, sold) in [(free("1.0.0"), false), (tax("1.1.0"), true), (free("1.2.0"), true)] {
        state.activate(&candidate);
        assert_eq!(PluginState::from_row(&state.to_row().unwrap()).unwrap().was_sold(), sold);
    }
}

#[test]
fn a_seen_version_never_changes_its_bytes() {
    let mut state = PluginState::default();
    let other = candidate("1.0.0", "alice", "", "other bytes");
    assert!(state.learn(&all(&["1.0.0"])));
    assert!(!state.learn(&all(&["1.0.0"])));
    assert!(!state.learn(&candidates([other.clone()])), "the digest of the first bytes must stay recorded");
    assert!(state.is_genuine(&tax("1.0.0")) && !state.is_genuine(&other));
    for act in [PluginState::approve, PluginState::pin] {
        assert_eq!(refused(&mut state, |state| act(state, &other)), OperatorActionError::OtherBytes(version("1.0.0")));
    }
}

#[test]
fn the_state_is_bounded_and_keeps_what_matters() {
    let mut state = active(&["0.0.1"]);
    for patch in 0..3 * VERSIONS_PER_PLUGIN_MAX as u64 {
        let mut one = tax("1.0.0");
        one.manifest.version = Version::new(1, 0, patch);
        state.learn(&candidates([one]));
    }
    assert_eq!(state.seen.len(), 2 * VERSIONS_PER_PLUGIN_MAX);
    assert!(state.seen.contains_key(&version("0.0.1")) && !state.seen.contains_key(&version("1.0.0")));
}

#[test]
fn the_floor_is_the_highest_active_that_is_not_yanked() {
    let mut state = active(&["1.0.0", "1.2.0", "1.1.0"]);
    assert_eq!(state.floor(), Some(&version("1.2.0")));
    state.activate(&tax("2.0.0-rc.1"));
    assert_eq!(
        state.floor(),
        Some(&version("1.2.0")),
        "a pre-release runs only if pinned and must not raise the floor"
    );
    state.yank(&version("1.2.0"), &all(&[])).unwrap();
    assert_eq!((state.floor(), state.highest()), (Some(&version("1.1.0")), Some(&version("1.2.0"))));
}

#[test]
fn approving() {
    let mut state = active(&["1.1.0"]);
    state.approve(&tax("1.2.0")).unwrap();
    assert!(state.is_approved(&tax("1.2.0")));
    assert!(
        !state.is_approved(&candidate("1.2.0", "alice", "", "other")),
        "an approval holds only for the approved bytes"
    );
    assert!(matches!(refused(&mut state, |s| s.approve(&tax("1.0.0"))), OperatorActionError::Older { .. }));
    assert!(matches!(refused(&mut state, |s| s.approve(&tax("2.0.0-rc.1"))), OperatorActionError::PreRelease(_)));
    state.yank(&version("1.2.0"), &all(&[])).unwrap();
    assert!(!state.is_approved(&tax("1.2.0")));
    assert!(matches!(refused(&mut state, |s| s.approve(&tax("1.2.0"))), OperatorActionError::Yanked(_)));
}

#[test]
fn rolling_back_to_the_last_good_version_that_is_there() {
    let mut state = active(&["1.0.0", "1.1.0", "1.2.0", "1.3.0"]);
    state.yank(&version("1.2.0"), &all(&[])).unwrap();
    let there = all(&["1.0.0", "1.2.0", "1.3.0", "1.4.0"]);
    assert_eq!(state.rollback(None, &there), Ok(version("1.0.0")), "1.2.0 is yanked, the files of 1.1.0 were deleted");
    assert_eq!((state.pinned(), state.floor()), (Some(&version("1.0.0")), Some(&version("1.3.0"))));
    for above in ["1.1.0", "1.3.0", "1.4.0"] {
        assert!(!state.is_yanked(&version(above)), "{above} stays published");
    }
    assert_eq!(refused(&mut state, |s| s.rollback(None, &there)), OperatorActionError::NothingEarlier);
}

#[test]
fn rolling_back_to_a_named_version() {
    let there = all(&["0.9.0", "1.0.0-rc.1", "1.0.0", "1.1.0", "1.2.0"]);
    let mut state = active(&["1.0.0", "1.1.0"]);
    let check = |state: &mut PluginState, target: &str| refused(state, |s| s.rollback(Some(&version(target)), &there));
    assert!(matches!(check(&mut state, "1.1.0"), OperatorActionError::NotOlder { .. }));
    assert!(matches!(check(&mut state, "1.2.0"), OperatorActionError::NotOlder { .. }));
    assert!(matches!(check(&mut state, "0.1.0"), OperatorActionError::Unknown(_)));
    assert!(matches!(check(&mut state, "1.0.0-rc.1"), OperatorActionError::PreRelease(_)));
    state.yank(&version("1.0.0"), &there).unwrap();
    assert!(matches!(check(&mut state, "1.0.0"), OperatorActionError::Yanked(_)));
    assert_eq!(
        state.rollback(Some(&version("0.9.0")), &there),
        Ok(version("0.9.0")),
        "a version named by the operator need not have been active"
    );
    assert!(state.is_approved(&tax("0.9.0")));
    assert_eq!(refused(&mut PluginState::default(), |s| s.rollback(None, &there)), OperatorActionError::NothingEarlier);
}

#[test]
fn a_rollback_to_the_newest_takes_the_pin_off() {
    let there = all(&["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0-rc.1"]);
    let mut state = active(&["1.0.0", "1.1.0", "1.2.0"]);
    assert_eq!(state.rollback(Some(&version("1.0.0")), &there), Ok(version("1.0.0")));
    assert!(matches!(
        refused(&mut state, |s| s.rollback(Some(&version("1.0.0")), &there)),
        OperatorActionError::NotOlder { .. }
    ));
    // A rollback can also select a later version that was active before. 1.2.0 is then
    // pinned, because the newest version is 1.3.0.
    assert_eq!(state.rollback(Some(&version("1.2.0")), &there), Ok(version("1.2.0")));
    assert_eq!(state.pinned(), Some(&version("1.2.0")));
    assert_eq!(state.rollback(Some(&version("1.3.0")), &there), Ok(version("1.3.0")));
    assert_eq!(state.pinned(), None);
    assert!(!state.is_approved(&tax("1.3.0")), "removing the pin must not approve the version");
    // A version that was deleted from the registry does not count as the newest, so the target is
    // pinned.
    state.rollback(Some(&version("1.0.0")), &there).unwrap();
    assert_eq!(state.rollback(Some(&version("1.1.0")), &all(&["1.0.0", "1.1.0"])), Ok(version("1.1.0")));
    assert_eq!(state.pinned(), Some(&version("1.1.0")));
}

#[test]
fn pinning_and_yanking() {
    let mut state = active(&["1.1.0"]);
    state.pin(&tax("2.0.0-rc.1")).unwrap();
    assert_eq!(state.pinned(), Some(&version("2.0.0-rc.1")));
    assert!(state.unpin() && !state.unpin());
    state.pin(&tax("1.1.0")).unwrap();
    state.yank(&version("1.1.0"), &all(&[])).unwrap();
    assert_eq!(state.pinned(), None, "yanking a pinned version removes the pin");
    assert!(matches!(refused(&mut state, |s| s.yank(&version("7.0.0"), &all(&[]))), OperatorActionError::Unknown(_)));
    assert!(state.set_disabled(true) && !state.set_disabled(true) && state.is_disabled());
}

fn plan(text: &str) -> CanaryPlan {
    let rules = crate::CanaryRules::default();
    CanaryPlan { version: version(text), digest: tax(text).digest, share: 500, rules, began_ms: 7, ended: None }
}

#[test]
fn a_version_on_trial_leaves_what_serves_where_it_is() {
    let mut state = active(&["1.0.0"]);
    let known = all(&["1.0.0", "1.1.0"]);
    state.begin_canary(plan("1.1.0"), &known).unwrap();
    assert_eq!((state.pinned(), state.highest()), (Some(&version("1.0.0")), Some(&version("1.0.0"))));
    assert!(state.is_approved(&tax("1.1.0")));
    assert_eq!(PluginState::from_row(&state.to_row().unwrap()).unwrap(), state);
    assert_eq!(state.end_canary("it is worse"), Ok(version("1.1.0")));
    assert_eq!(state.canary().and_then(|canary| canary.ended.as_deref()), Some("it is worse"));
    let again = |state: &mut PluginState| state.end_canary("again");
    assert_eq!(refused(&mut state, again), OperatorActionError::NoCanary);
    // Every decision of the operator about the serving version ends the canary.
    type Decide = fn(&mut PluginState, &Candidates);
    let decisions: [Decide; 4] = [
        |state, _| assert!(state.unpin()),
        |state, _| state.pin(&tax("1.1.0")).unwrap(),
        |state, known| state.yank(&version("1.1.0"), known).unwrap(),
        |state, known| drop(state.rollback(Some(&version("1.1.0")), known).unwrap()),
    ];
    for decide in decisions {
        let mut state = active(&["1.0.0"]);
        state.begin_canary(plan("1.1.0"), &known).unwrap();
        decide(&mut state, &known);
        assert_eq!(state.canary(), None);
    }
}

#[test]
fn an_impossible_canary_is_refused() {
    let mut dearer = tax("1.2.0");
    dearer.manifest.price = tollbridge_core::money::Millipence::new(123_456);
    let known = candidates([tax("1.0.0"), tax("1.1.0"), dearer, candidate("1.3.0", "bob", "", "1.3.0")]);
    let begin = |text: &str| {
        let plan = plan(text);
        |state: &mut PluginState| state.begin_canary(plan, &known)
    };
    let mut state = PluginState::default();
    assert_eq!(refused(&mut state, begin("1.1.0")), OperatorActionError::NothingServes);
    let mut state = active(&["1.0.0"]);
    state.yank(&version("1.1.0"), &known).unwrap();
    let (current, other) = (version("1.0.0"), |text| version(text));
    for (text, error) in [
        ("1.0.0", OperatorActionError::Serves(current.clone())),
        ("1.1.0", OperatorActionError::Yanked(other("1.1.0"))),
        ("1.2.0", OperatorActionError::OtherTerms { version: other("1.2.0"), current: current.clone() }),
        ("1.3.0", OperatorActionError::OtherTerms { version: other("1.3.0"), current: current.clone() }),
        ("9.0.0", OperatorActionError::Unknown(other("9.0.0"))),
    ] {
        assert_eq!(refused(&mut state, begin(text)), error);
    }
}

#[test]
fn the_first_time_of_a_version_is_kept() {
    // The version was active before times were recorded.
    let mut state = active(&["1.0.0"]);
    let before = state.to_row().unwrap();
    assert!(!String::from_utf8(before).unwrap().contains("activated_ms"), "a row without times must stay unchanged");
    state.activate_at(&tax("1.0.0"), 5);
    assert_eq!(state.active_since_ms(&version("1.0.0")), None, "this was not the version's first activation");
    for (text, now_ms) in [("1.1.0", 6), ("1.2.0", 7), ("1.1.0", 8), ("2.0.0-rc.1", 9)] {
        state.activate_at(&tax(text), now_ms);
    }
    let since = ["1.1.0", "1.2.0", "2.0.0-rc.1"].map(|text| state.active_since_ms(&version(text)));
    assert_eq!(
        since,
        [Some(6), Some(7), None],
        "reactivation must not change the time, and pre-releases are not recorded"
    );
    assert_eq!(PluginState::from_row(&state.to_row().unwrap()).unwrap(), state);
}
