"""Makes inputs, asks the original and this host, compares. See `run`."""

import argparse
import json
import logging
import math
import random
import subprocess
import sys
import tomllib
from pathlib import Path

logging.disable(logging.CRITICAL)

import model_tools  # noqa: E402
import toolset_distributions  # noqa: E402
import toolsets  # noqa: E402
from tools.registry import registry  # noqa: E402

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGE = Path(model_tools.__file__).parent


# --- Inputs --------------------------------------------------------------------------------------------------------

TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"]
OFTEN = TYPES + ["integer", "number", "boolean", "array", "object"] * 2
SPACES = ["", "", " ", "\t", "\n", "\u00a0", "\u2003", "\x1c", "\u3000", "\x0b"]
WORDS = ["true", "True", "FALSE", "null", "NULL", "Null", "None", "yes", "no", "1", "0", "on", "nan", "NaN", "inf",
         "-inf", "Infinity", "+infinity", "", "abc", "a b", "0x10", "0b1", "1_000", "1__0", "_1", "1_", "1_.0",
         "1._0", "1e5", "1e1_0", "1E+5", "1e-3", "1e", "e5", ".5", "5.", ".", "-", "+", "+7", "--7", "-0", "0.0",
         "-0.0", "00012", "1e400", "-1e400", "1e-400", "1e300", "9007199254740993", "12345678901234567890",
         "18446744073709551615", "18446744073709551616", "9223372036854775807", "-9223372036854775808",
         "-9223372036854775809", "123456789012345678901234567890", "42.5", "42.0", "3.14", "0.1", "\u0669",
         "\uff19", "\u0661\u0662.\u0665", "\U0001d7d8\U0001d7ef", "\u00bd", "\u00b2", "１２３", "1\u00a0000",
         "1,000", "ｔｒｕｅ", "trUE\u2003", "\u0131nf", "tru\u0435", "1\x00", "\x00", "🌤", "\ufeff1", "−5", "1e２"]
JSON_TEXTS = ["[]", "{}", "[1]", "[\"a\",\"b\"]", "{\"x\":1}", "{\"x\":\"[1]\"}", "[bad", "{bad", "[1,]", "{'x':1}",
              "[1] ", " [1]", "\u00a0[1]", "\ufeff[1]", "[1]x", "null", "\"[1]\"", "[null]", "[\"null\"]",
              "{\"x\":\"{\\\"y\\\":\\\"2\\\"}\"}", "[\"{\\\"x\\\":\\\"[]\\\"}\"]", "[NaN]", "{\"x\":Infinity}",
              "[-Infinity]", "[1e400]", "[-0]", "[-0]", "{\"x\":-0}", "[-0.0]", "[1.0]", "[1E5]", "[123456789012345678901234567890]",
              "[18446744073709551616]", "[\"\\ud800\"]", "[\"\\ud83d\\ude00\"]", "{\"x\":1,\"x\":2}", "[\"\t\"]",
              "[\"\\u0000\"]", "[01]", "[1.]", "[.5]", "[+1]", "[true,false,null]", "/*c*/[1]", "[1]//", "{\"\":[]}"]


def text(r):
    kind = r.random()
    if kind < 0.4:
        return r.choice(SPACES) + r.choice(WORDS) + r.choice(SPACES)
    if kind < 0.65:
        return r.choice(SPACES) + r.choice(JSON_TEXTS) + r.choice(SPACES)
    if kind < 0.8:
        return json.dumps(value(r, 2), ensure_ascii=r.random() < 0.5)
    if kind < 0.9:
        digits = "".join(r.choice("0123456789") for _ in range(r.randint(1, 24)))
        return r.choice(["", "-", "+"]) + digits + r.choice(["", ".0", ".5", "e2", "e-2", "_000"])
    if kind < 0.905:
        return nested(r)
    return "".join(r.choice("0123456789.eE+-_ []{}\",:truefalsn\\\u0660\uff11x") for _ in range(r.randint(0, 12)))


def value(r, depth=3):
    kind = r.randrange(10 if depth else 7)
    if kind < 4:
        return text(r) if depth else r.choice(WORDS)
    if kind == 4:
        return r.choice([0, 1, -1, 42, 7.0, 0.5, -2.5, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1, 1e300])
    if kind == 5:
        return r.choice([True, False])
    if kind == 6:
        return None
    if kind < 9:
        return [value(r, depth - 1) for _ in range(r.randint(0, 3))]
    return {r.choice("xyz"): value(r, depth - 1) for _ in range(r.randint(0, 3))}


def schema(r, depth=3):
    if r.random() < 0.01:
        return {}
    made = {}
    if r.random() < 0.85:
        made["type"] = r.choice(OFTEN) if r.random() < 0.75 else r.sample(TYPES, r.randint(1, 3))
    if r.random() < 0.1:
        made["nullable"] = r.choice([True, True, False])
    if r.random() < 0.1:
        made["enum"] = [value(r, 0) for _ in range(r.randint(1, 3))]
    if depth and r.random() < 0.2:
        union = [schema(r, depth - 1) for _ in range(r.randint(1, 3))]
        made[r.choice(["anyOf", "oneOf", "allOf"])] = union + ([{"type": "null"}] if r.random() < 0.4 else [])
    if depth and r.random() < 0.6:
        made["items"] = schema(r, depth - 1)
    if depth and r.random() < 0.6:
        made["properties"] = {name: schema(r, depth - 1) for name in r.sample("xyz", r.randint(1, 3))}
    return made


def coercion(r):
    names = r.sample("abcdef", r.choice([0, 1, 2, 3, 4, 5, 6]))
    properties = {name: (True if r.random() < 0.004 else schema(r)) for name in names}
    made = {"type": "object", "properties": properties}
    if r.random() < 0.02:
        del made["properties"]
    given = [name for name in names if r.random() < 0.9] + r.sample("xyz", r.choice([0, 0, 0, 1]))
    r.shuffle(given)
    return {"area": "coercion", "schema": made, "args": {name: argument(r, properties.get(name)) for name in given}}


def argument(r, declared):
    """A value; more often than by chance one that the declared type says something about."""
    kind = declared.get("type") if isinstance(declared, dict) else None
    kind = r.choice(kind) if isinstance(kind, list) else kind
    if r.random() < 0.4:
        return value(r)
    if kind in ("array", "object"):
        return nested(r) if r.random() < 0.03 else r.choice(SPACES) + r.choice(JSON_TEXTS) + r.choice(SPACES)
    if kind == "boolean" and r.random() < 0.5:
        return r.choice(SPACES) + "".join(r.choice([c, c.upper()]) for c in r.choice(["true", "false"])) + r.choice(SPACES)
    return r.choice(SPACES) + r.choice(WORDS) + r.choice(SPACES)


def nested(r):
    depth = r.choice([100, 126, 127, 128, 200, 400, 900, 5000])
    return "[" * depth + "]" * depth


def toolset_graph(r):
    names = [f"s{n}" for n in range(r.randint(1, 8))]
    only_registered = [f"r{n}" for n in range(r.randint(0, 2))]
    tools = [f"t{n}" for n in range(12)]
    others = names + only_registered + (["all", "*"] if r.random() < 0.3 else [])
    if r.random() < 0.05:
        others = others + ["nowhere"]
    graph = {
        name: {"tools": r.sample(tools, r.randint(0, 4)),
               "includes": [r.choice(others) for _ in range(r.choice([0, 0, 1, 1, 2, 3]))]}
        for name in names
    }
    # A tool is registered in one toolset.
    free = [f"m{n}" for n in range(6)]
    r.shuffle(free)
    registered = {name: [free.pop() for _ in range(r.randint(1, 2))] for name in only_registered}
    if free and r.random() < 0.5:
        registered[r.choice(names)] = [free.pop()]
    name = r.choice(names + only_registered + ["all", "*"] + (["nowhere"] if r.random() < 0.1 else []))
    return {"area": "toolsets", "toolsets": graph, "registered": registered, "name": name}


SHIPPED = {name: list(made["toolsets"].items()) for name, made in toolset_distributions.DISTRIBUTIONS.items()}


def distribution(r):
    if r.random() < 0.5:
        entries = r.choice(list(SHIPPED.values()))
    else:
        names = r.sample([f"s{n}" for n in range(8)], r.randint(1, 6))
        entries = [(name, r.choice([0, 1, 10, 50, 50, 97, 100, 12.5, r.uniform(0, 100)])) for name in names]
    exist = [name for name, _ in entries if r.random() < 0.95]
    draws = [r.choice([r.random(), 0.0, 0.5, 0.97, entries[0][1] / 100, 1 - 2**-53]) for _ in entries]
    draws = [min(draw, 1 - 2**-53) for draw in draws]
    return {"area": "distributions", "toolsets": [[n, p] for n, p in entries], "exist": exist, "draws": draws}


# --- The original ---------------------------------------------------------------------------------------------------

def original(case):
    try:
        return {"value": ORIGINAL[case["area"]](case)}
    except (RecursionError, AttributeError) as error:
        return {"raises": type(error).__name__}


def original_coercion(case):
    registry.get_schema = lambda name: {"name": name, "parameters": case["schema"]}
    return model_tools.coerce_tool_args("tool", json.loads(json.dumps(case["args"])))


def original_toolsets(case):
    toolsets.TOOLSETS.clear()
    for name, made in case["toolsets"].items():
        toolsets.create_custom_toolset(name, "", list(made["tools"]), list(made["includes"]))
    registry._tools.clear()
    for toolset, tools in case["registered"].items():
        for tool in tools:
            registry.register(tool, toolset, {"name": tool, "parameters": {}}, lambda args, **_: "")
    return sorted(toolsets.resolve_toolset(case["name"]))


def original_distributions(case):
    toolset_distributions.DISTRIBUTIONS = {"d": {"description": "", "toolsets": dict(case["toolsets"])}}
    toolset_distributions.validate_toolset = lambda name: name in case["exist"]
    toolset_distributions.print = lambda *_: None
    draws = iter(case["draws"])
    toolset_distributions.random = type("Uniform", (), {"random": staticmethod(lambda: next(draws))})
    return toolset_distributions.sample_toolsets_from_distribution("d")


ORIGINAL = {"coercion": original_coercion, "toolsets": original_toolsets, "distributions": original_distributions}


# --- Comparison -----------------------------------------------------------------------------------------------------

def differences(theirs, ours):
    """The pairs of parts that differ, as deep down as the shapes are the same. 1, 1.0 and True are three values."""
    if type(theirs) is not type(ours):
        return [(theirs, ours)]
    if isinstance(theirs, dict) and theirs.keys() == ours.keys():
        return [pair for key in theirs for pair in differences(theirs[key], ours[key])]
    if isinstance(theirs, list) and len(theirs) == len(ours):
        return [pair for a, b in zip(theirs, ours) for pair in differences(a, b)]
    return [] if theirs == ours else [(theirs, ours)]


def parts(value):
    """`value` and all within it, each with its depth."""
    todo = [(value, 1)]
    while todo:
        part, depth = todo.pop()
        yield part, depth
        within = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        todo.extend((inner, depth + 1) for inner in within)


def is_text(ours):
    return isinstance(ours, str) or (isinstance(ours, list) and len(ours) == 1 and isinstance(ours[0], str))


# Predicates of deliberate.toml: the case, and a pair of parts that differ.

def integer_beyond_64_bits(case, theirs, ours):
    return (type(theirs) is int and not -(2**63) <= theirs < 2**64 and type(ours) is float and ours == float(theirs))


def minus_zero(case, theirs, ours):
    return type(theirs) is int and theirs == 0 and type(ours) is float and ours == 0


def no_json(part):
    if isinstance(part, float):
        return not math.isfinite(part)
    if isinstance(part, dict):
        return any(no_json(key) for key in part)
    return isinstance(part, str) and any("\ud800" <= c <= "\udfff" for c in part)


def not_json(case, theirs, ours):
    return is_text(ours) and any(no_json(part) for part, _ in parts(theirs))


def deep_json(case, theirs, ours):
    if theirs == {"raises": "RecursionError"}:
        return any(isinstance(part, str) and part.count("[") > 127 for part, _ in parts(case["args"]))
    # Where both made a list of the text, theirs has one level less than the text.
    return is_text(ours) and any(depth > 126 for _, depth in parts(theirs))


def boolean_schema(case, theirs, ours):
    return (theirs == {"raises": "AttributeError"} and True in case["schema"]["properties"].values()
            and isinstance(ours.get("value"), dict))


def unknown_toolset(case, theirs, ours):
    known = {*case["toolsets"], *case["registered"], "all", "*"}
    named = {case["name"], *(name for made in case["toolsets"].values() for name in made["includes"])}
    return named - known and "nowhere" in ours.get("error", "")


def likeliest_missing(case, theirs, ours):
    likeliest = max(case["toolsets"], key=lambda entry: entry[1])[0]
    return theirs == [] and len(ours) == 1 and likeliest not in case["exist"]


def ask_ours(binary, cases):
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([binary], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases), "an answer is missing"
    return answers


def documented(row):
    """What is wrong with a row about texts."""
    for side, folder in (("original", PACKAGE), ("ours", ROOT)):
        if f"{side}_file" not in row:
            continue
        source = (folder / row[f"{side}_file"]).read_text()
        at = 0
        for wanted in row.get(f"{side}_has", []):
            found = source.find(wanted, at)
            if found < 0:
                yield f"{row[f'{side}_file']} lacks {wanted!r}, or has it earlier"
                return
            at = found + len(wanted)
        for unwanted in row.get(f"{side}_lacks", []):
            if unwanted in source:
                yield f"{row[f'{side}_file']} has {unwanted!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--cases", type=int, default=12_000, help="inputs for each area")
    options = parser.parse_args()
    seed = options.seed
    print(f"seed {seed}", flush=True)

    rows = tomllib.loads((HERE / "deliberate.toml").read_text())["row"]
    hits = {id(row): 0 for row in rows}
    failures = []
    for area, make in (("coercion", coercion), ("toolsets", toolset_graph), ("distributions", distribution)):
        r = random.Random(f"{seed} {area}")
        cases = [make(r) for _ in range(options.cases)]
        own = [row for row in rows if row["area"] == area and "predicate" in row]
        differing = changed = 0
        for case, ours in zip(cases, ask_ours(options.binary, cases)):
            theirs = original(case)
            changed += bool(differences(theirs.get("value"), case.get("args")))
            both = "value" in theirs and "value" in ours
            pairs = differences(theirs["value"], ours["value"]) if both else [(theirs, ours)]
            differing += bool(pairs)
            for pair in pairs:
                row = next((row for row in own if globals()[row["predicate"]](case, *pair)), None)
                if row is None:
                    failures.append(f"{area}: {json.dumps(case)[:2000]}\n  original {str(pair[0])[:500]}\n  ours     {str(pair[1])[:500]}")
                else:
                    hits[id(row)] += 1
        print(f"{area}: {len(cases)} inputs, {differing} differ", flush=True)
        if area == "coercion":
            print(f"  the original changed {changed}")
            if changed < len(cases) / 3:
                failures.append("the inputs give the original too little to coerce")

    for row in rows:
        if row.get("documented"):
            failures += [f"row {row['what']!r}: {wrong}" for wrong in documented(row)]
        elif not hits[id(row)]:
            failures.append(f"row {row['what']!r}: no input hit it")
        print(f"  {row['area']}: {row['what']}: {'documented' if row.get('documented') else hits[id(row)]}")
    for failure in failures[:20]:
        print(f"FAILED {failure}", file=sys.stderr)
    if failures:
        print(f"{len(failures)} failures with seed {seed}", file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
