//! Which kinds of rows there are.

/// A kind of row. Each belongs to one crate, which alone knows its JSON. The
/// numbers are on disk: none is ever used again, and the compiler lets none be
/// used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Facts about the data folder itself.
    Meta = 0,
    /// Accounts by id (access).
    Accounts = 1,
    /// Account id by salted e-mail digest (access).
    Emails = 2,
    /// API keys by digest (access).
    Keys = 3,
    /// Paid intents by handle (payment).
    Intents = 4,
    /// Operator's decisions per plugin (registry).
    Plugins = 5,
    /// Revoked publishers by name (registry).
    Publishers = 6,
    /// Signed checkpoints by tree size, 20 digits (ledger).
    Checkpoints = 7,
    /// Stored resources by id (checkout).
    Resources = 8,
    /// Sums of what models were used, by account or plugin, day, key, provider
    /// and model (inference).
    Usage = 54,
    /// Responses that clients may continue or read again, by account and id
    /// (inference).
    Responses = 55,
    /// Files that accounts uploaded, or that came of their batches, by account and id
    /// (inference).
    Files = 56,
    /// Batches by account and id, those that are not over, and what is done of them
    /// (inference).
    Batches = 57,
    /// Endpoints, their standing, and deliveries that wait or failed (webhooks).
    Webhooks = 9,
    /// Tasks that pay, and who did them (accounts).
    Earning = 10,
    /// Agents' memories by agent and key (accounts).
    Memory = 11,
    /// Who wants to hear of what is coming (accounts).
    Notify = 12,
    /// Tasks of other people's agents, and notifications about them (a2a).
    A2a = 20,
    /// Index of records by who earned (reputation).
    Reputation = 13,
    /// Sums of earnings by account, day and plugin (accounts).
    Earned = 30,
    /// OAuth clients by id (access).
    OauthClients = 31,
    /// OAuth grants by account and id (access).
    OauthGrants = 32,
    /// Tasks that were accepted for later, by id (agents).
    Tasks = 50,
    /// Ids of those that are not done (agents).
    OpenTasks = 51,
    /// Accounts that deploy, by handle (catalog).
    Deployers = 52,
    /// Agents that their owners switched off, by name (agents).
    Switches = 53,
    /// Orders that are open at the processor, by handle (payment).
    Orders = 40,
    /// Refunds by state and id (payment).
    Refunds = 41,
    /// Transfers that the sandbox made, by withdrawal (payment).
    SandboxTransfers = 42,
    /// Withdrawals by account and id, and those under way by id (accounts).
    Withdrawals = 43,
    /// Payout accounts by account (accounts).
    Payouts = 44,
    /// What keys with a daily limit have spent, by key, day and call (payment).
    Spending = 45,
    /// Payments whose fee is not in the books yet, by the processor's name for
    /// them (payment).
    Fees = 46,
    /// Index of records by whom they concern (ledger).
    Parties = 47,
}

impl Collection {
    /// Every collection there is.
    pub const ALL: [Self; 34] = [
        Self::Meta,
        Self::Accounts,
        Self::Emails,
        Self::Keys,
        Self::Intents,
        Self::Plugins,
        Self::Publishers,
        Self::Checkpoints,
        Self::Resources,
        Self::Usage,
        Self::Responses,
        Self::Files,
        Self::Batches,
        Self::Webhooks,
        Self::Earning,
        Self::Memory,
        Self::Notify,
        Self::A2a,
        Self::Reputation,
        Self::Earned,
        Self::OauthClients,
        Self::OauthGrants,
        Self::Tasks,
        Self::OpenTasks,
        Self::Deployers,
        Self::Switches,
        Self::Orders,
        Self::Refunds,
        Self::SandboxTransfers,
        Self::Withdrawals,
        Self::Payouts,
        Self::Spending,
        Self::Fees,
        Self::Parties,
    ];
}
