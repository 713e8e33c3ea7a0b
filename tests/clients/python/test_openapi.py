"""The API's own description, exercised by schemathesis: what it says is true of what the host does."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from host import Host

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("host", ["http"], indirect=True)]


async def test_the_host_does_what_its_description_says(host: Host, tmp_path: Path) -> None:
    # It approves what waits there.
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with replace(host, home=str(home)).served() as served:
        command = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{served.origin}/openapi.json",
            "--header", f"Authorization: Bearer {served.token}",
            # It goes on until somebody leaves.
            "--exclude-path", "/v1/events",
            "--seed", "1", "--max-examples", "50", "--no-color",
        ]  # fmt: skip
        ran = await anyio.run_process(command, check=False, stderr=subprocess.STDOUT, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout.decode()
