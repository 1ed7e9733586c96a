#!/usr/bin/env python3
"""Prints the API's description without deprecated fields, for generators of clients.

usage: clients/kotlin/description.py docs/openapi.json > hearth.json

Requests accept some fields in a second, deprecated spelling (member_id beside memberId). Kotlin's
generator gives both the same name, which does not compile.
"""
import json
import sys


def without_deprecated(value):
    if isinstance(value, list):
        return [without_deprecated(element) for element in value]
    if not isinstance(value, dict):
        return value
    fields = value.get("properties")
    if isinstance(fields, dict):
        value = {**value, "properties": {
            name: field for name, field in fields.items()
            if not (isinstance(field, dict) and field.get("deprecated"))}}
    return {name: without_deprecated(member) for name, member in value.items()}


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) == 2 else 64)
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump(without_deprecated(json.load(file)), sys.stdout, indent=1)


main()
