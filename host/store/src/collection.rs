//! Which kinds of rows there are.

/// Declares the collections with their numbers and the names that messages have
/// for them, so that none is left out of [`Collection::ALL`].
macro_rules! collections {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// A kind of row. Each belongs to one crate, which alone knows its JSON. The
        /// numbers are on disk: none is ever used again, and the compiler lets none be
        /// used twice.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Collection {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Collection {
            /// Every collection there is.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// For messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

collections! {
    /// Facts about the data folder itself.
    Meta = 0, "meta";
    /// Accounts by id (access).
    Accounts = 1, "accounts";
    /// Account id by salted e-mail digest (access).
    Emails = 2, "emails";
    /// API keys by digest (access).
    Keys = 3, "keys";
    /// Paid intents by handle (payment).
    Intents = 4, "intents";
    /// Operator's decisions per plugin (registry).
    Plugins = 5, "plugins";
    /// Revoked publishers by name (registry).
    Publishers = 6, "publishers";
    /// Signed checkpoints by tree size, 20 digits (ledger).
    Checkpoints = 7, "checkpoints";
    /// Stored resources by id (checkout).
    Resources = 8, "resources";
    /// Sums of what models were used, by account or plugin, day, key, provider
    /// and model (inference).
    Usage = 54, "usage";
    /// Responses that clients may continue or read again, by account and id
    /// (inference).
    Responses = 55, "responses";
    /// Files that accounts uploaded, or that came of their batches, by account and id
    /// (inference).
    Files = 56, "files";
    /// Batches by account and id, those that are not over, and what is done of them
    /// (inference).
    Batches = 57, "batches";
    /// Payments that came with calls, by their intent, and their nonces (payment).
    Settlements = 58, "settlements";
    /// Endpoints, their standing, and deliveries that wait or failed (webhooks).
    Webhooks = 9, "webhooks";
    /// Tasks that pay, and who did them (accounts).
    Earning = 10, "earning";
    /// Agents' memories by agent and key (accounts).
    Memory = 11, "memory";
    /// Who wants to hear of what is coming (accounts).
    Notify = 12, "notify";
    /// Tasks of other people's agents, and notifications about them (a2a).
    A2a = 20, "a2a";
    /// Index of records by who earned (reputation).
    Reputation = 13, "reputation";
    /// Sums of earnings by account, day and plugin (accounts).
    Earned = 30, "earned";
    /// OAuth clients by id (access).
    OauthClients = 31, "oauth_clients";
    /// OAuth grants by account and id (access).
    OauthGrants = 32, "oauth_grants";
    /// Sessions and OAuth codes, by digest (access).
    ShortLived = 33, "short-lived rows";
    /// Tasks that were accepted for later, by id (agents).
    Tasks = 50, "tasks";
    /// Ids of those that are not done (agents).
    OpenTasks = 51, "open_tasks";
    /// Accounts that deploy, by handle (catalog).
    Deployers = 52, "deployers";
    /// Agents that their owners switched off, by name (agents).
    Switches = 53, "switches";
    /// Orders that are open at the processor, by handle (payment).
    Orders = 40, "orders";
    /// Refunds by state and id (payment).
    Refunds = 41, "refunds";
    /// Transfers that the sandbox made, by withdrawal (payment).
    SandboxTransfers = 42, "sandbox transfers";
    /// Withdrawals by account and id, and those under way by id (accounts).
    Withdrawals = 43, "withdrawals";
    /// Payout accounts by account (accounts).
    Payouts = 44, "payout accounts";
    /// What keys with a daily limit have spent, by key, day and call (payment).
    Spending = 45, "spending";
    /// Payments whose fee is not in the books yet, by the processor's name for
    /// them (payment).
    Fees = 46, "fees";
    /// Index of records by whom they concern (ledger).
    Parties = 47, "parties";
    /// Hosts that serve the ledger together, by id (store).
    Hosts = 48, "hosts";
    /// What each host has reserved of a balance, by ledger account and host
    /// (payment).
    Reservations = 49, "reservations";
    /// Inputs that are kept to be replayed, by plugin and time, encrypted (checkout).
    KeptInputs = 59, "kept inputs";
}
