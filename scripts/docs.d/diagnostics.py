"""Fails on the faults that docc has found in a catalogue or in doc comments.

usage: diagnostics.py DIAGNOSTICS.JSON

The file is that of docc convert --diagnostics-file. A parameter without a comment is not a fault:
many names need no explanation.
"""

import json
import re
import sys
import urllib.parse

IGNORED = re.compile("Parameter '.*' is missing documentation")

with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)["diagnostics"]
faults = [fault for fault in found if not IGNORED.fullmatch(fault["summary"])]
for fault in faults:
    path = urllib.parse.unquote(urllib.parse.urlparse(fault.get("source") or "").path)
    line = fault.get("range", {}).get("start", {}).get("line", 1)
    print(f"{path}:{line}: {fault['summary']}", file=sys.stderr)
    if fault.get("explanation"):
        print(f"    {fault['explanation']}", file=sys.stderr)
sys.exit(1 if faults else 0)
