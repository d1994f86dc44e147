use super::*;
use crate::registry::testing::{candidate, candidates};

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn tax(text: &str) -> Candidate {
    candidate(text, "alice", "", text)
}

/// A state in which these versions were active, one after the other.
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

/// Does something to a state; a refusal must leave it as it was.
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
    // A row from before it was kept whether the plugin was ever sold.
    assert_eq!(PluginState::from_row(b"{}").unwrap(), PluginState { sold: true, ..PluginState::default() });
    assert!(PluginState::from_row(b"{\"pinned\": 3}").is_err());
}

#[test]
fn what_had_a_price_once_was_sold_for_ever() {
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
fn a_seen_version_keeps_its_bytes_for_ever() {
    let mut state = PluginState::default();
    let other = candidate("1.0.0", "alice", "", "other bytes");
    assert!(state.learn(&all(&["1.0.0"])));
    assert!(!state.learn(&all(&["1.0.0"])));
    assert!(!state.learn(&candidates([other.clone()])), "the first bytes stay");
    assert!(state.is_genuine(&tax("1.0.0")) && !state.is_genuine(&other));
    for act in [PluginState::approve, PluginState::pin] {
        assert_eq!(refused(&mut state, |state| act(state, &other)), OperatorActionError::OtherBytes(version("1.0.0")));
    }
}

#[test]
fn what_is_remembered_is_bounded_and_keeps_what_matters() {
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
    assert_eq!(state.floor(), Some(&version("1.2.0")), "pre-releases run by pin and leave no floor");
    state.yank(&version("1.2.0"), &all(&[])).unwrap();
    assert_eq!((state.floor(), state.highest()), (Some(&version("1.1.0")), Some(&version("1.2.0"))));
}

#[test]
fn approving() {
    let mut state = active(&["1.1.0"]);
    state.approve(&tax("1.2.0")).unwrap();
    assert!(state.is_approved(&tax("1.2.0")));
    assert!(!state.is_approved(&candidate("1.2.0", "alice", "", "other")), "an approval is for bytes");
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
    assert_eq!(state.rollback(None, &there), Ok(version("1.0.0")), "1.2.0 is yanked, the files of 1.1.0 are gone");
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
    assert_eq!(state.rollback(Some(&version("0.9.0")), &there), Ok(version("0.9.0")), "never active, but named");
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
    // Forwards to where it has been: still pinned, because 1.3.0 is there, too.
    assert_eq!(state.rollback(Some(&version("1.2.0")), &there), Ok(version("1.2.0")));
    assert_eq!(state.pinned(), Some(&version("1.2.0")));
    assert_eq!(state.rollback(Some(&version("1.3.0")), &there), Ok(version("1.3.0")));
    assert_eq!(state.pinned(), None);
    assert!(!state.is_approved(&tax("1.3.0")), "it has to be let in like any other");
    // What is gone from the registry is no newest version: a pin holds what is below it.
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
    assert_eq!(state.pinned(), None, "yanking a pinned version takes the pin away");
    assert!(matches!(refused(&mut state, |s| s.yank(&version("7.0.0"), &all(&[]))), OperatorActionError::Unknown(_)));
    assert!(state.set_disabled(true) && !state.set_disabled(true) && state.is_disabled());
}
