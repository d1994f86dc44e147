//! Nested calls: plugins called by a plugin, and the payments between them.
//!
//! Each call has a price, its gross, which the calling plugin owes. A plugin keeps its
//! margin: its own gross minus the gross of each call that it made. A margin is split
//! like any price; a negative margin is charged to the credit of the plugin's owner. The
//! gross of a failed call is what it owes for its answered nested calls, at most its
//! price. So the margins of a tree of calls always sum to the gross of the top call, even
//! if some calls failed.
//!
//! Invariants: a call is listed after the call that made it; calls between plugins of one
//! owner are not listed, because no money moves between them.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::{Hash, Posting};

use super::bodies::{Earnings, Payer, RecordedShares};
use super::canonical_json;
use super::chart::LedgerAccount;
use super::entry_error::EntryError;
use crate::limits::NESTED_CALLS_MAX;

/// One nested call. Members are in canonical order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nested {
    /// SHA-256 of the component that ran.
    #[serde(with = "hex::serde")]
    pub component_sha256: Hash,
    /// Whether the call failed to answer.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub failed: bool,
    /// Price of the call; if the call failed, what it owes for its nested calls, at most
    /// its price.
    #[serde(rename = "gross_millipence")]
    pub gross: Millipence,
    /// Part of the gross that is the cost of models.
    #[serde(rename = "inference_millipence", skip_serializing_if = "Option::is_none", default)]
    pub inference: Option<Millipence>,
    /// Account that earns the margin and owes the price of nested calls.
    pub owner: String,
    /// The call that made this one: 0 for the top call of the record, otherwise a
    /// position in the list, counted from 1.
    pub parent: u64,
    /// Name of the plugin.
    pub plugin: String,
    /// Whether the plugin is a bridge or an agent.
    pub plugin_kind: PluginKind,
    /// Shares of the margin; zeros if the margin is negative.
    pub shares: RecordedShares,
    /// Version of the plugin.
    pub version: String,
}

/// The costs of answered calls below a call that failed or was free. The caller pays for
/// them up to the quoted price; the plugin's owner pays the remainder. Members are in
/// canonical order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedCosts {
    /// SHA-256 of the component that ran.
    #[serde(with = "hex::serde")]
    pub component_sha256: Hash,
    /// Whether the earnings are on hold or can be withdrawn.
    pub earnings: Earnings,
    /// Part of the costs that the caller pays.
    #[serde(rename = "gross_millipence", skip_serializing_if = "is_nothing", default)]
    pub gross: Millipence,
    /// Cost of models that the plugin used.
    #[serde(rename = "inference_millipence", skip_serializing_if = "Option::is_none", default)]
    pub inference: Option<Millipence>,
    /// The nested calls, each after the call that made it.
    pub nested: Vec<Nested>,
    /// Account of the plugin's owner, who pays the remainder.
    pub owner: String,
    /// The account, intent or task that pays the gross; absent if the gross is zero.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub payer: Option<Payer>,
    /// Name of the plugin.
    pub plugin: String,
    /// Whether the plugin is a bridge or an agent.
    pub plugin_kind: PluginKind,
    /// Seal of the policy in force.
    #[serde(with = "hex::serde")]
    pub policy: Hash,
    /// Id of the HTTP request.
    pub request_id: String,
    /// Version of the plugin.
    pub version: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_nothing(amount: &Millipence) -> bool {
    amount.is_zero()
}

/// The owner and amounts of one call in a tree. The first node is the top call.
struct Node<'a> {
    owner: &'a str,
    gross: Millipence,
    /// Part of the gross that is the cost of models.
    inference: Option<Millipence>,
    /// Position of the parent's node; 0 for the top call itself.
    parent: usize,
    shares: RecordedShares,
}

/// A call and all calls nested below it.
pub(super) struct Tree<'a>(Vec<Node<'a>>);

const NOTHING: RecordedShares =
    RecordedShares { developer: Millipence::ZERO, platform: Millipence::ZERO, treasury: Millipence::ZERO };

impl<'a> Tree<'a> {
    pub(super) fn new(
        owner: &'a str,
        (gross, inference): (Millipence, Option<Millipence>),
        shares: RecordedShares,
        nested: &'a [Nested],
    ) -> Result<Self, EntryError> {
        let malformed = |why: &str| EntryError::Malformed { kind: "route", why: why.to_owned() };
        if nested.len() > usize::try_from(NESTED_CALLS_MAX).unwrap_or(usize::MAX) {
            return Err(malformed("there are too many nested calls"));
        }
        let mut nodes = vec![Node { owner, gross, inference, parent: 0, shares }];
        for (place, call) in nested.iter().enumerate() {
            let parent = usize::try_from(call.parent).ok().filter(|parent| *parent <= place);
            let parent = parent.ok_or_else(|| malformed("a nested call precedes the call that made it"))?;
            let (gross, inference) = (call.gross, call.inference);
            nodes.push(Node { owner: &call.owner, gross, inference, parent, shares: call.shares });
        }
        Ok(Self(nodes))
    }

    /// Returns the margin of each call, beginning with the top call.
    fn margins(&self) -> Result<Vec<i64>, EntryError> {
        let mut margins = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            if node.gross.is_negative() || !canonical_json::is_safe(node.gross.get()) {
                return Err(EntryError::Amount(node.gross.get()));
            }
            let models = node.inference.unwrap_or_default();
            // If models cost nothing, the member must be absent, not zero.
            if models.is_negative() || models > node.gross || node.inference == Some(Millipence::ZERO) {
                return Err(EntryError::Amount(models.get()));
            }
            margins.push(node.gross.get().saturating_sub(models.get()));
        }
        for node in self.0.iter().skip(1) {
            if let Some(above) = margins.get_mut(node.parent) {
                *above = above.checked_sub(node.gross.get()).ok_or(EntryError::Amount(*above))?;
            }
        }
        Ok(margins)
    }

    /// Returns whether the shares of every call match a policy.
    pub(super) fn is_split_by(&self, policy: &SplitPolicy) -> bool {
        let Ok(margins) = self.margins() else { return false };
        let fits = |(node, margin): (&Node<'_>, i64)| node.shares == shares_of(policy, margin);
        self.0.iter().zip(margins).all(fits)
    }

    /// Returns the postings, merged by account: the payer's first, the others ordered by
    /// name.
    pub(super) fn postings(&self, payer: Option<&Payer>, earnings: Earnings) -> Result<Vec<Posting>, EntryError> {
        // A tree involves few accounts: searching a list is faster than a map.
        let mut postings = Vec::<Posting>::with_capacity(4);
        let mut add = |account: LedgerAccount, amount: i64| -> Result<(), EntryError> {
            let posting = account.posting(Millipence::new(amount))?;
            match postings.iter_mut().find(|known| known.account == posting.account) {
                Some(known) => {
                    known.amount = known.amount.checked_add(posting.amount).ok_or(EntryError::Amount(amount))?;
                }
                None => postings.push(posting),
            }
            Ok(())
        };
        // The payer's posting is first, the others are ordered by name.
        let paying = payer.zip(self.0.first());
        if let Some((payer, top)) = paying {
            let gross = top.gross.get();
            add(payer.ledger_account(), gross.checked_neg().ok_or(EntryError::Amount(gross))?)?;
        }
        for (node, margin) in self.0.iter().zip(self.margins()?) {
            if let Some(models) = node.inference {
                add(LedgerAccount::Providers, models.get())?;
            }
            let RecordedShares { developer, platform, treasury } = node.shares;
            if [developer, platform, treasury].iter().any(|share| share.is_negative()) {
                return Err(EntryError::Shares);
            }
            let sum = developer.checked_add(platform).and_then(|sum| sum.checked_add(treasury));
            if sum.map(Millipence::get) != Some(margin.max(0)) {
                return Err(EntryError::Shares);
            }
            let owner = node.owner.to_owned();
            if margin < 0 {
                add(LedgerAccount::Credit(owner), margin)?;
                continue;
            }
            add(earner(owner, earnings), developer.get())?;
            add(LedgerAccount::Platform, platform.get())?;
            add(LedgerAccount::Treasury, treasury.get())?;
        }
        if let Some(others) = postings.get_mut(usize::from(paying.is_some())..) {
            others.sort_unstable_by(|one, other| one.account.cmp(&other.account));
        }
        postings.retain(|posting| !posting.amount.is_zero());
        Ok(postings)
    }
}

/// Returns the shares of a margin under a policy.
pub(super) fn shares_of(policy: &SplitPolicy, margin: i64) -> RecordedShares {
    if margin > 0 { policy.split(Millipence::new(margin)).into() } else { NOTHING }
}

fn earner(owner: String, earnings: Earnings) -> LedgerAccount {
    match earnings {
        Earnings::Available => LedgerAccount::DevAvailable(owner),
        Earnings::Pending => LedgerAccount::DevPending(owner),
    }
}

/// Computes the shares of all calls of a tree under a policy. Stores those of nested
/// calls and returns those of the top call, whose price is `gross`.
pub fn split_tree(
    policy: &SplitPolicy,
    (gross, inference): (Millipence, Option<Millipence>),
    nested: &mut [Nested],
) -> Result<RecordedShares, EntryError> {
    let margins = Tree::new("", (gross, inference), NOTHING, nested)?.margins()?;
    let mut margins = margins.into_iter();
    let top = shares_of(policy, margins.next().unwrap_or(0));
    for (call, margin) in nested.iter_mut().zip(margins) {
        call.shares = shares_of(policy, margin);
    }
    Ok(top)
}

impl NestedCosts {
    pub(super) fn tree(&self) -> Result<Tree<'_>, EntryError> {
        let malformed = |why: &str| EntryError::Malformed { kind: "nested", why: why.to_owned() };
        if self.nested.is_empty() && self.inference.is_none() {
            return Err(malformed("no call is listed"));
        }
        if self.payer.is_some() == self.gross.is_zero() {
            return Err(malformed("there is a payer for a gross of zero, or a gross without a payer"));
        }
        // The top call failed or was free, so it has no shares: a gross above what it
        // owes for nested calls is refused.
        Tree::new(&self.owner, (self.gross, self.inference), NOTHING, &self.nested)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::split;
    use super::*;

    fn call(owner: &str, parent: u64, pence: i64) -> Nested {
        Nested {
            component_sha256: [1; 32],
            failed: false,
            gross: Millipence::from_pence(pence).unwrap(),
            inference: None,
            owner: owner.to_owned(),
            parent,
            plugin: "p".to_owned(),
            plugin_kind: PluginKind::Bridge,
            shares: NOTHING,
            version: "1.0.0".to_owned(),
        }
    }

    fn postings(owner: &str, pence: i64, mut nested: Vec<Nested>, payer: Option<Payer>) -> Vec<(String, i64)> {
        let gross = Millipence::from_pence(pence).unwrap();
        let shares = split_tree(&split(), (gross, None), &mut nested).unwrap();
        let tree = Tree::new(owner, (gross, None), shares, &nested).unwrap();
        assert!(tree.is_split_by(&split()));
        let postings = tree.postings(payer.as_ref(), Earnings::Available).unwrap();
        postings.into_iter().map(|posting| (posting.account, posting.amount.get())).collect()
    }

    fn payer() -> Option<Payer> {
        Some(Payer::Account("caller".to_owned()))
    }

    #[test]
    fn a_nested_price_comes_out_of_the_parents_gross() {
        let derived = postings("a", 100, vec![call("b", 0, 30)], payer());
        let expect = [
            ("credit:caller", -100_000),
            ("dev:a:available", 56_000),
            ("dev:b:available", 24_000),
            ("platform", 17_500),
            ("treasury", 2_500),
        ];
        assert_eq!(derived, expect.map(|(name, amount)| (name.to_owned(), amount)));
    }

    #[test]
    fn the_owner_pays_what_the_price_does_not_cover() {
        let derived = postings("a", 10, vec![call("b", 0, 30)], payer());
        let expect = [
            ("credit:caller", -10_000),
            ("credit:a", -20_000),
            ("dev:b:available", 24_000),
            ("platform", 5_250),
            ("treasury", 750),
        ];
        assert_eq!(derived, expect.map(|(name, amount)| (name.to_owned(), amount)));
    }

    #[test]
    fn a_failed_call_in_between_owes_what_was_answered_below_it() {
        // Plugin b failed (gross 0) after it received an answer from c; plugin a
        // answered.
        let derived = postings("a", 100, vec![call("b", 0, 0), call("c", 1, 20)], payer());
        assert!(derived.contains(&("credit:b".to_owned(), -20_000)), "{derived:?}");
        assert!(derived.contains(&("dev:a:available".to_owned(), 80_000)), "{derived:?}");
        assert!(derived.contains(&("dev:c:available".to_owned(), 16_000)), "{derived:?}");
    }

    fn failed(gross: i64, payer: Option<Payer>, mut nested: Vec<Nested>) -> Result<Vec<(String, i64)>, EntryError> {
        let gross = Millipence::from_pence(gross).unwrap();
        split_tree(&split(), (gross, None), &mut nested).unwrap();
        let costs = NestedCosts {
            component_sha256: [1; 32],
            earnings: Earnings::Available,
            gross,
            inference: None,
            nested,
            owner: "a".to_owned(),
            payer,
            plugin: "p".to_owned(),
            plugin_kind: PluginKind::Agent,
            policy: [0; 32],
            request_id: "req_1".to_owned(),
            version: "1.0.0".to_owned(),
        };
        let postings = costs.tree()?.postings(costs.payer.as_ref(), costs.earnings)?;
        Ok(postings.into_iter().map(|posting| (posting.account, posting.amount.get())).collect())
    }

    #[test]
    fn the_caller_pays_for_nested_answers_of_a_failed_call() {
        let derived = failed(30, payer(), vec![call("b", 0, 30)]).unwrap();
        let expect = [("credit:caller", -30_000), ("dev:b:available", 24_000), ("platform", 5_250), ("treasury", 750)];
        assert_eq!(derived, expect.map(|(name, amount)| (name.to_owned(), amount)));
        // The caller pays up to the quoted price; the owner pays the remainder.
        let derived = failed(20, payer(), vec![call("b", 0, 30)]).unwrap();
        assert!(derived.contains(&("credit:a".to_owned(), -10_000)), "{derived:?}");
    }

    #[test]
    fn a_failed_call_never_costs_more_than_it_owes() {
        assert_eq!(failed(31, payer(), vec![call("b", 0, 30)]), Err(EntryError::Shares));
        assert!(failed(0, payer(), vec![call("b", 0, 30)]).is_err(), "a payer for a gross of zero was accepted");
        assert!(failed(30, None, vec![call("b", 0, 30)]).is_err(), "a gross without a payer was accepted");
        assert!(failed(0, None, Vec::new()).is_err(), "an entry without any cost was accepted");
    }

    #[test]
    fn a_caller_who_owns_a_plugin_in_the_tree_has_one_posting_on_its_credit() {
        let derived = postings("caller", 10, vec![call("b", 0, 30)], payer());
        assert_eq!(derived.iter().filter(|(name, _)| name == "credit:caller").count(), 1);
        assert_eq!(derived.first(), Some(&("credit:caller".to_owned(), -30_000)));
    }

    #[test]
    fn a_tree_must_grow_downwards() {
        let gross = Millipence::from_pence(1).unwrap();
        assert!(Tree::new("a", (gross, None), NOTHING, &[call("b", 1, 1)]).is_err());
        assert!(Tree::new("a", (gross, None), NOTHING, &vec![call("b", 0, 1); 33]).is_err());
        let cheat = Tree::new("a", (gross, None), NOTHING, &[]).unwrap();
        assert_eq!(cheat.postings(None, Earnings::Available), Err(EntryError::Shares));
    }

    proptest! {
        #[test]
        fn postings_sum_to_zero_and_a_free_call_earns_nothing(
            gross in 0_i64..500,
            calls in proptest::collection::vec((0_u64..33, 0_usize..4, 0_i64..300), 0..32),
            paid in any::<bool>(),
        ) {
            let owners = ["a", "b", "c", "d"];
            let gross = if paid { gross } else { 0 };
            let nested: Vec<Nested> = calls.iter().enumerate()
                .map(|(place, (parent, owner, pence))| call(owners[*owner], parent % (place as u64 + 1), *pence))
                .collect();
            let derived = postings("a", gross, nested, paid.then(|| payer().unwrap()));
            prop_assert_eq!(derived.iter().map(|(_, amount)| *amount).sum::<i64>(), 0);
            let taken = |name: &str| name.starts_with("credit:");
            prop_assert!(derived.iter().all(|(name, amount)| *amount > 0 || taken(name)));
        }
    }
}
