//! What people do, chosen by weight.

use tollbridge_core::plugin_kind::PluginKind;

use crate::book::{Book, Manner, Source};
use crate::chance::Chance;
use crate::plugins::WARES;

/// One thing that somebody does.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Opens a page to buy credit, pence.
    BuyCredit {
        who: usize,
        pence: i64,
    },
    /// Opens a page to buy calls of a ware; for an account, or for nobody.
    BuyCalls {
        who: usize,
        ware: usize,
    },
    /// Somebody pays an open page.
    Pay,
    Call(CallWish),
    /// Somebody's wallet signs for a call of a ware, and somebody calls.
    CallByWallet {
        who: usize,
        ware: usize,
    },
    /// Somebody has the processor grant a token for a call of a ware, and calls.
    CallByToken {
        who: usize,
        ware: usize,
    },
    /// Somebody's wallet signs for a challenge (MPP, `evm`), and somebody calls.
    CallBySignature {
        who: usize,
        ware: usize,
    },
    /// Somebody asks a model, and his wallet pays what it comes to.
    AskModel {
        who: usize,
    },
    /// What was signed for a model comes again, perhaps with another question.
    AskModelAgain {
        permit: usize,
    },
    /// What was signed for a model is to pay for a bridge.
    CallByPermit {
        permit: usize,
    },
    /// The same request once more, or another under its key.
    Repeat {
        call: usize,
        other_body: bool,
    },
    Cancel {
        call: usize,
    },
    Refund {
        intent: usize,
    },
    ToCredit {
        intent: usize,
    },
    Dispute,
    CloseDispute {
        won: bool,
    },
    Withdraw {
        who: usize,
    },
    /// An owner connects a payout account.
    Connect {
        who: usize,
    },
    /// A thief connects his own to somebody else's earnings.
    StealPayouts {
        victim: usize,
        thief: usize,
    },
    /// Of a transfer, a part or the rest.
    Reverse {
        whole: bool,
    },
    /// Of a refund that was paid.
    FailRefund,
    /// The clock is set.
    Jump(i64),
    Checkpoint,
}

/// A call that somebody wants.
#[derive(Clone, Debug)]
pub(crate) struct CallWish {
    pub(crate) who: usize,
    pub(crate) ware: usize,
    pub(crate) manner: Manner,
    pub(crate) source: Source,
    pub(crate) key: bool,
    pub(crate) n: u64,
    /// Of an invocation, in milliseconds.
    pub(crate) wait_ms: u64,
}

impl CallWish {
    /// On credit, without a key.
    pub(crate) fn at_once(who: usize, ware: usize) -> Self {
        let manner = match WARES[ware].kind {
            PluginKind::Bridge => Manner::Call,
            PluginKind::Agent => Manner::Invoke,
        };
        Self { who, ware, manner, source: Source::Credit, key: false, n: 7, wait_ms: 30_000 }
    }
}

/// Weights, in the order of the arms of [`any`]. The last two are by
/// credentials, which not every seed takes.
const WEIGHTS: [u64; 23] = [7, 7, 8, 32, 8, 4, 3, 3, 2, 2, 10, 2, 3, 2, 4, 1, 2, 12, 12, 5, 1, 14, 5];

/// The next thing that happens.
pub(crate) fn any(chance: &Chance, book: &Book, takes_credentials: bool) -> Operation {
    let who = chance.index(book.people.len());
    let call = chance.index(book.calls.len());
    let intent = chance.index(book.intents.len());
    let permit = chance.index(book.permits.len());
    let weights = if takes_credentials { &WEIGHTS[..] } else { &WEIGHTS[..WEIGHTS.len() - 2] };
    match chance.weighted(weights) {
        0 => Operation::BuyCredit { who, pence: 500 + chance.below(40).cast_signed() * 100 },
        1 => Operation::BuyCalls { who, ware: chance.index(WARES.len()) },
        2 => Operation::Pay,
        4 if !book.calls.is_empty() => Operation::Repeat { call, other_body: chance.percent(20) },
        5 if !book.calls.is_empty() => Operation::Cancel { call },
        6 if !book.intents.is_empty() => Operation::Refund { intent },
        7 if !book.intents.is_empty() => Operation::ToCredit { intent },
        8 => Operation::Dispute,
        9 => Operation::CloseDispute { won: chance.percent(50) },
        10 => Operation::Withdraw { who: 3 + chance.index(3) },
        11 => Operation::Connect { who: 3 + chance.index(3) },
        12 => Operation::StealPayouts { victim: 3 + chance.index(3), thief: chance.index(3) },
        13 => Operation::Reverse { whole: chance.percent(50) },
        14 => Operation::Jump(match chance.below(4) {
            0 => -chance.below(60_000).cast_signed(),
            1 => chance.below(3_600_000).cast_signed(),
            2 => 13 * 3_600_000,
            _ => 26 * 3_600_000,
        }),
        15 => Operation::Checkpoint,
        16 => Operation::FailRefund,
        17 => Operation::CallByWallet { who, ware: chance.index(WARES.len()) },
        18 => Operation::AskModel { who },
        19 if !book.permits.is_empty() => Operation::AskModelAgain { permit },
        20 if !book.permits.is_empty() => Operation::CallByPermit { permit },
        21 => Operation::CallByToken { who, ware: chance.index(WARES.len()) },
        22 => Operation::CallBySignature { who, ware: chance.index(WARES.len()) },
        _ => Operation::Call(any_call(chance, book, who)),
    }
}

fn any_call(chance: &Chance, book: &Book, who: usize) -> CallWish {
    let mine: Vec<usize> = book
        .intents
        .iter()
        .enumerate()
        .filter(|(_, one)| one.who == who && one.ware.is_some())
        .map(|(at, _)| at)
        .collect();
    let paid = chance.pick(&mine).filter(|_| chance.percent(40)).copied();
    let ware = paid.and_then(|at| book.intents[at].ware).unwrap_or_else(|| chance.index(WARES.len()));
    let manner = match (WARES[ware].kind, chance.below(3)) {
        (PluginKind::Bridge, _) => Manner::Call,
        (PluginKind::Agent, 0) => Manner::Invoke,
        (PluginKind::Agent, _) => Manner::Queue,
    };
    CallWish {
        who,
        ware,
        manner,
        source: paid.map_or(Source::Credit, Source::Intent),
        key: chance.percent(50),
        n: chance.below(1_000),
        wait_ms: [0, 50, 2_000, 30_000][chance.index(4)],
    }
}
