"""The host through the official Python SDK, in both eras of the protocol."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from host import LEGACY, MODERN, Host
from mcp import ClientSession, MCPError
from mcp.shared.dispatcher import ProgressFnT
from mcp.types import CallToolResult, TextContent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", [LEGACY, MODERN])]

OUTCOMES = {
    "invalid", "denied", "unavailable", "failed", "refused", "busy", "timeout", "limit", "trap", "held", "expired",
    "bad_result", "host_error",
}  # fmt: skip
INVALID_PARAMS = -32602


def text(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


def failure(result: CallToolResult) -> dict[str, Any]:
    """The failure as the model reads it."""
    assert result.is_error
    assert result.structured_content is None
    told: dict[str, Any] = json.loads(text(result))
    assert isinstance(told["error"], str)
    assert told["error"]
    assert told["kind"] in OUTCOMES
    return told


async def test_greets(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        assert session.protocol_version == revision
        assert session.server_info is not None
        assert session.server_info.name == "hermes-host"
        assert session.server_capabilities is not None
        assert session.server_capabilities.tools is not None


async def test_lists_tools(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        listed = await session.list_tools()
    assert listed.next_cursor is None, "clients of the 1.x line read the first page only"
    tools = {tool.name: tool for tool in listed.tools}
    assert len(tools) == len(listed.tools)
    assert {"read_file", "word_count", "slugify", "probe"} <= tools.keys()
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed.tools)

    read_file = tools["read_file"]
    assert read_file.input_schema["required"] == ["path"]
    assert read_file.input_schema["properties"]["path"]["type"] == "string"
    assert read_file.annotations is not None
    assert read_file.annotations.read_only_hint is True

    word_count = tools["word_count"]
    assert word_count.title == "Word count"
    assert word_count.output_schema is not None
    assert "words" in word_count.output_schema["properties"]
    assert word_count.annotations is not None
    assert word_count.annotations.destructive_hint is False
    assert word_count.annotations.idempotent_hint is True
    assert word_count.annotations.open_world_hint is False


async def test_lists_the_same_each_time(host: Host, revision: str) -> None:
    lists = []
    for _ in range(2):
        async with host.session(revision) as session:
            for _ in range(2):
                listed = await session.list_tools()
                lists.append([tool.model_dump_json(by_alias=True) for tool in listed.tools])
    assert all(other == lists[0] for other in lists)


async def test_reads_a_file_of_the_workspace(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        result = await session.call_tool("read_file", {"path": "notes.txt"})
    assert not result.is_error
    assert "second line" in text(result)


@pytest.mark.parametrize(
    ("tool", "arguments", "structured"),
    [
        ("word_count", {"text": "one two\nthree"}, {"words": 3, "characters": 13, "lines": 2}),
        ("slugify", {"text": "Crème Brûlée & Co."}, {"slug": "creme-brulee-co"}),
    ],
)
async def test_calls_tools_of_other_languages(
    host: Host, revision: str, tool: str, arguments: dict[str, Any], structured: dict[str, Any]
) -> None:
    async with host.session(revision) as session:
        result = await session.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    assert result.structured_content == structured
    assert text(result)


async def test_a_failing_call_is_a_result(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        asked = failure(await session.call_tool("probe", {"behaviour": "fail"}))
        missing = failure(await session.call_tool("read_file", {"path": "missing.txt"}))
    assert asked["kind"] == "failed"
    assert "it was asked to" in asked["error"]
    assert "missing.txt" in missing["error"]


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "expected"),
    [
        ("read_file", {}, "", "`path` is missing"),
        ("word_count", {"text": {"not": "a string"}}, "/text", "expected a string"),
        ("slugify", {"text": 7}, "/text", "expected a string"),
        ("slugify", {"text": "a", "colour": "red"}, "/colour", "expected text"),
        ("probe", {"behaviour": "dance"}, "/behaviour", "noise, steps"),
        ("typed", {"name": "a", "count": 1, "colours": ["red", "pink"]}, "/colours/1", "red, green, blue"),
        ("typed", {"name": "a", "count": 101}, "/count", "100"),
    ],
)
async def test_wrong_arguments_are_a_result(
    host: Host, revision: str, tool: str, arguments: dict[str, Any], path: str, expected: str
) -> None:
    async with host.session(revision) as session:
        told = failure(await session.call_tool(tool, arguments))
    assert told["kind"] == "invalid"
    [issue] = told["issues"]
    assert issue["path"] == path
    assert expected in issue["message"], "a model needs to know what to repair"


async def test_arguments_are_brought_to_the_types_of_the_schema(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        result = await session.call_tool("typed", {"name": "a", "count": "42", "flag": "false", "colours": '["green"]'})
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    typed = {key: result.structured_content[key] for key in ("count", "flag", "colours")}
    assert typed == {"count": 42, "flag": False, "colours": ["green"]}


async def test_a_result_that_breaks_its_promise_is_withheld(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        kept = await session.call_tool("bad_output", {"fits": True})
        told = failure(await session.call_tool("bad_output", {"fits": False}))
    assert kept.structured_content == {"count": 1}
    assert told["kind"] == "bad_result"


async def test_hooks_of_toolsets_stand_around_calls(host: Host, revision: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "toolsets").mkdir()
    (home / "toolsets" / "hooked.toml").write_text('tools = ["planned"]\nhooks = ["scripted"]\n', encoding="utf-8")
    async with replace(host, home=str(home)).session(revision) as session:
        rewritten = await session.call_tool("planned", {"plan": ["rewrite"]})
        refused = failure(await session.call_tool("planned", {"plan": [{"refuse": "not today"}]}))
        invalid = failure(await session.call_tool("planned", {"plan": [{"rewrite_to": {"did": 1}}]}))
        changed = failure(await session.call_tool("planned", {"after": [{"to_failure": "never mind"}]}))
    assert rewritten.structured_content is not None
    assert rewritten.structured_content["did"] == ["0"]
    assert refused["kind"] == "refused"
    assert "not today" in refused["error"]
    assert invalid["kind"] == "refused"
    assert "scripted" in invalid["error"]
    assert changed["kind"] == "failed"
    assert "never mind" in changed["error"]


async def test_an_unknown_tool_is_a_protocol_error(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        with pytest.raises(MCPError) as raised:
            await session.call_tool("no_such_tool", {})
    assert raised.value.code == INVALID_PARAMS
    assert "no_such_tool" in raised.value.message


async def spin(session: ClientSession, on_progress: ProgressFnT) -> None:
    """A call that ends by being cancelled only."""
    result = await session.call_tool("probe", {"behaviour": "spin"}, progress_callback=on_progress)
    pytest.fail(f"it came back: {text(result)}")


async def test_progress_rises(host: Host, revision: str) -> None:
    steps: list[tuple[float, float | None, str | None]] = []
    last = anyio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))
        if progress >= 3:
            last.set()

    async with host.session(revision) as session, anyio.create_task_group() as calls:
        # The host may thin out reports, but the newest one of a call that goes on is always told.
        calls.start_soon(spin, session, on_progress)
        await last.wait()
        calls.cancel_scope.cancel()
    assert steps[-1] == (3, 3, "step 3")
    assert [step[0] for step in steps] == sorted({step[0] for step in steps})


async def test_a_cancelled_call_stops_and_the_session_goes_on(host: Host, revision: str) -> None:
    async def spin_until_cancelled() -> None:
        spinning = anyio.Event()

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            spinning.set()

        async with anyio.create_task_group() as calls:
            calls.start_soon(spin, session, on_progress)
            await spinning.wait()
            calls.cancel_scope.cancel()

    async with host.session(revision) as session:
        await session.call_tool("probe", {"behaviour": "steps"})
        # More of them than the host could run side by side, were they not stopped.
        with anyio.fail_after(60):
            for _ in range(16):
                await spin_until_cancelled()
        result = await session.call_tool("probe", {"behaviour": "steps"})
    assert text(result) == "three steps"
