"""Prints the lines that tests have executed, by module, the least covered first.

usage: coverage.py FILE      the JSON that 'swift test --show-codecov-path' names
"""

import collections
import json
import pathlib
import sys

root = pathlib.Path.cwd() / "Sources"
lines = collections.defaultdict(lambda: [0, 0])
with open(sys.argv[1], encoding="utf-8") as file:
    for entry in json.load(file)["data"][0]["files"]:
        path = pathlib.Path(entry["filename"])
        if not path.is_relative_to(root): continue
        summary = entry["summary"]["lines"]
        module = lines["/".join(path.relative_to(root).parts[:2])]
        module[0] += summary["covered"]
        module[1] += summary["count"]
if not lines: sys.exit("coverage.py: the file tells of no file below Sources")

total = [sum(column) for column in zip(*lines.values())]
print("| module | lines | covered |\n|---|---|---|")
for module, (covered, count) in sorted(lines.items(), key=lambda item: item[1][0] / item[1][1]):
    print(f"| `{module}` | {count:,} | {covered / count:.0%} |")
print(f"| all | {total[1]:,} | {total[0] / total[1]:.0%} |")
