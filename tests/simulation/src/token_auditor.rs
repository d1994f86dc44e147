//! Checks the processor's token payments against the ledger and the answers that payers
//! got.

use tollbridge_market::checkout::PaymentSource;

use crate::auditor::Audit;
use crate::book::{CallNote, Reported, Source, TokenNote};
use crate::plugins::WARES;
use crate::stripe_books::Paid;
use crate::{calls, credentials};

impl Audit<'_> {
    /// Checks token payments: a challenge is paid once, by one token, for its exact
    /// amount; the charge is booked, and pays for one call of the client that sent the
    /// token. If a refusal says that a token was not charged, it was not.
    pub(crate) fn tokens(&mut self) {
        let book = self.book;
        for (at, note) in book.tokens.iter().enumerate() {
            let of_it = self.books.payments.iter().filter(|(_, paid)| paid.handle == note.handle);
            let paid: Vec<(String, Paid)> = of_it.map(|(id, paid)| (id.clone(), paid.clone())).collect();
            self.charged(note, &paid);
            let by_this = paid.iter().any(|(id, _)| self.books.charges[id].token == note.token);
            let sent: Vec<&CallNote> = book.calls.iter().filter(|call| call.source == Source::Token(at)).collect();
            self.check_token_report(note, &sent, by_this);
        }
    }

    fn charged(&mut self, note: &TokenNote, paid: &[(String, Paid)]) {
        let (handle, times) = (&note.handle, paid.len());
        self.must(times <= 1, || format!("{handle} was charged {times} times"));
        let right = paid.iter().all(|(_, paid)| paid.amount == note.charge);
        self.must(right, || format!("{handle} must be charged {} once, but was charged {paid:?}", note.charge));
        let booked: Vec<_> = self.ledger.of_kind("payment").filter(|line| line.body["intent"] == **handle).collect();
        let references: Vec<_> = booked.iter().map(|line| line.body["reference"].as_str().unwrap_or("")).collect();
        let same = references.iter().copied().eq(paid.iter().map(|(id, _)| id.as_str()));
        let found = format!("{references:?}");
        self.must(same, || format!("{handle} was paid by {paid:?}, but the ledger has the payments {found}"));
    }

    fn check_token_report(&mut self, note: &TokenNote, sent: &[&CallNote], is_paid: bool) {
        let (handle, token) = (&note.handle, &note.token);
        let sealed: usize = sent.iter().map(|call| self.sealed(&call.request).len()).sum();
        self.must(sealed <= usize::from(is_paid), || {
            format!("{token} for {handle} bought {sealed} calls; charged: {is_paid}")
        });
        for call in sent {
            if let Reported::Refused(why) = &call.reported {
                let is_denied = why.contains("the token was not charged");
                self.must(!(is_denied && is_paid), || {
                    format!("{} was refused ({why}), but {token} was charged", call.request)
                });
            }
        }
        // Anyone who knows the intent's id can spend the remainder, so only the client
        // that sent the charged token may learn it.
        let Some(first) = sent.first() else { return };
        let body = calls::body(WARES[note.ware].kind, first.n);
        let reported = match credentials::of_token(self.host, note, &body) {
            PaymentSource::Token(payment) => self.host.payments.credentials.paid_by_token(&payment).unwrap().is_some(),
            _ => false,
        };
        self.must(reported == is_paid, || {
            format!("{token} for {handle}: charged: {is_paid}, but its sender learns the intent id: {reported}")
        });
    }
}
