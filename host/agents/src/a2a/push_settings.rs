//! The push notification settings of tasks.

use serde_json::{Map, Value};

use super::error::HandlerError;
use super::handler::{A2aHandler, RequestContext};
use super::push_config::{self, PushConfig};
use super::rpc::RpcError;

impl A2aHandler {
    /// Changes the push notification settings of a task.
    pub async fn set_push(
        &self,
        context: &RequestContext,
        id: &str,
        config: Map<String, Value>,
    ) -> Result<Value, HandlerError> {
        let _guard = self.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.require(context, id)?;
        let config = PushConfig::read(config, "/params/pushNotificationConfig", &self.egress)?;
        let view = config.view(id);
        let mut task = stored.task.clone();
        push_config::put(&mut task.push, config)?;
        self.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(view)
    }

    /// One receiver of a task: the one of that id, or the only or first one.
    pub fn push(&self, context: &RequestContext, id: &str, config: Option<&str>) -> Result<Value, HandlerError> {
        let task = self.require(context, id)?.task;
        let mut configs = task.push.iter().filter(|one| config.is_none_or(|config_id| config_id == one.id));
        configs.next().map(|config| config.view(id)).ok_or_else(|| no_config(config))
    }

    /// Every receiver of a task.
    pub fn pushes(&self, context: &RequestContext, id: &str) -> Result<Value, HandlerError> {
        Ok(self.require(context, id)?.task.push.iter().map(|config| config.view(id)).collect())
    }

    /// Removes one receiver of a task.
    pub async fn delete_push(&self, context: &RequestContext, id: &str, config: &str) -> Result<Value, HandlerError> {
        let _guard = self.begin(context, id).ok_or(HandlerError::Busy)?;
        let stored = self.require(context, id)?;
        let mut task = stored.task.clone();
        task.push.retain(|one| one.id != config);
        if task.push.len() == stored.task.push.len() {
            return Err(no_config(Some(config)));
        }
        self.save(&context.account, Some(&stored), &mut task, None, false, context.now_ms).await?;
        Ok(Value::Null)
    }
}

fn no_config(id: Option<&str>) -> HandlerError {
    let shown: String = id.unwrap_or_default().chars().take(80).collect();
    let detail = format!("the task has no such push notification settings {shown}");
    RpcError::params("/params/pushNotificationConfigId", detail).with("code", "E012").into()
}
