"""Results that are too long to be sent at once, read back as resources."""

import json
import re
from dataclasses import replace

import pytest
from host import LEGACY, MODERN, Host
from mcp import ClientSession, MCPError
from mcp.types import TextResourceContents
from test_sdk import text

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", [LEGACY, MODERN])]

NOT_FOUND = {LEGACY: -32002, MODERN: -32602}
SIZE = 5_000_000
BYTES = 1 << 20
LINES = 500


async def keep(session: ClientSession, size: int) -> str:
    """Gets a result that is kept, and returns where."""
    result = await session.call_tool("big_text", {"bytes": size})
    assert not result.is_error
    preview = text(result)
    assert len(preview) < 4_000
    found = re.search(r"hermes://results/[0-9a-f]{32}", preview)
    assert found, preview
    return found[0]


async def read(session: ClientSession, uri: str) -> str:
    [contents] = (await session.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "application/json")
    return contents.text


async def test_comes_back_whole_and_in_parts(host: Host, revision: str) -> None:
    # The tool's own limit comes before what a client is sent.
    async with replace(host, more=("--grant", "limits=output:8MiB")).session(revision) as session:
        uri = await keep(session, SIZE)
        whole = await read(session, uri)
        by_byte = [await read(session, f"{uri}?offset={at}&limit={BYTES}") for at in range(0, SIZE, BYTES)]
        by_line = [await read(session, f"{uri}?line={at}&lines={LINES}") for at in range(1, SIZE // 2_000 + 1, LINES)]
    assert len(whole) == SIZE
    assert json.loads(whole)[:3] == [0, 1, 2]
    assert "".join(by_byte) == whole
    assert "".join(by_line) == whole


async def test_the_ways_to_read_are_told(host: Host, revision: str) -> None:
    async with host.session(revision) as session:
        templates = (await session.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == [
            "hermes://results/{id}{?offset,limit,line,lines}"
        ]
        assert (await session.list_resources()).resources == []


@pytest.mark.parametrize(
    "uri",
    [
        f"hermes://results/{0:032x}",
        "hermes://results/../notes.txt",
        "file:///etc/passwd",
        "{kept}?offset=-1",
        "{kept}?page=2",
    ],
)
async def test_there_is_nothing_else_to_read(host: Host, revision: str, uri: str) -> None:
    async with host.session(revision) as session:
        kept = await keep(session, 200_000)
        with pytest.raises(MCPError) as raised:
            await session.read_resource(uri.replace("{kept}", kept))
    assert raised.value.code == NOT_FOUND[revision]


@pytest.mark.parametrize("host", ["stdio"], indirect=True)
async def test_each_process_has_a_session_unless_it_names_one(host: Host, revision: str) -> None:
    async with host.session(revision) as session, host.session(revision) as stranger:
        uri = await keep(session, 200_000)
        with pytest.raises(MCPError) as raised:
            await stranger.read_resource(uri)
        assert raised.value.code == NOT_FOUND[revision]
    named = replace(host, more=("--session", "shared"))
    async with named.session(revision) as session, named.session(revision) as same:
        uri = await keep(session, 200_000)
        assert len(await read(same, uri)) == 200_000
