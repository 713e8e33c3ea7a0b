"""What is on the wire, line by line, and how the host's process ends."""

import anyio
import pytest
from host import Host

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("host", ["stdio"], indirect=True)]

# Within this time of closing stdin, clients expect the process to be gone, and kill it otherwise.
GRACE = 2.0


async def test_what_a_guest_prints_stays_off_the_wire(host: Host) -> None:
    async with host.wire() as wire:
        await wire.call(1, "probe", {"behaviour": "noise"})
        answer = await wire.answer(1)
        assert answer["result"]["content"] == [{"type": "text", "text": "quiet"}]
        await wire.send("ping", {}, 2)
        answer = await wire.answer(2)
        assert answer["result"] == {}
        await wire.close_stdin()
        assert [message async for message in wire.messages()] == []


async def test_a_cancelled_call_is_never_answered(host: Host) -> None:
    async with host.wire() as wire:
        await wire.call("spin", "probe", {"behaviour": "spin"})
        await wire.until("notifications/progress")
        await wire.send("notifications/cancelled", {"requestId": "spin"})
        await wire.call("next", "probe", {"behaviour": "fail"})
        answer = await wire.answer("next")
        assert answer["result"]["isError"] is True
        await wire.close_stdin()
        assert [message async for message in wire.messages() if "id" in message] == []


async def test_garbage_does_not_end_the_session(host: Host) -> None:
    async with host.wire() as wire:
        assert wire.process.stdin is not None
        await wire.process.stdin.send(b"not JSON\n{\n[]\n\xff\xfe\n")
        await wire.send("ping", {}, "still there")
        async for message in wire.messages():
            if message.get("id") == "still there":
                break
        else:
            pytest.fail("the host went away")


@pytest.mark.parametrize("running", [False, True], ids=["idle", "while a call runs"])
async def test_ends_with_stdin(host: Host, running: bool) -> None:
    async with host.wire() as wire:
        if running:
            await wire.call("spin", "probe", {"behaviour": "spin"})
            await wire.until("notifications/progress")
        await wire.close_stdin()
        with anyio.fail_after(GRACE):
            async for message in wire.messages():
                assert "result" not in message, "nothing ended well"
            assert await wire.process.wait() == 0
