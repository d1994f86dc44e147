//! Version 0.3.0 of the protocol: its methods, parameters and results.

use serde_json::{Map, Value};

use super::error::HandlerError;
use super::handler::A2aHandler;
use super::message::{SendParams, id, object, required, task_query};
use super::method::RpcMethod;
use super::push_settings::no_config;
use super::request_context::RequestContext;
use super::rpc_error::{RpcError, RpcErrorKind};

/// Executes a method and formats its result.
pub(super) async fn answer(
    handler: &A2aHandler,
    context: RequestContext,
    method: RpcMethod,
    mut params: Map<String, Value>,
) -> Result<Value, HandlerError> {
    match method {
        RpcMethod::Send => {
            let send = SendParams::read(params)?;
            let history_length = send.history_length;
            Ok(handler.messages.send(context, send).await?.view(history_length))
        }
        RpcMethod::Get => {
            let (id, history_length) = task_query(&params)?;
            Ok(handler.tasks.reconciled(&context, &id).await?.view(history_length))
        }
        RpcMethod::Cancel => Ok(handler.tasks.cancel(&context, &task_query(&params)?.0).await?.view(None)),
        RpcMethod::SetPush => {
            let task = text(&params, "taskId")?;
            let config = object(&mut params, "pushNotificationConfig", "/params")?;
            let config = required(config, "pushNotificationConfig", "/params")?;
            Ok(handler.push.set(&context, &task, config).await?.view(&task))
        }
        RpcMethod::GetPush => {
            let config = id(&params, "pushNotificationConfigId", "/params")?;
            let task = text(&params, "id")?;
            Ok(handler.push.get(&context, &task, config.as_deref())?.view(&task))
        }
        RpcMethod::ListPush => {
            let task = text(&params, "id")?;
            Ok(handler.push.all(&context, &task)?.iter().map(|config| config.view(&task)).collect())
        }
        RpcMethod::DeletePush => {
            let (task, config) = (text(&params, "id")?, text(&params, "pushNotificationConfigId")?);
            match handler.push.delete(&context, &task, &config).await? {
                true => Ok(Value::Null),
                false => Err(no_config(Some(&config))),
            }
        }
        RpcMethod::List => Err(RpcError::new(RpcErrorKind::MethodNotFound, "send A2A-Version: 1.0").into()),
        RpcMethod::Stream | RpcMethod::Resubscribe => {
            let detail = "streaming is not supported; use message/send, and tasks/get or push notifications";
            Err(RpcError::new(RpcErrorKind::Unsupported, detail).into())
        }
        RpcMethod::ExtendedCard => {
            Err(RpcError::new(RpcErrorKind::NoExtendedCard, "this server has only the public card").into())
        }
    }
}

fn text(params: &Map<String, Value>, name: &str) -> Result<String, RpcError> {
    required(id(params, name, "/params")?, name, "/params")
}
