//! The kinds of rows in the store.

/// Declares the collections with their numbers and display names. [`Collection::ALL`] is
/// generated from the same list, so it is always complete.
macro_rules! collections {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal;)*) => {
        /// A kind of row. Each collection belongs to one crate, which is the only reader
        /// of its JSON. The numbers are stored on disk: a number is never reused, and the
        /// compiler rejects duplicates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Collection {
            $($(#[$doc])* $variant = $number,)*
        }

        impl Collection {
            /// All collections.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the display name, as used in messages.
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
    /// Decisions of the operator about plugins, by plugin (registry).
    Plugins = 5, "plugins";
    /// Revoked publishers by name (registry).
    Publishers = 6, "publishers";
    /// Signed checkpoints by tree size, 20 digits (ledger).
    Checkpoints = 7, "checkpoints";
    /// Stored resources by id (checkout).
    Resources = 8, "resources";
    /// Totals of model usage, by account or plugin, day, key, provider and model (inference).
    Usage = 54, "usage";
    /// Model responses that clients may continue or fetch again, by account and id
    /// (inference).
    Responses = 55, "responses";
    /// Files uploaded by accounts or produced by their batch jobs, by account and id
    /// (inference).
    Files = 56, "files";
    /// Unfinished batch jobs and their progress, by account and id (inference).
    Batches = 57, "batches";
    /// Payments sent with calls, by payment intent, and their nonces (payment).
    Settlements = 58, "settlements";
    /// Webhook endpoints, their state, and pending or failed deliveries (webhooks).
    Webhooks = 9, "webhooks";
    /// Paid tasks and the accounts that completed them (accounts).
    Earning = 10, "earning";
    /// Agents' memories by agent and key (accounts).
    Memory = 11, "memory";
    /// E-mail addresses to notify about upcoming features (accounts).
    Notify = 12, "notify";
    /// Tasks submitted over the A2A protocol, and their push notifications (a2a).
    A2a = 20, "a2a";
    /// Index of records by the account that earned money in them (reputation).
    Reputation = 13, "reputation";
    /// Totals of earnings by account, day and plugin (accounts).
    Earned = 30, "earned";
    /// OAuth clients by id (access).
    OauthClients = 31, "oauth_clients";
    /// OAuth grants by account and id (access).
    OauthGrants = 32, "oauth_grants";
    /// Login sessions and OAuth authorization codes, by digest (access).
    ShortLived = 33, "short-lived rows";
    /// Queued tasks by id (agents).
    Tasks = 50, "tasks";
    /// Ids of unfinished tasks (agents).
    OpenTasks = 51, "open_tasks";
    /// Accounts that may deploy plugins, by handle (catalog).
    Deployers = 52, "deployers";
    /// Agents switched off by their owners, by name (agents).
    Switches = 53, "switches";
    /// Open orders at the payment processor, by handle (payment).
    Orders = 40, "orders";
    /// Refunds by state and id (payment).
    Refunds = 41, "refunds";
    /// Transfers made by the sandbox payment processor, by withdrawal (payment).
    SandboxTransfers = 42, "sandbox transfers";
    /// Withdrawals by account and id, and pending ones by id (accounts).
    Withdrawals = 43, "withdrawals";
    /// External payout accounts, by account (accounts).
    Payouts = 44, "payout accounts";
    /// Amounts spent by keys with a daily limit, by key, day and call (payment).
    Spending = 45, "spending";
    /// Payments whose processing fee is not booked yet, by the processor's payment id
    /// (payment).
    Fees = 46, "fees";
    /// Index of records by the parties they concern (ledger).
    Parties = 47, "parties";
    /// Hosts that jointly serve the ledger, by id (store).
    Hosts = 48, "hosts";
    /// Parts of balances reserved by hosts, by ledger account and host (payment).
    Reservations = 49, "reservations";
    /// Encrypted inputs of calls, stored for replays, by plugin and time (checkout).
    KeptInputs = 59, "kept inputs";
}
