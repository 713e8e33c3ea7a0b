"""Ways to talk to the host: through the official SDK in both eras, over stdio and HTTP, and by hand for what an SDK hides."""

import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import httpx2 as httpx
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

LEGACY = "2025-11-25"
MODERN = "2026-07-28"

# Compiling a Python component takes the longest; with a debug build on a loaded machine, about a minute.
PATIENCE = 180.0

# All that the host tells a client of its own accord.
NOTIFICATIONS = {
    "notifications/cancelled", "notifications/message", "notifications/progress", "notifications/tools/list_changed",
}  # fmt: skip

# All that it asks a client, of revisions that have requests for it.
REQUESTS = {"elicitation/create", "roots/list", "sampling/createMessage"}

CLIENT = {"name": "client-tests", "version": "1"}


@dataclass(frozen=True)
class Host:
    command: str
    plugins: str
    home: str
    workspace: Path
    transport: str = "stdio"
    more: tuple[str, ...] = ()

    def args(self) -> list[str]:
        transport = ["--stdio"] if self.transport == "stdio" else ["--http", "127.0.0.1:0", "--json"]
        return ["run", *transport, "--workspace", str(self.workspace), "--plugins", self.plugins, *self.more]

    def env(self) -> dict[str, str]:
        return {"HERMES_HOME": self.home}

    @asynccontextmanager
    async def served(self) -> AsyncIterator["Served"]:
        """The host over HTTP, until it was told to end and has ended well."""
        env = {"PATH": os.environ["PATH"], **self.env()}
        host = replace(self, transport="http")
        process = await anyio.open_process([self.command, *host.args()], stderr=sys.stderr, env=env)
        try:
            assert process.stdout is not None
            line = await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1 << 16)
            said = json.loads(line)
            yield Served(said["mcp"], Path(said["token_file"]).read_text(encoding="utf-8").strip())
            process.terminate()
            with anyio.fail_after(PATIENCE):
                assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Any]:
        """What an SDK client connects to."""
        if self.transport == "stdio":
            server = StdioServerParameters(command=self.command, args=self.args(), env=self.env())
            yield stdio_client(server, errlog=sys.stderr)
            return
        async with self.served() as served, served.http() as http:
            yield streamable_http_client(served.mcp, http_client=http)

    @asynccontextmanager
    async def client(self, revision: str, **answers: Any) -> AsyncIterator[Client]:
        """An SDK client of the given revision; `answers` are its callbacks for what the host asks, and declare that it can
        be asked. What is on stdout and no message of the protocol fails the test."""
        strays: list[Exception] = []

        async def on_message(message: object) -> None:
            if isinstance(message, Exception):
                strays.append(message)

        async with (
            self._server() as server,
            Client(
                server,
                mode="auto" if revision == MODERN else "legacy",
                message_handler=on_message,
                read_timeout_seconds=PATIENCE,
                **answers,
            ) as client,
        ):
            yield client
        assert strays == []

    @asynccontextmanager
    async def session(self, revision: str) -> AsyncIterator[ClientSession]:
        """What is below a client that can be asked nothing."""
        async with self.client(revision) as client:
            yield client.session

    @asynccontextmanager
    async def wire(
        self, revision: str = LEGACY, capabilities: dict[str, Any] | None = None
    ) -> AsyncIterator["Wire"]:
        """A client by hand: every line that the host writes is seen as it is."""
        env = {"PATH": os.environ["PATH"], **self.env()}
        process = await anyio.open_process([self.command, *self.args()], stderr=sys.stderr, env=env)
        try:
            wire = Wire(process, revision, capabilities or {})
            if revision == LEGACY:
                await wire.initialize()
            yield wire
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()


@dataclass(frozen=True)
class Served:
    """A host over HTTP."""

    mcp: str
    token: str

    @property
    def origin(self) -> str:
        return self.mcp.removesuffix("/mcp")

    def http(self) -> httpx.AsyncClient:
        """A client that shows the token, for paths of the host."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.AsyncClient(base_url=self.origin, headers=headers, timeout=PATIENCE)


class Wire:
    def __init__(self, process: Process, revision: str, capabilities: dict[str, Any]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._capabilities = capabilities
        self._meta: dict[str, Any] = {}
        if revision == MODERN:
            self._meta = {
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": capabilities,
                "io.modelcontextprotocol/clientInfo": CLIENT,
            }
        self._stdin = process.stdin
        self._stdout = BufferedByteReceiveStream(process.stdout)

    async def initialize(self) -> None:
        params = {"protocolVersion": LEGACY, "capabilities": self._capabilities, "clientInfo": CLIENT}
        await self.send("initialize", params, request_id="initialize")
        answer = await self.answer("initialize")
        assert answer["result"]["protocolVersion"] == LEGACY
        await self.send("notifications/initialized", {})

    async def send(self, method: str, params: dict[str, Any], request_id: int | str | None = None) -> None:
        message: dict[str, Any] = {"method": method, "params": params}
        if request_id is not None:
            message["id"] = request_id
        if self._meta:
            message["params"] = {**params, "_meta": {**params.get("_meta", {}), **self._meta}}
        await self._write(message)

    async def reply(self, request: dict[str, Any], **answer: Any) -> None:
        """Answers what the host asked, with a `result` or an `error`."""
        await self._write({"id": request["id"], **answer})

    async def _write(self, message: dict[str, Any]) -> None:
        await self._stdin.send(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def call(self, request_id: int | str, tool: str, arguments: dict[str, Any], **more: Any) -> None:
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": request_id}, **more}
        await self.send("tools/call", params, request_id)

    async def called(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """The answer to a call."""
        await self.call("call", tool, arguments or {}, **more)
        return await self.answer("call")

    async def close_stdin(self) -> None:
        await self._stdin.aclose()

    async def messages(self) -> AsyncGenerator[dict[str, Any], None]:
        """What the host writes, until it closes stdout. A line that is not JSON-RPC fails the test."""
        while True:
            try:
                line = await self._stdout.receive_until(b"\n", 1 << 24)
            except (anyio.EndOfStream, anyio.IncompleteRead):
                assert self._stdout.buffer == b"", "the last line is cut off"
                return
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0", line
            known = REQUESTS if "id" in message else NOTIFICATIONS
            assert message.get("method") in known or "result" in message or "error" in message, line
            yield message

    async def until(self, method: str) -> dict[str, Any]:
        """The next notification or request of the method; no answer may come before it."""
        async with aclosing(self.messages()) as messages:
            async for message in messages:
                assert "method" in message, message
                if message["method"] == method:
                    return message
        raise AssertionError(f"stdout ended without {method}")

    async def answer(self, request_id: int | str) -> dict[str, Any]:
        """The next answer, which must be this request's."""
        async with aclosing(self.messages()) as messages:
            async for message in messages:
                if "id" in message:
                    assert "method" not in message, message
                    assert message["id"] == request_id, message
                    return message
        raise AssertionError(f"stdout ended without an answer to {request_id}")
