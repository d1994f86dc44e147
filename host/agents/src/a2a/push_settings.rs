//! Operations on the push notification settings of tasks.

use serde_json::{Map, Value};

use super::error::HandlerError;
use super::handler::{A2aHandler, RequestContext};
use super::push_config::{self, PushConfig};
use super::rpc_error::{RpcError, RpcErrorKind};
use super::version::ProtocolVersion;

impl A2aHandler {
    /// Adds or replaces a receiver of a task's push notifications.
    pub(super) async fn set_push(
        &self,
        context: &RequestContext,
        id: &str,
        config: Map<String, Value>,
    ) -> Result<PushConfig, HandlerError> {
        let _guard = self.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.require(context, id)?;
        let at = match context.version {
            ProtocolVersion::V0_3 => "/params/pushNotificationConfig",
            ProtocolVersion::V1 => "/params",
        };
        let config = PushConfig::read(config, at, &self.egress, context.version)?;
        let mut task = stored.task.clone();
        push_config::put(&mut task.push, config.clone())?;
        self.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(config)
    }

    /// Returns one receiver of a task: the one with the given id, or the first.
    pub(super) fn push(
        &self,
        context: &RequestContext,
        id: &str,
        config: Option<&str>,
    ) -> Result<PushConfig, HandlerError> {
        let task = self.require(context, id)?.task;
        let mut configs = task.push.into_iter().filter(|one| config.is_none_or(|config_id| config_id == one.id));
        configs.next().ok_or_else(|| no_config(config))
    }

    /// Returns all receivers of a task.
    pub(super) fn pushes(&self, context: &RequestContext, id: &str) -> Result<Vec<PushConfig>, HandlerError> {
        Ok(self.require(context, id)?.task.push)
    }

    /// Removes one receiver of a task; returns whether it existed.
    pub(super) async fn delete_push(
        &self,
        context: &RequestContext,
        id: &str,
        config: &str,
    ) -> Result<bool, HandlerError> {
        let _guard = self.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.require(context, id)?;
        let mut task = stored.task.clone();
        task.push.retain(|one| one.id != config);
        if task.push.len() == stored.task.push.len() {
            return Ok(false);
        }
        self.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(true)
    }
}

pub(super) fn no_config(id: Option<&str>) -> HandlerError {
    let shown: String = id.unwrap_or_default().chars().take(80).collect();
    let detail = format!("the task has no push notification settings {shown}");
    let error = RpcError::params("/params/pushNotificationConfigId", detail).with("code", "E012");
    error.kind(RpcErrorKind::NoPushConfig).into()
}
