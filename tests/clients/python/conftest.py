"""What every test gets: a workspace, and the command that starts the host."""

import os
from pathlib import Path

import pytest

from host import Host


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["stdio", "http"])
def host(tmp_path: Path, request: pytest.FixtureRequest) -> Host:
    """The host under test over each transport, with a workspace of its own that holds `notes.txt`."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "notes.txt").write_text("first line\nsecond line\n", encoding="utf-8")
    return Host(
        command=os.environ["HERMES_HOST"],
        plugins=os.environ["HERMES_TEST_PLUGINS"],
        home=os.environ["HERMES_HOME"],
        workspace=workspace,
        transport=request.param,
    )
