#!/usr/bin/env python3
"""Prints the API's description in the form from which a Kotlin client compiles.

usage: clients/kotlin/description.py docs/openapi.json > hearth.json

The generator makes no valid Kotlin from some of the description:

- Requests accept some fields in a second, deprecated spelling (member_id beside memberId), and both
  get the same name. Deprecated fields are left out.
- Fields of all alternatives of a value become fields of one class, some of them twice. A value
  with alternatives becomes JSON.
- An object with fields and further members becomes a class that extends a class of the standard
  library. Further members are left out.
- A constant has no type. It gets the type of its value.
"""
import json
import sys

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def prepared(value):
    """Returns a part of the description without what the generator can't express."""
    if isinstance(value, list):
        return [prepared(element) for element in value]
    if not isinstance(value, dict):
        return value
    kept = dict(value)
    if "anyOf" in kept or "oneOf" in kept:
        kept = {name: kept[name] for name in ("description",) if name in kept}
        kept["type"] = "object"
    if isinstance(kept.get("const"), tuple(TYPES)):
        # A constant of a later Hearth may be another one.
        kept.setdefault("type", TYPES[type(kept.pop("const"))])
    fields = kept.get("properties")
    if isinstance(fields, dict):
        kept["properties"] = {
            name: field for name, field in fields.items()
            if not (isinstance(field, dict) and field.get("deprecated"))}
        kept.pop("additionalProperties", None)
    return {name: prepared(member) for name, member in kept.items()}


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) == 2 else 64)
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump(prepared(json.load(file)), sys.stdout, indent=1)


main()
