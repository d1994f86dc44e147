//! The kinds of rows in the store.

/// Declares the collections with their numbers and display names, so that none is missing
/// from [`Collection::ALL`].
macro_rules! collections {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// A kind of row. Each belongs to one crate, the only one that reads its JSON. The
        /// numbers are on disk: none is ever reused, and the compiler rejects duplicates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Collection {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Collection {
            /// All collections.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name for messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

collections! {
    /// Metadata about the data folder.
    Meta = 0, "meta";
    /// Accounts by id (access).
    Accounts = 1, "accounts";
    /// Account id by salted e-mail digest (access).
    Emails = 2, "emails";
    /// API keys by digest (access).
    Keys = 3, "keys";
    /// Paid intents by handle (payment).
    Intents = 4, "intents";
    /// The operator's decisions, by plugin (registry).
    Plugins = 5, "plugins";
    /// Revoked publishers by name (registry).
    Publishers = 6, "publishers";
    /// Signed checkpoints by tree size, 20 digits (ledger).
    Checkpoints = 7, "checkpoints";
    /// Stored resources by id (checkout).
    Resources = 8, "resources";
    /// Totals of model usage, by account or plugin, day, key, provider and model (inference).
    Usage = 54, "usage";
    /// Responses that clients may continue or read again, by account and id (inference).
    Responses = 55, "responses";
    /// Files uploaded by accounts or produced by their batches, by account and id
    /// (inference).
    Files = 56, "files";
    /// Unfinished batches and their progress, by account and id (inference).
    Batches = 57, "batches";
    /// Payments sent with calls, by their intent, and their nonces (payment).
    Settlements = 58, "settlements";
    /// Endpoints, their state, and pending or failed deliveries (webhooks).
    Webhooks = 9, "webhooks";
    /// Paid tasks and the accounts that did them (accounts).
    Earning = 10, "earning";
    /// Agents' memories by agent and key (accounts).
    Memory = 11, "memory";
    /// Addresses to notify about upcoming features (accounts).
    Notify = 12, "notify";
    /// Tasks for agents of other parties, and their push notifications (a2a).
    A2a = 20, "a2a";
    /// Index of records by the account that earned (reputation).
    Reputation = 13, "reputation";
    /// Totals of earnings by account, day and plugin (accounts).
    Earned = 30, "earned";
    /// OAuth clients by id (access).
    OauthClients = 31, "oauth_clients";
    /// OAuth grants by account and id (access).
    OauthGrants = 32, "oauth_grants";
    /// Sessions and OAuth codes, by digest (access).
    ShortLived = 33, "short-lived rows";
    /// Queued tasks by id (agents).
    Tasks = 50, "tasks";
    /// Ids of unfinished tasks (agents).
    OpenTasks = 51, "open_tasks";
    /// Accounts that deploy, by handle (catalog).
    Deployers = 52, "deployers";
    /// Agents switched off by their owners, by name (agents).
    Switches = 53, "switches";
    /// Orders open at the processor, by handle (payment).
    Orders = 40, "orders";
    /// Refunds by state and id (payment).
    Refunds = 41, "refunds";
    /// Transfers made by the sandbox, by withdrawal (payment).
    SandboxTransfers = 42, "sandbox transfers";
    /// Withdrawals by account and id, and pending ones by id (accounts).
    Withdrawals = 43, "withdrawals";
    /// Payout accounts by account (accounts).
    Payouts = 44, "payout accounts";
    /// Amounts spent by keys with a daily limit, by key, day and call (payment).
    Spending = 45, "spending";
    /// Payments whose fee is not booked yet, by the processor's id (payment).
    Fees = 46, "fees";
    /// Index of records by the parties they concern (ledger).
    Parties = 47, "parties";
    /// Hosts that serve the ledger together, by id (store).
    Hosts = 48, "hosts";
    /// Parts of a balance that each host has reserved, by ledger account and host (payment).
    Reservations = 49, "reservations";
    /// Inputs kept for replays, encrypted, by plugin and time (checkout).
    KeptInputs = 59, "kept inputs";
}
