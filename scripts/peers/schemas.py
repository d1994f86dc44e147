"""The test suite of JSON Schema, draft 2020-12, as it is in the sources of jsonschema (MIT)."""

import json

from .tools import SOURCES as FOLDER

PACKAGES = ["jsonschema[format-nongpl]==4.26.0", "jsonschema-rs==0.61.0"]
SOURCES = ["jsonschema==4.26.0"]
SUITE = FOLDER / "jsonschema-4.26.0/json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
SERVER = "http://localhost:1234/"


def remotes():
    """Returns the schemas that the suite serves over HTTP, by URI, without those of other drafts."""
    files = [path for path in (SUITE / "remotes").rglob("*.json")]
    other = ("draft-next", "draft2019-09", "draft3", "draft4", "draft6", "draft7")
    named = {str(path.relative_to(SUITE / "remotes")): json.loads(path.read_text()) for path in sorted(files)}
    return {SERVER + name: schema for name, schema in named.items() if name.split("/")[0] not in other}


def tests():
    root = SUITE / "tests/draft2020-12"
    for path in sorted(root.rglob("*.json")):
        name = str(path.relative_to(root).with_suffix(""))
        part = "format" if name.startswith("optional/format/") else name.split("/")[0] if "/" in name else "required"
        for group in json.loads(path.read_text()):
            for test in group["tests"]:
                yield part, f"{name}: {group['description']}: {test['description']}", group["schema"], test


def by_jsonschema(given):
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012
    registry = Registry().with_resources((uri, Resource.from_contents(schema, DRAFT202012)) for uri, schema in given.items())

    def valid(schema, data, formats):
        checker = FormatChecker() if formats else None
        return Draft202012Validator(schema, registry=registry, format_checker=checker).is_valid(data)
    return valid


def by_jsonschema_rs(given):
    import jsonschema_rs
    registry = jsonschema_rs.Registry(list(given.items()), draft=jsonschema_rs.Draft202012)

    def valid(schema, data, formats):
        return jsonschema_rs.Draft202012Validator(schema, registry=registry, validate_formats=formats).is_valid(data)
    return valid


def suite(ask, show):
    """validation, jsonschema and jsonschema-rs, each compared with the suite's verdict; the schemas of its server are passed in."""
    given = remotes()

    def bridge(schema, data, formats):
        # Only schemas that a test references are passed, because some others belong to unsupported drafts.
        named = given if SERVER in json.dumps(schema) else {}
        result = ask("validation", {"output": data, "schema": schema, "schemas": named, "assert_formats": formats})
        return result["valid"] if result else "refused"
    for name, valid in (("validation", bridge), ("jsonschema", by_jsonschema(given)), ("jsonschema-rs", by_jsonschema_rs(given))):
        right, count, wrong = {}, {}, []
        for part, title, schema, test in tests():
            try:
                got = valid(schema, test["data"], part == "format")
            except Exception as error:  # an exception of a package counts as no verdict
                got = type(error).__name__
            count[part] = count.get(part, 0) + 1
            right[part] = right.get(part, 0) + (got == test["valid"])
            if got != test["valid"]:
                wrong.append(f"  {title}: {got}")
        print(f"suite of JSON Schema, {name}: " + ", ".join(f"{part} {right[part]} of {count[part]}" for part in sorted(count)))
        print("\n".join(wrong[:show]))
