//! The operations that people can perform, chosen at random by weight.

use tollbridge_core::plugin_kind::PluginKind;

use crate::book::{Book, CallMode, Source};
use crate::chance::Chance;
use crate::plugins::WARES;

/// One operation that a person can perform.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Opens a checkout session for credit; the amount is in pence.
    BuyCredit {
        who: usize,
        pence: i64,
    },
    /// Opens a checkout session for calls of a ware (a plugin), with or without an
    /// account.
    BuyCalls {
        who: usize,
        ware: usize,
    },
    /// Pays an open session.
    Pay,
    Call(CallPlan),
    /// Calls a ware (a plugin) and pays with a wallet's signature.
    CallByWallet {
        who: usize,
        ware: usize,
    },
    /// Calls a ware (a plugin) and pays with a token that the processor grants.
    CallByToken {
        who: usize,
        ware: usize,
    },
    /// Calls a ware (a plugin) and pays with a wallet's signature for an MPP challenge
    /// (`evm`).
    CallBySignature {
        who: usize,
        ware: usize,
    },
    /// Sends a request to a model and pays the actual cost with a wallet.
    AskModel {
        who: usize,
    },
    /// Sends a permit that was signed for a model request again, possibly with a
    /// different request.
    AskModelAgain {
        permit: usize,
    },
    /// Tries to pay for a bridge with a permit that was signed for a model.
    CallByPermit {
        permit: usize,
    },
    /// Repeats a request, or sends a different request under its idempotency key.
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
    /// Connects the payout account of a plugin owner.
    Connect {
        who: usize,
    },
    /// Tries to connect a thief's payout account to another person's account.
    StealPayouts {
        victim: usize,
        thief: usize,
    },
    /// Reverses all or part of a transfer.
    Reverse {
        whole: bool,
    },
    /// Fails a refund that the processor had already paid out.
    FailRefund,
    /// Moves the host's clock by this number of milliseconds.
    Jump(i64),
    Checkpoint,
}

/// A call that a person will make.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    pub(crate) who: usize,
    pub(crate) ware: usize,
    pub(crate) manner: CallMode,
    pub(crate) source: Source,
    pub(crate) key: bool,
    pub(crate) n: u64,
    /// Maximum time to wait for an agent's answer, in milliseconds.
    pub(crate) wait_ms: u64,
}

impl CallPlan {
    /// Returns a direct call that is paid from credit and has no idempotency key.
    pub(crate) fn at_once(who: usize, ware: usize) -> Self {
        let manner = match WARES[ware].kind {
            PluginKind::Bridge => CallMode::Call,
            PluginKind::Agent => CallMode::Invoke,
        };
        Self { who, ware, manner, source: Source::Credit, key: false, n: 7, wait_ms: 30_000 }
    }
}

/// Weights of the operations, in the order of the arms in [`any`]. The last two
/// operations pay with MPP credentials, which only some seeds offer.
const WEIGHTS: [u64; 23] = [7, 7, 8, 32, 8, 4, 3, 3, 2, 2, 10, 2, 3, 2, 4, 1, 2, 12, 12, 5, 1, 14, 5];

/// Chooses the next operation at random.
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

fn any_call(chance: &Chance, book: &Book, who: usize) -> CallPlan {
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
        (PluginKind::Bridge, _) => CallMode::Call,
        (PluginKind::Agent, 0) => CallMode::Invoke,
        (PluginKind::Agent, _) => CallMode::Queue,
    };
    CallPlan {
        who,
        ware,
        manner,
        source: paid.map_or(Source::Credit, Source::Intent),
        key: chance.percent(50),
        n: chance.below(1_000),
        wait_ms: [0, 50, 2_000, 30_000][chance.index(4)],
    }
}
