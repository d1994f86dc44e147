//! Checks the `upto` transactions on the chain against the ledger and the answers that
//! payers got.

use std::collections::{BTreeMap, BTreeSet};

use crate::auditor::Audit;
use crate::book::{ModelRequestNote, PermitNote, Reported};
use crate::ledger_reader::{Line, text};
use crate::models::answer_to;
use crate::wallets::Moved;

/// Converts millipence to units of the token (millionths of a dollar), at 1.25 dollars
/// per pound.
const fn units(millipence: i64) -> i64 {
    millipence * 25 / 2
}

impl Audit<'_> {
    /// Checks that every transaction on the chain is recorded once with its exact amount,
    /// that no other transaction is recorded, and that one signature pays for one answer.
    pub(crate) fn upto(&mut self) {
        let book = self.book;
        self.problems.extend(book.wrong.clone());
        let moved = self.host.world.wallets.transactions(true);
        let lines: Vec<Line> =
            self.ledger.of_kind("inference").filter(|line| !line.body["wallet"].is_null()).cloned().collect();
        for (at, permit) in book.permits.iter().enumerate() {
            let of_it: Vec<&Line> =
                lines.iter().filter(|line| line.body["wallet"]["intent"] == *permit.handle).collect();
            self.must(of_it.len() <= 1, || format!("{} is booked {} times", permit.handle, of_it.len()));
            if let Some(line) = of_it.first() {
                self.booked(permit, line, &moved);
            }
            let asks: Vec<&ModelRequestNote> = book.asks.iter().filter(|ask| ask.permit == at).collect();
            self.reported(permit, of_it.first().copied(), &asks);
        }
        let mut booked: BTreeMap<String, usize> = BTreeMap::new();
        for line in &lines {
            *booked.entry(text(&line.body["wallet"]["reference"])).or_default() += 1;
        }
        for (transaction, moved) in &moved {
            let (times, honest) = (booked.get(transaction).copied().unwrap_or(0), moved.units == moved.asked);
            self.must(times == usize::from(honest), || format!("{transaction}: {moved:?}, recorded {times} times"));
        }
        let unknown = booked.keys().find(|transaction| !moved.contains_key(*transaction));
        self.must(unknown.is_none(), || format!("{unknown:?} is recorded, but was not executed on the chain"));
        let several = self.host.world.wallets.asked_for_several();
        self.must(several.is_empty(), || {
            format!("the host asked to settle a signature with different amounts: {several:?}")
        });
    }

    /// Checks that the record of an `upto` payment matches the permit and the
    /// transaction.
    fn booked(&mut self, permit: &PermitNote, line: &Line, moved: &BTreeMap<String, Moved>) {
        let (wallet, cost) = (&line.body["wallet"], line.body["amount_millipence"].as_i64().unwrap_or(0));
        let units = units(cost);
        let amount = units.to_string();
        let has_moved =
            moved.get(&permit.transaction).is_some_and(|moved| i128::try_from(moved.units) == Ok(units.into()));
        let is_of_it = wallet["reference"] == *permit.transaction
            && wallet["processor"] == "x402"
            && wallet["token"]["amount"] == amount
            && line.body["account"] == *permit.payer;
        let legs = BTreeSet::from([("wallet:clearing".to_owned(), -cost), ("providers".to_owned(), cost)]);
        let posted = line.postings.iter().cloned().collect::<BTreeSet<_>>() == legs;
        self.must(cost > 0 && cost <= permit.most && has_moved && is_of_it && posted, || {
            format!("{}: booked {cost} of {}, moved {:?}", permit.handle, permit.most, moved.get(&permit.transaction))
        });
        let left = self.ledger.balances().get(&format!("credit:{}", permit.payer)).copied();
        self.must(left.is_none(), || format!("{} has {left:?} left", permit.payer));
    }

    /// Checks that a signature pays for only one answer, to one of the requests made with
    /// that signature, and that no answer is unpaid.
    fn reported(&mut self, permit: &PermitNote, line: Option<&Line>, asks: &[&ModelRequestNote]) {
        for ask in asks {
            let Reported::Answered { seal, body } = &ask.reported else { continue };
            let is_paid = line.is_some_and(|line| line.seal == *seal);
            self.must(is_paid, || {
                format!(
                    "{} was answered with the record {seal}, which the permit {} does not pay for",
                    ask.request, permit.handle
                )
            });
            let right = *body == answer_to(ask.n);
            self.must(right, || format!("{} got another's answer: {}", ask.request, String::from_utf8_lossy(body)));
        }
        let Some(line) = line.filter(|_| !self.host.world.wallets.was_denied(&permit.transaction)) else { return };
        // The ledger may pay for a request that the client saw refused as unpaid, but
        // only if the client sent the request again later.
        let first = asks.iter().position(|ask| line.body["request_id"] == ask.request);
        let is_wanted = match first.and_then(|at| asks.get(at)) {
            Some(ask) => {
                !matches!(ask.reported, Reported::Refused(_))
                    || asks.last().is_some_and(|last| last.request != ask.request)
            }
            None => false,
        };
        self.must(is_wanted, || format!("{} pays {}, which was refused", permit.handle, line.body["request_id"]));
    }
}
