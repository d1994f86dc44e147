//! The operator's commands to the host, as data.
//!
//! A command has one implementation. The command line runs it directly when the server is stopped,
//! and through the admin listener when it runs, so both ways always do the same.
//!
//! Never imports HTTP routes or the command line.

mod accounts;
mod actor;
mod answers;
mod audit;
mod backup;
pub mod command;
mod disputes;
mod earning;
mod error;
mod goodwill;
mod inference;
mod ledger;
mod limits;
mod notify;
mod payments;
mod plugin_names;
mod plugins;
mod publishers;
mod qualification;
mod record_reader;
mod records;
mod refunds;
mod replay;
mod requests;
mod revenue;
mod service;
mod signing;
mod statement;
mod status;
mod top;
mod webhooks;
mod withdrawals;

pub use accounts::{
    AccountShown, AccountView, AccountsPage, CreatedKey, KeyRevoked, KeyView, Keys, LimitsChange, LimitsView,
};
pub use actor::{Actor, ActorError, Role};
pub use audit::{AuditPage, AuditRow, note_act};
pub use backup::{MadeBackup, copy_backup, last_backup_ms};
pub use command::{Command, Request};
pub use disputes::{BookedView, CaseView, DisputeShown, DisputeView, Disputes, TakenView};
pub use earning::{EarnBudget, EarnTaskSpec, EarnTaskView, EarnTasks};
pub use error::OperatorError;
pub use goodwill::GivenCredit;
pub use inference::{DayUsage, InferenceReport, ModelView, ProviderView, SubjectUsage, UsageView};
pub use ledger::{HeadView, RecordShown};
pub use notify::{NotifyPage, NotifyView};
pub use payments::{PaidView, PaymentFilter, PaymentShown, PaymentView, PaymentsPage};
pub use plugins::{LogLineView, PluginDecision, PluginInspection, PluginLogPage, PluginsPage};
pub use publishers::{PublisherRevoked, PublisherTrusted, PublisherView, PublishersPage};
pub use qualification::{AgentQualifications, ModelChoice, Trials, TriedTask};
pub use records::RecordView;
pub use refunds::RefundAnswer;
pub use replay::{FailedInputShown, ForgottenInputs, REPLAYED, ReplayOptions};
pub use requests::{MinuteTraffic, RequestQuery, RequestView, RequestsPage, TrafficByMinute, TrafficView};
pub use revenue::{Revenue, RevenueRow, RevenueSums};
pub use service::{OperatorService, RunningServices, Services};
pub use signing::RotatedKey;
pub use statement::{Statement, StatementRow};
pub use status::{ProblemView, Problems};
pub use tollbridge_agents::qualification::Qualification;
pub use tollbridge_market::catalog::{CanaryReport, PluginReport, PluginUsage};
pub use tollbridge_market::replay::{ReplayReport, ReplayedDifference, ReplayedTimes};
pub use tollbridge_registry::CanaryRules;
pub use top::{PluginSales, TopFrame, WindowSales, WindowTraffic};
pub use webhooks::{
    AccountWebhooks, AllWebhooks, DatedWebhook, DeliveryView, NewWebhook, WebhookDeleted, WebhookEnabled,
    WebhookReplayed, WebhookRow, WebhookShown, WebhookView,
};
pub use withdrawals::{OpenWithdrawals, WithdrawalView};
