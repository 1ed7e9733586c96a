"""Prints the examples of the API's description as values of the types of the TypeScript client.

usage: examples.py OPENAPI.JSON OPERATIONS

OPERATIONS is a file with the names of the operations that the client calls, one a line.
"""

import json
import re
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
called = set(open(sys.argv[2], encoding="utf-8").read().split())
examples = []
for operations in document["paths"].values():
    for operation in operations.values():
        if operation["operationId"] not in called:
            continue
        declared = "ServerOperations" if "Server" in operation["tags"] else "Operations"
        types = f'{declared}["{operation["operationId"]}"]'
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            examples.append((f'NonNullable<{types}["request"]["body"]>', body["example"]))
        for status, response in operation["responses"].items():
            if not status.startswith("2"):
                continue
            for media, content in response.get("content", {}).items():
                if "example" not in content or not re.search("json$", media):
                    continue
                kind = f'Extract<{types}["success"], {{ status: {status} }}>["body"]'
                examples.append((kind, content["example"]))
print('import type { Operations, ServerOperations } from "hearth-client";')
for number, (kind, example) in enumerate(examples):
    print(f"export const example{number}: {kind} = {json.dumps(example)};")
