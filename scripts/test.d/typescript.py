"""Prints TypeScript types of the API's description, and its examples as values of those types.

usage: typescript.py OPENAPI.JSON

Every operation gets a type that tells a response's body by its status, so that a compiler knows
which codes a refusal can have.
"""

import json
import re
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))


def union(parts):
    return " | ".join(dict.fromkeys(parts))


def typed(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return union(json.dumps(word) for word in schema["enum"])
    if "anyOf" in schema:
        return union(typed(part) for part in schema["anyOf"])
    kinds = schema.get("type", [])
    return union(plain(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def plain(kind, schema):
    if kind == "object" and "properties" in schema:
        required = schema.get("required", [])
        return "{ " + " ".join(
            f"{json.dumps(name)}{'' if name in required else '?'}: {typed(part)};"
            for name, part in schema["properties"].items()) + " }"
    if kind == "array":
        return f"({typed(schema['items'])})[]"
    return {"object": "Record<string, unknown>", "integer": "number", "null": "null",
            "number": "number", "boolean": "boolean", "string": "string"}[kind]


for name, schema in document["components"]["schemas"].items():
    print(f"export type {name} = {typed(schema)};")

paths, examples = [], []
print("export interface Operations {")
for path, operations in document["paths"].items():
    for method, operation in operations.items():
        name = operation["operationId"]
        paths.append((name, method.upper(), path))
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            examples.append((f'Operations["{name}"]["body"]', body["example"]))
        answers = []
        for status, response in operation["responses"].items():
            for media, content in response["content"].items():
                kind = typed(content["schema"]) if re.search("json$", media) else "string"
                answers.append(f"{{ status: {status}; body: {kind or 'unknown'} }}")
                if "example" in content:
                    examples.append((kind, content["example"]))
        print(f"  {name}: {{ body: {typed(body['schema']) if body else 'undefined'};",
              f"answer: {' | '.join(answers)} }};")
print("}")
print("export const paths: Record<keyof Operations, [method: string, path: string]> = {")
for name, method, path in paths:
    print(f"  {name}: [{json.dumps(method)}, {json.dumps(path)}],")
print("};")
for number, (kind, example) in enumerate(examples):
    print(f"export const example{number}: {kind} = {json.dumps(example)};")
