"""Ways to talk to the host over stdio: through the official SDK in both eras, and by hand for what an SDK hides."""

import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

LEGACY = "2025-11-25"
MODERN = "2026-07-28"

# Compiling a Python component takes the longest; with a debug build on a loaded machine, about a minute.
PATIENCE = 180.0

# All that the host tells a client of its own accord.
NOTIFICATIONS = {"notifications/message", "notifications/progress", "notifications/tools/list_changed"}


@dataclass(frozen=True)
class Host:
    command: str
    plugins: str
    home: str
    workspace: Path

    def args(self) -> list[str]:
        return ["run", "--stdio", "--workspace", str(self.workspace), "--plugins", self.plugins]

    def env(self) -> dict[str, str]:
        return {"HERMES_HOME": self.home}

    @asynccontextmanager
    async def session(self, revision: str) -> AsyncIterator[ClientSession]:
        """An SDK session of the given revision. What is on stdout and no message of the protocol fails the test."""
        strays: list[Exception] = []

        async def on_message(message: object) -> None:
            if isinstance(message, Exception):
                strays.append(message)

        server = StdioServerParameters(command=self.command, args=self.args(), env=self.env())
        transport = stdio_client(server, errlog=sys.stderr)
        if revision == MODERN:
            async with Client(transport, message_handler=on_message, read_timeout_seconds=PATIENCE) as client:
                yield client.session
        else:
            async with (
                transport as (read, write),
                ClientSession(read, write, PATIENCE, message_handler=on_message) as session,
            ):
                await session.initialize()
                yield session
        assert strays == []

    @asynccontextmanager
    async def wire(self) -> AsyncIterator["Wire"]:
        """A legacy session by hand: every line that the host writes is seen as it is."""
        env = {"PATH": os.environ["PATH"], **self.env()}
        process = await anyio.open_process([self.command, *self.args()], stderr=sys.stderr, env=env)
        try:
            wire = Wire(process)
            await wire.initialize()
            yield wire
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()


class Wire:
    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._stdin = process.stdin
        self._stdout = BufferedByteReceiveStream(process.stdout)

    async def initialize(self) -> None:
        client = {"name": "wire", "version": "1"}
        await self.send(
            "initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}, request_id="initialize"
        )
        answer = await self.answer("initialize")
        assert answer["result"]["protocolVersion"] == LEGACY
        await self.send("notifications/initialized", {})

    async def send(self, method: str, params: dict[str, Any], request_id: int | str | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request_id is not None:
            message["id"] = request_id
        await self._stdin.send(json.dumps(message).encode() + b"\n")

    async def call(self, request_id: int | str, tool: str, arguments: dict[str, Any]) -> None:
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": request_id}}
        await self.send("tools/call", params, request_id)

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
            assert message.get("method") in NOTIFICATIONS or "result" in message or "error" in message, line
            yield message

    async def until(self, method: str) -> dict[str, Any]:
        """The next notification of the method; no answer may come before it."""
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
                if "method" not in message:
                    assert message["id"] == request_id, message
                    return message
        raise AssertionError(f"stdout ended without an answer to {request_id}")
