#!/usr/bin/python3
"""Fills in the templates of a container, and then runs a command in its place.

usage: fill-in COMMAND...

Copies each file below /templates to the same path below /tmp/filled, where only its owner can read
it. Each ${NAME} becomes the environment variable NAME, or the contents of the file that NAME_FILE
names. scripts/cluster fills in the same templates. Exits with 78 if a value is missing.
"""

import os
import pathlib
import re
import sys

TEMPLATES = pathlib.Path("/templates")
FILLED = pathlib.Path("/tmp/filled")


def fill_in(text, variables):
    """The text with all values. Throws a KeyError with the name of a value that is missing."""

    def value(found):
        name = found[1]
        if name + "_FILE" in variables:
            return pathlib.Path(variables[name + "_FILE"]).read_text(encoding="utf-8").rstrip("\n")
        return variables[name]

    return re.sub(r"\$\{(\w+)\}", value, text)


def main():
    if len(sys.argv) < 2: sys.exit(__doc__)
    before = os.umask(0o077)
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        target = FILLED / template.relative_to(TEMPLATES)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.write_text(fill_in(template.read_text(encoding="utf-8"), os.environ))
        except KeyError as error:
            print(f"fill-in: {template}: there is no value for {error}", file=sys.stderr)
            sys.exit(78)
    os.umask(before)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__": main()
