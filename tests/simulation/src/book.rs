//! What people asked for, and what they were told: all that the auditor knows of
//! the host besides its public ledger.

use std::collections::BTreeMap;

use tollbridge_mpp::Challenge;
use tollbridge_x402::PaymentPayload;

/// Where a call's money comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Credit,
    /// By the place among the intents.
    Intent(usize),
    /// By the place among what wallets signed.
    Wallet(usize),
    /// By the place among the tokens.
    Token(usize),
}

/// How a call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A bridge, at once.
    Call,
    /// An agent, while its caller waits.
    Invoke,
    /// An agent, for later.
    Queue,
}

/// What its caller knows of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing: it hung up, or the server died, or said that it does not know.
    Unknown,
    /// No, and that it costs nothing.
    Refused(String),
    /// An answer, under a seal.
    Answered { seal: String, body: Vec<u8> },
    /// It goes on under this id.
    Accepted(String),
}

#[derive(Clone, Debug)]
pub(crate) struct CallNote {
    /// Id of the request.
    pub(crate) request: String,
    /// By the place among the people.
    pub(crate) who: usize,
    pub(crate) ware: usize,
    pub(crate) manner: Manner,
    pub(crate) source: Source,
    pub(crate) key: Option<String>,
    pub(crate) n: u64,
    /// Of a repeat: whether its body is another than the first's.
    pub(crate) other_body: bool,
    pub(crate) told: Told,
}

/// What somebody's wallet signed for calls of a ware.
#[derive(Clone, Debug)]
pub(crate) struct SignedNote {
    pub(crate) payment: PaymentPayload,
    /// What it is sent for, if not for an offer of x402 (MPP, `evm`).
    pub(crate) challenge: Option<Challenge>,
    pub(crate) handle: String,
    /// What the chain calls it once it is carried out.
    pub(crate) transaction: String,
    pub(crate) ware: usize,
}

/// A token of the processor that somebody sends for a challenge (MPP, `stripe`).
#[derive(Clone, Debug)]
pub(crate) struct TokenNote {
    pub(crate) challenge: Challenge,
    pub(crate) token: String,
    /// Of the intent that the challenge is of.
    pub(crate) handle: String,
    pub(crate) ware: usize,
    /// What the challenge asks for, pence.
    pub(crate) charge: i64,
}

/// The most that somebody's wallet signed for one question to a model (`upto`).
#[derive(Clone, Debug)]
pub(crate) struct PermitNote {
    pub(crate) who: usize,
    pub(crate) payment: PaymentPayload,
    pub(crate) nonce: [u8; 32],
    pub(crate) handle: String,
    /// Whom the ledger names for the wallet.
    pub(crate) payer: String,
    /// What the chain calls it once it is carried out.
    pub(crate) transaction: String,
    /// Millipence.
    pub(crate) most: i64,
}

/// A question to a model.
#[derive(Clone, Debug)]
pub(crate) struct AskNote {
    /// Id of the request.
    pub(crate) request: String,
    /// By the place among the permits.
    pub(crate) permit: usize,
    pub(crate) n: u64,
    pub(crate) key: Option<String>,
    pub(crate) told: Told,
}

#[derive(Clone, Debug)]
pub(crate) struct IntentNote {
    pub(crate) id: String,
    pub(crate) handle: String,
    /// Of credit, or for a ware.
    pub(crate) ware: Option<usize>,
    pub(crate) who: usize,
}

/// A withdrawal as its owner was told of it, at last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithdrawalNote {
    pub(crate) who: usize,
    /// Pence.
    pub(crate) amount: i64,
    pub(crate) state: String,
}

#[derive(Default)]
pub(crate) struct Book {
    /// Ids of accounts. The first three buy, the others sell, too.
    pub(crate) people: Vec<String>,
    pub(crate) calls: Vec<CallNote>,
    pub(crate) intents: Vec<IntentNote>,
    pub(crate) signed: Vec<SignedNote>,
    pub(crate) tokens: Vec<TokenNote>,
    pub(crate) permits: Vec<PermitNote>,
    pub(crate) asks: Vec<AskNote>,
    /// What was seen that must never be.
    pub(crate) wrong: Vec<String>,
    /// Payout accounts by whom they belong to at the processor.
    pub(crate) destinations: BTreeMap<String, usize>,
    /// Seals that were told, and in which order they came.
    pub(crate) seals: Vec<String>,
    /// Withdrawals by id.
    pub(crate) withdrawals: BTreeMap<String, WithdrawalNote>,
    /// Hosts of receivers, by the place among the people.
    pub(crate) hooks: BTreeMap<usize, String>,
    /// Tasks whose end must have been told to a receiver: who, and the task.
    pub(crate) asked: u64,
}

impl Book {
    pub(crate) fn next(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }
}
