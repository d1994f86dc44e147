"""Resolves, verifies and uses the server with `a2a-sdk` 1, which reads the 0.3
card and speaks 0.3 to it.

usage: sdk_1.py URL KEY '["summarization", ...]'
"""

import asyncio
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import MessageToDict

from common import arguments, key_provider, report


def request(text, capability=None):
    message = Message(role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=[Part(text=text)])
    if capability:
        message.metadata.update({"capability": capability})
    return SendMessageRequest(message=message)


async def send(client, what):
    async for event in client.send_message(what):
        return event.task


async def later(client):
    """A task that nobody waits for, read until it has ended."""
    task = await send(client, request("hello", "summarization"))
    while task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING):
        await asyncio.sleep(0.1)
        task = await client.get_task(GetTaskRequest(id=task.id))
    assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
    assert MessageToDict(task.metadata)["proof"]["statement"]["task_id"] == task.id, task
    return {"state": "completed", "answer": MessageToDict(task.artifacts[0].parts[0])["data"]}


async def main():
    url, key, skills = arguments()
    verify = create_signature_verifier(key_provider(url), ["EdDSA"])
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card(signature_verifier=verify)
        changed = AgentCard()
        changed.CopyFrom(card)
        changed.description = "changed"
        try:
            verify(changed)
            raise SystemExit("a changed card was accepted")
        except InvalidSignaturesError:
            pass
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)

        answers = {}
        for skill in skills:
            task = await send(client, request("hello", skill))
            assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
            answers[skill] = MessageToDict(task.artifacts[0].parts[0])["data"]

        polling = ClientFactory(ClientConfig(httpx_client=http, polling=True)).create(card)
        waited_for = await later(polling)

        task = await send(client, request("hello"))
        assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
        question = task.status.message.parts[0].text
        config = TaskPushNotificationConfig(task_id=task.id, id="mine", url="https://example.com/hook", token="abc")
        await client.create_task_push_notification_config(config)
        wanted = GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        assert (await client.get_task_push_notification_config(wanted)).url == config.url
        again = await client.get_task(GetTaskRequest(id=task.id, history_length=1))
        assert again.context_id == task.context_id and len(again.history) == 1, again
        canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert canceled.status.state == TaskState.TASK_STATE_CANCELED, canceled
        report(skills=[skill.id for skill in card.skills], answers=answers, later=waited_for, question=question)


asyncio.run(main())
