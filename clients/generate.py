#!/usr/bin/env python3
"""Writes the typed inputs and results of both clients.

    generate.py openapi.json             from an OpenAPI document with bridges
    generate.py --fetch http://HOST      from a running server, and keeps what it read
    generate.py --check                  whether what is checked in is what would be written

`clients/openapi.json` is what `--fetch` keeps: the bridges of a server's /openapi.json, and
under `x-agents` the schemas of its agents. A document without `x-agents` gets them from there.
"""

from __future__ import annotations

import json
import keyword
import pathlib
import sys
import textwrap
import urllib.request
from typing import Any

HERE = pathlib.Path(__file__).parent
KEPT = HERE / "openapi.json"
PYTHON = HERE / "python/src/tollbridge/_generated.py"
TYPESCRIPT = HERE / "typescript/src/generated.ts"
ROUTE = "/v1/oracle/"
NOTE = "Written by clients/generate.py; changes here are lost."


class Types:
    """Types read from JSON schemas, as tuples; objects are collected by name."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.objects: dict[str, list[tuple[str, Any, bool, str]]] = {}

    def of(self, schema: Any, name: str) -> tuple[Any, ...]:
        """The type of a schema; `name` is for the object in it."""
        if not isinstance(schema, dict):
            return ("any",)
        if "$ref" in schema:
            target = self.document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            return self.of(target, name)
        if "const" in schema:
            return ("literal", schema["const"])
        if "enum" in schema:
            return self.union([("literal", value) for value in schema["enum"]])
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if not kinds and "properties" in schema:
            kinds = ["object"]
        if not kinds:
            branches = schema.get("anyOf") or schema.get("oneOf")
            return self.union([self.of(one, name) for one in branches]) if branches else ("any",)
        return self.union([self.of_kind(kind, schema, name) for kind in kinds])

    def of_kind(self, kind: str, schema: dict[str, Any], name: str) -> tuple[Any, ...]:
        if kind == "array":
            return ("array", self.of(schema.get("items"), f"{name}Item"))
        if kind != "object":
            # Strings that are one of some: `{"type": "string", "oneOf": [{"const": …}]}`.
            choices = [one for one in schema.get("oneOf", []) if "const" in one]
            return self.union([("literal", one["const"]) for one in choices]) if choices else (kind,)
        members = schema.get("properties")
        if not members:
            inner = schema.get("additionalProperties")
            return ("map", self.of(inner, f"{name}Value") if isinstance(inner, dict) else ("any",))
        while name in self.objects:
            name += "_"
        self.objects[name] = []
        required = schema.get("required", [])
        self.objects[name] = [
            (member, self.of(inner, name + pascal(member)), member in required, said(inner))
            for member, inner in members.items()
        ]
        return ("object", name)

    @staticmethod
    def union(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        flat: list[tuple[Any, ...]] = []
        for part in parts:
            for one in part[1] if part[0] == "union" else [part]:
                one = ("null",) if one == ("literal", None) else one
                if one not in flat:
                    flat.append(one)
        if ("any",) in flat:
            return ("any",)
        return flat[0] if len(flat) == 1 else ("union", flat)


def said(schema: Any) -> str:
    return " ".join(str(schema.get("description", "")).split()) if isinstance(schema, dict) else ""


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in "".join(c if c.isalnum() else " " for c in name).split())


def python_type(kind: tuple[Any, ...]) -> str:
    if kind[0] == "union":
        literals = [json_literal(part[1]) for part in kind[1] if part[0] == "literal"]
        parts = [python_type(part) for part in kind[1] if part[0] not in ("literal", "null")]
        parts += [f"Literal[{', '.join(literals)}]"] if literals else []
        return " | ".join(parts + (["None"] if ("null",) in kind[1] else []))
    if kind[0] == "array":
        return f"list[{python_type(kind[1])}]"
    if kind[0] == "map":
        return f"dict[str, {python_type(kind[1])}]"
    if kind[0] == "literal":
        return f"Literal[{json_literal(kind[1])}]"
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any"}
    return kind[1] if kind[0] == "object" else names[kind[0]]


def json_literal(value: Any) -> str:
    return repr(value) if isinstance(value, (bool, int)) else json.dumps(value, ensure_ascii=False)


def python_class(name: str, members: list[tuple[str, Any, bool, str]]) -> str:
    fields = [(member, python_type(kind) if needed else f"NotRequired[{python_type(kind)}]", about)
              for member, kind, needed, about in members]
    if any(keyword.iskeyword(member) or not member.isidentifier() for member, _, _ in fields):
        lines = [f"    {json.dumps(member)}: {json.dumps(kind)}," for member, kind, _ in fields]
        return "\n".join([f"{name} = TypedDict({json.dumps(name)}, {{", *lines, "})"])
    lines = [f"class {name}(TypedDict):"]
    for member, kind, about in fields:
        lines += textwrap.wrap(about, 110, initial_indent="    # ", subsequent_indent="    # ")
        lines.append(f"    {member}: {kind}")
    return "\n".join(lines)


def typescript_type(kind: tuple[Any, ...]) -> str:
    if kind[0] == "union":
        return " | ".join(typescript_type(part) for part in kind[1])
    if kind[0] == "array":
        inner = typescript_type(kind[1])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind[0] == "map":
        return f"Record<string, {typescript_type(kind[1])}>"
    if kind[0] == "literal":
        return json.dumps(kind[1], ensure_ascii=False)
    return kind[1] if kind[0] == "object" else {"integer": "number", "any": "unknown"}.get(kind[0], kind[0])


def typescript_interface(name: str, members: list[tuple[str, Any, bool, str]]) -> str:
    lines = [f"export interface {name} {{"]
    for member, kind, needed, about in members:
        if about:
            lines.append(f"  /** {about.replace('*/', '*')} */")
        label = member if member.isidentifier() else json.dumps(member)
        lines.append(f"  {label}{'' if needed else '?'}: {typescript_type(kind)};")
    return "\n".join([*lines, "}"])


def read(document: dict[str, Any]) -> tuple[Types, list[Any], list[Any]]:
    """All types, and name and types of each bridge and agent."""
    types, bridges, agents = Types(document), [], []
    for path, item in sorted(document["paths"].items()):
        name = path.removeprefix(ROUTE)
        if name == path or "{" in name:
            continue
        given, answer = (part["content"]["application/json"]["schema"]
                         for part in (item["post"]["requestBody"], item["post"]["responses"]["200"]))
        result = answer.get("properties", {}).get("result", answer)
        bridges.append(([name], types.of(given, f"{pascal(name)}Input"), types.of(result, f"{pascal(name)}Result")))
    for slug, schemas in sorted(document["x-agents"].items()):
        names = [slug, *(skill for skill in schemas["skills"] if skill != slug and skill.replace(":", "-") == slug)]
        base = f"{pascal(slug)}Agent"
        agents.append((names, types.of(schemas["input"], f"{base}Input"), types.of(schemas["output"], f"{base}Output")))
    return types, bridges, agents


def python(types: Types, bridges: list[Any], agents: list[Any]) -> str:
    out = [f'"""Typed inputs and results. {NOTE}"""', "", "from __future__ import annotations", "",
           "from typing import TYPE_CHECKING, Any, Literal, Mapping, TypedDict, overload", "",
           "from ._call import Answer", "", "if TYPE_CHECKING:",
           "    from typing_extensions import NotRequired, Unpack", "", ""]
    # Those that are no classes are read when they are made: what they name is a string there.
    out.append("\n\n\n".join(python_class(*item) for item in types.objects.items()))
    for title, is_async in (("Calls", False), ("AsyncCalls", True)):
        start, wait = ("async def", "await ") if is_async else ("def", "")
        out += ["", "", f"class {title}:", '    """Calls with the types of the bridges and agents that are known here."""', ""]
        for names, given, result in bridges:
            literal = ", ".join(map(json_literal, names))
            out += ["    @overload", f"    {start} call(self, bridge: Literal[{literal}], /, **given: Unpack[{python_type(given)}]"
                    f") -> Answer[{python_type(result)}]: ..."]
        out += [f"    {start} call(self, bridge: str, /, **given: Any) -> Answer[Any]:",
                '        """Calls a bridge and pays for it; `call_any` takes those that are not known here."""',
                f"        return {wait}self.call_any(bridge, given)", ""]
        for names, given, result in agents:
            literal = ", ".join(map(json_literal, names))
            out += ["    @overload", f"    {start} agent(self, agent: Literal[{literal}], task: str | None = None, "
                    f"input: {python_type(given)} | None = None) -> Answer[{python_type(result)}]: ..."]
        out += [f"    {start} agent(self, agent: str, task: str | None = None, input: Any = None) -> Answer[Any]:",
                '        """Gives an agent a task in words, an input, or both, and pays for it."""',
                f"        return {wait}self.agent_any(agent, task, input)", "",
                f"    {start} call_any(self, bridge: str, given: Mapping[str, Any]) -> Answer[Any]:",
                '        """Calls a bridge that has no types here."""', "        raise NotImplementedError", "",
                f"    {start} agent_any(self, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Answer[Any]:",
                '        """Gives a task to an agent that has no types here."""', "        raise NotImplementedError"]
    return "\n".join(out) + "\n"


def typescript(types: Types, bridges: list[Any], agents: list[Any]) -> str:
    out = [f"// Typed inputs and results. {NOTE}", ""]
    out.append("\n\n".join(typescript_interface(*item) for item in types.objects.items()))
    for title, about, listed in (("Bridges", "bridge", bridges), ("Agents", "agent", agents)):
        out += ["", f"/** Input and result of each {about} that is known here. */", f"export interface {title} {{"]
        for names, given, result in listed:
            for name in names:
                out.append(f"  {json.dumps(name)}: {{ input: {typescript_type(given)}; result: {typescript_type(result)} }};")
        out.append("}")
    return "\n".join(out) + "\n"


def fetch(base: str) -> dict[str, Any]:
    """What `clients/openapi.json` keeps of a server."""
    def get(path: str) -> Any:
        with urllib.request.urlopen(base.rstrip("/") + path) as answer:
            return json.load(answer)

    document, agents = get("/openapi.json"), get("/api/v1/agents")["agents"]
    paths = {}
    for path, item in document["paths"].items():
        if path.startswith(ROUTE) and "{" not in path:
            given, answer = item["post"]["requestBody"], item["post"]["responses"]["200"]
            paths[path] = {"post": {
                "operationId": item["post"]["operationId"], "summary": item["post"]["summary"],
                "requestBody": {"content": {"application/json": {
                    "schema": given["content"]["application/json"]["schema"]}}},
                "responses": {"200": {"description": answer["description"], "content": answer["content"]}}}}
    listed = {agent["slug"]: {"skills": sorted(skill["id"] for skill in agent["skills"]),
                              "input": agent["input_schema"], "output": agent["output_schema"]}
              for agent in agents if "input_schema" in agent}
    return {"openapi": document["openapi"], "info": {"title": "Bridges and agents", "version": "1"}, "paths": paths, "x-agents": listed,
            "components": {"schemas": {"Sources": document["components"]["schemas"]["Sources"]}}}


def kept_bytes(document: dict[str, Any]) -> bytes:
    """One line for each bridge and agent, so that differences can be read."""
    def one(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    def lines(name: str) -> str:
        inner = ",\n".join(f"{one(key)}:{one(value)}" for key, value in sorted(document[name].items()))
        return f"{one(name)}:{{\n{inner}}}"

    parts = [lines(name) if name in ("paths", "x-agents") else f"{one(name)}:{one(document[name])}" for name in sorted(document)]
    return ("{" + ",\n".join(parts) + "}\n").encode()


def written(document: dict[str, Any]) -> dict[pathlib.Path, bytes]:
    """Files and their bytes."""
    if "x-agents" not in document:
        document["x-agents"] = json.loads(KEPT.read_bytes())["x-agents"]
    found = read(document)
    return {PYTHON: python(*found).encode(), TYPESCRIPT: typescript(*found).encode()}


def main() -> int:
    match sys.argv[1:]:
        case ["--check"]:
            stale = [path for path, data in written(json.loads(KEPT.read_bytes())).items() if path.read_bytes() != data]
            print("\n".join(f"{path} is not what clients/generate.py writes" for path in stale) or "ok")
            return len(stale)
        case ["--fetch", base]:
            document = fetch(base)
            KEPT.write_bytes(kept_bytes(document))
        case [file]:
            document = json.loads(pathlib.Path(file).read_bytes())
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    for path, data in written(document).items():
        path.write_bytes(data)
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
