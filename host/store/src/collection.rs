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
    /// Accounts, keyed by id; used by `access`.
    Accounts = 1, "accounts";
    /// Account id, keyed by salted e-mail digest; used by `access`.
    Emails = 2, "emails";
    /// API keys, keyed by digest; used by `access`.
    Keys = 3, "keys";
    /// Paid intents, keyed by handle; used by `payment`.
    Intents = 4, "intents";
    /// Decisions of the operator about plugins, keyed by plugin; used by `registry`.
    Plugins = 5, "plugins";
    /// Revoked publishers, keyed by name; used by `registry`.
    Publishers = 6, "publishers";
    /// Signed checkpoints, keyed by tree size (20 digits); used by `ledger`.
    Checkpoints = 7, "checkpoints";
    /// Stored resources, keyed by id; used by `checkout`.
    Resources = 8, "resources";
    /// Totals of model usage, keyed by account or plugin, day, key, provider and model; used
    /// by `inference`.
    Usage = 54, "usage";
    /// Model responses that clients may continue or fetch again, keyed by account and
    /// id; used by `inference`.
    Responses = 55, "responses";
    /// Files uploaded by accounts or produced by their batch jobs, keyed by account and
    /// id; used by `inference`.
    Files = 56, "files";
    /// Unfinished batch jobs and their progress, keyed by account and id; used by
    /// `inference`.
    Batches = 57, "batches";
    /// Payments sent with calls, keyed by payment intent, and their nonces; used by
    /// `payment`.
    Settlements = 58, "settlements";
    /// Webhook endpoints, their state, and pending or failed deliveries; used by `webhooks`.
    Webhooks = 9, "webhooks";
    /// Paid tasks and the accounts that completed them; used by `accounts`.
    Earning = 10, "earning";
    /// Agents' memories, keyed by agent and key; used by `accounts`.
    Memory = 11, "memory";
    /// E-mail addresses to notify about upcoming features; used by `accounts`.
    Notify = 12, "notify";
    /// Tasks submitted over the A2A protocol, and their push notifications; used by `a2a`.
    A2a = 20, "a2a";
    /// Index of records, keyed by the account that earned money in them; used by
    /// `reputation`.
    Reputation = 13, "reputation";
    /// Totals of earnings, keyed by account, day and plugin; used by `accounts`.
    Earned = 30, "earned";
    /// OAuth clients, keyed by id; used by `access`.
    OauthClients = 31, "oauth_clients";
    /// OAuth grants, keyed by account and id; used by `access`.
    OauthGrants = 32, "oauth_grants";
    /// Login sessions and OAuth authorization codes, keyed by digest; used by `access`.
    ShortLived = 33, "short-lived rows";
    /// Queued tasks, keyed by id; used by `agents`.
    Tasks = 50, "tasks";
    /// Ids of unfinished tasks; used by `agents`.
    OpenTasks = 51, "open_tasks";
    /// Accounts that may deploy plugins, keyed by handle; used by `catalog`.
    Deployers = 52, "deployers";
    /// Agents switched off by their owners, keyed by name; used by `agents`.
    Switches = 53, "switches";
    /// Open orders at the payment processor, keyed by handle; used by `payment`.
    Orders = 40, "orders";
    /// Refunds, keyed by state and id; used by `payment`.
    Refunds = 41, "refunds";
    /// Transfers made by the sandbox payment processor, keyed by withdrawal; used by
    /// `payment`.
    SandboxTransfers = 42, "sandbox transfers";
    /// Withdrawals, keyed by account and id, and pending ones, keyed by id; used by `accounts`.
    Withdrawals = 43, "withdrawals";
    /// External payout accounts, keyed by account; used by `accounts`.
    Payouts = 44, "payout accounts";
    /// Amounts spent by keys with a daily limit, keyed by key, day and call; used by
    /// `payment`.
    Spending = 45, "spending";
    /// Payments whose processing fee is not recorded yet, keyed by the processor's
    /// payment id; used by `payment`.
    Fees = 46, "fees";
    /// Index of records, keyed by the parties they concern; used by `ledger`.
    Parties = 47, "parties";
    /// Hosts that jointly serve the ledger, keyed by id; used by `store`.
    Hosts = 48, "hosts";
    /// Parts of balances reserved by hosts, keyed by ledger account and host; used by
    /// `payment`.
    Reservations = 49, "reservations";
    /// Encrypted inputs of calls, stored for replays, keyed by plugin and time; used by
    /// `checkout`.
    KeptInputs = 59, "kept inputs";
    /// Qualifications of agents with models, keyed by agent and model; used by `agents`.
    Qualifications = 60, "qualifications";
}
