"""The tool `word_count`: one class that exports the interface `hermes:tool/tool`."""

import json
from pathlib import Path

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types

# The module is imported while it is built, so the component holds the manifest and reads no file when it runs.
MANIFEST = json.loads(Path(__file__).with_name("manifest.json").read_text(encoding="utf-8"))


class Tool(exports.Tool):
    def schema(self, tool: str) -> str:
        if tool != MANIFEST["name"]:
            return ""
        return json.dumps(
            {
                "name": MANIFEST["name"],
                "description": MANIFEST["description"],
                "parameters": MANIFEST["schema"],
            }
        )

    def check(self, tool: str) -> None:
        if tool != MANIFEST["name"]:
            raise Err(f"Unknown tool: {tool}")

    def handle(self, call: types.Call, args: str) -> types.Outcome:
        if call.tool != MANIFEST["name"]:
            raise Err(types.Failure_Failed(f"Unknown tool: {call.tool}"))
        counts = count(text_of(args))
        summary = "{words} words, {characters} characters, {lines} lines".format(**counts)
        output = types.Output(content=[types.Content_Text(summary)], structured=json.dumps(counts))
        return types.Outcome_Done(output)


def count(text: str) -> dict[str, int]:
    return {"words": len(text.split()), "characters": len(text), "lines": len(text.splitlines())}


def text_of(args: str) -> str:
    """The argument `text`; what is wrong with the arguments is told to the model, so that it can repair its call."""
    try:
        parsed = json.loads(args)
    except ValueError as error:
        raise invalid("", f"expected JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise invalid("", "expected an object")
    text = parsed.get("text")
    if not isinstance(text, str):
        raise invalid("/text", "expected a string")
    return text


def invalid(path: str, message: str) -> Err:
    return Err(types.Failure_Invalid([types.Issue(path=path, message=message)]))
