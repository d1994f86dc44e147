//! Checks the public ledger against the answers that clients got and the money that the
//! payment processor holds. Shares no code with the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tollbridge_agents::TaskState;
use tollbridge_ledger::Trust;
use tollbridge_store::Collection;

use crate::book::{Book, CallMode, CallNote, Reported, Source};
use crate::clock::now_ms;
use crate::host::Host;
use crate::ledger_reader::{LedgerReader, Line, text};
use crate::plugins::{TestPlugin, WARES};
use crate::stripe_books::{Books, DEPOSIT, Dispute};
use crate::wallets::RISK;

/// Descriptions of violations.
pub(crate) type Problems = Vec<String>;

/// Checks after each start that no acknowledged data was lost.
pub(crate) fn survived(host: &Host) -> Problems {
    let ledger = LedgerReader::read(host.db.store());
    let mut problems = ledger.problems.clone();
    let book = host.world.book.lock().unwrap();
    for seal in book.seals.iter().filter(|seal| !ledger.lines.iter().any(|line| line.seal == **seal)) {
        problems.push(format!("an answer was given under the seal {seal}, and its record is missing"));
    }
    for note in &book.calls {
        if let Reported::Accepted(task) = &note.reported
            && host.agents.views.task(&book.people[note.who], task).is_err()
        {
            problems.push(format!("{}: the task {task} was accepted but is missing", note.request));
        }
    }
    problems
}

/// Checks all invariants at the end, when nothing is in progress.
pub(crate) fn audit(host: &Arc<Host>) -> Problems {
    let ledger = LedgerReader::read(host.db.store());
    let book = host.world.book.lock().unwrap();
    let books = host.world.stripe.books.lock().unwrap();
    let mut audit = Audit { host, ledger: &ledger, book: &book, books: &books, problems: ledger.problems.clone() };
    audit.balances();
    audit.nothing_is_open();
    audit.wallets();
    audit.upto();
    audit.tokens();
    audit.calls();
    audit.repeats();
    audit.tasks();
    audit.money_of_people();
    audit.withdrawals();
    audit.nested();
    audit.webhooks();
    audit.problems
}

pub(crate) struct Audit<'a> {
    pub(crate) host: &'a Host,
    pub(crate) ledger: &'a LedgerReader,
    pub(crate) book: &'a Book,
    pub(crate) books: &'a Books,
    pub(crate) problems: Problems,
}

impl Audit<'_> {
    pub(crate) fn must(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    /// Checks that every penny paid in is owed, earned or paid out.
    fn balances(&mut self) {
        let by_records = self.ledger.balances();
        let kept = self.host.db.balances().unwrap_or_default();
        let kept: BTreeMap<String, i64> = kept.into_iter().map(|(name, amount)| (name, amount.get())).collect();
        self.must(kept == by_records, || format!("balances are {kept:?}, the records give {by_records:?}"));
        for (name, amount) in &kept {
            let outside =
                ["processor:clearing", "processor:fees", "wallet:clearing", "write_off"].contains(&name.as_str());
            self.must(outside || *amount >= 0, || format!("{name} has {amount}"));
            let passing = ["held:", "in_transit:", "refunds"].iter().any(|start| name.starts_with(start))
                || name.ends_with(":pending");
            self.must(!passing, || format!("at the end {name} still has {amount}"));
        }
        let ours = (self.books.balance - DEPOSIT) * 1_000;
        let clearing = -kept.get("processor:clearing").copied().unwrap_or(0);
        self.must(ours == clearing, || format!("the processor holds {ours} for us, the ledger says {clearing}"));
        let verified = self.host.notary.ledger().verify(&Trust::default());
        self.must(verified.is_ok(), || format!("the ledger fails verification: {:?}", verified.err()));
    }

    /// Checks that every transaction of the chain is recorded exactly once, that nothing
    /// else is recorded, and that one signature pays for one call.
    fn wallets(&mut self) {
        let book = self.book;
        let moved = self.host.world.wallets.transactions(false);
        let payments: Vec<&Line> =
            self.ledger.of_kind("payment").filter(|line| line.body["processor"] == "x402").collect();
        for note in &book.signed {
            let carried_out = moved.contains_key(&note.transaction);
            let of_it: Vec<_> = payments.iter().filter(|line| line.body["reference"] == *note.transaction).collect();
            let price = WARES[note.ware].price;
            let right = of_it.iter().all(|line| {
                line.body["intent"] == *note.handle && line.body["amount_millipence"].as_i64() == Some(price)
            });
            let (booked, handle) = (of_it.len(), &note.handle);
            self.must(right && booked == usize::from(carried_out), || {
                format!("{handle}: executed: {carried_out}, recorded {booked} times, recorded correctly: {right}")
            });
            let drawn = self.drawn(|payer| payer["intent"] == *note.handle);
            let has = self.ledger.balances().get(&format!("unearned:{}", note.handle)).copied().unwrap_or(0);
            let paid = if carried_out { price } else { 0 };
            self.must(has == paid - drawn, || format!("{handle} has {has}, but {paid} was paid and {drawn} spent"));
        }
        let known = payments.len() == moved.len();
        self.must(known, || format!("{} payments are recorded, {} were carried out", payments.len(), moved.len()));
    }

    /// Checks that every unclear outcome has been resolved.
    fn nothing_is_open(&mut self) {
        let open = open_work(self.host, self.books);
        self.must(open.is_empty(), || format!("still under way: {open:?}"));
    }

    /// Returns the sealed calls of a request.
    pub(crate) fn sealed(&self, request: &str) -> Vec<&Line> {
        self.ledger.of_kind("route").filter(|line| line.body["request_id"] == request).collect()
    }

    /// Checks that an answered call is sealed once, at the reported price, and that a
    /// refused call costs nothing.
    fn calls(&mut self) {
        let book = self.book;
        for note in &book.calls {
            let lines: Vec<Line> = self.sealed(&note.request).into_iter().cloned().collect();
            self.must(lines.len() <= 1, || format!("{} is sealed {} times", note.request, lines.len()));
            match &note.reported {
                Reported::Answered { seal, body } => self.answered(note, seal, body),
                Reported::Refused(why) => {
                    self.must(lines.is_empty(), || format!("{} was refused ({why}) but is charged", note.request));
                    self.check_reported_cost(note, why);
                }
                Reported::Unknown | Reported::Accepted(_) => {}
            }
            for line in &lines {
                let (paid, expected) = (text_of_payer(line), payer(book, note));
                self.must(paid == expected, || format!("{}: {paid} paid instead of {expected}", note.request));
                let (gross, price) = (line.body["gross_millipence"].as_i64(), WARES[note.ware].price);
                self.must(gross == Some(price), || format!("{} costs {gross:?} instead of {price}", note.request));
            }
        }
        for line in self.ledger.of_kind("route") {
            let known = book.calls.iter().any(|note| line.body["request_id"] == note.request);
            self.must(known, || format!("no client made the call {}", line.body["request_id"]));
        }
    }

    fn answered(&mut self, note: &CallNote, seal: &str, body: &[u8]) {
        let right = body == TestPlugin::answer(note.n);
        self.must(right, || format!("{} got another's answer: {}", note.request, String::from_utf8_lossy(body)));
        let Some(line) = self.ledger.lines.iter().find(|line| line.seal == seal) else {
            return self
                .problems
                .push(format!("{} was answered under the seal {seal}, which no record has", note.request));
        };
        let salt = hex::decode(text(&line.body["salt"])).unwrap_or_default();
        let digest = hex::encode(Sha256::new().chain_update(&salt).chain_update(body).finalize());
        let same = line.body["answer_sha256"] == digest;
        self.must(same, || format!("{}: the record holds a different answer", note.request));
    }

    /// Checks the cost of a refused call: according to the ledger, the caller was charged
    /// exactly the amount that the refusal reports, or nothing if it reports none.
    fn check_reported_cost(&mut self, note: &CallNote, why: &str) {
        let credit = format!("credit:{}", self.book.people[note.who]);
        let owns = WARES.iter().any(|ware| ware.owner == note.who);
        let of_request = self.ledger.lines.iter().filter(|line| line.body["request_id"] == note.request);
        let taken: i64 = of_request
            .flat_map(|line| &line.postings)
            .filter(|(name, _)| *name == credit)
            .map(|(_, amount)| amount)
            .sum();
        let reported = reported_cost(why);
        // If the caller owns a plugin, that plugin's nested calls are also paid from the
        // caller's credit, so the amount is not checked. Reported amounts omit fractions
        // of a penny.
        let holds = owns || note.source != Source::Credit || (0..1_000).contains(&(-taken - reported));
        self.must(holds, || format!("{} was refused ({why}) and cost {}", note.request, -taken));
    }

    /// Checks that all requests with the same idempotency key result in at most one
    /// transaction and the same answer.
    fn repeats(&mut self) {
        for group in groups(self.book) {
            let lines: usize = group.iter().map(|note| self.sealed(&note.request).len()).sum();
            let first = &group[0].request;
            self.must(lines <= 1, || format!("{} requests with the key of {first} made {lines} calls", group.len()));
            let mut seals: Vec<&String> = Vec::new();
            for note in &group {
                if let Reported::Answered { seal, .. } = &note.reported {
                    seals.push(seal);
                }
            }
            let one = seals.windows(2).all(|pair| pair[0] == pair[1]);
            self.must(one, || format!("requests with the key of {first} got different answers"));
        }
    }

    /// Checks that each task ends once: either answered and paid, or unanswered and free.
    fn tasks(&mut self) {
        let accepted: Vec<(CallNote, String)> = self
            .book
            .calls
            .iter()
            .filter_map(|note| match &note.reported {
                Reported::Accepted(task) => Some((note.clone(), task.clone())),
                _ => None,
            })
            .collect();
        for (note, task) in accepted {
            let requests: Vec<&CallNote> = match &note.key {
                None => vec![&note],
                Some(_) => self.book.calls.iter().filter(|other| same_key(other, &note)).collect(),
            };
            let sealed: usize = requests.iter().map(|other| self.sealed(&other.request).len()).sum();
            let state = self.host.agents.views.task(&self.book.people[note.who], &task).map(|view| view.state);
            let ends = match &state {
                Ok(TaskState::Completed) => sealed == 1,
                Ok(TaskState::Failed | TaskState::Canceled) => sealed == 0,
                _ => false,
            };
            self.must(ends, || format!("{}: the task {task} is {state:?} and sealed {sealed} times", note.request));
        }
    }

    /// Checks the balance of each account that only buys, and of each payment intent: it
    /// must equal the payments minus the sealed calls.
    fn money_of_people(&mut self) {
        let balances = self.ledger.balances();
        let balance = |name: &str| balances.get(name).copied().unwrap_or(0);
        for (who, account) in self.book.people.iter().enumerate().take(3) {
            let bought: Vec<&str> = self.handles(|intent| intent.who == who && intent.ware.is_none());
            let any: Vec<&str> = self.handles(|intent| intent.who == who);
            let topped_up = self.sum("topup", |line| line.body["account"] == **account);
            let spent = self.spent(account);
            let expected = self.paid_in(&bought) + topped_up - spent;
            let has = balance(&format!("credit:{account}"));
            let exact = !self.is_disputed(&any);
            self.must(has == expected || (!exact && has <= expected), || {
                format!("{account} has {has} instead of {expected} (paid minus refunded and spent)")
            });
        }
        for intent in self.book.intents.iter().filter(|intent| intent.ware.is_some()) {
            let handle = intent.handle.as_str();
            let topped_up = self.sum("topup", |line| line.body["intent"] == handle);
            let spent = self.drawn(|payer| payer["intent"] == handle);
            let expected = self.paid_in(&[handle]) - topped_up - spent;
            let has = balance(&format!("unearned:{handle}"));
            let exact = !self.is_disputed(&[handle]);
            self.must(has == expected || (!exact && has <= expected), || {
                format!("the intent {handle} has {has} instead of {expected} (paid minus refunded and spent)")
            });
        }
    }

    fn handles(&self, wanted: impl Fn(&crate::book::IntentNote) -> bool) -> Vec<&str> {
        self.book.intents.iter().filter(|intent| wanted(intent)).map(|intent| intent.handle.as_str()).collect()
    }

    /// Returns the amount that an account paid from credit, for calls and tasks.
    fn spent(&self, account: &str) -> i64 {
        self.drawn(|payer| payer["account"] == account || payer["task"]["account"] == account)
    }

    /// Returns the total that the matching payers paid for calls, including answered
    /// nested calls of failed calls.
    fn drawn(&self, by: impl Fn(&Value) -> bool) -> i64 {
        ["route", "nested"].iter().map(|kind| self.sum(kind, |line| by(&line.body["payer"]))).sum()
    }

    /// Returns the sum of the gross amounts of all matching records of a kind.
    fn sum(&self, kind: &str, wanted: impl Fn(&Line) -> bool) -> i64 {
        let amount = |line: &Line| {
            let name = if matches!(kind, "route" | "nested") { "gross_millipence" } else { "amount_millipence" };
            line.body[name].as_i64().unwrap_or(0)
        };
        self.ledger.of_kind(kind).filter(|line| wanted(line)).map(amount).sum()
    }

    /// Returns the amount, in millipence, that the processor received for the given
    /// intents, minus refunds.
    fn paid_in(&self, handles: &[&str]) -> i64 {
        let paid = self.books.payments.values().filter(|paid| handles.contains(&paid.handle.as_str()));
        paid.map(|paid| (paid.amount - paid.refunded) * 1_000).sum()
    }

    fn is_disputed(&self, handles: &[&str]) -> bool {
        self.any_dispute(handles, |dispute| dispute.status != "won")
    }

    fn any_dispute(&self, handles: &[&str], counts: impl Fn(&Dispute) -> bool) -> bool {
        let of = |payment: &str| self.books.payments.get(payment).map(|paid| paid.handle.as_str());
        let disputes = self.books.disputes.values().filter(|dispute| counts(dispute));
        disputes.filter_map(|dispute| of(&dispute.payment)).any(|handle| handles.contains(&handle))
    }

    /// Checks that no withdrawal is paid twice or to another account, and that every
    /// reported state is true.
    fn withdrawals(&mut self) {
        let mut known = BTreeMap::new();
        for (who, account) in self.book.people.iter().enumerate() {
            for one in self.host.withdrawals.list(account, None, 1_000).unwrap_or_default() {
                known.insert(one.id.clone(), (who, one));
            }
        }
        for (id, (who, one)) in &known {
            let transfers: Vec<_> =
                self.books.transfers.values().filter(|transfer| transfer.withdrawal == *id).collect();
            let expected = usize::from(matches!(one.state.name(), "settled" | "returned"));
            let found = transfers.len();
            self.must(found == expected, || format!("{id} is {} and has {found} transfers", one.state.name()));
            for transfer in transfers {
                let owner = self.book.destinations.get(&transfer.destination);
                self.must(owner == Some(who), || format!("{id} was paid to {owner:?} instead of {who}"));
                let amount = one.amount.pence_floor();
                self.must(transfer.amount == amount, || format!("{id} of {amount} paid {}", transfer.amount));
                let (booked, back) = (one.returned().pence_floor(), transfer.reversed);
                self.must(booked == back, || format!("{back} of {id} was reversed, {booked} was recorded"));
            }
        }
        for transfer in self.books.transfers.values() {
            let is_known = known.contains_key(&transfer.withdrawal);
            self.must(is_known, || format!("a transfer without a withdrawal: {transfer:?}"));
        }
        for (id, reported) in &self.book.withdrawals {
            let now = known.get(id).map(|(_, one)| one.state.name());
            let holds = match reported.state.as_str() {
                "settled" => matches!(now, Some("settled" | "returned")),
                "failed" | "rejected" => now == Some(reported.state.as_str()),
                _ => now.is_some(),
            };
            self.must(holds, || format!("{id} was reported as {} and is {now:?}", reported.state));
        }
    }

    /// Checks that every answered nested call is paid, whether or not the outer call
    /// succeeded.
    fn nested(&mut self) {
        let below = self.host.world.below.lock().unwrap().clone();
        for note in &self.book.calls {
            // A dispute may also take money that was reserved for nested calls, so skip
            // calls whose caller or plugin owner had a dispute.
            let payers = [note.who, WARES[note.ware].owner];
            let disputed = self.any_dispute(&self.handles(|intent| payers.contains(&intent.who)), |_| true);
            if disputed || !matches!(note.reported, Reported::Answered { .. } | Reported::Refused(_)) {
                continue;
            }
            let answered = below.iter().filter(|(request, _)| *request == note.request).count();
            let of_request = self.ledger.lines.iter().filter(|line| line.body["request_id"] == note.request);
            let listed = of_request.filter_map(|line| line.body["nested"].as_array()).flatten();
            let answers = listed.filter(|one| one["failed"].is_null());
            let paid = answers.filter(|one| one["gross_millipence"].as_i64() > Some(0)).count();
            self.must(paid == answered, || {
                format!("{} has {answered} answered nested calls, {paid} of them paid", note.request)
            });
        }
    }

    /// Checks that every receiver got a signed event for each sealed task of its account.
    fn webhooks(&mut self) {
        let receivers = &self.host.world.receivers;
        let forged = receivers.forged.lock().unwrap().clone();
        self.must(forged.is_empty(), || format!("webhooks with a wrong signature: {forged:?}"));
        for (who, host) in &self.book.hooks {
            let heard: Vec<String> =
                receivers.taken(host).values().map(|body| text(&body["data"]["worm_seal"])).collect();
            let account = &self.book.people[*who];
            for line in self.ledger.of_kind("route").filter(|line| line.body["plugin_kind"] == "agent") {
                let concerns = line.body["owner"] == **account || text_of_payer(line).contains(account.as_str());
                let reported = heard.contains(&line.seal);
                self.must(reported || !concerns, || format!("{host} got no event for {}", line.body["request_id"]));
            }
            for seal in heard.iter().filter(|seal| !self.ledger.lines.iter().any(|line| line.seal == **seal)) {
                self.problems.push(format!("{host} got an event with the seal {seal}, which no record has"));
            }
        }
    }
}

/// Checks that no amount is held when nothing is in progress.
pub(crate) fn nothing_held(host: &Host) -> Problems {
    let mut problems = Problems::new();
    for account in &host.world.book.lock().unwrap().people {
        let has = host.db.balance(&format!("credit:{account}")).unwrap_or_default();
        if let Err(why) = host.payments.authorizer.authorize_credit(account, has) {
            problems.push(format!("part of {account}'s credit of {has} is still held: {why}"));
        }
    }
    // The risk must be zero: by now, unpaid answers are either settled or too old to
    // count.
    if !matches!(host.payments.wallet_offers.upto(RISK, now_ms()), Ok(Some(_))) {
        problems.push("an amount is still counted as at risk (upto)".to_owned());
    }
    problems
}

/// Returns the names of all unfinished work.
pub(crate) fn open_work(host: &Host, books: &Books) -> Vec<String> {
    let rows = |collection, name: &str| {
        let rows = host.db.list(collection, "", 1_000).unwrap_or_default();
        rows.into_iter().map(|(key, _)| format!("{name} {key}")).collect::<Vec<_>>()
    };
    let mut open = rows(Collection::OpenTasks, "task");
    open.extend(rows(Collection::Fees, "fee"));
    open.extend(
        rows(Collection::Settlements, "settlement")
            .into_iter()
            .filter(|row| [" open/", " charge/"].iter().any(|part| row.contains(part))),
    );
    open.extend(host.withdrawals.open().unwrap_or_default().into_iter().map(|one| format!("withdrawal {}", one.id)));
    open.extend(
        host.payment_service.refunds.open().unwrap_or_default().into_iter().map(|one| format!("refund {}", one.id)),
    );
    open.extend(
        host.payment_service.disputes.unbooked().unwrap_or_default().into_iter().map(|id| format!("dispute {id}")),
    );
    open.extend(books.events.iter().map(|event| format!("event {} {}", event.kind, event.object)));
    open
}

/// Returns the cost that a refusal reports, in millipence: `£1.23 was charged for
/// …`.
fn reported_cost(why: &str) -> i64 {
    let pounds = why.split_once(" was charged for").and_then(|(before, _)| before.rsplit_once('£'));
    let pence = pounds.and_then(|(_, pounds)| pounds.replace('.', "").parse::<i64>().ok());
    pence.unwrap_or(0) * 1_000
}

fn same_key(one: &CallNote, other: &CallNote) -> bool {
    one.key.is_some() && (&one.key, one.who, one.ware, one.manner) == (&other.key, other.who, other.ware, other.manner)
}

/// Groups requests by idempotency key.
fn groups(book: &Book) -> Vec<Vec<&CallNote>> {
    let mut groups: BTreeMap<(usize, usize, u8, &str), Vec<&CallNote>> = BTreeMap::new();
    for note in &book.calls {
        let Some(key) = &note.key else { continue };
        let manner = match note.manner {
            CallMode::Call => 0,
            CallMode::Invoke => 1,
            CallMode::Queue => 2,
        };
        groups.entry((note.who, note.ware, manner, key)).or_default().push(note);
    }
    groups.into_values().collect()
}

fn text_of_payer(line: &Line) -> String {
    let payer = &line.body["payer"];
    match (payer["account"].as_str(), payer["task"]["account"].as_str(), payer["intent"].as_str()) {
        (Some(account), _, _) | (_, Some(account), _) => account.to_owned(),
        (_, _, Some(handle)) => format!("intent {handle}"),
        _ => String::new(),
    }
}

fn payer(book: &Book, note: &CallNote) -> String {
    match note.source {
        Source::Credit => book.people[note.who].clone(),
        Source::Intent(at) => format!("intent {}", book.intents[at].handle),
        Source::Wallet(at) => format!("intent {}", book.signed[at].handle),
        Source::Token(at) => format!("intent {}", book.tokens[at].handle),
    }
}
