"""The HTTP API, as programs use it that speak OpenAI's function calling."""

import base64
import json
from typing import Any

import anyio
import httpx2 as httpx
import pytest
from host import Host
from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionToolMessageParam,
)
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("host", ["http"], indirect=True)]

TOOLS = TypeAdapter(list[ChatCompletionFunctionToolParam])
MESSAGE = TypeAdapter(ChatCompletionToolMessageParam)


def tool_call(call_id: str, tool: str, arguments: Any) -> dict[str, Any]:
    """A call as the official client has it from a model."""
    arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": tool, "arguments": arguments}
    call = ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": call_id, "type": "function", "function": function}
    )
    return call.model_dump(mode="json")


async def post(http: httpx.AsyncClient, *calls: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = await http.post("/v1/calls", json={"tool_calls": calls}, headers=headers)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    for message in body["messages"]:
        MESSAGE.validate_python(message)
    return body


async def metrics(http: httpx.AsyncClient) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What the host counts, read by Prometheus's own parser."""
    answer = await http.get("/metrics")
    samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}


async def test_the_official_client_takes_the_tools(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        tools = (await http.get("/v1/tools", params={"for": "openai"})).json()["tools"]
        strict = (await http.get("/v1/tools", params={"for": "openai-strict"})).json()["tools"]
    named = {tool["function"]["name"]: tool for tool in TOOLS.validate_python(tools)}
    assert {"read_file", "word_count", "typed"} <= named.keys()
    assert named["word_count"]["function"]["parameters"]["required"] == ["text"]
    assert {tool["function"]["name"] for tool in TOOLS.validate_python(strict)} == named.keys()
    assert any(tool["function"].get("strict") for tool in strict)


async def test_one_and_many_in_their_order(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        one = await post(http, tool_call("c1", "read_file", {"path": "notes.txt"}))
        assert "second line" in one["messages"][0]["content"]
        assert (one["calls"][0]["id"], one["calls"][0]["outcome"]) == ("c1", "done")
        many = await post(http, *(tool_call(f"c{n}", "word_count", {"text": "w " * n}) for n in range(1, 33)))
        assert [message["tool_call_id"] for message in many["messages"]] == [f"c{n}" for n in range(1, 33)]
        words = [message["content"].split(" words")[0] for message in many["messages"]]
        assert words == [str(n) for n in range(1, 33)]
        too_many = await http.post("/v1/calls", json={"tool_calls": [tool_call("c", "slugify", {})] * 129})
        assert too_many.status_code == 400


@pytest.mark.parametrize(
    ("arguments", "said"),
    [('{"path": "notes.txt"', "line 1 column"), ("[1]", "object"), ('{"path": 1, "path": 2}', "path"), ("", "path")],
)
async def test_malformed_arguments_are_told_to_the_model(host: Host, arguments: str, said: str) -> None:
    async with host.served() as served, served.http() as http:
        body = await post(http, tool_call("c1", "read_file", arguments))
    assert body["calls"][0]["outcome"] == "invalid"
    assert said in body["messages"][0]["content"]


async def test_a_picture_comes_beside_the_message(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        body = await post(http, tool_call("c1", "big_image", {"bytes": 1000}))
    [attachment] = body["calls"][0]["attachments"]
    assert attachment["mime"].startswith("image/")
    assert len(base64.b64decode(attachment["data"])) >= 1000


async def test_a_question_is_answered_with_another_request(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        body = await post(http, tool_call("c1", "ask_name", {}))
        pending = body["calls"][0]["pending"]
        [request] = pending["requests"]
        assert (body["calls"][0]["outcome"], request["kind"]) == ("pending", "form")
        answers = {"handle": pending["handle"], "answers": {request["id"]: {"action": "decline"}}}
        answered = (await http.post("/v1/calls/c1/answers", json=answers)).json()
        assert answered["calls"][0]["outcome"] == "done", answered
        forged = await http.post("/v1/calls/c1/answers", json={**answers, "handle": "x" * 96})
        assert forged.status_code == 404


async def test_a_denial_names_what_is_lacking(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        body = await post(http, tool_call("c1", "checked", {}))
        counted = await metrics(http)
    told = json.loads(body["messages"][0]["content"])
    assert (body["calls"][0]["outcome"], told["kind"], told["capability"]) == ("denied", "denied", "env")
    labels = (("capability", "env"), ("tool", "checked"))
    assert counted["hermes_denials_total", labels] == 1


async def test_closing_cancels(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        spin = {"tool_calls": [tool_call("c1", "probe", {"behaviour": "spin"})]}
        events = http.stream("POST", "/v1/calls", json=spin, headers={"Accept": "text/event-stream"})
        async with events as answer:
            lines = answer.aiter_lines()
            async for line in lines:
                if line.startswith("event: progress"):
                    break
            assert (await metrics(http))["hermes_calls_running", ()] == 1
        with anyio.fail_after(60):
            while (counted := await metrics(http))["hermes_guests_running", ()] > 0:
                pass
        cancelled = (("outcome", "cancelled"), ("tool", "probe"))
        assert counted["hermes_calls_total", cancelled] == 1
        assert counted["hermes_calls_running", ()] == 0
        assert counted["hermes_guests_stuck", ()] == 0


async def test_a_retry_with_the_same_key_never_runs_twice(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        key = {"Idempotency-Key": "k1"}
        bodies: list[dict[str, Any]] = []

        async def call() -> None:
            bodies.append(await post(http, tool_call("c1", "word_count", {"text": "a b"}), **key))

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(call)
        assert all(body == bodies[0] for body in bodies)
        other = {"tool_calls": [tool_call("c1", "word_count", {"text": "c"})]}
        assert (await http.post("/v1/calls", json=other, headers=key)).status_code == 409
        done = (("outcome", "done"), ("tool", "word_count"))
        assert (await metrics(http))["hermes_calls_total", done] == 1


async def test_the_metrics_are_what_prometheus_reads(host: Host) -> None:
    async with host.served() as served, served.http() as http:
        await post(http, tool_call("c1", "word_count", {"text": "a"}), tool_call("c2", "nothing", {}))
        counted = await metrics(http)
    assert counted["hermes_calls_total", (("outcome", "unknown_tool"), ("tool", "-"))] == 1
    of_tool = (("tool", "word_count"),)
    for name in ["call_duration", "queue", "instantiate", "handle"]:
        assert counted[f"hermes_{name}_seconds_count", of_tool] == 1, name
    assert counted["hermes_generation", ()] >= 1
    assert counted["hermes_components_loaded", ()] >= 1


@pytest.mark.parametrize("path", ["/mcp", "/v1/tools", "/v1/approvals", "/metrics"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_strangers_stay_outside(host: Host, path: str, headers: dict[str, str], status: int) -> None:
    async with host.served() as served, served.http() as http:
        answer = await http.get(path, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]["kind"]


