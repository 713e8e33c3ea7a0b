"""Tools that ask, through the official Python SDK, in both eras: the same answers, whatever is on the wire."""

from typing import Any

import pytest
from host import LEGACY, MODERN, Host
from mcp.types import (
    CreateMessageResult,
    ElicitRequestURLParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)
from test_sdk import failure, text

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", [LEGACY, MODERN])]

ADA = {"name": "Ada", "colour": "green", "age": 36, "sure": True}


class User:
    """Answers forms with the `contents`, one after another; `None` is turned down."""

    def __init__(self, *contents: dict[str, Any] | None) -> None:
        self.contents = list(contents)
        self.asked: list[Any] = []

    async def __call__(self, context: object, params: Any) -> ElicitResult:
        self.asked.append(params)
        content = self.contents.pop(0)
        return ElicitResult(action="decline") if content is None else ElicitResult(action="accept", content=content)


async def test_forms_are_filled_in(host: Host, revision: str) -> None:
    user = User(ADA, {"note": "no"})
    async with host.client(revision, elicitation_callback=user) as client:
        result = await client.call_tool("ask_name", {})
    assert result.structured_content == {"person": {"accepted": ADA}, "note": {"accepted": {"note": "no"}}}, text(result)
    assert [params.message for params in user.asked] == ["Who are you?", "Ada, anything else?"]
    properties = user.asked[0].requested_schema["properties"]
    assert properties["colour"]["enum"] == ["red", "green", "blue"]
    assert properties["age"]["maximum"] == 150
    assert properties["more"]["items"]["enum"] == ["red", "green", "blue"]


async def test_an_answer_that_does_not_fit_is_asked_for_once_more(host: Host, revision: str) -> None:
    user = User({**ADA, "age": 200}, {**ADA, "age": 36}, {"note": "no"})
    async with host.client(revision, elicitation_callback=user) as client:
        result = await client.call_tool("ask_name", {})
    assert result.structured_content is not None, text(result)
    assert result.structured_content["person"] == {"accepted": ADA}
    user = User({}, {})
    async with host.client(revision, elicitation_callback=user) as client:
        result = await client.call_tool("ask_name", {})
    assert result.structured_content == {"person": "cancelled"}


@pytest.mark.parametrize(("action", "told"), [("decline", "declined"), ("cancel", "cancelled")])
async def test_a_user_may_say_no(host: Host, revision: str, action: Any, told: str) -> None:
    async def turn_down(context: object, params: object) -> ElicitResult:
        return ElicitResult(action=action)

    async with host.client(revision, elicitation_callback=turn_down) as client:
        result = await client.call_tool("ask_both", {})
    assert result.structured_content == {"note": told, "page": told}


@pytest.mark.parametrize(
    ("tool", "asked"),
    [("ask_name", "person"), ("ask_url", "page"), ("ask_sampling", "sampling"), ("ask_approval", "approval")],
)
async def test_a_client_that_can_be_asked_nothing_is_nobody(host: Host, revision: str, tool: str, asked: str) -> None:
    async with host.client(revision) as client:
        result = await client.call_tool(tool, {})
    assert result.structured_content == {asked: "nobody"}, text(result)


async def test_pages_are_opened(host: Host, revision: str) -> None:
    user = User({})
    async with host.client(revision, elicitation_callback=user) as client:
        result = await client.call_tool("ask_url", {})
    [params] = user.asked
    assert isinstance(params, ElicitRequestURLParams)
    assert (params.message, params.url) == ("Log in", "https://example.com/login")
    assert result.structured_content == {"page": {"accepted": {}}}


async def test_the_clients_model_answers(host: Host, revision: str) -> None:
    async def answer(context: object, params: Any) -> CreateMessageResult:
        assert params.messages[0].content.text == "Say hello."
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text="hello"), model="tests")

    async with host.client(revision, sampling_callback=answer) as client:
        result = await client.call_tool("ask_sampling", {})
    assert result.structured_content is not None, text(result)
    assert result.structured_content["sampling"]["accepted"]["content"] == {"type": "text", "text": "hello"}


async def test_the_client_tells_its_roots(host: Host, revision: str) -> None:
    async def tell(context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///project")])

    async with host.client(revision, list_roots_callback=tell) as client:
        result = await client.call_tool("probe", {"behaviour": "roots"})
    assert "file:///project" in text(result)


async def test_no_made_up_approval_is_asked_for(host: Host, revision: str) -> None:
    user = User()
    async with host.client(revision, elicitation_callback=user) as client:
        result = await client.call_tool("ask_approval", {})
    assert result.structured_content == {"approval": "nobody"}


async def test_a_question_against_the_protocol_reaches_nobody(host: Host, revision: str) -> None:
    async def answer(context: object, params: Any) -> CreateMessageResult:
        pytest.fail("it was asked")

    async with host.client(revision, sampling_callback=answer) as client:
        result = await client.call_tool("probe", {"behaviour": "sample"})
    assert text(result) == "nobody"


async def test_a_tool_does_not_ask_for_ever(host: Host, revision: str) -> None:
    user = User(*[{"note": "again"}] * 20)
    async with host.client(revision, elicitation_callback=user) as client:
        told = failure(await client.call_tool("ask_for_ever", {}))
    assert told["kind"] == "bad_result"
    assert len(user.asked) == 10
