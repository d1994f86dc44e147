//! The methods of version 1.0, for both its JSON-RPC and its REST binding.

use serde_json::{Map, Value, json};

use super::names::with_json_names;
use super::{requests, views};
use crate::a2a::card_cache::CardCache;
use crate::a2a::error::HandlerError;
use crate::a2a::handler::A2aHandler;
use crate::a2a::list::find_page;
use crate::a2a::message::SendParams;
use crate::a2a::method::RpcMethod;
use crate::a2a::request_context::RequestContext;
use crate::a2a::rpc_error::{RpcError, RpcErrorKind};

/// Executes a method and formats its result.
pub(crate) async fn answer(
    handler: &A2aHandler,
    cards: &CardCache,
    context: RequestContext,
    method: RpcMethod,
    params: Map<String, Value>,
) -> Result<Value, HandlerError> {
    let params = with_json_names(params);
    match method {
        RpcMethod::Send => {
            let send = SendParams::read(requests::send(params)?)?;
            let history_length = send.history_length;
            Ok(json!(views::reply(&handler.messages.send(context, send).await?, history_length)))
        }
        RpcMethod::Get => {
            let id = requests::id(&params, "id")?;
            let history_length = requests::history_length(&params, "/params")?;
            Ok(json!(views::task(&handler.tasks.reconciled(&context, &id).await?, history_length, true)))
        }
        RpcMethod::List => {
            let query = requests::list(&params)?;
            Ok(json!(views::page(&find_page(&handler.tasks, &context, &query).await?, &query)))
        }
        RpcMethod::Cancel => {
            let task = handler.tasks.cancel(&context, &requests::id(&params, "id")?).await?;
            Ok(json!(views::task(&task, None, true)))
        }
        RpcMethod::SetPush => {
            let task = requests::id(&params, "taskId")?;
            let config = requests::push_config(params, "/params")?;
            Ok(json!(views::push_config(&handler.push.set(&context, &task, config).await?, &task)))
        }
        RpcMethod::GetPush => {
            let (task, config) = (requests::id(&params, "taskId")?, requests::id(&params, "id")?);
            Ok(json!(views::push_config(&handler.push.get(&context, &task, Some(&config))?, &task)))
        }
        RpcMethod::ListPush => {
            let task = requests::id(&params, "taskId")?;
            // All receivers of a task fit on one page, because their number is small.
            Ok(json!(views::push_configs(&handler.push.all(&context, &task)?, &task)))
        }
        RpcMethod::DeletePush => {
            let (task, config) = (requests::id(&params, "taskId")?, requests::id(&params, "id")?);
            // Deleting settings that do not exist also succeeds.
            handler.push.delete(&context, &task, &config).await?;
            Ok(json!(views::Nothing {}))
        }
        RpcMethod::Stream | RpcMethod::Resubscribe => {
            let detail = "streaming is not supported; use SendMessage, and GetTask or push notifications";
            Err(RpcError::new(RpcErrorKind::Unsupported, detail).into())
        }
        RpcMethod::ExtendedCard => {
            cards.extended(&handler.messages.open_skills()).map_err(HandlerError::Card)?.ok_or_else(|| {
                RpcError::new(RpcErrorKind::NoExtendedCard, "no skill has an available agent at the moment").into()
            })
        }
    }
}
