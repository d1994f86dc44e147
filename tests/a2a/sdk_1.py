"""Resolves, verifies and uses the server with `a2a-sdk` 1, which speaks 1.0 to
it over both bindings.

usage: sdk_1.py URL KEY '["summarization", ...]'
"""

import asyncio
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import MessageToDict

from common import arguments, key_provider, report

OPEN = (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)


def request(text, capability=None, **more):
    message = Message(role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=[Part(text=text)], **more)
    if capability:
        message.metadata.update({"capability": capability})
    return SendMessageRequest(message=message)


async def send(client, what):
    async for event in client.send_message(what):
        return event.task


def answer(task):
    assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
    return MessageToDict(task.artifacts[0].parts[0])["data"]


async def refused(error, call):
    """The call must be refused with this error of the protocol."""
    try:
        await call
    except error:
        return
    raise SystemExit(f"no {error.__name__}")


async def later(client):
    """A task that nobody waits for, read until it has ended."""
    task = await send(client, request("hello", "summarization"))
    while task.status.state in OPEN:
        await asyncio.sleep(0.1)
        task = await client.get_task(GetTaskRequest(id=task.id))
    assert MessageToDict(task.metadata)["proof"]["statement"]["task_id"] == task.id, task
    return {"state": "completed", "answer": answer(task)}


async def continued(client):
    """A task that asks for a skill, and is given one in a second message."""
    task = await send(client, request("hello", context_id=f"ctx-{uuid.uuid4()}"))
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
    question = task.status.message.parts[0].text
    done = await send(client, request("summarization", task_id=task.id, context_id=task.context_id))
    assert done.id == task.id and answer(done) == {"bytes": "00005"}, done
    assert [message.role for message in done.history] == [Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER], done
    await refused(TaskNotCancelableError, client.cancel_task(CancelTaskRequest(id=task.id)))
    await refused(UnsupportedOperationError, send(client, request("more", task_id=task.id)))
    listed = await client.list_tasks(ListTasksRequest(context_id=task.context_id))
    assert [one.id for one in listed.tasks] == [task.id] and listed.total_size == 1, listed
    assert not listed.tasks[0].artifacts, listed
    return question


async def asked(client):
    """A task whose agent asks; the answer names the context alone, then the task."""
    for names_task in (False, True):
        task = await send(client, request("check it", "data:validation", context_id=f"ctx-{uuid.uuid4()}"))
        assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
        place = {"task_id": task.id} if names_task else {}
        done = await send(client, request("id,age and many more", context_id=task.context_id, **place))
        assert done.id == task.id and answer(done) == {"bytes": "00000"}, done
        assert [message.role for message in done.history] == [Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER], done


async def receivers(client):
    """Settings for notifications, and the end of a task that waits."""
    task = await send(client, request("hello"))
    config = TaskPushNotificationConfig(task_id=task.id, id="mine", url="https://example.com/hook", token="abc")
    await client.create_task_push_notification_config(config)
    wanted = GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
    assert (await client.get_task_push_notification_config(wanted)).url == config.url
    every = ListTaskPushNotificationConfigsRequest(task_id=task.id)
    assert len((await client.list_task_push_notification_configs(every)).configs) == 1
    # To delete what is gone is no error.
    for _ in range(2):
        gone = DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        await client.delete_task_push_notification_config(gone)
    await refused(TaskNotFoundError, client.get_task_push_notification_config(wanted))
    again = await client.get_task(GetTaskRequest(id=task.id, history_length=1))
    assert again.context_id == task.context_id and len(again.history) == 1, again
    canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
    assert canceled.status.state == TaskState.TASK_STATE_CANCELED, canceled
    await refused(TaskNotFoundError, client.get_task(GetTaskRequest(id="task_none")))


async def pages(client):
    """Every task of the account, page by page."""
    ids, token = [], ""
    while True:
        page = await client.list_tasks(ListTasksRequest(page_size=5, page_token=token))
        ids += [task.id for task in page.tasks]
        token = page.next_page_token
        if not token:
            assert len(ids) == len(set(ids)) == page.total_size, (len(ids), page.total_size)
            return len(ids)


async def use(http, card, verify, skills, binding):
    """All that a client can do, over one binding."""
    config = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding])
    client = ClientFactory(config).create(card)
    answers = {skill: answer(await send(client, request("hello", skill))) for skill in skills}
    polling = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding], polling=True)
    waited_for = await later(ClientFactory(polling).create(card))
    question = await continued(client)
    await asked(client)
    await receivers(client)
    assert await pages(client) >= len(skills) + 3
    extended = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
    verify(extended)
    assert extended.skills[0].description.endswith("A call costs 0.10 GBP."), extended.skills[0]
    return {"answers": answers, "later": waited_for, "question": question}


async def main():
    url, key, skills = arguments()
    verify = create_signature_verifier(key_provider(url), ["EdDSA"])
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        resolver = A2ACardResolver(http, url)
        # The card of both versions, and that of 1.0 alone.
        card = await resolver.get_agent_card(signature_verifier=verify)
        only = {"headers": {"A2A-Version": "1.0"}}
        assert await resolver.get_agent_card(http_kwargs=only, signature_verifier=verify) != card
        changed = AgentCard()
        changed.CopyFrom(card)
        changed.description = "changed"
        try:
            verify(changed)
            raise SystemExit("a changed card was accepted")
        except InvalidSignaturesError:
            pass
        found = [await use(http, card, verify, skills, binding) for binding in ("JSONRPC", "HTTP+JSON")]
        assert found[0] == found[1], found
        report(skills=[skill.id for skill in card.skills], **found[0])


asyncio.run(main())
