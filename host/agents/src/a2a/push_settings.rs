//! Operations on the push notification settings of tasks.

use std::sync::Arc;

use serde_json::{Map, Value};
use tollbridge_core::egress::Egress;

use super::error::HandlerError;
use super::push_config::{self, PushConfig};
use super::request_context::RequestContext;
use super::rpc_error::{RpcError, RpcErrorKind};
use super::tasks::A2aTasks;
use super::version::ProtocolVersion;

/// The push notification settings of tasks.
pub(super) struct PushSettings {
    pub(super) tasks: Arc<A2aTasks>,
    /// Checks the URLs of receivers before they are stored.
    pub(super) egress: Arc<Egress>,
}

impl PushSettings {
    /// Adds or replaces a receiver of a task's push notifications.
    pub(super) async fn set(
        &self,
        context: &RequestContext,
        id: &str,
        config: Map<String, Value>,
    ) -> Result<PushConfig, HandlerError> {
        let _guard = self.tasks.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.tasks.require(context, id)?;
        let at = match context.version {
            ProtocolVersion::V0_3 => "/params/pushNotificationConfig",
            ProtocolVersion::V1 => "/params",
        };
        let config = PushConfig::read(config, at, &self.egress, context.version)?;
        let mut task = stored.task.clone();
        push_config::put(&mut task.push, config.clone())?;
        self.tasks.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(config)
    }

    /// Returns one receiver of a task's push notifications: the one with the given id, or
    /// the first.
    pub(super) fn get(
        &self,
        context: &RequestContext,
        id: &str,
        config: Option<&str>,
    ) -> Result<PushConfig, HandlerError> {
        let task = self.tasks.require(context, id)?.task;
        let mut configs = task.push.into_iter().filter(|one| config.is_none_or(|config_id| config_id == one.id));
        configs.next().ok_or_else(|| no_config(config))
    }

    /// Returns all receivers of a task's push notifications.
    pub(super) fn all(&self, context: &RequestContext, id: &str) -> Result<Vec<PushConfig>, HandlerError> {
        Ok(self.tasks.require(context, id)?.task.push)
    }

    /// Removes one receiver of a task's push notifications; returns whether it existed.
    pub(super) async fn delete(&self, context: &RequestContext, id: &str, config: &str) -> Result<bool, HandlerError> {
        let _guard = self.tasks.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.tasks.require(context, id)?;
        let mut task = stored.task.clone();
        task.push.retain(|one| one.id != config);
        if task.push.len() == stored.task.push.len() {
            return Ok(false);
        }
        self.tasks.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(true)
    }
}

pub(super) fn no_config(id: Option<&str>) -> HandlerError {
    let shown: String = id.unwrap_or_default().chars().take(80).collect();
    let detail = format!("the task has no push notification settings {shown}");
    let error = RpcError::params("/params/pushNotificationConfigId", detail).with("code", "E012");
    error.kind(RpcErrorKind::NoPushConfig).into()
}
