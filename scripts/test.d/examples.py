"""Prints the examples of the API's description as values of the types of 'hearth-api --typescript'.

usage: examples.py OPENAPI.JSON
"""

import json
import re
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
examples = []
for operations in document["paths"].values():
    for method, operation in operations.items():
        types = f'Operations["{operation["operationId"]}"]'
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            examples.append((f'NonNullable<{types}["request"]["body"]>', body["example"]))
        for status, response in operation["responses"].items():
            for media, content in response.get("content", {}).items():
                if "example" not in content or not re.search("json$", media):
                    continue
                kind = "success" if status.startswith("2") else "problem"
                found = f'Extract<{types}["{kind}"], {{ status: {status} }}>'
                examples.append(
                    (f'{found}["body"]' if kind == "success" else found, content["example"]))
print('import { Operations } from "./hearth";')
for number, (kind, example) in enumerate(examples):
    print(f"export const example{number}: {kind} = {json.dumps(example)};")
