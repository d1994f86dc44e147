"""Resolves, verifies and uses the server with `a2a-sdk` 0.3.

usage: sdk_0_3.py URL KEY '["summarization", ...]'
"""

import asyncio
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier

from common import arguments, key_provider, report


def message(text, **more):
    parts = [Part(root=TextPart(text=text))]
    return Message(role=Role.user, message_id=str(uuid.uuid4()), parts=parts, **more)


async def later(client):
    """A task that nobody waits for, read until it has ended."""
    task = await send(client, message("hello", metadata={"capability": "summarization"}))
    while task.status.state in ("submitted", "working"):
        await asyncio.sleep(0.1)
        task = await client.get_task(TaskQueryParams(id=task.id))
    assert task.metadata["proof"]["statement"]["task_id"] == task.id, task
    return {"state": task.status.state.value, "answer": task.artifacts[0].parts[0].root.data}


async def asked(client):
    """A task whose agent asks; the answer names the context alone, then the task."""
    for names_task in (False, True):
        task = await send(client, message("check it", metadata={"capability": "data:validation"}))
        assert task.status.state == "input-required", task
        place = {"task_id": task.id} if names_task else {}
        done = await send(client, message("id,age and many more", context_id=task.context_id, **place))
        assert done.id == task.id and done.status.state == "completed", done
        assert [one.role.value for one in done.history] == ["user", "agent", "user"], done


async def send(client, request):
    async for event in client.send_message(request):
        task, _ = event
        return task


async def main():
    url, key, skills = arguments()
    verify = create_signature_verifier(key_provider(url), ["EdDSA"])
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card(signature_verifier=verify)
        try:
            verify(card.model_copy(update={"description": "changed"}))
            raise SystemExit("a changed card was accepted")
        except InvalidSignaturesError:
            pass
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)

        answers = {}
        for skill in skills:
            task = await send(client, message("hello", metadata={"capability": skill}))
            assert task.status.state == "completed", task
            answers[skill] = task.artifacts[0].parts[0].root.data

        polling = ClientFactory(ClientConfig(httpx_client=http, polling=True)).create(card)
        waited_for = await later(polling)
        await asked(client)

        task = await send(client, message("hello"))
        assert task.status.state == "input-required", task
        question = task.status.message.parts[0].root.text
        config = PushNotificationConfig(id="mine", url="https://example.com/hook", token="abc")
        await client.set_task_callback(TaskPushNotificationConfig(task_id=task.id, push_notification_config=config))
        params = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id="mine")
        assert (await client.get_task_callback(params)).push_notification_config == config
        again = await client.get_task(TaskQueryParams(id=task.id, history_length=1))
        assert again.context_id == task.context_id and len(again.history) == 1, again
        canceled = await client.cancel_task(TaskIdParams(id=task.id))
        assert canceled.status.state == "canceled", canceled
        report(skills=[skill.id for skill in card.skills], answers=answers, later=waited_for, question=question)


asyncio.run(main())
