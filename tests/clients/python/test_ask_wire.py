"""Tools that ask, message by message: what clients send that lose, repeat, forge or delay answers."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from host import LEGACY, MODERN, Host

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("host", ["stdio"], indirect=True)]

INVALID_PARAMS = -32602
MISSING_CAPABILITY = -32021
FORMS: dict[str, Any] = {"elicitation": {"form": {}}}
URLS: dict[str, Any] = {"elicitation": {"url": {}}}
NOTE = {"action": "accept", "content": {"note": "hello"}}
TOLD = {"note": {"accepted": {"note": "hello"}}}

# Later than a question of `ask_soon` can be answered.
TOO_LATE = 2.1


def told(answer: dict[str, Any]) -> Any:
    return answer["result"]["structuredContent"]


def kind(answer: dict[str, Any]) -> str:
    assert answer["result"]["isError"] is True, answer
    assert "structuredContent" not in answer["result"]
    failure: str = json.loads(answer["result"]["content"][0]["text"])["kind"]
    return failure


@pytest.mark.parametrize(
    ("capabilities", "asked", "given", "outcome"),
    [
        (FORMS, "note", NOTE, {**TOLD, "page": "nobody"}),
        ({"elicitation": {}}, "note", NOTE, {**TOLD, "page": "nobody"}),
        (URLS, "page", {"action": "accept"}, {"note": "nobody", "page": {"accepted": {}}}),
    ],
    ids=["forms", "an empty capability means forms", "pages"],
)
async def test_only_what_was_declared_is_asked(
    host: Host, capabilities: dict[str, Any], asked: str, given: dict[str, Any], outcome: dict[str, Any]
) -> None:
    async with host.wire(MODERN, capabilities) as wire:
        answer = await wire.called("ask_both")
        assert answer["result"]["resultType"] == "input_required"
        assert answer["result"]["inputRequests"].keys() == {asked}
        state = answer["result"]["requestState"]
        answer = await wire.called("ask_both", requestState=state, inputResponses={asked: given})
        assert answer["result"]["resultType"] == "complete"
        assert told(answer) == outcome
    async with host.wire(LEGACY, capabilities) as wire:
        await wire.call("call", "ask_both", {})
        request = await wire.until("elicitation/create")
        await wire.reply(request, result=given)
        assert told(await wire.answer("call")) == outcome


async def test_the_same_answer_again_gives_the_same_result(host: Host) -> None:
    async with host.wire(MODERN, FORMS) as wire:
        state = (await wire.called("ask_both"))["result"]["requestState"]
        first = await wire.called("ask_both", requestState=state, inputResponses={"note": NOTE})
        again = await wire.called("ask_both", requestState=state, inputResponses={"note": NOTE})
        assert told(first) == {**TOLD, "page": "nobody"}
        assert again == first
        other = await wire.called("ask_both", requestState=state, inputResponses={"note": {"action": "decline"}})
        assert kind(other) == "expired"


async def test_a_state_is_of_use_for_its_own_call_only(host: Host) -> None:
    async with host.wire(MODERN, FORMS) as wire, host.wire(MODERN, FORMS) as stranger:
        state = (await wire.called("ask_soon", {"bytes": 10}))["result"]["requestState"]
        forged = ("A" if state[0] != "A" else "B") + state[1:]
        for client, tool, arguments, sent in [
            (wire, "ask_soon", {"bytes": 10}, forged),
            (wire, "ask_soon", {"bytes": 10}, ""),
            (wire, "ask_soon", {"bytes": 11}, state),
            (wire, "ask_both", {"bytes": 10}, state),
            (stranger, "ask_soon", {"bytes": 10}, state),
        ]:
            answer = await client.called(tool, arguments, requestState=sent, inputResponses={"note": NOTE})
            assert answer["error"]["code"] == INVALID_PARAMS, answer


async def test_answers_that_come_with_the_call_count(host: Host) -> None:
    page = {"action": "accept"}
    async with host.wire(MODERN) as wire:
        both = {"note": NOTE, "page": page}
        assert told(await wire.called("ask_both", inputResponses=both)) == {**TOLD, "page": {"accepted": {}}}
        assert told(await wire.called("ask_both", inputResponses={"note": NOTE})) == {"note": "nobody", "page": "nobody"}
        approved = {"approval": {"action": "accept", "content": {}}}
        assert told(await wire.called("ask_approval", inputResponses=approved)) == {"approval": "nobody"}


async def test_a_late_answer_is_of_no_use(host: Host) -> None:
    async with host.wire(MODERN, FORMS) as wire:
        state = (await wire.called("ask_soon"))["result"]["requestState"]
        await anyio.sleep(TOO_LATE)
        assert kind(await wire.called("ask_soon", requestState=state, inputResponses={"note": NOTE})) == "expired"


async def test_a_client_that_does_not_answer_is_not_waited_for(host: Host) -> None:
    async with host.wire(LEGACY, FORMS) as wire:
        await wire.call("call", "ask_soon", {})
        request = await wire.until("elicitation/create")
        taken_back = await wire.until("notifications/cancelled")
        assert taken_back["params"]["requestId"] == request["id"]
        assert kind(await wire.answer("call")) == "expired"
        await wire.reply(request, result=NOTE)
        assert (await wire.called("probe", {"behaviour": "steps"}))["result"]["isError"] is False


async def test_a_client_that_fails_to_ask_cancels(host: Host) -> None:
    async with host.wire(LEGACY, FORMS) as wire:
        await wire.call("call", "ask_both", {})
        await wire.reply(await wire.until("elicitation/create"), error={"code": -32603, "message": "no screen"})
        assert told(await wire.answer("call")) == {"note": "cancelled", "page": "nobody"}


async def test_a_call_can_be_cancelled_while_it_asks(host: Host) -> None:
    async with host.wire(LEGACY, FORMS) as wire:
        await wire.call("asking", "ask_both", {})
        request = await wire.until("elicitation/create")
        await wire.send("notifications/cancelled", {"requestId": "asking"})
        await wire.reply(request, result=NOTE)
        await wire.call("next", "probe", {"behaviour": "steps"})
        await wire.answer("next")
        await wire.close_stdin()
        assert [message async for message in wire.messages() if "id" in message] == []


async def test_ends_with_stdin_while_a_call_asks(host: Host) -> None:
    async with host.wire(LEGACY, FORMS) as wire:
        await wire.call("asking", "ask_both", {})
        await wire.until("elicitation/create")
        await wire.close_stdin()
        with anyio.fail_after(2):
            async for message in wire.messages():
                assert "result" not in message, "nothing ended well"
            assert await wire.process.wait() == 0


async def test_progress_rises_over_questions(host: Host) -> None:
    async with host.wire(LEGACY, {"roots": {}}) as wire:
        await wire.call("call", "probe", {"behaviour": "roots"})
        seen: list[float] = []
        # Without roots it reports again and goes on, so that the newest report is told.
        with anyio.fail_after(60):
            async for message in wire.messages():
                if message["method"] == "roots/list":
                    await wire.reply(message, result={"roots": []})
                    continue
                seen.append(message["params"]["progress"])
                if seen[-1] > 3:
                    break
        assert seen == sorted(set(seen))


@pytest.mark.parametrize(
    ("feature", "required"),
    [
        ("elicitation", {"elicitation": {"form": {}}}),
        ("elicitation.url", {"elicitation": {"url": {}}}),
        ("sampling", {"sampling": {}}),
        ("roots", {"roots": {}}),
    ],
)
async def test_a_tool_may_need_a_client_that_can_be_asked(
    host: Host, tmp_path: Path, feature: str, required: dict[str, Any]
) -> None:
    manifest = json.loads((Path(__file__).parent / "../guests/probe/manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "requires_client": [feature]}), encoding="utf-8")
    (tmp_path / "plugins").mkdir()
    built = [f"{host.plugins}/probe.wasm", "--output", str(tmp_path / "plugins/probe.wasm")]
    embed = [host.command, "embed", *built, "--manifest", str(tmp_path / "manifest.json"), "--replace"]
    subprocess.run(embed, check=True, env=host.env())
    # The name belongs to the other `probe` in the home that knows it.
    (tmp_path / "home").mkdir(mode=0o700)
    host = replace(host, plugins=str(tmp_path / "plugins"), home=str(tmp_path / "home"))
    for revision in (LEGACY, MODERN):
        async with host.wire(revision) as wire:
            answer = await wire.called("probe", {"behaviour": "steps"})
            assert answer["error"]["code"] == MISSING_CAPABILITY
            assert answer["error"]["data"] == {"requiredCapabilities": required}
        async with host.wire(revision, required) as wire:
            assert (await wire.called("probe", {"behaviour": "steps"}))["result"]["isError"] is False
