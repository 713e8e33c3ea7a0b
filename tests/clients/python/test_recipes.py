"""The recipes of docs/clients.md and README.md, executed as they stand: but for the port, and where a client fills something in."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpx2 as httpx
import pytest
import yaml
from host import Host
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from test_hermes_agent import drive

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
NODE_MODULES = Path(os.environ["HERMES_TEST_NODE_MODULES"])

# What each client's documentation knows of a server's entry.
FIELDS = {
    "claude-desktop": {"command", "args", "env"},
    "cursor": {"command", "args", "env", "url", "headers"},
    "vs-code": {"type", "command", "args", "env", "url", "headers"},
}


@dataclass(frozen=True)
class Recipe:
    section: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.section}-{self.language}"


def recipes() -> Iterator[Recipe]:
    text = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        title = section.split("\n")[0].lower().replace(" ", "-")
        for language, code in re.findall(r"```(\w+)\n(.*?)```", section, re.S):
            yield Recipe(title, language, code)


RECIPES = list(recipes())


def of(*languages: str, without: str = "") -> Any:
    found = [recipe for recipe in RECIPES if recipe.language in languages and recipe.section != without]
    return pytest.mark.parametrize("recipe", found, ids=str)


@dataclass(frozen=True)
class Place:
    """A user's machine: a home, a project, and the host on a port of its own, started as the README says."""

    home: Path
    project: Path
    port: int
    token: str

    def env(self, **more: str) -> dict[str, str]:
        path = f"{self.home / 'bin'}:{NODE_MODULES / '.bin'}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self.home), "HERMES_TOKEN": self.token, **more}

    def filled(self, text: str) -> str:
        """With what the client or its user fills in."""
        for name, value in {
            "${workspaceFolder}": str(self.project),
            "/home/me/project": str(self.project),
            "${env:HERMES_TOKEN}": self.token,
            "${input:token}": self.token,
            "127.0.0.1:4747": f"127.0.0.1:{self.port}",
        }.items():
            text = text.replace(name, value)
        return text

    async def run(self, command: list[str], **more: str) -> str:
        ran = await anyio.run_process(
            command, check=False, env=self.env(**more), cwd=self.project, stderr=subprocess.STDOUT
        )
        assert ran.returncode == 0, ran.stdout.decode()
        return ran.stdout.decode()


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    home, project = tmp_path / "home", tmp_path / "project"
    (home / "bin").mkdir(parents=True)
    project.mkdir()
    (project / "notes.txt").write_text("first line\nsecond line\n", encoding="utf-8")
    (home / "bin/hermes-host").symlink_to(os.environ["HERMES_HOST"])
    # Compiled components are taken along, so that no recipe waits for a compiler.
    own = home / ".hermes-host"
    own.mkdir(mode=0o700)
    for kept in ["cache", "cache.key"]:
        source = Path(os.environ["HERMES_HOME"]) / kept
        if source.is_dir():
            shutil.copytree(source, own / kept)
            (own / kept).chmod(stat.S_IRWXU)
        elif source.exists():
            shutil.copy2(source, own / kept)
    host = Host(os.environ["HERMES_HOST"], os.environ["HERMES_TEST_PLUGINS"], str(own), project)
    async with host.served() as served:
        yield Place(home, project, httpx.URL(served.origin).port or 0, served.token)


@asynccontextmanager
async def connected(entry: dict[str, Any], place: Place) -> AsyncIterator[Client]:
    """A client that reads a server's entry as those do that the recipes are for."""
    if "command" in entry:
        command = str(place.home / "bin" / entry["command"])
        server = StdioServerParameters(command=command, args=entry["args"], env=place.env(), cwd="/")
        async with Client(stdio_client(server, errlog=sys.stderr)) as client:
            yield client
        return
    http = httpx.AsyncClient(headers=entry["headers"])
    async with http, Client(streamable_http_client(entry["url"], http_client=http)) as client:
        yield client


@of("json")
async def test_configurations_connect(place: Place, recipe: Recipe) -> None:
    config = json.loads(place.filled(recipe.text))
    [servers] = [config[key] for key in ["mcpServers", "servers"] if key in config]
    assert ("servers" in config) == (recipe.section == "vs-code")
    for entry in servers.values():
        assert entry.keys() <= FIELDS[recipe.section]
        async with connected(entry, place) as client:
            read = await client.call_tool("read_file", {"path": "notes.txt"})
            assert not read.is_error, read


async def test_the_readmes_configuration_connects(place: Place) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [config] = re.findall(r"```json\n(.*?)```", text, re.S)
    [entry] = json.loads(config)["mcpServers"].values()
    async with connected(entry, place) as client:
        assert (await client.list_tools()).tools is not None


@of("sh", without="curl")
async def test_claude_code_connects(place: Place, recipe: Recipe) -> None:
    await place.run(["sh", "-euc", place.filled(recipe.text)])
    listed = await place.run(["claude", "mcp", "list"])
    assert "Connected" in listed, listed


async def test_the_readmes_line_for_claude_code_works(place: Place) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [line] = [line for line in text.splitlines() if line.startswith("claude mcp add")]
    await place.run(["sh", "-euc", place.filled(line)])
    listed = await place.run(["claude", "mcp", "list"])
    assert "Connected" in listed, listed


@of("yaml")
async def test_hermes_agent_connects(place: Place, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", place.env()["PATH"])
    servers = yaml.safe_load(place.filled(recipe.text).replace("${HERMES_TOKEN}", place.token))["mcp_servers"]
    said = await drive(tmp_path / "agent", servers, ("mcp__tools__read_file", {"path": "notes.txt"}))
    assert "second line" in said["results"][0]


async def test_curl_calls(place: Place) -> None:
    [recipe] = [recipe for recipe in RECIPES if recipe.section == "curl"]
    said = json.loads(await place.run(["sh", "-euc", place.filled(recipe.text).replace("curl ", "curl -s ", 1)]))
    assert "second line" in said["messages"][0]["content"]


@of("js")
async def test_the_typescript_sdk_connects(place: Place, recipe: Recipe) -> None:
    (place.project / "node_modules").symlink_to(NODE_MODULES)
    script = place.project / "recipe.mjs"
    script.write_text(place.filled(recipe.text), encoding="utf-8")
    assert "second line" in await place.run(["node", str(script)])


class Model(BaseHTTPRequestHandler):
    """A model that calls one tool, and then says what it read."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = request["messages"][-1]
        if last["role"] == "tool":
            message = {"role": "assistant", "content": f"I read: {last['content']}"}
        else:
            assert any(tool["function"]["name"] == "read_file" for tool in request["tools"])
            function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
            call = {"id": "call_1", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@of("python")
async def test_python_runs(place: Place, recipe: Recipe) -> None:
    script = place.project / "recipe.py"
    script.write_text(place.filled(recipe.text), encoding="utf-8")
    with HTTPServer(("127.0.0.1", 0), Model) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{model.server_address[1]}/v1"
        said = await place.run([sys.executable, str(script)], OPENAI_BASE_URL=base, OPENAI_API_KEY="none")
        model.shutdown()
    assert "second line" in said
