"""The host in the `mcp_servers` of Hermes Agent 0.19, whose own code lists and calls its tools."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from host import Host

pytestmark = pytest.mark.anyio

DRIVER = Path(__file__).parent.parent / "hermes-agent" / "driver.py"


@asynccontextmanager
async def server(host: Host) -> AsyncIterator[dict[str, Any]]:
    """What the agent's configuration says of the host."""
    if host.transport == "stdio":
        yield {"command": host.command, "args": host.args(), "env": host.env()}
        return
    async with host.served() as served:
        yield {"url": served.mcp, "headers": {"Authorization": f"Bearer {served.token}"}}


async def drive(home: Path, servers: dict[str, Any], *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    home.mkdir(exist_ok=True)
    # YAML is a superset of JSON.
    (home / "config.yaml").write_text(json.dumps({"mcp_servers": servers}), encoding="utf-8")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "HERMES_HOME": str(home)}
    command = [os.environ["HERMES_AGENT_PYTHON"], "-B", str(DRIVER), json.dumps(calls)]
    ran = await anyio.run_process(command, env=env, stderr=subprocess.DEVNULL)
    said: dict[str, Any] = json.loads(ran.stdout.decode().splitlines()[-1])
    return said


async def test_it_lists_and_calls_our_tools(host: Host, tmp_path: Path) -> None:
    async with server(host) as config:
        said = await drive(
            tmp_path / "agent",
            {"ours": config},
            ("mcp__ours__read_file", {"path": "notes.txt"}),
            ("mcp__ours__word_count", {"text": "one two"}),
            ("mcp__ours__read_file", {"path": "nothing.txt"}),
            ("mcp__ours__read_file", {}),
            ("mcp__ours__checked", {}),
        )
    assert {"mcp__ours__read_file", "mcp__ours__word_count", "mcp__ours__typed"} <= set(said["found"])
    assert "mcp__ours__checked" not in said["found"], "what is not granted is not offered"
    parameters = said["schemas"]["mcp__ours__read_file"]["parameters"]
    assert parameters["required"] == ["path"]
    read, counted, missing, wrong, unknown = map(json.loads, said["results"])
    assert "second line" in json.dumps(read)
    assert "2" in json.dumps(counted)
    assert "error" in missing
    assert "path" in wrong["error"]
    assert "error" in unknown
