//! The clients' requests and the answers they got. Apart from this, the auditor knows
//! only the public ledger and the processor's books.

use std::collections::BTreeMap;

use tollbridge_mpp::Challenge;
use tollbridge_x402::PaymentPayload;

/// The payment method of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Credit,
    /// An intent, by its index in the book.
    Intent(usize),
    /// A wallet signature, by its index in the book.
    Wallet(usize),
    /// A processor token, by its index in the book.
    Token(usize),
}

/// The way a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallMode {
    /// A bridge call, which is answered directly.
    Call,
    /// An agent call whose caller waits for the answer.
    Invoke,
    /// A queued agent task.
    Queue,
}

/// The outcome of a call as far as its caller knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    /// The caller does not know the outcome: it hung up, the server died, or the error
    /// said that the outcome is unclear.
    Unknown,
    /// Refused, at no cost or at the cost that the message reports.
    Refused(String),
    /// Answered; the answer named this seal.
    Answered { seal: String, body: Vec<u8> },
    /// Accepted as a task with this id.
    Accepted(String),
}

#[derive(Clone, Debug)]
pub(crate) struct CallNote {
    /// Id of the request.
    pub(crate) request: String,
    /// Index of the caller among the people.
    pub(crate) who: usize,
    pub(crate) ware: usize,
    pub(crate) manner: CallMode,
    pub(crate) source: Source,
    pub(crate) key: Option<String>,
    pub(crate) n: u64,
    /// For a repeat: whether its body differs from that of the first request.
    pub(crate) other_body: bool,
    pub(crate) reported: Reported,
}

/// A wallet's signature that pays for calls of a plugin.
#[derive(Clone, Debug)]
pub(crate) struct SignedNote {
    pub(crate) payment: PaymentPayload,
    /// The MPP challenge (`evm`) that was signed; `None` if an x402 offer was signed.
    pub(crate) challenge: Option<Challenge>,
    pub(crate) handle: String,
    /// Hash of the transaction once the chain has executed it.
    pub(crate) transaction: String,
    pub(crate) ware: usize,
}

/// A processor token that a client sent to pay a challenge (MPP, `stripe`).
#[derive(Clone, Debug)]
pub(crate) struct TokenNote {
    pub(crate) challenge: Challenge,
    pub(crate) token: String,
    /// Handle of the challenge's intent.
    pub(crate) handle: String,
    pub(crate) ware: usize,
    /// Amount of the challenge, pence.
    pub(crate) charge: i64,
}

/// A wallet's signature for a model request, for the maximum price (`upto`).
#[derive(Clone, Debug)]
pub(crate) struct PermitNote {
    pub(crate) who: usize,
    pub(crate) payment: PaymentPayload,
    pub(crate) nonce: [u8; 32],
    pub(crate) handle: String,
    /// The wallet's name in the ledger.
    pub(crate) payer: String,
    /// Hash of the transaction once the chain has executed it.
    pub(crate) transaction: String,
    /// The signed maximum, in millipence.
    pub(crate) most: i64,
}

/// A request to a model.
#[derive(Clone, Debug)]
pub(crate) struct ModelRequestNote {
    /// Id of the request.
    pub(crate) request: String,
    /// Index of the wallet signature in the book's list of permits.
    pub(crate) permit: usize,
    pub(crate) n: u64,
    pub(crate) key: Option<String>,
    pub(crate) reported: Reported,
}

#[derive(Clone, Debug)]
pub(crate) struct IntentNote {
    pub(crate) id: String,
    pub(crate) handle: String,
    /// Index of the plugin that the intent pays for; `None` if the intent buys credit.
    pub(crate) ware: Option<usize>,
    pub(crate) who: usize,
}

/// A withdrawal, with the state that its owner was last shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithdrawalNote {
    pub(crate) who: usize,
    /// Amount in pence.
    pub(crate) amount: i64,
    pub(crate) state: String,
}

#[derive(Default)]
pub(crate) struct Book {
    /// Account ids of the people. The first three people only buy; the others also sell.
    pub(crate) people: Vec<String>,
    pub(crate) calls: Vec<CallNote>,
    pub(crate) intents: Vec<IntentNote>,
    pub(crate) signed: Vec<SignedNote>,
    pub(crate) tokens: Vec<TokenNote>,
    pub(crate) permits: Vec<PermitNote>,
    pub(crate) asks: Vec<ModelRequestNote>,
    /// Violations observed while the simulation ran.
    pub(crate) wrong: Vec<String>,
    /// Payout accounts at the processor, with the index of the person who owns each.
    pub(crate) destinations: BTreeMap<String, usize>,
    /// Seals returned to clients, in order of arrival.
    pub(crate) seals: Vec<String>,
    /// Withdrawals by id.
    pub(crate) withdrawals: BTreeMap<String, WithdrawalNote>,
    /// Host names of webhook receivers, by index of the person.
    pub(crate) hooks: BTreeMap<usize, String>,
    /// Number of requests so far.
    pub(crate) asked: u64,
}

impl Book {
    pub(crate) fn next(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }
}
